//go:build cluster

package system

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestInstanceLife: made, started, watched until it is ready, used by every
// way in, restarted with a new secret and the same host key, stopped, deleted.
func TestInstanceLife(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	in := p.createInstance(team, p.image(testkit.ImageDev, true), vars{"name": "爱丽丝's \"lab\" 🧪", "resources": vars{"cpu": "500m", "memory": "1Gi", "gpu": 0}})
	if in.State != "STOPPED" {
		t.Errorf("a new instance is %s, want STOPPED", in.State)
	}
	sub := p.subscribe(`subscription($id: ID!) { instanceChanged(id: $id) { `+instanceFields+` } }`, vars{"id": in.ID})
	p.act("startInstance", in.ID)
	in = sub.untilState(t, "RUNNING", 2*time.Minute)
	var names []string
	for _, ph := range in.Timeline {
		names = append(names, ph.Name)
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "queued scheduled") || !strings.HasSuffix(got, "ready") {
		t.Errorf("P4 phases are %q, want queued, scheduled, …, ready", got)
	}
	first := p.secret(in.ID)
	p.jupyter(in, first)
	p.code(in, first)
	p.terminal(l, in)
	key := p.ssh(in, first)
	l.noSecretInObjects(ns, first)

	p.act("restartInstance", in.ID)
	eventually(t, 2*time.Minute, "it runs its second start", func() error {
		if got := p.instance(in.ID); got.Starts != 2 || got.State != "RUNNING" {
			return fmt.Errorf("start %d is %s", got.Starts, got.State)
		}
		return nil
	})
	second := p.secret(in.ID)
	if second == first {
		t.Error("the second start has the first one's secret")
	}
	if got := p.ssh(*p.instance(in.ID), second); got != key {
		t.Errorf("P31 the host key changed on restart: %s, was %s", got, key)
	}

	p.act("stopInstance", in.ID)
	p.until(in.ID, "STOPPED", time.Minute)
	if pods := l.pods(ns, manifest.LabelInstanceID, in.ID); len(pods) > 0 {
		t.Errorf("P15 it says stopped, and %d pods are there", len(pods))
	}
	p.act("deleteInstance", in.ID)
	l.nothingLeft(p, ns)
}

type secretPair struct{ Password, RootPassword string }

func (p *person) secret(id string) secretPair {
	p.t.Helper()
	var d struct{ RevealInstanceSecret secretPair }
	p.do(`mutation($id: ID!) { revealInstanceSecret(id: $id) { password rootPassword } }`, vars{"id": id}, &d)
	if len(d.RevealInstanceSecret.Password) < 20 || len(d.RevealInstanceSecret.RootPassword) < 20 {
		p.t.Fatal("a secret is too short")
	}
	return d.RevealInstanceSecret
}

func (s *subscription) untilState(t testing.TB, state string, limit time.Duration) instanceView {
	t.Helper()
	end := time.Now().Add(limit)
	var last instanceView
	for time.Now().Before(end) {
		var d struct{ InstanceChanged instanceView }
		if _, err := s.next(time.Until(end), &d); err != nil {
			t.Fatalf("waiting for %s, last %+v: %v", state, last, err)
		}
		if d.InstanceChanged.Version < last.Version {
			t.Errorf("the subscription went back from version %d to %d", last.Version, d.InstanceChanged.Version)
		}
		last = d.InstanceChanged
		if last.State == state {
			return last
		}
	}
	t.Fatalf("never %s; last %+v", state, last)
	return last
}

// jupyter opens JupyterLab by the one-time address, on an origin of its own.
func (p *person) jupyter(in instanceView, secret secretPair) {
	p.t.Helper()
	var d struct{ OpenInstanceApp struct{ URL string } }
	p.do(`mutation($id: ID!) { openInstanceApp(id: $id, app: "jupyterlab") { url } }`, vars{"id": in.ID}, &d)
	u, err := url.Parse(d.OpenInstanceApp.URL)
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Contains(d.OpenInstanceApp.URL, secret.Password) {
		p.t.Error("the secret stands in an address")
	}
	res, err := p.http.Get(u.String())
	if err != nil {
		p.t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("JupyterLab")) {
		p.t.Fatalf("JupyterLab answered %s: %.300s", res.Status, body)
	}
	stranger := &http.Client{Transport: loopback}
	if res, err := stranger.Get(u.String()); err == nil {
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			p.t.Error("a one-time address opened twice")
		}
	}
	if res, err := stranger.Get(u.Scheme + "://" + u.Host + "/api/contents"); err == nil {
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			p.t.Error("the app is open to a stranger")
		}
	}
}

// code opens VS Code, signed in, on an origin of its own, and reads what it wrote.
func (p *person) code(in instanceView, secret secretPair) {
	p.t.Helper()
	var d struct{ OpenInstanceApp struct{ URL string } }
	p.do(`mutation($id: ID!) { openInstanceApp(id: $id, app: "code-server") { url } }`, vars{"id": in.ID}, &d)
	res, err := p.http.Get(d.OpenInstanceApp.URL)
	if err != nil {
		p.t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.Path != "/" || res.Request.URL.Query().Get("folder") != manifest.HomePath || !bytes.Contains(body, []byte("vscode-workbench-web-configuration")) {
		p.t.Fatalf("VS Code answered %s at %s: %.300s", res.Status, res.Request.URL, body)
	}
	eventually(p.t, 30*time.Second, "its log tells of the start", func() error {
		log := p.appLog(in.ID, "code-server")
		if strings.Contains(log, secret.Password) {
			p.t.Error("P96 the password stands in the log of VS Code")
		}
		if !strings.Contains(log, "HTTP server listening") || !strings.Contains(log, "accepts connections on port 8080") {
			return fmt.Errorf("it is %q", log)
		}
		return nil
	})
	if errs := p.try(`query($id: ID!) { instanceAppLog(id: $id, app: "nothing") { lines { text } } }`, vars{"id": in.ID}, nil); len(errs) != 1 || errs[0].Extensions.Code != "NOT_FOUND" {
		p.t.Errorf("log of an app that is not there: %+v", errs)
	}
}

func (p *person) appLog(id, app string) string {
	p.t.Helper()
	var d struct {
		InstanceAppLog struct {
			Lines []struct {
				At   *time.Time
				Text string
			}
		}
	}
	p.do(`query($id: ID!, $app: String!) { instanceAppLog(id: $id, app: $app) { lines { at text } } }`, vars{"id": id, "app": app}, &d)
	var b strings.Builder
	for _, l := range d.InstanceAppLog.Lines {
		if l.At == nil {
			p.t.Errorf("a line has no time: %q", l.Text)
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// terminal runs a command in the web terminal.
func (p *person) terminal(l *lab, in instanceView) {
	p.t.Helper()
	d := websocket.Dialer{Jar: p.http.Jar, HandshakeTimeout: 10 * time.Second}
	address := strings.Replace(l.url, "http://", "ws://", 1) + "/terminal/" + in.ID + "?cols=80&rows=24"
	c, res, err := d.Dial(address, http.Header{"Origin": {l.url}})
	if err != nil {
		p.t.Fatalf("terminal: %v", err)
	}
	res.Body.Close()
	defer c.Close()
	if err := c.WriteMessage(websocket.BinaryMessage, []byte("echo $((6*7))-goblin\n")); err != nil {
		p.t.Fatal(err)
	}
	var got bytes.Buffer
	for !bytes.Contains(got.Bytes(), []byte("42-goblin")) {
		if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			p.t.Fatal(err)
		}
		_, b, err := c.ReadMessage()
		if err != nil {
			p.t.Fatalf("terminal after %q: %v", got.String(), err)
		}
		got.Write(b)
	}
	if _, res, err := (&websocket.Dialer{Jar: p.http.Jar}).Dial(address, http.Header{"Origin": {"http://evil.example"}}); err == nil {
		p.t.Error("the terminal opens for another origin")
	} else if res != nil {
		res.Body.Close()
	}
}

// ssh signs in as the connection card says and gives the host key's fingerprint.
func (p *person) ssh(in instanceView, secret secretPair) string {
	p.t.Helper()
	if in.SSH == nil {
		p.t.Fatalf("no SSH access in %+v", in)
	}
	var key string
	eventually(p.t, 30*time.Second, "SSH answers", func() error {
		c, err := ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", in.SSH.Port), &ssh.ClientConfig{
			User: "root", Auth: []ssh.AuthMethod{ssh.Password(secret.RootPassword)}, Timeout: 10 * time.Second,
			HostKeyCallback: func(_ string, _ netAddr, k ssh.PublicKey) error { key = ssh.FingerprintSHA256(k); return nil },
		})
		if err != nil {
			return err
		}
		defer c.Close()
		s, err := c.NewSession()
		if err != nil {
			return err
		}
		out, err := s.Output("echo $HOME; env")
		if err != nil {
			return err
		}
		if !strings.HasPrefix(string(out), manifest.HomePath) || strings.Contains(string(out), secret.Password) || strings.Contains(string(out), secret.RootPassword) {
			p.t.Errorf("home or secrets in an SSH session's environment:\n%.100s", out)
		}
		return nil
	})
	if _, err := ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", in.SSH.Port), &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.Password("wrong")}, Timeout: 10 * time.Second, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	}); err == nil {
		p.t.Error("SSH takes a wrong password")
	}
	return key
}

// noSecretInObjects looks for secrets in everything but Secrets.
func (l *lab) noSecretInObjects(ns string, secret secretPair) {
	l.t.Helper()
	ctx := l.t.Context()
	pods, err := l.kube.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	sets, err := l.kube.AppsV1().StatefulSets(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	var secrets *corev1.SecretList
	if secrets, err = l.kube.CoreV1().Secrets(ns).List(ctx, metav1.ListOptions{}); err != nil {
		l.t.Fatal(err)
	}
	text := fmt.Sprint(pods.Items, sets.Items)
	for _, s := range secrets.Items {
		text += fmt.Sprint(s.ObjectMeta)
	}
	for _, p := range l.procs {
		text += p.log.tail(5000)
	}
	for _, s := range []string{secret.Password, secret.RootPassword} {
		if strings.Contains(text, s) {
			l.t.Error("a login secret stands in an object, a label or a log")
		}
	}
}

// TestGoldenManifestsAreAccepted sends every golden file to a real API server.
func TestGoldenManifestsAreAccepted(t *testing.T) {
	k := testkit.Cluster(t)
	files, err := filepath.Glob("../manifest/testdata/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	groups := k.Discovery()
	dyn := dynamic.NewForConfigOrDie(jsonConfig(k.REST))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, doc := range bytes.Split(b, []byte("\n---\n")) {
			var o unstructured.Unstructured
			if err := yaml.Unmarshal(doc, &o.Object); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if len(o.Object) == 0 {
				continue
			}
			gv, err := schema.ParseGroupVersion(o.GetAPIVersion())
			if err != nil {
				t.Fatal(err)
			}
			list, err := groups.ServerResourcesForGroupVersion(gv.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list.APIResources {
				if r.Kind != o.GetKind() || strings.Contains(r.Name, "/") {
					continue
				}
				var c dynamic.ResourceInterface = dyn.Resource(gv.WithResource(r.Name))
				if r.Namespaced { // a namespace that is there; the file's own need not be
					o.SetNamespace("default")
					c = dyn.Resource(gv.WithResource(r.Name)).Namespace("default")
				}
				if _, err := c.Apply(t.Context(), o.GetName(), &o, metav1.ApplyOptions{FieldManager: manifest.Manager, Force: true, DryRun: []string{metav1.DryRunAll}}); err != nil {
					t.Errorf("%s, document %d, %s %s: %v", filepath.Base(f), i+1, o.GetKind(), o.GetName(), err)
				}
			}
		}
	}
}
