//go:build cluster

package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestFilesAgentIsGoneWithinAMinute: what serves the files of a volume goes a
// while after its last use, by itself: with the server there, and with the
// server killed in the middle of an upload and not started again (P74). The
// upload goes on where it was.
func TestFilesAgentIsGoneWithinAMinute(t *testing.T) {
	testkit.Cluster(t)
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	v := p.volume(team)
	p.filesOpen(v)
	if err := l.agents(ns); err == nil {
		t.Fatal("files were listed and there is no agent")
	}
	eventually(t, time.Minute, "the agent is gone after use", func() error { return l.agents(ns) })

	p.filesOpen(v)
	const size, half = 8 << 20, 4 << 20
	var u struct {
		ID     string
		Offset int64
	}
	p.files(http.MethodPost, v, "/uploads", strings.NewReader(fmt.Sprintf(`{"path":"large","size":%d}`, size)), nil, &u)
	rest := p.hanging(v, u.ID, size, half)
	eventually(t, 20*time.Second, "half of the upload is there", func() error {
		p.files(http.MethodGet, v, "/uploads/"+u.ID, nil, nil, &u)
		if u.Offset == 0 {
			return errors.New("nothing of it")
		}
		return nil
	})
	l.stop(syscall.SIGKILL)
	_ = rest.Close()
	if err := l.agents(ns); err == nil {
		t.Error("the agent went with the server, in the middle of a request")
	}
	eventually(t, time.Minute, "the agent is gone though nobody runs who made it", func() error { return l.agents(ns) })

	l.start()
	p.filesOpen(v)
	p.files(http.MethodGet, v, "/uploads/"+u.ID, nil, nil, &u)
	if u.Offset == 0 || u.Offset > half {
		t.Fatalf("of %d sent bytes %d count", half, u.Offset)
	}
	p.files(http.MethodPatch, v, "/uploads/"+u.ID, bytes.NewReader(make([]byte, size-u.Offset)), http.Header{"Upload-Offset": {fmt.Sprint(u.Offset)}}, nil)
	p.files(http.MethodPost, v, "/uploads/"+u.ID+"/finish", nil, nil, nil)
	var entry struct{ Size int64 }
	p.files(http.MethodGet, v, "/stat?path=large", nil, nil, &entry)
	if entry.Size != size {
		t.Errorf("the file has %d bytes, want %d", entry.Size, size)
	}
	eventually(t, time.Minute, "the last agent is gone", func() error { return l.agents(ns) })
}

// agents is what there is of agents in a namespace; nil for nothing.
func (l *lab) agents(ns string) error {
	l.t.Helper()
	ctx, o := l.t.Context(), metav1.ListOptions{LabelSelector: manifest.LabelComponent + "=" + manifest.ComponentFiles}
	pods, err1 := l.kube.CoreV1().Pods(ns).List(ctx, o)
	jobs, err2 := l.kube.BatchV1().Jobs(ns).List(ctx, o)
	secrets, err3 := l.kube.CoreV1().Secrets(ns).List(ctx, o)
	if err := errors.Join(err1, err2, err3); err != nil {
		l.t.Fatal(err)
	}
	if n := len(pods.Items) + len(jobs.Items) + len(secrets.Items); n > 0 {
		return fmt.Errorf("%d pods, %d jobs, %d secrets are left", len(pods.Items), len(jobs.Items), len(secrets.Items))
	}
	return nil
}

// volume makes a volume and gives its id.
func (p *person) volume(team string) string {
	p.t.Helper()
	var d struct {
		CreateVolume struct{ Volume struct{ ID string } }
	}
	p.do(`mutation($i: CreateVolumeInput!) { createVolume(input: $i) { volume { id } } }`, vars{"i": vars{"teamId": team, "name": "files", "size": "1Gi"}}, &d)
	return d.CreateVolume.Volume.ID
}

// filesOpen waits until the files of a volume are served, and lists them.
func (p *person) filesOpen(volume string) {
	p.t.Helper()
	eventually(p.t, time.Minute, "the files are opened", func() error {
		var d struct {
			Ready   bool
			Message string
		}
		if err := p.tryFiles(http.MethodGet, volume, "/", nil, nil, &d); err != nil || !d.Ready {
			return errors.Join(errors.New("not ready: "+d.Message), err)
		}
		return nil
	})
	p.files(http.MethodGet, volume, "/list", nil, nil, nil)
}

// files sends a request for files that must succeed.
func (p *person) files(method, volume, path string, body io.Reader, h http.Header, into any) {
	p.t.Helper()
	if err := p.tryFiles(method, volume, path, body, h, into); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) tryFiles(method, volume, path string, body io.Reader, h http.Header, into any) error {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+"/files/v1/volumes/"+volume+path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	for k, v := range h {
		req.Header[k] = v
	}
	res, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 {
		return fmt.Errorf("%s %s: %s %.300s, %v", method, path, res.Status, b, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s %s: %.300s: %w", method, path, b, err)
	}
	return nil
}

// hanging sends the first bytes of a part of an upload, and no more until it is closed.
func (p *person) hanging(volume, upload string, size, first int64) io.Closer {
	p.t.Helper()
	r, w := io.Pipe()
	p.t.Cleanup(func() { _ = w.Close() })
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPatch, p.url+"/files/v1/volumes/"+volume+"/uploads/"+upload, r)
	if err != nil {
		p.t.Fatal(err)
	}
	req.ContentLength = size
	req.Header.Set("Upload-Offset", "0")
	slow := &http.Client{Jar: p.http.Jar, Transport: loopback}
	go func() {
		if res, err := slow.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	go func() { _, _ = w.Write(make([]byte, first)) }()
	return w
}
