//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const nobody = 65534

// TestClusterWithoutRoot is the story of a cluster that an ordinary user runs.
func TestClusterWithoutRoot(t *testing.T) {
	if bin == "" || os.Geteuid() != 0 {
		t.Skip("run it by: make -C deploy/local e2e, as root")
	}
	l := &local{t: t, own: anOrdinaryUser(t)}
	l.dir = filepath.Join(filepath.Dir(l.own.program), "u", "c")
	before := ofNobody(t)
	t.Cleanup(func() {
		if out, err := l.tool("wipe"); err != nil {
			t.Errorf("wipe: %v\n%s", err, out)
		}
	})
	t.Logf("ready after %s", l.up())
	l.must("apply", "-f", "testdata/host.yaml")
	step := func(name string, f func(*testing.T, *local)) {
		t.Run(name, func(t *testing.T) {
			inner := *l
			inner.t = t
			f(t, &inner)
			l.cmd, l.end, l.out = inner.cmd, inner.end, inner.out
		})
		if t.Failed() {
			t.Fatalf("the steps after %q would not mean anything\n%s", name, l.out)
		}
	}
	step("the choice is said", choiceIsSaid)
	step("jobs run with their settings", hostJobsRun)
	step("other images are refused with the reason", otherImagesAreRefused)
	step("commands run in containers", hostExec)
	step("a port is forwarded", hostPortIsForwarded)
	step("volumes are folders of the user", hostVolumesStay)
	step("pods survive kill -9", func(t *testing.T, l *local) { hostPodsSurvive(t, l, syscall.SIGKILL) })
	step("pods survive SIGTERM", func(t *testing.T, l *local) { hostPodsSurvive(t, l, syscall.SIGTERM) })
	step("down leaves no process", func(t *testing.T, l *local) { hostDown(t, l, before) })
	step("data survives down", hostDataSurvives)
	step("wipe leaves nothing", func(t *testing.T, l *local) {
		if out, err := l.tool("wipe"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if _, err := os.Stat(l.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder: %v", err)
		}
		noneOf(t, before)
	})
}

// anOrdinaryUser makes a place for one, with a copy of the program.
func anOrdinaryUser(t *testing.T) *ordinary {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	own, program := filepath.Join(dir, "u"), filepath.Join(dir, "goblinlab-local")
	err = errors.Join(os.Chmod(dir, 0o755), os.Mkdir(own, 0o700), os.Chown(own, nobody, nobody))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", filepath.Join(bin, "goblinlab-local"), program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &ordinary{
		credential: syscall.Credential{Uid: nobody, Gid: nobody}, program: program,
		env: []string{"HOME=" + own, "PATH=/usr/local/bin:/usr/bin:/bin"},
	}
}

// ofNobody are the processes of the user.
func ofNobody(t *testing.T) []int {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range folders {
		var st syscall.Stat_t
		// What may not be looked into belongs to root there; its status tells the user.
		b, err := os.ReadFile(filepath.Join(f, "status"))
		if err != nil || syscall.Stat(f, &st) != nil || !strings.Contains(string(b), fmt.Sprintf("\nUid:\t%d\t", nobody)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(f))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	return out
}

// noneOf waits until the user has no processes but those from before.
func noneOf(t *testing.T, before []int) {
	t.Helper()
	eventually(t, 5*time.Second, "the end of all processes", func() error {
		for _, pid := range ofNobody(t) {
			if !slices.Contains(before, pid) {
				b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				return fmt.Errorf("process %d runs: %q", pid, b)
			}
		}
		return nil
	})
}

func choiceIsSaid(t *testing.T, l *local) {
	const words = "runtime host, because an ordinary user runs it"
	if !strings.Contains(l.out.String(), words) {
		t.Errorf("progress says\n%s", l.out)
	}
	if out, err := l.tool("status"); err != nil || !strings.Contains(out, "host, because an ordinary user runs it") {
		t.Errorf("status says %v\n%s", err, out)
	}
	if b, err := os.ReadFile(filepath.Join(l.dir, "status.json")); err != nil || !strings.Contains(string(b), `"runtime": "host"`) {
		t.Errorf("status.json has %v\n%s", err, b)
	}
	for _, c := range []struct {
		words string
		args  []string
	}{
		{"containerd needs root", []string{"up", "--runtime", "containerd"}},
		{"only the image goblinlab.local/host:1", []string{"image", "import", "some.tar"}},
		{"already running", []string{"up"}},
	} {
		if out, err := l.tool(c.args...); err == nil || !strings.Contains(out, c.words) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
	if n := l.must("get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"); n != "general gpu online" {
		t.Errorf("the nodes are %s", n)
	}
}

func hostJobsRun(t *testing.T, l *local) {
	l.must("wait", "--for=condition=complete", "job/greets", "job/counts-gpus", "--timeout=60s")
	want := "variable word\nsecret word\nsetting hello\nmode 400\ntoken yes\npart inner\nuser 1234\nscratch yes\nAPI yes"
	if got := l.must("logs", "job/greets"); got != want {
		t.Errorf("the log (-want +got):\n%s", cmp.Diff(want, got))
	}
	l.must("wait", "--for=condition=failed", "job/fails", "--timeout=60s")
	if code := l.must("get", "pods", "-l", "job-name=fails", "-o", "jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}"); code != "3" {
		t.Errorf("exit code %s", code)
	}
	if node := l.must("get", "pods", "-l", "job-name=counts-gpus", "-o", "jsonpath={.items[0].spec.nodeName}"); node != "gpu" {
		t.Errorf("two GPUs were found on node %s", node)
	}
}

func otherImagesAreRefused(t *testing.T, l *local) {
	eventually(t, 30*time.Second, "the reason", func() error {
		m := l.must("get", "pod", "foreign", "-o", "jsonpath={.status.containerStatuses[0].state.waiting}")
		if !strings.Contains(m, "without root") || !strings.Contains(m, "goblinlab.local/host:1") {
			return fmt.Errorf("it says %s", m)
		}
		return nil
	})
}

func hostExec(t *testing.T, l *local) {
	l.must("wait", "--for=condition=Ready", "pod/writes", "--timeout=60s") // by a probe that is a command
	if got := l.must("exec", "writes", "--", "sh", "-c", "hostname; test -e "+l.dir+" || echo hidden"); got != "writes\nhidden" {
		t.Errorf("exec says %q", got)
	}
	var code *exec.ExitError
	_, err := l.kubectl("exec", "writes", "--", "sh", "-c", "exit 5")
	if e := new(kubectlError); !errors.As(err, &e) || !errors.As(e.err, &code) || code.ExitCode() != 5 {
		t.Errorf("the exit code is in %v", err)
	}
	cmd := exec.Command(filepath.Join(bin, "kubectl"), "--kubeconfig", filepath.Join(l.dir, "kubeconfig"), "exec", "-i", "writes", "--", "tr", "a-z", "A-Z")
	cmd.Stdin = strings.NewReader("typed\n")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "TYPED\n" {
		t.Errorf("with input it says %q, %v", out, err)
	}
	attach := exec.Command(filepath.Join(bin, "kubectl"), "--kubeconfig", filepath.Join(l.dir, "kubeconfig"), "attach", "writes")
	out, err := attach.StdoutPipe()
	if err == nil {
		err = attach.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]byte, 6)
	if _, err := io.ReadFull(out, seen); err != nil || !strings.Contains(string(seen), "line") {
		t.Errorf("attached it shows %q, %v", seen, err)
	}
	_, _ = attach.Process.Kill(), attach.Wait()
}

func hostPortIsForwarded(t *testing.T, l *local) {
	l.must("wait", "--for=condition=Ready", "pod/serves", "--timeout=60s") // by a probe over HTTP
	cmd := exec.Command(filepath.Join(bin, "kubectl"), "--kubeconfig", filepath.Join(l.dir, "kubeconfig"), "port-forward", "pod/serves", ":38080")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	line := make([]byte, 200)
	n, err := out.Read(line)
	port := regexp.MustCompile(`127\.0\.0\.1:(\d+)`).FindSubmatch(line[:n])
	if err != nil || port == nil {
		t.Fatalf("port-forward says %q, %v", line[:n], err)
	}
	r, err := http.Get("http://127.0.0.1:" + string(port[1]) + "/name")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); string(b) != "serves\n" {
		t.Errorf("answer %q, %v", b, err)
	}
}

func hostVolumesStay(t *testing.T, l *local) {
	volume := l.must("get", "pv", "-o", "jsonpath={.items[0].spec.hostPath.path}")
	b, err := os.ReadFile(filepath.Join(volume, "lines"))
	if err != nil || !strings.HasPrefix(string(b), "line 1\n") {
		t.Errorf("the volume has %.40q, %v", b, err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(filepath.Join(volume, "lines"), &st); err != nil || st.Uid != nobody {
		t.Errorf("its file belongs to %d, %v", st.Uid, err)
	}
}

func hostPodsSurvive(t *testing.T, l *local, sig syscall.Signal) {
	before := l.containers()
	l.must("run", "short", "--image=goblinlab.local/host:1", "--restart=Never", "--command", "--",
		"sh", "-c", "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); sleep 0.1; done; exit 7")
	l.must("wait", "--for=condition=Ready", "pod/short", "--timeout=30s")
	l.stop(sig)
	time.Sleep(6 * time.Second) // the short one ends meanwhile
	if out, _ := l.tool("status"); !strings.Contains(out, "stopped") {
		t.Errorf("status: %s", out)
	}
	t.Logf("ready again after %s", l.up())
	endWasSeen(t, l)
	time.Sleep(5 * time.Second) // time for a kubelet that wants to restart something
	if diff := cmp.Diff(before, l.containers()); diff != "" {
		t.Errorf("containers (-before +after):\n%s", diff)
	}
	var numbers []string
	for line := range strings.Lines(l.must("logs", "writes")) {
		numbers = append(numbers, strings.TrimSpace(strings.TrimPrefix(line, "line ")))
	}
	for i, n := range numbers {
		if n != strconv.Itoa(i+1) {
			t.Fatalf("line %d of the log has number %s", i+1, n)
		}
	}
	if code := l.must("exec", "writes", "--", "echo", "reached"); code != "reached" {
		t.Errorf("exec says %s", code)
	}
}

func hostDown(t *testing.T, l *local, before []int) {
	if n := len(ofNobody(t)) - len(before); n < 8 { // the cluster, its nodes, and two containers with their watchers
		t.Fatalf("only %d processes are seen", n)
	}
	if out, err := l.tool("down"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	<-l.end
	noneOf(t, before)
	if out, _ := l.tool("status"); !strings.Contains(out, "down") {
		t.Errorf("status: %s", out)
	}
}

func hostDataSurvives(t *testing.T, l *local) {
	t.Logf("ready again after %s", l.up())
	eventually(t, time.Minute, "the pod again, with a restart", func() error {
		if c := l.must("get", "pod", "writes", "-o", "jsonpath={.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].ready}"); c != "1 true" {
			return errors.New(c)
		}
		return nil
	})
	if got := l.must("exec", "writes", "--", "head", "-1", "/data/lines"); got != "line 1" {
		t.Errorf("the volume has %q", got)
	}
	if out, err := l.tool("down"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	<-l.end
}
