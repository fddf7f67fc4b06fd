package devinit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests below start this test program once more in the role of goblin-init,
// since it waits for every child of its process and would take those of the
// tests. Its apps are shell scripts; an app is ready when its file is there.

const envBox = "DEVINIT_TEST_BOX"

// boxSpec is what the other incarnation is told.
type boxSpec struct {
	Dir   string
	Apps  []string // one whose name begins with "asked" starts on demand
	Ports map[string][2]int
	Grace time.Duration
}

func TestMain(m *testing.M) {
	if spec := os.Getenv(envBox); spec != "" {
		if err := boxMain(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// boxMain is what cmd/goblin-init does, with other apps and folders.
func boxMain(encoded string) error {
	var spec boxSpec
	if err := json.Unmarshal([]byte(encoded), &spec); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	secrets, environ, err := TakeSecrets(os.Args, os.Environ())
	if err != nil {
		return err
	}
	s, err := SettingsFrom(environ)
	if err != nil {
		return err
	}
	s.Grace, s.Backoff = spec.Grace, Backoff{Min: 10 * time.Millisecond, Max: 40 * time.Millisecond, Stable: time.Minute}
	s.RunDir, s.SSHDir = filepath.Join(spec.Dir, "run"), filepath.Join(spec.Dir, "sshd")
	s.Cgroup = filepath.Join(spec.Dir, "cgroup")
	s.Passwd, s.Profile = filepath.Join(spec.Dir, "passwd"), filepath.Join(spec.Dir, "profile.d/goblinlab.sh")
	var apps []App
	for _, name := range spec.Apps {
		apps = append(apps, App{
			Name: name, Program: name, Port: spec.Ports[name][0], Inner: spec.Ports[name][1],
			Prepare: func(l Launch) error {
				return l.Tool(strings.NewReader(l.Secrets.RootPassword+"\n"), "keep", filepath.Join(spec.Dir, "kept-"+name))
			},
			Ready: func(context.Context, Settings) error {
				if _, err := os.Stat(filepath.Join(spec.Dir, "ready-"+name)); err != nil {
					return errSilent
				}
				return nil
			},
		})
	}
	return Run(ctx, s, secrets, apps, NewOutput(os.Stdout))
}

// box is a running goblin-init.
type box struct {
	t       *testing.T
	dir     string
	process *os.Process
	url     string
	port    int // of the app that starts on demand
	inner   int
	ended   chan error

	mu    sync.Mutex
	lines []string
	more  chan struct{} // told at each line and at the end
}

// up is a script for an app that is ready and stays.
const up = `touch "$BOX/ready-$(basename "$0")"; echo "up $$"; exec sleep 1000`

// startBox runs goblin-init with these scripts as its apps.
func startBox(t *testing.T, grace time.Duration, scripts map[string]string) *box {
	t.Helper()
	b := &box{t: t, dir: t.TempDir(), ended: make(chan error, 1), more: make(chan struct{}, 1)}
	spec := boxSpec{Dir: b.dir, Grace: grace}
	for name, script := range scripts {
		if strings.HasPrefix(name, "asked") {
			spec.Ports = map[string][2]int{name: {closedTCPPort(t), closedTCPPort(t)}}
			b.port = spec.Ports[name][0]
			b.inner = spec.Ports[name][1]
		}
		if script != "" {
			write(t, filepath.Join(b.dir, "bin", name), "#!/bin/sh\n"+script+"\n", 0o755)
		}
		spec.Apps = append(spec.Apps, name)
	}
	write(t, filepath.Join(b.dir, "bin/keep"), "#!/bin/sh\ncat >\"$1\"\n", 0o755)
	write(t, filepath.Join(b.dir, "profile.d/other.sh"), "", 0o644)
	for name, text := range map[string]string{"max": "67108864", "peak": "66060288", "events": "oom_kill 0"} {
		write(t, filepath.Join(b.dir, "cgroup/memory."+name), text, 0o644)
	}
	write(t, filepath.Join(b.dir, "passwd"), "root:x:0:0:root:/root:/bin/sh\n", 0o644)
	encoded, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{
		envBox + "=" + string(encoded), "BOX=" + b.dir, "PATH=" + b.dir + "/bin:" + os.Getenv("PATH"),
		"GOBLINLAB_HOME=" + b.dir + "/home", "GOBLINLAB_STATUS_ADDR=127.0.0.1:0", "GREETING=hello there",
		"PASSWORD=tok3n-s3cret", "ROOT_PASSWORD=r00t-s3cret",
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.process = cmd.Process
	go func() {
		b.readLines(stdout)
		b.ended <- cmd.Wait()
		close(b.ended)
	}()
	t.Cleanup(func() { b.terminate() })
	b.url = "http://" + b.await(`\[goblin-init\] status on (.*)`)[1]
	return b
}

func (b *box) readLines(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		b.mu.Lock()
		b.lines = append(b.lines, lines.Text())
		b.mu.Unlock()
		select {
		case b.more <- struct{}{}:
		default:
		}
	}
}

func (b *box) output() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.lines, "\n")
}

// await waits for output that matches and returns the submatches.
func (b *box) await(pattern string) []string {
	b.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(20 * time.Second)
	for {
		if found := re.FindStringSubmatch(b.output()); found != nil {
			return found
		}
		select {
		case <-b.more:
		case <-deadline:
			b.t.Fatalf("no output that matches %q:\n%s", pattern, b.output())
		}
	}
}

// awaitPID waits for the n-th start of an app and returns its process.
func (b *box) awaitPID(app string, n int) int {
	b.t.Helper()
	found := b.await(`(?s)` + strings.Repeat(`\[`+app+`\] up \d+.*?`, n-1) + `\[` + app + `\] up (\d+)`)
	pid, err := strconv.Atoi(found[1])
	if err != nil {
		b.t.Fatal(err)
	}
	return pid
}

// awaitState waits until an app is in a state.
func (b *box) awaitState(app string, state State) AppStatus {
	b.t.Helper()
	var last AppStatus
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, a := range b.apps() {
			if a.Name == app {
				last = a
			}
		}
		if last.State == state {
			return last
		}
	}
	b.t.Fatalf("%s is not %s but %+v:\n%s", app, state, last, b.output())
	return last
}

func (b *box) get(path string) (int, string) {
	b.t.Helper()
	res, err := http.Get(b.url + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// fetch asks as whoever knows this password.
func (b *box) fetch(address, password string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+password)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// closedTCPPort is one that was free a moment ago.
func closedTCPPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (b *box) apps() []AppStatus {
	b.t.Helper()
	_, body := b.get("/apps")
	var apps []AppStatus
	if err := json.Unmarshal([]byte(body), &apps); err != nil {
		b.t.Fatal(err)
	}
	return apps
}

// terminate sends SIGTERM and waits for the end, also when called twice.
func (b *box) terminate() (took time.Duration, err error) {
	began := time.Now()
	_ = b.process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err = <-b.ended:
		return time.Since(began), err
	case <-time.After(20 * time.Second):
		_ = b.process.Kill()
		return time.Since(began), fmt.Errorf("did not end within 20 s")
	}
}
