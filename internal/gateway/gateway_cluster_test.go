//go:build cluster

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// pod starts the development image as the instance's pod and waits until its apps answer.
func (w *world) pod(c *kube.Client, i *ent.Instance) {
	w.t.Helper()
	ns := w.Cast.Team.Namespace
	if _, err := c.CoreV1().Namespaces().Create(w.sys, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = c.CoreV1().Namespaces().Delete(context.WithoutCancel(w.sys), ns, metav1.DeleteOptions{})
	})
	no := false
	_, err := c.CoreV1().Pods(ns).Create(w.sys, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: i.ObjectName + "-0"},
		Spec: corev1.PodSpec{AutomountServiceAccountToken: &no, Containers: []corev1.Container{{
			Name: manifest.ContainerInstance, Image: testkit.ImageDev, ImagePullPolicy: corev1.PullIfNotPresent,
			Env: []corev1.EnvVar{{Name: "PASSWORD", Value: "s3cret-1"}, {Name: "ROOT_PASSWORD", Value: "toor-1"}},
			ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: intstr.FromInt32(manifest.PortStatus)}}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		p, err := c.CoreV1().Pods(ns).Get(w.sys, i.ObjectName+"-0", metav1.GetOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, cond := range p.Status.Conditions {
			if cond.Type == corev1.PodReady && cond.Status == corev1.ConditionTrue {
				return
			}
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the pod is not ready: %+v", p.Status)
		}
	}
}

// TestThroughTheGatewayIntoARealInstance uses JupyterLab's kernels, a shell and
// SSH in a real pod.
func TestThroughTheGatewayIntoARealInstance(t *testing.T) {
	c := testkit.Cluster(t)
	p := &pods{ports: map[string]string{}}
	s := servertest.Start(t, servertest.Options{Dialer: c, Shells: c, Secrets: p})
	w := &world{s, t, p, authz.AsSystem(t.Context())}
	i := w.instance(nil)
	w.pod(c, i)
	port := freePort(t)
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	t.Run("kernel", func(t *testing.T) { w.kernel(t, i) })
	t.Run("terminal", func(t *testing.T) {
		x := w.terminal(w.SignIn(t, w.Cast.Member), i.ID, "?cols=111&rows=33")
		x.send("stty size; echo HOME=$HOME; shopt -q login_shell && echo login\n")
		if !x.until("33 111") || !x.until("HOME=/home/goblin") || !x.until("login\r\n") {
			t.Errorf("%q %v", x.out, x.last)
		}
		if err := x.WriteMessage(websocket.TextMessage, []byte(`{"type":"resize","cols":77,"rows":22}`)); err != nil {
			t.Fatal(err)
		}
		x.send("for n in 1 2 3 4 5 6 7 8 9; do stty size; sleep .1; done\n")
		if !x.until("22 77") {
			t.Errorf("%q", x.out)
		}
		x.send("exit 3\n")
		if got := x.end(); got["type"] != "exit" || got["code"] != float64(3) {
			t.Errorf("the end is %v", got)
		}
	})
	t.Run("ssh", func(t *testing.T) {
		config := &ssh.ClientConfig{User: "root", Auth: []ssh.AuthMethod{ssh.Password("toor-1")}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second}
		var client *ssh.Client
		eventually(t, "an SSH connection", func() bool {
			var err error
			client, err = ssh.Dial("tcp", fmt.Sprint("127.0.0.1:", port), config)
			return err == nil
		})
		defer func() { _ = client.Close() }()
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		session.Stdin = bytes.NewReader(bytes.Repeat([]byte("0123456789abcdef"), 64<<10))
		if out, err := session.Output("id -un; wc -c"); err != nil || !strings.Contains(string(out), "root") || !strings.Contains(string(out), "1048576") {
			t.Errorf("%q, %v", out, err)
		}
		config.Auth = []ssh.AuthMethod{ssh.Password("wrong")}
		if c, err := ssh.Dial("tcp", fmt.Sprint("127.0.0.1:", port), config); err == nil {
			_ = c.Close()
			t.Error("a wrong password came in")
		}
	})
}

// kernel runs a line of Python in a kernel.
func (w *world) kernel(t *testing.T, i *ent.Instance) {
	b := w.SignIn(t, w.Cast.Member)
	if res, body := get(t, b.HTTP, w.open(b, i, "jupyterlab"), "Accept", "text/html"); res.StatusCode != http.StatusOK || !strings.Contains(body, "JupyterLab") {
		t.Fatalf("JupyterLab: %s %.300s", res.Status, body)
	}
	base := w.host(i, "jupyterlab")
	res, body := send(t, b.HTTP, http.MethodPost, base+"/api/kernels", strings.NewReader(`{"name":"python3"}`), "Content-Type", "application/json", "Origin", base)
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("kernel: %s %s", res.Status, body)
	}
	var k struct{ ID string }
	if err := json.Unmarshal([]byte(body), &k); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"Origin": {base}}
	for _, c := range b.HTTP.Jar.Cookies(u) {
		h.Add("Cookie", c.Name+"="+c.Value)
	}
	d := websocket.Dialer{NetDialContext: b.HTTP.Transport.(*http.Transport).DialContext}
	c, wres, err := d.DialContext(t.Context(), "ws://"+u.Host+"/api/kernels/"+k.ID+"/channels", h)
	if err != nil {
		t.Fatalf("socket of the kernel: %v", err)
	}
	_ = wres.Body.Close()
	defer func() { _ = c.Close() }()
	msg := `{"header":{"msg_id":"1","msg_type":"execute_request","username":"","session":"1","version":"5.3"},"parent_header":{},"metadata":{},` +
		`"content":{"code":"print(6*7)","silent":false},"channel":"shell","buffers":[]}`
	if err := c.WriteMessage(websocket.TextMessage, []byte(msg)); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		_, b, err := c.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), `"text": "42\n"`) || strings.Contains(string(b), `"text":"42\n"`) {
			return
		}
	}
}
