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

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// TestCluster is one story: the steps build on each other, and each names what it shows.
func TestCluster(t *testing.T) {
	if bin == "" || image == "" || os.Geteuid() != 0 {
		t.Skip("run it by: make -C deploy/local e2e, as root")
	}
	l := &local{t: t, dir: filepath.Join(t.TempDir(), "a folder", strings.Repeat("deep/", 20))}
	before := snapshot(t, l.dir)
	t.Cleanup(func() {
		if out, err := l.tool("wipe"); err != nil {
			t.Errorf("wipe: %v\n%s", err, out)
		}
	})
	kubeletIsRefused(t, l)
	t.Logf("ready after %s, resident %s", l.up(), l.memory())
	l.must("apply", "--server-side", "-f", "testdata/basic.yaml")
	l.must("apply", "-f", "testdata/policy.yaml")
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
	step("others are refused", othersAreRefused)
	step("workloads run", workloadsRun)
	step("a volume is shared and grows", volumeIsShared)
	step("names and services are found", namesAreFound)
	step("a port is forwarded", portIsForwarded)
	step("GPUs need their toleration", gpusNeedToleration)
	step("limits hold", limitsHold)
	step("a share of a processor is a share", shareIsAShare)
	step("policies hold", policiesHold)
	step("network policies hold", networkPoliciesHold)
	step("use is measured", useIsMeasured)
	step("volumes are kept or go", volumesAreKeptOrGo)
	step("images are skipped when they are there", imagesAreSkipped)
	step("pods survive kill -9", func(t *testing.T, l *local) { podsSurvive(t, l, syscall.SIGKILL) })
	step("pods survive SIGTERM", func(t *testing.T, l *local) { podsSurvive(t, l, syscall.SIGTERM) })
	step("nodes come and go", nodesComeAndGo)
	step("nodes stay as they were left", func(t *testing.T, l *local) { nodesStayAsTheyWereLeft(t, l, before) })
	step("down leaves nothing", func(t *testing.T, l *local) { downLeavesNothing(t, l, before) })
	step("data survives down", dataSurvivesDown)
	step("other nodes", otherNodes)
	step("wipe leaves nothing", func(t *testing.T, l *local) { wipeLeavesNothing(t, l, before) })
}

// kubeletIsRefused starts something that looks like the kubelet of another cluster.
func kubeletIsRefused(t *testing.T, l *local) {
	path := filepath.Join(t.TempDir(), "kubelet")
	b, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	fake := exec.Command(path, "60")
	if err := fake.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = fake.Process.Kill(); _ = fake.Wait() }()
	if out, err := l.tool("up"); err == nil || !strings.Contains(out, "another Kubernetes runs on this machine (kubelet") {
		t.Errorf("beside a kubelet: %v\n%s", err, out)
	}
}

func othersAreRefused(t *testing.T, l *local) {
	out, err := l.tool("up")
	if err == nil || !strings.Contains(out, "already running (process") {
		t.Errorf("a second start: %v\n%s", err, out)
	}
	other := &local{t: t, dir: t.TempDir()}
	out, err = other.tool("up")
	if err == nil || !strings.Contains(out, "another local cluster runs") || !strings.Contains(out, l.dir[:20]) {
		t.Errorf("another cluster: %v\n%s", err, out)
	}
	if out, err := l.tool("status"); err != nil || strings.Count(out, "Ready") != 3 {
		t.Errorf("status: %v\n%s", err, out)
	}
	r, err := (&http.Client{Transport: insecure()}).Get("https://10.244.0.1:10250/pods")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("the kubelet answers a stranger with %s", r.Status)
	}
}

func workloadsRun(t *testing.T, l *local) {
	l.must("wait", "--for=condition=Complete", "job/task", "--timeout=60s")
	l.must("rollout", "status", "statefulset/web", "--timeout=60s")
	l.must("wait", "--for=condition=Ready", "pod/writer", "--timeout=60s")
	eventually(t, 10*time.Second, "logs", func() error {
		if out, err := l.kubectl("logs", "writer"); err != nil || !strings.Contains(out, "line 1") {
			return fmt.Errorf("%q, %w", out, err)
		}
		return nil
	})
	if out := l.must("exec", "writer", "--", "sh", "-c", "echo hello; id -u"); out != "hello\n1234" {
		t.Errorf("exec: %q", out)
	}
	if _, err := l.kubectl("exec", "writer", "--", "sh", "-c", "exit 7"); err == nil || !strings.Contains(err.Error(), "7") {
		t.Errorf("exit code through exec: %v", err)
	}
}

func volumeIsShared(t *testing.T, l *local) {
	l.must("wait", "--for=condition=Ready", "pod/gpu", "--timeout=60s")
	if out := l.must("exec", "gpu", "--", "cat", "/data/note", "/data/user"); out != "written on general\n1234" {
		t.Errorf("the other node reads %q", out)
	}
	l.must("patch", "pvc", "data", "--type=merge", "-p", `{"spec":{"resources":{"requests":{"storage":"3Gi"}}}}`)
	eventually(t, 10*time.Second, "growing", func() error {
		if out, err := l.kubectl("get", "pvc", "data", "-o", "jsonpath={.status.capacity.storage}"); out != "3Gi" {
			return fmt.Errorf("capacity is %q, %w", out, err)
		}
		return nil
	})
}

func namesAreFound(t *testing.T, l *local) {
	for _, name := range []string{"kubernetes.default", "front", "web-1.web", "front.default.svc.cluster.local"} {
		if out, err := l.kubectl("exec", "gpu", "--", "nslookup", "-type=a", qualified(name)); err != nil || !strings.Contains(out, "Address: 10.") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	// From other nodes, and from the servers themselves, on the same node.
	for _, pod := range []string{"gpu", "writer", "web-0", "web-1"} {
		for range 4 {
			l.askFront(pod)
		}
	}
	l.must("exec", "gpu", "--", "sh", "-c", "nc -w 5 "+l.serviceIP("kubernetes")+" 443 </dev/null")
	if out := l.must("get", "--raw", "/.well-known/openid-configuration"); !strings.Contains(out, "https://kubernetes.default.svc.cluster.local/openid/v1/jwks") {
		t.Errorf("who checks a token from within a pod is sent to %s", out)
	}
	r, err := http.Get("http://" + l.serviceIP("front") + "/name") // the server of the platform runs beside the cluster
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
}

func (l *local) serviceIP(name string) string {
	l.t.Helper()
	return l.must("get", "service", name, "-o", "jsonpath={.spec.clusterIP}")
}

// askFront asks the service from a pod, by its address and with nc: the resolver of a static busybox, which wget uses
// even for addresses, needs a C library beside it.
func (l *local) askFront(pod string) {
	l.t.Helper()
	request := `printf 'GET /name HTTP/1.0\r\n\r\n' | nc -w 5 ` + l.serviceIP("front") + " 80"
	if out := l.must("exec", pod, "--", "sh", "-c", request); !strings.Contains(out, "\nweb-") {
		l.t.Errorf("service from %s: %q", pod, out)
	}
}

// qualified writes a name as the resolver would complete it: busybox's nslookup does not use the search list.
func qualified(name string) string {
	switch strings.Count(name, ".") {
	case 0:
		return name + ".default.svc.cluster.local"
	case 1:
		if strings.HasSuffix(name, ".default") {
			return name + ".svc.cluster.local"
		}
		return name + ".default.svc.cluster.local"
	}
	return name
}

func portIsForwarded(t *testing.T, l *local) {
	cmd := exec.Command(filepath.Join(bin, "kubectl"), "--kubeconfig", filepath.Join(l.dir, "kubeconfig"), "port-forward", "pod/web-0", ":8080")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
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
	if b, err := io.ReadAll(r.Body); string(b) != "web-0\n" {
		t.Errorf("answer %q, %v", b, err)
	}
}

func gpusNeedToleration(t *testing.T, l *local) {
	if node := l.must("get", "pod", "gpu", "-o", "jsonpath={.spec.nodeName}"); node != "gpu" {
		t.Errorf("the GPU pod is on %q", node)
	}
	if out := l.must("exec", "gpu", "--", "sh", "-c", "echo $NVIDIA_VISIBLE_DEVICES"); strings.Count(out, "GPU-") != 2 {
		t.Errorf("it has the devices %q", out)
	}
	reason := l.must("get", "pod", "gpu-without-toleration", "-o", "jsonpath={.status.phase} {.status.conditions[?(@.type=='PodScheduled')].message}")
	if !strings.HasPrefix(reason, "Pending") || !strings.Contains(reason, "taint") {
		t.Errorf("without toleration: %q", reason)
	}
}

func limitsHold(t *testing.T, l *local) {
	eventually(t, 60*time.Second, "out of memory", func() error {
		reason, err := l.kubectl("get", "pod", "hungry", "-o", "jsonpath={.status.containerStatuses[0].state.terminated.reason}")
		if reason != "OOMKilled" {
			return fmt.Errorf("reason is %q, %w", reason, err)
		}
		return nil
	})
}

func policiesHold(t *testing.T, l *local) {
	l.refused("violates PodSecurity", "-n", "team", "run", "x", "--image=goblinlab.local/e2e:1", "--privileged", "--", "sleep", "1000")
	pod := func(name string) []string {
		return []string{"-n", "team", "run", name, "--image=goblinlab.local/e2e:1", "--overrides", `{"spec":{"terminationGracePeriodSeconds":0,
"securityContext":{"runAsNonRoot":true,"runAsUser":1000,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"` + name + `","image":"goblinlab.local/e2e:1",
"command":["sleep","1000"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]}}`}
	}
	eventually(t, 10*time.Second, "a pod within the quota", func() error { _, err := l.kubectl(pod("one")...); return err })
	if out := l.must("-n", "team", "get", "pod", "one", "-o", "jsonpath={.spec.containers[0].resources.limits.memory}"); out != "48Mi" {
		t.Errorf("the limit range gave %q", out)
	}
	l.refused("exceeded quota", pod("two")...)
	l.must("-n", "team", "wait", "--for=condition=Ready", "pod/one", "--timeout=30s")
	l.must("delete", "namespace", "team", "--timeout=60s")
	apply := []string{"apply", "--server-side", "--dry-run=server", "-f", "testdata/basic.yaml"}
	l.refused("conflict with", apply...) // the claim was patched by another manager
	l.must("create", "configmap", "tried", "--dry-run=server")
	l.refused("not found", "get", "configmap", "tried")
}

func imagesAreSkipped(t *testing.T, l *local) {
	start := time.Now()
	out, err := l.tool("image", "import", image)
	if err != nil || strings.Count(out, "is there") != 3 {
		t.Errorf("import: %v\n%s", err, out)
	}
	t.Logf("took %s", time.Since(start))
	if out, err = l.tool("image", "ls"); err != nil || !strings.Contains(out, "general,gpu,online") || !strings.Contains(out, "goblinlab.local/e2e:1") {
		t.Errorf("ls: %v\n%s", err, out)
	}
}

func podsSurvive(t *testing.T, l *local, sig syscall.Signal) {
	before, server := l.containers(), serverOf(t, l)
	l.must("run", "short", "--image=goblinlab.local/e2e:1", "--restart=Never", "--command", "--",
		"sh", "-c", "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); sleep 0.1; done; exit 7")
	l.must("wait", "--for=condition=Ready", "pod/short", "--timeout=30s")
	l.stop(sig)
	stay := []string{"containerd", "containerd-shim-runc-v2", "pause"}
	eventually(t, 10*time.Second, "the end of all but containerd, shims and containers", func() error {
		for _, p := range processes(t) {
			if !slices.Contains(stay, filepath.Base(p.exe)) {
				return errors.New(p.exe + " runs")
			}
		}
		return nil
	})
	time.Sleep(5 * time.Second) // the short one ends meanwhile
	if out, _ := l.tool("status"); !strings.Contains(out, "stopped") {
		t.Errorf("status: %s", out)
	}
	t.Logf("ready again after %s", l.up())
	if s := serverOf(t, l); s != server {
		t.Errorf("the server was %s and is %s", server, s)
	}
	endWasSeen(t, l)
	time.Sleep(5 * time.Second) // time for a kubelet that wants to restart something
	if diff := cmp.Diff(before, l.containers()); diff != "" {
		t.Errorf("containers (-before +after):\n%s", diff)
	}
	l.askFront("gpu")
	// A new pod starts as well, with GPUs, which the plug-in has registered again.
	l.must("run", "again", "--image=goblinlab.local/e2e:1", "--restart=Never", "--overrides",
		`{"spec":{"tolerations":[{"operator":"Exists"}],"containers":[{"name":"again","image":"goblinlab.local/e2e:1","command":["true"],"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}`)
	l.must("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/again", "--timeout=30s")
	l.must("delete", "pod", "again")
}

// endWasSeen looks at the pod that ended while the cluster's program was away: its exit code is the program's own, and its
// log is whole.
func endWasSeen(t *testing.T, l *local) {
	t.Helper()
	l.must("wait", "--for=jsonpath={.status.phase}=Failed", "pod/short", "--timeout=30s")
	if code := l.must("get", "pod", "short", "-o", "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}"); code != "7" {
		t.Errorf("exit code %s", code)
	}
	if log := l.must("logs", "short"); strings.Count(log, "line ") != 40 || !strings.HasSuffix(strings.TrimSpace(log), "line 39") {
		t.Errorf("the log is\n%s", log)
	}
	l.must("delete", "pod", "short")
}

func serverOf(t *testing.T, l *local) string {
	t.Helper()
	s, err := l.status()
	if err != nil {
		t.Fatal(err)
	}
	return s.Server
}

func downLeavesNothing(t *testing.T, l *local, before string) {
	start := time.Now()
	out, err := l.tool("down")
	if err != nil {
		t.Fatalf("down: %v\n%s", err, out)
	}
	<-l.end
	t.Logf("took %s", time.Since(start))
	sameMachine(t, l, before)
	if out, err := l.tool("down"); err != nil {
		t.Errorf("a second time: %v\n%s", err, out)
	}
}

// TestDeadCluster loses all processes of a cluster at once, and its folder, as a machine that is restored from a picture
// does. Nobody could take it down any more, and it must be in nobody's way.
func TestDeadCluster(t *testing.T) {
	if bin == "" || image == "" || os.Geteuid() != 0 {
		t.Skip("run it by: make -C deploy/local e2e, as root")
	}
	dead, next := &local{t: t, dir: filepath.Join(t.TempDir(), "dead")}, &local{t: t, dir: filepath.Join(t.TempDir(), "next")}
	before := snapshot(t, next.dir)
	dead.up()
	dead.must("run", "one", "--image=goblinlab.local/e2e:1", "--command", "--", "sleep", "1000")
	dead.must("wait", "--for=condition=Ready", "pod/one", "--timeout=30s")
	dead.stop(syscall.SIGKILL)
	if out, err := next.tool("up"); err == nil || !strings.Contains(out, "are still on this machine") {
		t.Errorf("beside its pods: %v\n%s", err, out)
	}
	killAll(t, dead)
	if err := os.RemoveAll(dead.dir); err != nil {
		t.Fatal(err)
	}
	next.up()
	if !strings.Contains(next.out.String(), "removing what the local cluster in "+dead.dir+" left") {
		t.Errorf("it said:\n%s", next.out)
	}
	if out, err := next.tool("wipe"); err != nil {
		t.Errorf("wipe: %v\n%s", err, out)
	}
	<-next.end
	sameMachine(t, next, before)
}

// killAll ends the processes that run the programs of the local Kubernetes, and those of the cluster's containers.
func killAll(t *testing.T, l *local) {
	t.Helper()
	where, err := layout.New(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the end of all processes", func() error {
		var left []int
		for _, p := range processes(t) {
			left = append(left, p.pid)
		}
		paths, err := filepath.Glob("/proc/[0-9]*/cgroup")
		if err != nil {
			return err
		}
		for _, path := range paths {
			b, _ := os.ReadFile(path)
			_, gone := os.Readlink(filepath.Join(filepath.Dir(path), "exe")) // it ended, and nobody has noticed yet
			if gone == nil && strings.Contains(string(b), where.CgroupRoot()+"/") {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // the pattern is of digits
				left = append(left, pid)
			}
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) > 0 {
			return fmt.Errorf("%v run", left)
		}
		return nil
	})
}

func sameMachine(t *testing.T, l *local, before string) {
	t.Helper()
	var diff string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if diff = cmp.Diff(strings.Split(before, "\n"), strings.Split(snapshot(t, l.dir), "\n")); diff == "" {
			return // the kernel takes a moment for interfaces of ended pods
		}
	}
	t.Errorf("the machine (-before +after):\n%s", diff)
}

func dataSurvivesDown(t *testing.T, l *local) {
	t.Logf("ready after %s", l.up())
	l.must("rollout", "status", "statefulset/web", "--timeout=60s")
	eventually(t, 30*time.Second, "a pod as after a reboot", func() error {
		out, err := l.kubectl("exec", "gpu", "--", "cat", "/data/note")
		if out != "written on general" {
			return fmt.Errorf("%q, %w", out, err)
		}
		return nil
	})
	volume := l.must("get", "pvc", "data", "-o", "jsonpath={.spec.volumeName}")
	path := l.must("get", "pv", volume, "-o", "jsonpath={.spec.hostPath.path}")
	l.must("delete", "pod", "writer", "gpu", "gpu-without-toleration", "--timeout=60s")
	l.must("delete", "pvc", "data", "--timeout=60s")
	eventually(t, 20*time.Second, "the folder's end", func() error {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

func otherNodes(t *testing.T, l *local) {
	l.stop(syscall.SIGTERM)
	l.up("--nodes", "testdata/nodes.yaml")
	got := l.must("get", "nodes", "-o", `jsonpath={range .items[*]}{.metadata.name} {.status.capacity.cpu} {.status.capacity.memory} {.status.capacity.nvidia\.com/gpu} {.metadata.labels.example\.com/size}{"\n"}{end}`)
	if !regexp.MustCompile(`^general 16 64Gi 0? large\nspare \d+ \d+Ki 1 ?$`).MatchString(got) {
		t.Errorf("nodes:\n%s", got)
	}
	l.must("delete", "statefulset", "web")
	for _, p := range processes(t) {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid)); strings.Contains(string(b), "online") {
			t.Errorf("a process of a removed node: %q", b)
		}
	}
}

func wipeLeavesNothing(t *testing.T, l *local, before string) {
	if out, err := l.tool("wipe"); err != nil {
		t.Fatalf("wipe: %v\n%s", err, out)
	}
	<-l.end
	sameMachine(t, l, before)
	if _, err := os.Stat(l.dir); !os.IsNotExist(err) {
		t.Errorf("the data folder: %v", err)
	}
}
