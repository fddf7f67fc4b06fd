//go:build bench

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// glance is how often a program is asked whether it answers.
const glance = 10 * time.Millisecond

const labRounds = 7

// benchLab is L2: from the click on Start until JupyterLab's page comes through
// the gateway, beside a spawn by JupyterHub.
func benchLab(t *testing.T) outcome {
	if _, err := os.Stat("../../bin/images/dev.tar"); err != nil {
		return outcome{note: "Not measured: there is no bin/images/dev.tar; `make images` builds it."}
	}
	testkit.Cluster(t)
	l := newDoor(t)
	ours := contender{"GoblinLab: JupyterLab, VS Code and sshd in a pod", func() series { return series{l.open()} }}
	l.open() // the node has the image, the volume is bound
	h, err := newHub(t)
	if err != nil {
		o := compare(labRounds, ours)
		o.note = "JupyterHub was not measured: " + err.Error()
		return o
	}
	h.spawn()
	o := compare(labRounds, contender{"JupyterHub 3.0 of Debian 12: a notebook as a local process", func() series { return series{h.spawn()} }}, ours)
	o.base = "JupyterHub"
	return o
}

// door is somebody's browser on a whole GoblinLab in this process.
type door struct {
	*starter
	url  string
	http *http.Client
}

func newDoor(t *testing.T, change ...func(*config.Config)) *door {
	t.Helper()
	port := freePort(t)
	d := &door{url: fmt.Sprintf("http://localhost:%d", port)}
	d.starter = start(t, app.Roles{Serve: true, Work: true}, instance.Resources{CPU: "1", Memory: "1Gi"},
		image.CreateInput{Name: "dev", Reference: testkit.ImageDev, Development: true},
		append(change, func(c *config.Config) { c.Listen, c.URL = fmt.Sprintf("127.0.0.1:%d", port), d.url })...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	// Browsers reach every name below localhost, Go's resolver does not.
	way := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", port))
	}}
	d.http = &http.Client{Jar: jar, Timeout: time.Minute, Transport: way}
	u, err := url.Parse(d.link)
	if err != nil {
		t.Fatal(err)
	}
	d.post("/auth/link", map[string]string{"token": u.Query().Get("token")})
	return d
}

func (d *door) post(path string, in any) []byte {
	d.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url+path, bytes.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := d.http.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 || bytes.Contains(out, []byte(`"errors"`)) {
		d.t.Fatalf("%s: %s %.300s %v", path, res.Status, out, err)
	}
	return out
}

func (d *door) act(mutation string) []byte {
	return d.post("/graphql", map[string]any{"query": mutation, "variables": map[string]any{"id": d.ids}})
}

// open starts the instance as the page does, and opens JupyterLab when the page
// would offer it.
func (d *door) open() time.Duration {
	d.t.Helper()
	sub, stop := context.WithCancel(d.ctx)
	defer stop()
	ch := d.app.Broker.Subscribe(sub, "instance", d.ids)
	begin := time.Now()
	d.act(`mutation($id: ID!) { startInstance(id: $id) { instance { id } } }`)
	d.await(ch, "running")
	for end := begin.Add(2 * time.Minute); !d.opened(); time.Sleep(glance) {
		if time.Now().After(end) {
			d.t.Fatal("JupyterLab does not answer through the gateway")
		}
	}
	took := time.Since(begin)
	d.act(`mutation($id: ID!) { stopInstance(id: $id) { instance { id } } }`)
	d.await(ch, "stopped")
	return took
}

func (d *door) opened() bool {
	d.t.Helper()
	var out struct {
		Data struct{ OpenInstanceApp struct{ URL string } }
	}
	if err := json.Unmarshal(d.act(`mutation($id: ID!) { openInstanceApp(id: $id, app: "jupyterlab") { url } }`), &out); err != nil {
		d.t.Fatal(err)
	}
	res, err := d.http.Get(out.Data.OpenInstanceApp.URL)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return err == nil && res.StatusCode == http.StatusOK && bytes.Contains(body, []byte("JupyterLab"))
}
