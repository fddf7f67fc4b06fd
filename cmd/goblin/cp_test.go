package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/files/courier/couriertest"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// filesSite is a server with volumes, and a member who is signed in to it through
// a network that can be cut.
type filesSite struct {
	*servertest.Site
	lab  *couriertest.Lab
	data *ent.Volume
	cuts *atomic.Int64 // how many connections are cut yet, each after some bytes
}

// cutConn breaks off after some bytes.
type cutConn struct {
	net.Conn
	left atomic.Int64
}

func (c *cutConn) count(n int) error {
	if c.left.Add(-int64(n)) < 0 {
		_ = c.Conn.Close()
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if e := c.count(n); e != nil {
		return 0, e
	}
	return n, err
}

func (c *cutConn) Write(p []byte) (int, error) {
	if e := c.count(len(p)); e != nil {
		return 0, e
	}
	return c.Conn.Write(p)
}

type cutListener struct {
	net.Listener
	cuts *atomic.Int64
}

func (l *cutListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	out := &cutConn{Conn: c}
	out.left.Store(1 << 60)
	if l.cuts.Add(-1) >= 0 {
		out.left.Store(3 << 20)
	}
	return out, nil
}

func filesAt(t *testing.T) *filesSite {
	t.Helper()
	home(t)
	f := &filesSite{lab: couriertest.New(t), cuts: &atomic.Int64{}}
	f.Site = servertest.Start(t, servertest.Options{Files: f.lab})
	f.data = f.volume(t, "data")
	token := f.Program(t, f.Cast.Member, authz.ScopeWrite).Token
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	srv := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(&cutListener{l, f.cuts}) }()
	t.Cleanup(func() { _ = srv.Close() })
	address := "http://" + l.Addr().String()
	s := settings{Current: address, Servers: map[string]entry{address: {Token: token, Scope: "write", ExpiresAt: time.Now().Add(time.Hour)}}}
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *filesSite) volume(t *testing.T, name string) *ent.Volume {
	t.Helper()
	return f.DB.Client.Volume.Create().SetTeamID(f.Cast.Team.ID).SetOwnerID(f.Cast.Member.ID).SetName(name).SetKind(volume.KindData).
		SetObjectName(name + "-" + xid.New().String()).SetSizeBytes(1 << 30).SetAccessMode(volume.AccessModeReadWriteMany).SaveX(authz.AsSystem(t.Context()))
}

func (f *filesSite) in(p string) string { return filepath.Join(f.lab.Dir, f.data.ID, p) }

func (f *filesSite) cp(t *testing.T, exit int, part string, args ...string) string {
	t.Helper()
	code, out, errs := goblin(t, func(string) {}, append([]string{"cp"}, args...)...)
	if code != exit || !strings.Contains(out+errs, part) {
		t.Errorf("cp %q: %d %s%s, want %d %q", args, code, out, errs, exit, part)
	}
	return out
}

func TestCopyUpAndDownThroughCuts(t *testing.T) {
	f := filesAt(t)
	dir := t.TempDir()
	data := make([]byte, 30<<20)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(data)
	local := filepath.Join(dir, "model 1.bin")
	if err := os.WriteFile(local, data, 0o644); err != nil {
		t.Fatal(err)
	}
	f.cuts.Store(5)
	f.cp(t, 0, "1 files, 30.0 MiB", local, "data:/models/")
	if got, err := os.ReadFile(f.in("models/model 1.bin")); err != nil || !bytes.Equal(got, data) {
		t.Error("what arrived differs", err)
	}
	f.cp(t, 0, "1 were there already", local, "data:/models/")
	f.cuts.Store(5)
	http.DefaultClient.CloseIdleConnections() // those of before are not cut
	f.cp(t, 0, "1 files, 30.0 MiB", "data:/models/model 1.bin", filepath.Join(dir, "back")+"/")
	if got, err := os.ReadFile(filepath.Join(dir, "back", "model 1.bin")); err != nil || !bytes.Equal(got, data) {
		t.Error("what came back differs", err)
	}
	if names, _ := os.ReadDir(filepath.Join(dir, "back")); len(names) != 1 {
		t.Errorf("left: %v", names)
	}
	if f.cuts.Load() > 0 {
		t.Errorf("%d cuts are left", f.cuts.Load())
	}
}

func TestCopyFolders(t *testing.T) {
	f := filesAt(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	for p, text := range map[string]string{"a.txt": "a", "sub/b\xff.txt": "b", "sub/empty": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(src, p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(src, p), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	f.cp(t, exitUsage, "copy it with -r", src, "data:/")
	f.cp(t, 0, `"files":3`, "--json", "-r", src, "data:/")
	if b, err := os.ReadFile(f.in("src/sub/b\xff.txt")); err != nil || string(b) != "b" {
		t.Error(err)
	}
	f.cp(t, exitUsage, "copy it with -r", "data:/src", dir)
	f.cp(t, 0, "3 files", "-r", "data:/src", filepath.Join(dir, "back"))
	if b, err := os.ReadFile(filepath.Join(dir, "back/sub/b\xff.txt")); err != nil || string(b) != "b" {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(src, "a.txt"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.cp(t, exitFailed, "--force", filepath.Join(src, "a.txt"), "data:/src/a.txt")
	f.cp(t, 0, "1 files", "-f", filepath.Join(src, "a.txt"), "data:/src/a.txt")
	f.cp(t, exitFailed, "--force", "data:/src/a.txt", filepath.Join(dir, "back/a.txt"))
	other := f.volume(t, "other")
	f.cp(t, 0, "5 files", "-r", "data:/src", "other:/copied")
	if b, err := os.ReadFile(filepath.Join(f.lab.Dir, other.ID, "copied/a.txt")); err != nil || string(b) != "changed" {
		t.Error(err)
	}
	f.cp(t, exitFailed, "no volume", src, "nothing:/")
	f.cp(t, exitUsage, "VOLUME:/PATH", src, dir)
	f.cp(t, exitUsage, "without . and ..", src, "data:/../x")
	f.cp(t, exitFailed, "there is no /none", "data:/none", dir)
	f.volume(t, "data")
	f.cp(t, exitFailed, "there are 2 volumes", src, "data:/")
}
