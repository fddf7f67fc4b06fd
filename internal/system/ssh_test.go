//go:build cluster

package system

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestSSHAndSCP uses the programs that people use: by password and by key, both
// ways, over a restart with a new password and the same host key (P30, P31).
func TestSSHAndSCP(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, _ := p.team()
	in := p.createInstance(team, p.image(testkit.ImageDev, true), vars{"name": "by ssh", "resources": vars{"cpu": "500m", "memory": "1Gi", "gpu": 0}})
	p.act("startInstance", in.ID)
	c := newSSHClient(t, p, in.ID, 1)
	first := p.secret(in.ID).RootPassword

	if out := c.must(first, "ssh", "echo $HOME"); out != "/home/goblin\n" {
		t.Errorf("the home is %q", out)
	}
	if _, err := c.try("wrong", "ssh", "true"); err == nil {
		t.Error("a wrong password came in")
	}
	if _, err := c.try("", "ssh", "true"); err == nil {
		t.Error("a key came in that nobody allowed")
	}
	c.roundTrip(first, "by-password")

	// The key is allowed the way that ssh-copy-id does it.
	public, err := os.ReadFile(c.key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	c.must(first, "ssh", "umask 077; mkdir -p .ssh && echo '"+strings.TrimSpace(string(public))+"' >> .ssh/authorized_keys")
	c.must("", "ssh", "true")
	c.roundTrip("", "by-key")

	p.act("restartInstance", in.ID)
	c = c.again(2)
	second := p.secret(in.ID).RootPassword
	if second == first {
		t.Error("the second start has the first one's password")
	}
	if out, err := c.try(first, "ssh", "true"); err == nil || !strings.Contains(out, "Permission denied") {
		t.Errorf("the password of the first start is not refused: %v %s", err, out)
	}
	// The host key is the one that was learned at the first start: ssh refuses another.
	c.must(second, "ssh", "true")
	if out := c.must("", "ssh", "cat by-key.txt | wc -c"); strings.TrimSpace(out) != fmt.Sprint(scpSize) {
		t.Errorf("P31 the home or its keys did not outlive the start: %q", out)
	}
	c.roundTrip(second, "after-restart")
}

const scpSize = 1 << 20

// sshClient is somebody's machine: a list of known hosts and a key.
type sshClient struct {
	t    testing.TB
	p    *person
	id   string
	dir  string
	key  string
	port int
}

// newSSHClient waits until the start with this number can be reached.
func newSSHClient(t testing.TB, p *person, id string, start int64) *sshClient {
	t.Helper()
	for _, program := range []string{"ssh", "scp", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("there is no %s; install openssh-client", program)
		}
	}
	dir := t.TempDir()
	c := &sshClient{t: t, p: p, id: id, dir: dir, key: filepath.Join(dir, "id_ed25519")}
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", c.key).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v %s", err, out)
	}
	// OpenSSH asks this program for the password, which it finds in its environment.
	askpass := "#!/bin/sh\nprintf '%s\\n' \"$TEST_PASSWORD\"\n"
	if err := os.WriteFile(filepath.Join(dir, "askpass"), []byte(askpass), 0o700); err != nil {
		t.Fatal(err)
	}
	return c.again(start)
}

func (c *sshClient) again(start int64) *sshClient {
	c.t.Helper()
	eventually(c.t, 3*time.Minute, "it is reachable by SSH", func() error {
		got := c.p.instance(c.id)
		if got.Starts != start || got.State != "RUNNING" || got.SSH == nil {
			return fmt.Errorf("start %d is %s, SSH %+v", got.Starts, got.State, got.SSH)
		}
		c.port = got.SSH.Port
		return nil
	})
	// A new start's port may still close connections for a moment; who was
	// refused for the password alone was connected.
	eventually(c.t, time.Minute, "the port leads to sshd", func() error {
		if out, err := c.try("nobody has this one", "ssh", "true"); !strings.Contains(out, "Permission denied") {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	return c
}

// options are those of ssh and scp: the host key is learned once and then must
// stay; with a password only it counts, without one only the key.
func (c *sshClient) options(password string) []string {
	opts := []string{
		"-o", "UserKnownHostsFile=" + filepath.Join(c.dir, "known_hosts"), "-o", "GlobalKnownHostsFile=/dev/null",
		"-o", "StrictHostKeyChecking=accept-new", "-o", "ConnectTimeout=20", "-o", "NumberOfPasswordPrompts=1",
		"-o", "IdentitiesOnly=yes", "-F", "/dev/null",
	}
	if password == "" {
		return append(opts, "-i", c.key, "-o", "PasswordAuthentication=no", "-o", "BatchMode=yes")
	}
	return append(opts, "-o", "PubkeyAuthentication=no", "-o", "PreferredAuthentications=password")
}

// try runs ssh or scp and gives what it said.
func (c *sshClient) try(password, program string, args ...string) (string, error) {
	c.t.Helper()
	opts := c.options(password)
	if program == "ssh" {
		opts = append(opts, "-p", fmt.Sprint(c.port), "root@127.0.0.1")
	} else {
		opts = append(opts, "-P", fmt.Sprint(c.port))
	}
	cmd := exec.CommandContext(c.t.Context(), program, append(opts, args...)...)
	cmd.Env = append(os.Environ(), "TEST_PASSWORD="+password, "SSH_ASKPASS="+filepath.Join(c.dir, "askpass"), "SSH_ASKPASS_REQUIRE=force", "SSH_AUTH_SOCK=")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return problem.String(), err
	}
	return out.String(), nil
}

func (c *sshClient) must(password, program string, args ...string) string {
	c.t.Helper()
	out, err := c.try(password, program, args...)
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return out
}

// roundTrip copies a file there and back again.
func (c *sshClient) roundTrip(password, name string) {
	c.t.Helper()
	data := make([]byte, scpSize)
	_, _ = rand.Read(data) // never fails
	here, back := filepath.Join(c.dir, name), filepath.Join(c.dir, name+".back")
	if err := os.WriteFile(here, data, 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.must(password, "scp", here, "root@127.0.0.1:/home/goblin/"+name+".txt")
	c.must(password, "scp", "root@127.0.0.1:/home/goblin/"+name+".txt", back)
	got, err := os.ReadFile(back)
	if err != nil || !bytes.Equal(got, data) {
		c.t.Errorf("%s: %d bytes came back, %v", name, len(got), err)
	}
}
