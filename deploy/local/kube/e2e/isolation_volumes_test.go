//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
)

// foldersOfTheMachine tries to use as another user of the machine what containers wrote.
func (s *scene) foldersOfTheMachine(t *testing.T) {
	if err := asNobody(s.base, "volume/setuid", "root"); err != nil {
		t.Fatalf("the attempt shows nothing, a setuid program in an open folder fails: %v", err)
	}
	home, err := filepath.Rel(s.dir, s.folderOf(team, homeOf(s.pods[0])))
	if err != nil {
		t.Fatal(err)
	}
	if err := asNobody(s.dir, filepath.Join(home, "setuid"), "root"); err == nil {
		t.Error("a user of the machine becomes root by a program that a container wrote")
	}
	for _, private := range []string{s.layout.Volumes(), s.layout.Node("general").Data, s.layout.Node("general").Run, s.layout.PKI(), s.layout.Etcd()} {
		st, err := os.Stat(private)
		if err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; want mode 0700", private, st.Mode(), err)
		}
	}
}

// asNobody runs a program below a folder, however closed the folders above are.
func asNobody(folder, path string, args ...string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := exec.Command("/proc/self/fd/3/"+path, args...)
	cmd.ExtraFiles = []*os.File{f} // becomes number 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd.Run()
}

// linksAndParts mounts a part of a volume that is a link, which one pod has made, in another pod.
func (s *scene) linksAndParts(t *testing.T) {
	home := homeOf(s.pods[0])
	others := s.folderOf(otherTeam, homeOf(s.neighbour))
	write(t, filepath.Join(others, "file"), s.word, 0o644)
	links := map[string]string{
		"to-machine":  "/",
		"to-etc":      "/etc",
		"to-secret":   filepath.Dir(s.secret),
		"to-other":    others,
		"up-to-other": "../../" + otherTeam + "/" + filepath.Base(others),
		"up":          strings.Repeat("../", 20) + strings.TrimPrefix(filepath.Dir(s.secret), "/"),
		"to-process":  "/proc/1/root" + filepath.Dir(s.secret),
		"to-own-link": "part-to-secret",
	}
	var script strings.Builder
	script.WriteString("cd /home/goblin && mkdir plain && echo plain > plain/file\n")
	for name, to := range links {
		fmt.Fprintf(&script, "ln -s %s part-%s\n", to, name)
	}
	if out, err := s.kubectlWith(script.String(), "-n", team, "exec", "-i", "environment", "--", "sh", "-es"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	part := func(name, subPath string) *corev1.Pod { return s.partOf(t, name, home, subPath) }
	s.mustApply(part("plain", "plain"))
	for name := range links {
		s.mustApply(part(name, "part-"+name))
		s.mustApply(part(name+"-below", "part-"+name+"/file"))
	}
	if err := s.apply(part("dots", "../"+otherTeam)); err == nil || !strings.Contains(err.Error(), "must not contain '..'") {
		t.Errorf("a part with ..: %v", err)
	}
	s.must("-n", team, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/plain", "--timeout=60s")
	if log := s.must("-n", team, "logs", "plain"); log != "plain" {
		t.Fatalf("the attempts show nothing, a folder without links has %q", log)
	}
	for name := range links {
		for _, name := range []string{name, name + "-below"} {
			if phase := s.mountedOrNot(t, name); phase != "Pending" {
				log, _ := s.kubectl("-n", team, "logs", name)
				t.Errorf("%s: the kubelet mounted a link (%s): %q", name, phase, log)
			}
		}
	}
	s.must("-n", team, "delete", "pod", "-l", "part=yes", "--timeout=60s")
}

// partOf is a pod that prints what it finds in a part of a volume.
func (s *scene) partOf(t *testing.T, name, claim, subPath string) *corev1.Pod {
	p := podOf(t, name, "task-manual-no-code.yaml")
	p.Labels = map[string]string{"part": "yes"}
	p.Spec.NodeName = "general"
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}}
	c := &p.Spec.Containers[0]
	c.Command = []string{"sh", "-c", "cat /part /part/file /part/passwd 2>/dev/null; true"}
	c.VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/part", SubPath: subPath}}
	return p
}

// changedWhileMounted exchanges a folder and a link as fast as possible while pods mount it.
func (s *scene) changedWhileMounted(t *testing.T) {
	home := homeOf(s.pods[0])
	folder := s.folderOf(team, home)
	plain, link := filepath.Join(folder, "flip"), filepath.Join(folder, "flop")
	write(t, filepath.Join(plain, "file"), "plain", 0o644)
	if err := os.Symlink(filepath.Dir(s.secret), link); err != nil {
		t.Fatal(err)
	}
	enough, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-enough:
				done <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, plain, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
				done <- err
				return
			}
		}
	}()
	const pods = 16
	for i := range pods {
		s.mustApply(s.partOf(t, "flip-"+strconv.Itoa(i), home, "flip"))
	}
	mounted := 0
	for i := range pods {
		name := "flip-" + strconv.Itoa(i)
		s.mountedOrNot(t, name)
		log, _ := s.kubectl("-n", team, "logs", name)
		if strings.Contains(log, s.word) {
			t.Errorf("%s got out", name)
		}
		if log == "plain" {
			mounted++
		}
	}
	close(enough)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if mounted == 0 || mounted == pods {
		t.Errorf("%d of %d pods mounted the folder: it was not exchanged in time", mounted, pods)
	}
	t.Logf("%d of %d pods mounted the folder", mounted, pods)
	s.must("-n", team, "delete", "pod", "-l", "part=yes", "--timeout=60s")
}

// mountedOrNot waits until a pod has run, or the kubelet does not want to mount its part of a volume, and gives the phase.
func (s *scene) mountedOrNot(t *testing.T, name string) (phase string) {
	t.Helper()
	eventually(t, 60*time.Second, "the end of "+name, func() error {
		out, err := s.kubectl("-n", team, "get", "pod", name, "-o", "jsonpath={.status.phase} {.status.containerStatuses[0].state.waiting.reason}")
		var reason string
		phase, reason, _ = strings.Cut(out, " ")
		if err == nil && (phase == "Succeeded" || phase == "Pending" && reason == "CreateContainerConfigError") {
			return nil
		}
		return fmt.Errorf("%q, %w", out, err)
	})
	return phase
}

// volumesOfOthers tries to get at the volume of another team.
func (s *scene) volumesOfOthers(t *testing.T) {
	theirs := claim(otherTeam, "theirs")
	s.mustApply(theirs)
	folder := s.folderOf(otherTeam, "theirs")
	write(t, filepath.Join(folder, "file"), s.word, 0o644)
	pv := s.must("-n", otherTeam, "get", "pvc", "theirs", "-o", "jsonpath={.spec.volumeName}")

	byName := s.partOf(t, "by-name", "theirs", "")
	byName.Spec.NodeName = ""
	byVolume := claim(team, "by-volume")
	byVolume.Spec.VolumeName = pv
	wanted := s.partOf(t, "by-volume", "by-volume", "")
	wanted.Spec.NodeName = ""
	own := s.partOf(t, "own", "own", "") // shows that the attempt would read the file
	s.mustApply(byName, byVolume, wanted, claim(team, "own"))
	write(t, filepath.Join(s.folderOf(team, "own"), "file"), s.word, 0o644)
	s.mustApply(own)
	s.must("-n", team, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/own", "--timeout=60s")
	if log := s.must("-n", team, "logs", "own"); log != s.word {
		t.Errorf("the attempts show nothing, the own volume has %q", log)
	}
	time.Sleep(3 * time.Second)
	for pod, why := range map[string]string{"by-name": `"theirs" not found`, "by-volume": "unbound immediate PersistentVolumeClaims"} {
		out := s.must("-n", team, "get", "pod", pod, "-o", "jsonpath={.status.phase} {.status.conditions[?(@.type=='PodScheduled')].message}")
		if !strings.HasPrefix(out, "Pending") || !strings.Contains(out, why) {
			t.Errorf("%s: %s", pod, out)
		}
	}
	if to := s.must("get", "pv", pv, "-o", "jsonpath={.spec.claimRef.namespace}/{.spec.claimRef.name}"); to != otherTeam+"/theirs" {
		t.Errorf("the volume belongs to %s", to)
	}
	s.must("-n", team, "delete", "pod", "-l", "part=yes", "--timeout=60s")
}
