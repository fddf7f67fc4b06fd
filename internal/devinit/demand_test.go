package devinit

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAnAppOnDemandStartsWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"asked": up, "steady": up})
	b.awaitState("steady", StateReady)
	if got := b.awaitState("asked", StateIdle); got.Port != b.port {
		t.Errorf("%+v, want port %d", got, b.port)
	}
	if code, body := b.get("/readyz"); code != http.StatusOK {
		t.Errorf("an app that nobody asked for is waited for: %d %s", code, body)
	}
	front := fmt.Sprintf("http://127.0.0.1:%d/some/page?x=1", b.port)
	for _, password := range []string{"", "wrong", "tok3n-s3cret2"} {
		if code, body := b.fetch(front, password); code != http.StatusUnauthorized {
			t.Errorf("password %q: %d %s", password, code, body)
		}
	}
	if got := b.awaitState("asked", StateIdle); strings.Contains(b.output(), "[asked] up") {
		t.Errorf("a stranger started it: %+v", got)
	}

	// What listens behind the door is a server of this test.
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", b.inner))
	if err != nil {
		t.Fatal(err)
	}
	inner := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s auth=%q", r.URL, r.Header.Get("Authorization"))
	})}}
	inner.Start()
	defer inner.Close()
	if code, body := b.fetch(front, "tok3n-s3cret"); code != http.StatusOK || body != `/some/page?x=1 auth=""` {
		t.Fatalf("the first request: %d %s", code, body)
	}
	b.awaitState("asked", StateReady)
	first := b.awaitPID("asked", 1)
	if code, _ := b.fetch(front, "tok3n-s3cret"); code != http.StatusOK || strings.Count(b.output(), "[asked] up") != 1 {
		t.Errorf("the second request gives %d and %d starts", code, strings.Count(b.output(), "[asked] up"))
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.awaitPID("asked", 2)
	if got := b.awaitState("asked", StateReady); got.Restarts != 1 {
		t.Errorf("after a crash %+v", got)
	}
	if got := b.awaitState("steady", StateReady); got.Restarts != 0 {
		t.Errorf("the crash took another app along: %+v", got)
	}
}

func TestAnAppOnDemandWithoutProgramIsAbsent(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"asked": ""})
	b.await(`status on`)
	if got := b.awaitState("asked", StateAbsent); got.State != StateAbsent {
		t.Errorf("%+v", got)
	}
	if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", b.port)); err == nil {
		c.Close()
		t.Error("the port of an absent app is taken")
	}
	if took, err := b.terminate(); err != nil || took > 10*time.Second {
		t.Errorf("ended after %s with %v", took, err)
	}
}

func TestWhatPipInstallsForTheUserIsFound(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := &supervisor{app: App{Program: "boards"}, settings: Settings{Home: home, Environ: []string{"PATH=/nowhere"}}}
	if path, ok := s.find(); ok {
		t.Fatalf("found %s before it was there", path)
	}
	want := filepath.Join(home, ".local/bin/boards")
	write(t, want, "", 0o755)
	if path, ok := s.find(); !ok || path != want {
		t.Errorf("got %q %t, want %q", path, ok, want)
	}
}

func TestSecretsCarries(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		password, header string
		want             bool
	}{
		"as a bearer token":                  {"p4ss", "Bearer p4ss", true},
		"as JupyterLab's token":              {"p4ss", "token p4ss", true},
		"in a browser's dialogue":            {"p4ss", "Basic YW55Ym9keTpwNHNz", true}, // anybody:p4ss
		"the wrong one there":                {"p4ss", "Basic cDRzczpub3Bl", false},    // p4ss:nope
		"nothing":                            {"p4ss", "", false},
		"another":                            {"p4ss", "Bearer p4ss2", false},
		"a scheme that nobody agreed on":     {"p4ss", "Digest p4ss", false},
		"without a password nobody comes in": {"", "Bearer ", false},
		"nor with an empty header":           {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			if tc.header != "" {
				r.Header.Set("Authorization", tc.header)
			}
			if got := (Secrets{Password: tc.password}).Carries(r); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

func TestTensorBoardListensOnLoopbackAlone(t *testing.T) {
	t.Parallel()
	l, _ := launch(t, Secrets{Password: "tok3n"})
	if got := strings.Join(boardArgs(l), " "); got != "--host=127.0.0.1 --port=16006 --logdir=/home/goblin/runs" {
		t.Errorf("arguments %s", got)
	}
	l.Environ = append(l.Environ, "GOBLINLAB_TENSORBOARD_LOGS=/data/logs")
	if got := strings.Join(boardArgs(l), " "); !strings.HasSuffix(got, "--logdir=/data/logs") {
		t.Errorf("arguments %s", got)
	}
}
