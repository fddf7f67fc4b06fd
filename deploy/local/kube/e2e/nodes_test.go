//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// nodesComeAndGo adds a node, cuts it off, and stops another, without the others noticing.
func nodesComeAndGo(t *testing.T, l *local) {
	before := l.containers()
	start := time.Now()
	l.node("is Ready", "add", "extra", "--label", "node-pool=extra", "--label", "example.com/size=small", "--taint", "only=these:NoSchedule",
		"--gpus", "2", "--cpu", "12", "--memory", "48Gi")
	t.Logf("added after %s", time.Since(start))
	got := l.must("get", "node", "extra", "-o", `jsonpath={.status.capacity.cpu} {.status.capacity.memory} {.status.capacity.nvidia\.com/gpu} {.metadata.labels.example\.com/size} {.spec.taints[?(@.key=="only")].value}`)
	if got != "12 48Gi 2 small these" {
		t.Errorf("the node is %q", got)
	}
	if out, err := l.tool("image", "ls"); err != nil || !strings.Contains(out, "extra,general,gpu,online") && !strings.Contains(out, "general,gpu,online,extra") {
		t.Errorf("images: %v\n%s", err, out)
	}
	refusals(l)
	l.must("apply", "-f", "testdata/extra.yaml")
	l.must("wait", "--for=condition=Ready", "pod/beat", "--timeout=60s")
	beats := beatsOf(l)
	id := l.containerOf("beat")

	l.node("is cut off", "cut", "extra")
	l.node("is stopped", "stop", "online", "--grace", "0s")
	if out, err := l.kubectl("logs", "beat", "--request-timeout=5s"); err == nil {
		t.Errorf("the API server reaches a node that is cut off: %q", out)
	}
	for _, p := range processes(t) {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid)); strings.Contains(string(b), "/online/") {
			t.Errorf("a process of a stopped node: %q", b)
		}
	}
	l.topHas("extra", false)
	for _, name := range []string{"extra", "online"} {
		l.must("wait", "--for=condition=Ready=Unknown", "node/"+name, "--timeout=180s")
	}
	seen := beats()
	eventually(t, 20*time.Second, "the beats of a container whose node is cut off", func() error {
		if n := beats(); n <= seen {
			return fmt.Errorf("stays at %d", n)
		}
		return nil
	})
	if out, err := l.tool("node", "ls"); err != nil || !strings.Contains(out, "NotReady, cut off") || !strings.Contains(out, "NotReady, stopped") {
		t.Errorf("ls: %v\n%s", err, out)
	}
	if diff := cmp.Diff(without(before, "web-"), without(l.containers(), "web-", "beat")); diff != "" {
		t.Errorf("containers of other nodes (-before +after):\n%s", diff)
	}
	l.node("is Ready", "heal", "extra")
	if now := l.containerOf("beat"); now != id {
		t.Errorf("the container was %s and is %s", id, now)
	}
	eventually(t, 10*time.Second, "its log", func() error { _, err := l.kubectl("logs", "beat", "--tail=1"); return err })
	l.node("is Ready", "start", "online")
	l.must("rollout", "status", "statefulset/web", "--timeout=60s")
	l.must("wait", "--for=condition=Ready", "pod/web-0", "pod/web-1", "--timeout=60s")
}

// node is a node command that has to say something.
func (l *local) node(says string, args ...string) {
	l.t.Helper()
	if out, err := l.tool(append([]string{"node"}, args...)...); err != nil || !strings.Contains(out, says) {
		l.t.Fatalf("node %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func refusals(l *local) {
	for command, want := range map[string]string{
		"add extra":                 `has a node "extra" already`,
		"add Not_A_Label":           "RFC 1123",
		"add n --label x":           "must be key=value",
		"add n --taint a=b":         "must be key=value:Effect",
		"add n --gpus 1000":         "gpus: 1000, must be 0 to 64",
		"add n --memory little":     `memory: "little"`,
		"add":                       "accepts 1 arg(s)",
		"stop none":                 `has no node "none"; it has [general gpu online extra]`,
		"stop general":              "lives in the process of the control plane",
		"start gpu":                 "gpu is not stopped",
		"heal gpu":                  "gpu is not cut off",
		"stop gpu --grace -1s":      "must not be negative",
		"rm general":                "cannot be stopped, cut off or removed",
		"ls --dir /nonexistent/dir": "",
	} {
		out, err := l.toolIn(append([]string{"node"}, strings.Fields(command)...))
		if want == "" {
			if err != nil {
				l.t.Errorf("node %s: %v\n%s", command, err, out)
			}
			continue
		}
		if err == nil || !strings.Contains(out, want) {
			l.t.Errorf("node %s: %v\n%s; want %q", command, err, out, want)
		}
	}
}

// toolIn is tool, unless the words name a folder.
func (l *local) toolIn(args []string) (string, error) {
	for _, a := range args {
		if a == "--dir" {
			return (&local{t: l.t, dir: args[len(args)-1]}).tool(args...)
		}
	}
	return l.tool(args...)
}

// beatsOf reads the number that the pod "beat" counts up in its volume, from the machine.
func beatsOf(l *local) func() int {
	l.t.Helper()
	volume := l.must("get", "pvc", "beat", "-o", "jsonpath={.spec.volumeName}")
	path := filepath.Join(l.must("get", "pv", volume, "-o", "jsonpath={.spec.hostPath.path}"), "beats")
	return func() int {
		b, err := os.ReadFile(path)
		if err != nil {
			return 0
		}
		return strings.Count(string(b), "\n")
	}
}

func (l *local) containerOf(pod string) string {
	l.t.Helper()
	return l.must("get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[0].containerID}")
}

// without leaves out the lines that begin with one of the words.
func without(lines string, words ...string) []string {
	var out []string
line:
	for l := range strings.Lines(lines) {
		for _, w := range words {
			if strings.HasPrefix(l, w) {
				continue line
			}
		}
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// nodesStayAsTheyWereLeft kills the cluster while a node is cut off and another is stopped, and takes it down like that.
func nodesStayAsTheyWereLeft(t *testing.T, l *local, before string) {
	l.node("is cut off", "cut", "extra")
	l.node("is stopped", "stop", "gpu", "--grace", "0s")
	beats := beatsOf(l)
	asLeft := func() {
		t.Helper()
		out, err := l.tool("status")
		if err != nil || !strings.Contains(out, ", cut off") || !strings.Contains(out, ", stopped") || strings.Count(out, "node ") != 4 {
			t.Errorf("status: %v\n%s", err, out)
		}
		if _, err := l.kubectl("logs", "beat", "--request-timeout=5s"); err == nil {
			t.Error("the node is not cut off any more")
		}
	}
	l.stop(syscall.SIGKILL)
	l.up()
	asLeft()
	seen := beats()
	eventually(t, 20*time.Second, "the beats after the kill", func() error {
		if beats() <= seen {
			return errors.New("none")
		}
		return nil
	})
	l.stop(syscall.SIGKILL)
	if out, err := l.tool("down"); err != nil {
		t.Fatalf("down: %v\n%s", err, out)
	}
	sameMachine(t, l, before)
	if out, err := l.tool("node", "start", "gpu"); err == nil || !strings.Contains(out, "is not running") {
		t.Errorf("a command for a cluster that is down: %v\n%s", err, out)
	}
	l.up()
	asLeft()
	l.node("is Ready", "heal", "extra")
	l.node("is Ready", "start", "gpu")
	l.must("delete", "pod", "beat", "--grace-period=1", "--timeout=60s")
	l.must("delete", "pvc", "beat", "--timeout=60s")
	l.node("are removed", "rm", "extra")
	l.refused("not found", "get", "node", "extra")
	if _, err := os.Stat(filepath.Join(l.dir, "nodes", "extra")); !os.IsNotExist(err) {
		t.Errorf("the removed node's folder: %v", err)
	}
	l.must("wait", "--for=condition=Ready", "pod/gpu", "--timeout=60s")
}
