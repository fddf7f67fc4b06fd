//go:build cluster

package system

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

const nobody = 65534

// TestWithoutRoot is GoblinLab with its own Kubernetes for an ordinary user, for
// whom the machine itself is the one image.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 || separate() {
		t.Skip("root starts it for another user, once")
	}
	l := newLabWithoutRoot(t)
	p := l.admin()
	team, _ := p.team()
	var d struct {
		Images struct {
			Nodes []struct{ ID, Reference string }
		}
	}
	p.do(`{ images { nodes { id reference } } }`, nil, &d)
	if len(d.Images.Nodes) != 1 || d.Images.Nodes[0].Reference != "goblinlab.local/host:1" {
		t.Fatalf("the catalogue has %+v", d.Images.Nodes)
	}
	host := d.Images.Nodes[0].ID

	good := p.ended(p.runNow(team, host, []string{"/bin/sh", "-c", "echo hello; id -u"}, nil).ID, time.Minute)
	wantState(t, good, "SUCCEEDED", "")
	if got := outputs(p.wholeLog(good.Attempts[0].ID)); strings.Join(got, " ") != fmt.Sprintf("hello %d", nobody) {
		t.Errorf("the log is %q", got)
	}
	bad := p.ended(p.runNow(team, host, []string{"/bin/sh", "-c", "exit 3"}, nil).ID, time.Minute)
	wantState(t, bad, "FAILED", "exit")
	if c := bad.Attempts[0].ExitCode; c == nil || *c != 3 {
		t.Errorf("exit code %v", c)
	}

	made := p.createInstance(team, host, nil)
	p.act("startInstance", made.ID)
	in := p.until(made.ID, "RUNNING", 2*time.Minute)
	sshd := ""
	for _, a := range in.Apps {
		if a.Name == "sshd" {
			sshd = a.State
		}
	}
	if sshd != "absent" {
		t.Errorf("sshd, which needs root, is %q", sshd)
	}
	out, err := exec.Command("../../bin/local/kubectl", "--kubeconfig", filepath.Join(l.data, "cluster/kubeconfig"),
		"exec", "-n", namespaceOf(p), in.ObjectName+"-0", "--", "sh", "-c", "echo in $GOBLINLAB_INSTANCE_ID").CombinedOutput()
	if err != nil || string(out) != "in "+in.ID+"\n" {
		t.Errorf("a shell in the instance says %q, %v", out, err)
	}

	other := p.createInstance(team, p.image(testkit.ImageMini, true), vars{"name": "other"})
	p.act("startInstance", other.ID)
	eventually(t, time.Minute, "the reason", func() error {
		if i := p.instance(other.ID); i.Reason == nil || i.Reason.Code != "image-host-only" || i.Reason.Advice == "" {
			return fmt.Errorf("it is %+v", i.Reason)
		}
		return nil
	})
}

func namespaceOf(p *person) string {
	_, ns := p.team()
	return ns
}

// newLabWithoutRoot starts GoblinLab as another user, with copies of the
// programs where that user can reach them.
func newLabWithoutRoot(t *testing.T) *lab {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "d")
	err = errors.Join(os.Chmod(dir, 0o755), os.MkdirAll(filepath.Join(dir, "local"), 0o755), os.Mkdir(data, 0o700), os.Chown(data, nobody, nobody))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"goblinlab", "goblin-init", "local/goblinlab-local"} {
		if out, err := exec.Command("cp", filepath.Join("../../bin", program), filepath.Join(dir, program)).CombinedOutput(); err != nil {
			t.Fatalf("%s; run `make build local`", out)
		}
	}
	port := freePort(t)
	l := &lab{
		t: t, bin: filepath.Join(dir, "goblinlab"), url: fmt.Sprintf("http://localhost:%d", port), data: data,
		as:    &syscall.Credential{Uid: nobody, Gid: nobody},
		env:   []string{"HOME=" + data, "PATH=/usr/local/bin:/usr/bin:/bin"},
		flags: []string{"--listen", fmt.Sprintf("127.0.0.1:%d", port), "--data", data},
	}
	t.Cleanup(func() {
		l.stop(syscall.SIGTERM)
		down := exec.Command(l.bin, "local", "down", "--data", data)
		down.Env, down.Dir, down.SysProcAttr = l.env, data, &syscall.SysProcAttr{Credential: l.as}
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("down: %v\n%s", err, out)
		}
		if t.Failed() {
			t.Logf("last words:\n%s", l.procs[0].log.tail(60))
		}
	})
	l.start()
	return l
}
