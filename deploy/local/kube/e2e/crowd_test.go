//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// TestCrowd starts many pods at once, and ends parts of the cluster under them.
func TestCrowd(t *testing.T) {
	l := start(t)
	t.Run("a hundred pods at once", func(t *testing.T) { hundredAtOnce(t, l) })
	counters(l)
	t.Run("kill -9 of the program", func(t *testing.T) {
		nothingIsLost(t, l, func() { l.stop(syscall.SIGKILL); time.Sleep(2 * time.Second); l.up() })
	})
	t.Run("kill -9 of containerd", func(t *testing.T) {
		nothingIsLost(t, l, func() { killPart(t, l, "containerd", "/containerd/config.toml", 3, func() {}) })
	})
	t.Run("an end while containerd is away", func(t *testing.T) { endIsKept(t, l) })
	t.Run("kill -9 of a node", func(t *testing.T) {
		nothingIsLost(t, l, func() { killPart(t, l, "goblinlab-local", "run-node", 2, func() {}) })
	})
	t.Run("kill -9 of program and containerd", func(t *testing.T) {
		nothingIsLost(t, l, func() {
			l.stop(syscall.SIGKILL)
			killPart(t, l, "containerd", "/containerd/config.toml", 3, func() {})
			l.up()
		})
	})
}

// sleeper is a pod that says a line and stays.
func sleeper(name string, labels map[string]string, command string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: labels},
		Spec: corev1.PodSpec{
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			TerminationGracePeriodSeconds: new(int64),
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
			}},
			Containers: []corev1.Container{{Name: "main", Image: "goblinlab.local/e2e:1", Command: []string{"sh", "-c", command}}},
		},
	}
}

// list gives the pods with a label.
func (l *local) list(selector string) []corev1.Pod {
	l.t.Helper()
	var pods corev1.PodList
	if err := json.Unmarshal([]byte(l.must("get", "pods", "-l", selector, "-o", "json")), &pods); err != nil {
		l.t.Fatal(err)
	}
	return pods.Items
}

// hundredAtOnce starts a hundred pods in one go and takes them away again.
func hundredAtOnce(t *testing.T, l *local) {
	const many = 100
	traces := tracesOf(t, l)
	var objects []any
	for i := range many {
		name := fmt.Sprintf("crowd-%02d", i)
		objects = append(objects, sleeper(name, map[string]string{"app": "crowd"}, "echo i am $(hostname); exec sleep 100000"))
	}
	begin := time.Now()
	if err := l.apply(objects...); err != nil {
		t.Fatal(err)
	}
	applied := time.Since(begin)
	l.must("wait", "--for=condition=Ready", "pod", "-l", "app=crowd", "--timeout=180s")
	t.Logf("%d pods: applied after %s, all ready after %s", many, applied, time.Since(begin))
	pods := l.list("app=crowd")
	owner, nodes := map[string]string{}, map[string]int{}
	for _, p := range pods {
		if other := owner[p.Status.PodIP]; other != "" || p.Status.PodIP == "" {
			t.Errorf("%s and %s have the address %q", p.Name, other, p.Status.PodIP)
		}
		owner[p.Status.PodIP] = p.Name
		nodes[p.Spec.NodeName]++
		if s := p.Status.ContainerStatuses[0]; s.RestartCount != 0 {
			t.Errorf("%s was restarted", p.Name)
		}
	}
	if len(pods) != many || len(nodes) != 3 {
		t.Errorf("%d pods on %v", len(pods), nodes)
	}
	logs := l.mustLogs("app=crowd")
	for _, p := range pods {
		if log := logs[p.Name]; strings.TrimSpace(log) != "i am "+p.Name {
			t.Errorf("%s says %q", p.Name, log)
		}
	}
	begin = time.Now()
	l.must("delete", "pod", "-l", "app=crowd", "--timeout=180s")
	t.Logf("all gone after %s", time.Since(begin))
	eventually(t, 60*time.Second, "the end of what the pods left", func() error {
		if diff := cmp.Diff(traces, tracesOf(t, l)); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

// logs reads the logs of the pods with a label.
func (l *local) logs(selector string) (map[string]string, error) {
	l.t.Helper()
	all, err := l.kubectl("logs", "-l", selector, "--prefix", "--tail=-1")
	out := map[string]string{}
	for line := range strings.Lines(all) {
		// [pod/NAME/CONTAINER] TEXT
		head, text, _ := strings.Cut(line, "] ")
		name := strings.Split(head, "/")[1]
		out[name] += text
	}
	return out, err
}

func (l *local) mustLogs(selector string) map[string]string {
	l.t.Helper()
	out, err := l.logs(selector)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// tracesOf counts what pods leave on nodes while they run.
func tracesOf(t *testing.T, l *local) map[string]int {
	t.Helper()
	at, err := layout.New(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	count := func(what, pattern string) {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out[what] = len(paths)
	}
	count("interfaces", "/sys/class/net/veth*")
	for _, p := range processes(t) {
		name := filepath.Base(p.exe)
		if name == "pause" || name == "containerd-shim-runc-v2" {
			out["processes "+name]++
		}
		if name != "containerd" {
			continue
		}
		// The mounts of a node show in its own mount namespace only.
		root := fmt.Sprintf("/proc/%d/root", p.pid)
		mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", p.pid))
		if err != nil {
			t.Fatal(err)
		}
		node := nodeOf(p.pid)
		for line := range strings.Lines(string(mounts)) {
			if at := strings.Fields(line)[4]; strings.HasPrefix(at, "/run/containerd/") || strings.HasPrefix(at, "/var/lib/kubelet/") {
				out[node+" mounts"]++
			}
		}
		count(node+" namespaces", root+"/run/containerd/*/netns/*")
		count(node+" addresses", filepath.Join(at.Node(node).Run, "cni/networks/pods/10.*"))
		count(node+" sandboxes", root+"/run/containerd/io.containerd.grpc.v1.cri/sandboxes/*")
		count(node+" containers", root+"/run/containerd/io.containerd.grpc.v1.cri/containers/*")
		count(node+" pods' folders", filepath.Join(at.Node(node).Data, "kubelet/pods/*"))
		count(node+" logs", filepath.Join(at.Node(node).Data, "pods/*"))
		count(node+" cgroups", "/sys/fs/cgroup/*"+at.CgroupRoot()+"/"+node+"/kubepods/*/pod*")
		count(node+" cgroup", "/sys/fs/cgroup"+at.CgroupRoot()+"/"+node+"/kubepods/*/pod*")
	}
	return out
}

// nodeOf tells the node of a containerd by its process group's output: its log.
func nodeOf(pid int) string {
	log, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/1", pid))
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(log), "containerd-"), ".log")
}

// counters are pods that write a number every tenth of a second.
func counters(l *local) {
	l.t.Helper()
	var objects []any
	for i := range 30 {
		objects = append(objects, sleeper(fmt.Sprintf("counter-%02d", i), map[string]string{"app": "counter"},
			"i=0; while true; do echo $i; i=$((i+1)); sleep 0.1; done"))
	}
	if err := l.apply(objects...); err != nil {
		l.t.Fatal(err)
	}
	l.must("wait", "--for=condition=Ready", "pod", "-l", "app=counter", "--timeout=120s")
}

// killPart ends processes of a program, by a word of their command line, does something, and waits until as many run again.
func killPart(t *testing.T, l *local, program, word string, want int, meanwhile func()) {
	t.Helper()
	find := func() []int {
		var out []int
		for _, p := range processes(t) {
			if filepath.Base(p.exe) == program && strings.Contains(commandLine(p.pid), word) {
				out = append(out, p.pid)
			}
		}
		return out
	}
	before := find()
	if len(before) != want {
		t.Fatalf("%s runs as %v, want %d", program, before, want)
	}
	for _, pid := range before {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	meanwhile()
	if !l.running() {
		return
	}
	eventually(t, 60*time.Second, program+" again", func() error {
		now := find()
		if len(now) != want || slices.ContainsFunc(now, func(pid int) bool { return slices.Contains(before, pid) }) {
			return fmt.Errorf("%v, before %v", now, before)
		}
		return nil
	})
}

func commandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(b)
}

// endIsKept ends containers while nobody is there to see it.
func endIsKept(t *testing.T, outer *local) {
	inner := *outer
	inner.t = t
	l := &inner
	const pods, lines = 6, 300
	var objects []any
	for i := range pods {
		p := sleeper(fmt.Sprintf("last-%d", i), map[string]string{"app": "last"}, fmt.Sprintf(
			"trap 'i=0; while [ $i -lt %d ]; do echo $i; i=$((i+1)); done; exit 7' USR1; while true; do sleep 100000 & wait $!; done; : mark-of-last", lines))
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		objects = append(objects, p)
	}
	if err := l.apply(objects...); err != nil {
		t.Fatal(err)
	}
	l.must("wait", "--for=condition=Ready", "pod", "-l", "app=last", "--timeout=60s")
	killPart(t, l, "containerd", "/containerd/config.toml", 3, func() {
		time.Sleep(300 * time.Millisecond)
		if n := signalAll(t, "mark-of-last", syscall.SIGUSR1); n != pods {
			t.Errorf("%d containers were ended, want %d", n, pods)
		}
	})
	l.must("wait", "--for=jsonpath={.status.phase}=Failed", "pod", "-l", "app=last", "--timeout=60s")
	ended := l.list("app=last")
	for _, p := range ended {
		if s := p.Status.ContainerStatuses[0].State.Terminated; s == nil || s.ExitCode != 7 {
			t.Errorf("%s ended with %+v", p.Name, s)
		}
	}
	logs := l.mustLogs("app=last")
	for _, p := range ended {
		if n := check(t, p.Name, logs[p.Name]); n != lines-1 {
			t.Errorf("%s has %d lines of %d", p.Name, n+1, lines)
		}
	}
	l.must("delete", "pod", "-l", "app=last", "--timeout=60s")
}

// signalAll sends a signal to the processes with a word in their command line, and says how many there were.
func signalAll(t *testing.T, word string, sig syscall.Signal) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !strings.Contains(commandLine(pid), word) {
			continue
		}
		if err := syscall.Kill(pid, sig); err != nil {
			t.Error(err)
		}
		n++
	}
	return n
}

// running says whether the cluster's program runs.
func (l *local) running() bool { return syscall.Kill(l.cmd.Process.Pid, 0) == nil }

// nothingIsLost does something to the cluster under the counters, and compares them before and after.
func nothingIsLost(t *testing.T, l *local, do func()) {
	inner := *l
	inner.t = t
	before := inner.list("app=counter")
	last := map[string]int{}
	for name, log := range inner.mustLogs("app=counter") {
		last[name] = check(t, name, log)
	}
	start := time.Now()
	do()
	t.Logf("took %s", time.Since(start))
	eventually(t, 60*time.Second, "the kubelets", func() error {
		_, err := inner.kubectl("logs", "-l", "app=counter", "--tail=1")
		return err
	})
	time.Sleep(8 * time.Second) // time for a kubelet that wants to restart something
	eventually(t, 30*time.Second, "the containers as they were", func() error {
		if diff := cmp.Diff(identities(before), identities(inner.list("app=counter"))); diff != "" {
			return errors.New("(-before +after):\n" + diff)
		}
		return nil
	})
	logs := inner.mustLogs("app=counter")
	for _, p := range before {
		if n := check(t, p.Name, logs[p.Name]); n < last[p.Name]+20 {
			t.Errorf("%s counted from %d to %d only", p.Name, last[p.Name], n)
		}
	}
}

// identities gives the container and the restarts of pods.
func identities(pods []corev1.Pod) map[string]string {
	out := map[string]string{}
	for _, p := range pods {
		s := p.Status.ContainerStatuses[0]
		out[p.Name] = fmt.Sprintf("%s, %d restarts, ready %t", s.ContainerID, s.RestartCount, s.Ready)
	}
	return out
}

// check wants a log that counts from zero, and gives its last number.
func check(t *testing.T, name, log string) int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log), "\n")
	for i, line := range lines {
		if line != fmt.Sprint(i) {
			t.Errorf("%s: line %d is %q, after %q", name, i, line, lines[max(0, i-3):i])
			break
		}
	}
	return len(lines) - 1
}
