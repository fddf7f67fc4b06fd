//go:build e2e

package e2e

import (
	"crypto/rand"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// scene is what the attempts to get out of a pod have around them.
type scene struct {
	*local
	layout    layout.Layout
	base      string // folder on the machine beside the cluster's
	secret    string // file on the machine
	word      string // what it contains
	process   *exec.Cmd
	ended     chan error // gives the end of process
	neighbour *corev1.Pod
	pods      []*corev1.Pod // as GoblinLab makes them
}

// TestIsolation tries to get out of pods that are made as GoblinLab makes them.
func TestIsolation(t *testing.T) {
	l := start(t)
	s := &scene{local: l, word: rand.Text()}
	s.build()
	t.Run("attempts", s.attempts)
	t.Run("rights", s.rights)
	t.Run("folders of the machine", s.foldersOfTheMachine)
	t.Run("links and parts of volumes", s.linksAndParts)
	t.Run("folder changed while it is mounted", s.changedWhileMounted)
	t.Run("pods that may more are refused", s.mightierPodsAreRefused)
	t.Run("volumes of others", s.volumesOfOthers)
	t.Run("token", s.token)
	t.Run("ports of the node", s.portsOfTheNode)
}

// start runs a cluster for a test of its own.
func start(t *testing.T, args ...string) *local {
	t.Helper()
	if bin == "" || image == "" || os.Geteuid() != 0 {
		t.Skip("run it by: make -C deploy/local e2e, as root")
	}
	l := &local{t: t, dir: filepath.Join(t.TempDir(), "cluster")}
	t.Cleanup(func() {
		if out, err := l.tool("wipe"); err != nil {
			t.Errorf("wipe: %v\n%s", err, out)
		}
	})
	t.Logf("ready after %s", l.up(args...))
	eventually(t, 30*time.Second, "the image on every node", func() error {
		if out, err := l.tool("image", "ls"); err != nil || !regexp.MustCompile(`general,gpu,online.*goblinlab\.local/e2e:1|goblinlab\.local/e2e:1.*general,gpu,online`).MatchString(out) {
			return fmt.Errorf("%s, %w", out, err)
		}
		return nil
	})
	return l
}

// build makes what the attempts are to reach, and the pods.
func (s *scene) build() {
	t := s.t
	t.Helper()
	var err error
	if s.layout, err = layout.New(s.dir); err != nil {
		t.Fatal(err)
	}
	s.base = filepath.Join(filepath.Dir(s.dir), "machine")
	s.secret = filepath.Join(s.base, "secret", "file")
	write(t, s.secret, s.word, 0o644)
	s.beside()

	environment, task, restricted := podOf(t, "environment", "instance.yaml"), podOf(t, "task", "task-test.yaml"), podOf(t, "restricted", "instance-any-image.yaml")
	for _, v := range environment.Spec.Volumes {
		if v.PersistentVolumeClaim != nil { // the environment without rights has no home of its own
			restricted.Spec.Volumes = append(restricted.Spec.Volumes, v)
			restricted.Spec.Containers[0].VolumeMounts = append(restricted.Spec.Containers[0].VolumeMounts,
				corev1.VolumeMount{Name: v.Name, MountPath: "/home/goblin"})
		}
	}
	s.neighbour = podOf(t, "neighbour", "task-test.yaml")
	s.neighbour.Namespace, s.neighbour.Spec.NodeName = otherTeam, "general"
	s.neighbour.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 100000; : mark-of-neighbour"}
	// No service asks for setuid programs to have an effect. A manifest can, and then they all have.
	sudo := environment.DeepCopy()
	sudo.Name = "sudo"
	environment.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(bool)
	mapped := podOf(t, "mapped", "instance-user-namespaces.yaml")
	s.pods = []*corev1.Pod{environment, task, restricted, sudo, mapped}
	s.makeTeams(append(s.pods, s.neighbour)...)
	s.prepare(s.folderOf(team, homeOf(environment)))
	for _, p := range append(s.pods, s.neighbour) {
		p.Spec.NodeName = "general"
		s.mustApply(p)
	}
	for _, p := range append(s.pods, s.neighbour) {
		s.must("-n", p.Namespace, "wait", "--for=condition=Ready", "pod/"+p.Name, "--timeout=60s")
	}
}

// beside starts a process of the machine.
func (s *scene) beside() {
	s.t.Helper()
	s.process = exec.Command("sh", "-c", "sleep 100000 & wait; : mark-of-machine")
	s.process.Env = append(os.Environ(), "MARK=mark-of-machine")
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.process.Wait() }()
	s.t.Cleanup(func() { _ = syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL) })
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func homeOf(p *corev1.Pod) string {
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			return v.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

// prepare puts into a volume what somebody with more rights could have left there.
func (s *scene) prepare(folder string) {
	s.t.Helper()
	program, err := os.ReadFile(filepath.Join(filepath.Dir(image), "root/bin/probe"))
	if err != nil {
		s.t.Fatal(err)
	}
	setuid := filepath.Join(folder, "setuid")
	write(s.t, setuid, string(program), 0o755)
	major, minor := disk()
	for _, err := range []error{
		os.Chmod(setuid, 0o755|os.ModeSetuid),
		os.Symlink(s.secret, filepath.Join(folder, "theirs")),
		unix.Mknod(filepath.Join(folder, "disk"), unix.S_IFBLK|0o666, int(unix.Mkdev(major, minor))),
		os.Chmod(filepath.Join(folder, "disk"), 0o666),
	} {
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// disk gives the numbers of a disk of the machine.
func disk() (major, minor uint32) {
	entries, _ := filepath.Glob("/sys/block/*/dev")
	for _, e := range entries {
		b, err := os.ReadFile(e)
		size, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "size"))
		if err != nil || strings.TrimSpace(string(size)) == "0" || strings.Contains(e, "/loop") {
			continue
		}
		if _, err := fmt.Sscanf(string(b), "%d:%d", &major, &minor); err == nil {
			return major, minor
		}
	}
	return 0, 0
}

// control is a pod that may do anything and has the machine's folders at their own paths: every attempt succeeds in it.
func (s *scene) control() *corev1.Pod {
	yes, privileged := true, true
	volume := filepath.Join(s.base, "volume")
	if err := os.Mkdir(volume, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.prepare(volume)
	p := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "control", Namespace: "default"},
		Spec: corev1.PodSpec{
			NodeName: "general", HostPID: true, ServiceAccountName: "mighty", AutomountServiceAccountToken: &yes,
			TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{
				Name: "main", Image: "goblinlab.local/e2e:1", Command: []string{"sleep", "100000"},
				SecurityContext: &corev1.SecurityContext{Privileged: &privileged},
			}},
		},
	}
	for i, folder := range []string{filepath.Dir(s.secret), s.layout.Run, volume} {
		at := folder
		if folder == volume {
			at = "/home/goblin"
		}
		name := "m" + strconv.Itoa(i)
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: folder}}})
		p.Spec.Containers[0].VolumeMounts = append(p.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: at})
	}
	s.mustApply(
		corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: metav1.ObjectMeta{Name: "mighty", Namespace: "default"}},
		rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding"}, ObjectMeta: metav1.ObjectMeta{Name: "mighty"},
			RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "mighty", Namespace: "default"}},
		}, p)
	s.must("wait", "--for=condition=Ready", "pod/control", "--timeout=60s")
	return p
}

// outcome is how an attempt went.
type outcome struct {
	out  bool
	said string
}

// try makes every attempt in a pod.
func (s *scene) try(t *testing.T, p *corev1.Pod) map[string]outcome {
	t.Helper()
	major, minor := disk()
	node := s.layout.Node("general")
	var script strings.Builder
	for name, value := range map[string]string{
		"SECRET": s.secret, "VOLUME": "/home/goblin", "HOST": "mark[-]of-machine", "NEIGHBOUR": "mark[-]of-neighbour",
		"DISK": fmt.Sprintf("%d %d", major, minor), "NODE": "10.244.0.1", "API": s.serviceIP("kubernetes"),
		"SOCKETS": strings.Join([]string{node.Containerd(), s.layout.Control(), "/run/containerd/containerd.sock", "/var/run/docker.sock"}, " "),
	} {
		fmt.Fprintf(&script, "export %s='%s'\n", name, value)
	}
	for i, a := range attempts {
		fmt.Fprintf(&script, "out=$( ( %s ) 2>&1 </dev/null ) && how=out || how=held; echo \"@%d $how $(echo \"$out\" | tr -cd ' -~' | head -c 200)\"\n", a.script, i)
	}
	said, err := s.kubectlWith(script.String(), "-n", p.Namespace, "exec", "-i", p.Name, "-c", p.Spec.Containers[0].Name, "--", "sh", "-s")
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.Name, err, said)
	}
	found := map[string]outcome{}
	for _, m := range regexp.MustCompile(`(?m)^@(\d+) (out|held) ?(.*)$`).FindAllStringSubmatch(said, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		found[attempts[n].name] = outcome{out: m[2] == "out", said: m[3]}
	}
	if len(found) != len(attempts) {
		t.Fatalf("%s: %d of %d attempts were made:\n%s", p.Name, len(found), len(attempts), said)
	}
	return found
}

// attempts makes every attempt in GoblinLab's pods, where none may succeed, and in one that may do anything, where all do.
func (s *scene) attempts(t *testing.T) {
	for _, p := range s.pods {
		for name, o := range s.try(t, p) {
			if o.out != (name == setuidProgram && p.Name == "sudo") {
				t.Errorf("%s: %s: got out: %t: %s", p.Name, name, o.out, o.said)
			}
		}
	}
	select {
	case err := <-s.ended:
		t.Errorf("a process of the machine ended: %v", err)
	default:
	}
	if restarts := s.must("-n", otherTeam, "get", "pod", "neighbour", "-o", "jsonpath={.status.phase} {.status.containerStatuses[0].restartCount}"); restarts != "Running 0" {
		t.Errorf("the neighbour: %s", restarts)
	}
	results := s.try(t, s.control())
	for _, a := range attempts {
		o := results[a.name]
		lacks := a.needs != "" && !exists(a.needs) ||
			strings.HasPrefix(a.script, "probe syscall") && !s.machineMay(a.script) ||
			strings.Contains(a.name, "disk") && a.needs == "" && !s.machineMay("head -c 512 "+filepath.Join(s.base, "volume/disk")+" | grep -q .")
		if lacks && !o.out {
			t.Logf("%s: not on this machine", a.name)
			continue
		}
		if !o.out {
			t.Errorf("%s fails even in a pod that may do anything, so it shows nothing: %s", a.name, o.said)
		}
	}
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
		t.Error("a pod that may do anything did not end a process of the machine")
	}
	s.must("delete", "pod", "control", "--timeout=30s")
}

// machineMay runs a script without any container.
func (s *scene) machineMay(script string) bool {
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(filepath.Dir(image), "root/bin"))
	return cmd.Run() == nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Capabilities that pods of GoblinLab's may hold: those of the level "baseline" without raw packets and devices.
const allowed uint64 = 1<<unix.CAP_AUDIT_WRITE | 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_KILL | 1<<unix.CAP_NET_BIND_SERVICE | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_SYS_CHROOT

// rights looks at what processes may do at most.
func (s *scene) rights(t *testing.T) {
	for _, p := range s.pods {
		status := s.must("-n", team, "exec", p.Name, "--", "cat", "/proc/self/status")
		field := func(name string) string {
			m := regexp.MustCompile(`(?m)^` + name + `:\s+(\S+)$`).FindStringSubmatch(status)
			if m == nil {
				t.Fatalf("%s: no %s in\n%s", p.Name, name, status)
			}
			return m[1]
		}
		most := allowed
		if p.Name == "restricted" {
			most = 0
		}
		for _, set := range []string{"CapBnd", "CapEff", "CapPrm", "CapInh", "CapAmb"} {
			has, err := strconv.ParseUint(field(set), 16, 64)
			if err != nil || has&^most != 0 {
				t.Errorf("%s: %s has %d capabilities too many: %x, %v", p.Name, set, bits.OnesCount64(has&^most), has&^most, err)
			}
		}
		if field("Seccomp") != "2" {
			t.Errorf("%s: no filter of system calls", p.Name)
		}
		// sudo in an image needs new rights, which a manifest can allow; elsewhere nobody gets any.
		if may := *p.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation; (field("NoNewPrivs") == "1") == may {
			t.Errorf("%s: no_new_privs is %s", p.Name, field("NoNewPrivs"))
		}
		users := strings.Fields(s.must("-n", team, "exec", p.Name, "--", "cat", "/proc/self/uid_map"))
		if own := users[1] != "0"; own != (p.Name == "mapped") {
			t.Errorf("%s: users are mapped as %v", p.Name, users)
		}
		if most := s.mostProcesses(t, p.Name); most != "8192" {
			t.Errorf("%s: the number of processes is limited to %q", p.Name, most)
		}
	}
}

// mostProcesses gives the limit of the number of a pod's processes.
func (s *scene) mostProcesses(t *testing.T, pod string) string {
	t.Helper()
	uid := s.must("-n", team, "get", "pod", pod, "-o", "jsonpath={.metadata.uid}")
	for _, hierarchy := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup"} {
		paths, err := filepath.Glob(hierarchy + s.layout.CgroupRoot() + "/general/kubepods/pod" + uid + "/pids.max")
		more, _ := filepath.Glob(hierarchy + s.layout.CgroupRoot() + "/general/kubepods/*/pod" + uid + "/pids.max")
		if paths = append(paths, more...); err != nil || len(paths) == 0 {
			continue
		}
		b, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
	return ""
}

// mightierPodsAreRefused tries what the namespace of a team has to refuse.
func (s *scene) mightierPodsAreRefused(t *testing.T) {
	yes, root := true, int64(0)
	unmasked := corev1.UnmaskedProcMount
	hostPath := func(path string) func(p *corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "machine", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}}})
		}
	}
	container := func(f func(*corev1.Container)) func(p *corev1.Pod) {
		return func(p *corev1.Pod) { f(&p.Spec.Containers[0]) }
	}
	for name, change := range map[string]func(p *corev1.Pod){
		"": func(*corev1.Pod) {}, // as it is, it is let in
		"privileged": container(func(c *corev1.Container) {
			c.SecurityContext.Privileged, c.SecurityContext.AllowPrivilegeEscalation = &yes, &yes
		}),
		"processes":           func(p *corev1.Pod) { p.Spec.HostPID, p.Spec.ShareProcessNamespace = true, nil },
		"network":             func(p *corev1.Pod) { p.Spec.HostNetwork = true },
		"shared memory":       func(p *corev1.Pod) { p.Spec.HostIPC = true },
		"port of the machine": container(func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}} }),
		"whole machine":       hostPath("/"),
		"containerd":          hostPath(s.layout.Run),
		"volumes":             hostPath(s.layout.Volumes()),
		"no masked files":     container(func(c *corev1.Container) { c.SecurityContext.ProcMount = &unmasked }),
		"no filter of calls": func(p *corev1.Pod) {
			p.Spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
		},
		"SYS_ADMIN": container(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = append(c.SecurityContext.Capabilities.Add, "SYS_ADMIN")
		}),
		"NET_RAW": container(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = append(c.SecurityContext.Capabilities.Add, "NET_RAW")
		}),
		"SYS_PTRACE": container(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = append(c.SecurityContext.Capabilities.Add, "SYS_PTRACE")
		}),
		"kernel settings": func(p *corev1.Pod) {
			p.Spec.SecurityContext.Sysctls = []corev1.Sysctl{{Name: "kernel.msgmax", Value: "1"}}
		},
		"sidecar": func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "s", Image: "goblinlab.local/e2e:1", SecurityContext: &corev1.SecurityContext{Privileged: &yes, RunAsUser: &root}}}
		},
	} {
		p := podOf(t, "mightier", "task-test.yaml")
		change(p)
		b, err := yamlOf(p)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.kubectlWith(b, "create", "--dry-run=server", "-f", "-")
		if name == "" && err != nil {
			t.Errorf("a pod as it is: %v", err)
		}
		if name != "" && (err == nil || !strings.Contains(err.Error(), "violates PodSecurity") && !strings.Contains(err.Error(), "Invalid value")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, args := range [][]string{
		{"debug", "environment", "--image=goblinlab.local/e2e:1", "--profile=sysadmin", "--attach=false"},
		{"debug", "node/general", "--image=goblinlab.local/e2e:1", "--profile=sysadmin", "--attach=false"},
	} {
		s.refused("violates PodSecurity", append([]string{"-n", team}, args...)...)
	}
}
