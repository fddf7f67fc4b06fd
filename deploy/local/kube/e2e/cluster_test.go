//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	bin   = os.Getenv("GOBLINLAB_LOCAL_BIN")   // folder of goblinlab-local and kubectl
	image = os.Getenv("GOBLINLAB_LOCAL_IMAGE") // archive of goblinlab.local/e2e:1
)

// local is a cluster under test.
type local struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
	end chan error // gives the end of cmd
	out *bytes.Buffer
	own *ordinary // who runs it; nil for root
}

// ordinary is a user without rights, with a copy of the program where it can be reached.
type ordinary struct {
	credential syscall.Credential
	program    string
	env        []string
}

// command is the program with the words, as whoever runs the cluster.
func (l *local) command(args ...string) *exec.Cmd {
	if l.own == nil {
		return exec.Command(filepath.Join(bin, "goblinlab-local"), args...)
	}
	cmd := exec.Command(l.own.program, args...)
	cmd.Dir, cmd.Env = filepath.Dir(l.dir), l.own.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &l.own.credential}
	return cmd
}

// up starts the cluster and waits until it says that it is ready.
func (l *local) up(args ...string) time.Duration {
	l.t.Helper()
	start := time.Now()
	l.out = &bytes.Buffer{}
	if l.own == nil {
		args = append(args, "--image", image)
	}
	l.cmd = l.command(append([]string{"up", "--dir", l.dir, "--no-fsync"}, args...)...)
	l.cmd.Stderr = l.out
	// The test must not leave a cluster behind when it is killed.
	if l.cmd.SysProcAttr == nil {
		l.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	l.cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	if err := l.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.end = make(chan error, 1)
	go func(cmd *exec.Cmd, end chan<- error) { end <- cmd.Wait() }(l.cmd, l.end)
	limit := time.After(4 * time.Minute)
	for {
		if s, err := l.status(); err == nil && s.Ready && s.PID == l.cmd.Process.Pid {
			return time.Since(start)
		}
		select {
		case err := <-l.end:
			l.t.Fatalf("the cluster ended: %v\n%s", err, l.out)
		case <-limit:
			l.t.Fatalf("the cluster did not get ready:\n%s", l.out)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

type status struct {
	PID    int    `json:"pid"`
	Server string `json:"server"`
	Ready  bool   `json:"ready"`
}

func (l *local) status() (status, error) {
	var s status
	b, err := os.ReadFile(filepath.Join(l.dir, "status.json"))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// stop ends the cluster's process by a signal.
func (l *local) stop(sig syscall.Signal) {
	l.t.Helper()
	if err := l.cmd.Process.Signal(sig); err != nil {
		l.t.Fatal(err)
	}
	err := <-l.end
	if sig == syscall.SIGTERM && err != nil {
		l.t.Errorf("the end was not clean: %v\n%s", err, l.out)
	}
}

// tool runs goblinlab-local with this cluster's folder.
func (l *local) tool(args ...string) (string, error) {
	args = append(args, "--dir", l.dir)
	out, err := l.command(args...).CombinedOutput()
	return string(out), err
}

// kubectl runs kubectl; an error contains what it printed.
func (l *local) kubectl(args ...string) (string, error) { return l.kubectlWith("", args...) }

// kubectlWith is kubectl with an input.
func (l *local) kubectlWith(input string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(bin, "kubectl"), append([]string{"--kubeconfig", filepath.Join(l.dir, "kubeconfig")}, args...)...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &problem
	if err := cmd.Run(); err != nil {
		return out.String(), &kubectlError{args: args, text: problem.String(), err: err}
	}
	return strings.TrimSpace(out.String()), nil
}

type kubectlError struct {
	args []string
	text string
	err  error
}

func (e *kubectlError) Error() string {
	return "kubectl " + strings.Join(e.args, " ") + ": " + e.err.Error() + ": " + strings.TrimSpace(e.text)
}

// must is kubectl that has to succeed.
func (l *local) must(args ...string) string {
	l.t.Helper()
	out, err := l.kubectl(args...)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// refused is kubectl that has to fail with a text.
func (l *local) refused(text string, args ...string) {
	l.t.Helper()
	out, err := l.kubectl(args...)
	if err == nil || !strings.Contains(err.Error(), text) {
		l.t.Errorf("kubectl %s: %q, %v; want an error with %q", strings.Join(args, " "), out, err, text)
	}
}

// containers gives pod, container id and restarts of every running pod.
func (l *local) containers() string {
	return l.must("get", "pods", "--field-selector=status.phase=Running", "-o",
		`jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{"\n"}{end}`)
}

func (l *local) memory() string {
	kb := 0
	for _, p := range processes(l.t) {
		if p.exe != "/pause" {
			kb += p.rss
		}
	}
	return strconv.Itoa(kb/1024) + " MB"
}
