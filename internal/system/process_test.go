//go:build cluster

package system

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// lab is a running GoblinLab: one process on SQLite, or a server and a worker
// on PostgreSQL and Redis.
type lab struct {
	t          testing.TB
	bin        string
	url        string
	data       string
	flags      []string
	redis      *redis.Client // nil with the one inside the process
	procs      []*process
	kube       *kube.Client
	mu         sync.Mutex
	signInLink string
	as         *syscall.Credential // nil for the test's own user
	env        []string            // nil for the test's own
}

type process struct {
	role string
	cmd  *exec.Cmd
	done chan struct{}
	log  *logBuffer
}

// separate reports whether the test runs on PostgreSQL, Redis and two processes.
func separate() bool { return os.Getenv(testkit.EnvDatabase) != "" }

// newLab starts one that ends with the test.
func newLab(t testing.TB, flags ...string) *lab {
	t.Helper()
	bin, err := filepath.Abs("../../bin/goblinlab")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("there is no %s; run `make build`", bin)
	}
	port := freePort(t)
	l := &lab{t: t, bin: bin, url: fmt.Sprintf("http://localhost:%d", port), data: t.TempDir(), kube: testkit.Cluster(t)}
	ssh := freePort(t)
	l.flags = append([]string{
		"--listen", fmt.Sprintf("127.0.0.1:%d", port), "--data", l.data,
		"--cluster.kubeconfig", os.Getenv(testkit.EnvKubeconfig), "--files.image", testkit.ImageFiles,
		"--ssh.minport", fmt.Sprint(ssh), "--ssh.maxport", fmt.Sprint(min(ssh+50, 65535)),
		"--log.level", "debug",
	}, flags...)
	if separate() {
		key, err := exec.Command(bin, "secrets", "new-key").Output()
		if err != nil {
			t.Fatalf("secrets new-key: %v", err)
		}
		keys := filepath.Join(l.data, "keys")
		if err := os.WriteFile(keys, key, 0o600); err != nil {
			t.Fatal(err)
		}
		l.flags = append(l.flags, "--database", testkit.DatabaseURL(t), "--secrets.keyfile", keys)
		r := testkit.RedisURL(t)
		l.flags = append(l.flags, "--redis", r)
		o, err := redis.ParseURL(r)
		if err != nil {
			t.Fatal(err)
		}
		l.redis = redis.NewClient(o)
		t.Cleanup(func() { l.redis.Close() })
	}
	t.Cleanup(func() {
		l.stop(syscall.SIGTERM)
		if t.Failed() {
			for _, p := range l.procs {
				t.Logf("last words of %s:\n%s", p.role, p.log.tail(60))
			}
		}
	})
	l.start()
	return l
}

// start starts the processes and waits until the API answers.
func (l *lab) start() {
	l.t.Helper()
	l.procs = nil
	roles := []string{"up"}
	if separate() {
		roles = []string{"serve", "work"}
	}
	for _, r := range roles {
		l.procs = append(l.procs, l.spawn(r))
	}
	eventually(l.t, 3*time.Minute, "the API answers", func() error {
		for _, p := range l.procs {
			select {
			case <-p.done:
				l.t.Fatalf("%s ended:\n%s", p.role, p.log.tail(40))
			default:
			}
		}
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		return ready(ctx, l.url)
	})
}

func (l *lab) spawn(role string) *process {
	l.t.Helper()
	p := &process{role: role, cmd: exec.Command(l.bin, append([]string{role}, l.flags...)...), done: make(chan struct{}), log: &logBuffer{}}
	out, err := p.cmd.StderrPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	p.cmd.Env = l.env
	if l.as != nil { // ours may be closed to it
		p.cmd.Dir = l.data
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: l.as}
	if err := p.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.log.add(s.Text())
			l.notice(s.Text())
		}
		_ = p.cmd.Wait()
	}()
	return p
}

var signIn = regexp.MustCompile(`^Sign in\s+(\S+)`)

func (l *lab) notice(line string) {
	if m := signIn.FindStringSubmatch(line); m != nil {
		l.mu.Lock()
		l.signInLink = m[1]
		l.mu.Unlock()
	}
}

// link is the newest sign-in link that the server printed.
func (l *lab) link() string {
	var s string
	eventually(l.t, 30*time.Second, "a sign-in link is printed", func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.signInLink == "" {
			return fmt.Errorf("none yet")
		}
		s, l.signInLink = l.signInLink, ""
		return nil
	})
	return s
}

// stop ends the processes with a signal and waits for them.
func (l *lab) stop(sig syscall.Signal) {
	for _, p := range l.procs {
		_ = p.cmd.Process.Signal(sig)
	}
	for _, p := range l.procs {
		select {
		case <-p.done:
		case <-time.After(30 * time.Second):
			_ = p.cmd.Process.Kill()
			<-p.done
			l.t.Errorf("%s did not end within 30 s of %v", p.role, sig)
		}
	}
}

// kill9 kills every process at once and starts them again.
func (l *lab) kill9() {
	l.t.Helper()
	l.stop(syscall.SIGKILL)
	l.start()
}

type logBuffer struct {
	mu    sync.Mutex
	lines []string
}

func (b *logBuffer) add(s string) {
	if strings.Contains(s, "msg=request") && strings.Contains(s, "status=200") {
		return // a test polls
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, s)
	if len(b.lines) > 5000 {
		b.lines = b.lines[1000:]
	}
}

func (b *logBuffer) tail(n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines[max(0, len(b.lines)-n):], "\n")
}

func freePort(t testing.TB) int {
	t.Helper()
	n, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	return n.Addr().(*net.TCPAddr).Port
}

// eventually waits for f to succeed.
func eventually(t testing.TB, limit time.Duration, what string, f func() error) {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited %v until %s: %v", limit, what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
