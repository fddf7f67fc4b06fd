package devinit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const sshPort = 22

func sshServer() App {
	return App{
		Name: "sshd", Port: sshPort, Program: "sshd", Root: true,
		Prepare: sshPrepare, Args: sshArgs, Ready: listening(sshPort),
	}
}

func sshKeys(s Settings) string        { return filepath.Join(s.SSHDir, "keys") }
func sshEnvConfig(s Settings) string   { return filepath.Join(s.RunDir, "sshd_config") }
func sshMainConfig() string            { return "/etc/ssh/sshd_config" }
func hostKeyPattern(dir string) string { return filepath.Join(dir, "ssh_host_*_key") }

// sshPrepare gives sshd its host keys, root its password, and sessions their
// environment.
func sshPrepare(l Launch) error {
	if err := os.MkdirAll(l.SSHDir, 0o755); err != nil {
		return fmt.Errorf("make sshd's folder: %w", err)
	}
	if err := hostKeys(l); err != nil {
		return err
	}
	if err := setRootPassword(l); err != nil {
		return err
	}
	config := "# Written by goblin-init at every start.\n" + sshdSetEnv(l.Environ)
	if _, err := os.Stat(sshMainConfig()); err == nil {
		config += "Include " + sshMainConfig() + "\n"
	}
	return writeFile(sshEnvConfig(l.Settings), []byte(config), 0o600)
}

// hostKeys copies the mounted host keys, which sshd refuses as they are mounted
// (others may read them), so that the instance is recognized at its next start.
// Without any it makes one for this start.
func hostKeys(l Launch) error {
	dir := sshKeys(l.Settings)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make key folder: %w", err)
	}
	mounted, err := filepath.Glob(hostKeyPattern(l.HostKeys))
	if err != nil {
		return fmt.Errorf("look for host keys: %w", err)
	}
	for _, key := range mounted {
		if err := copyHostKey(key, dir); err != nil {
			return err
		}
	}
	present, err := filepath.Glob(hostKeyPattern(dir))
	if err != nil || len(present) > 0 {
		return err
	}
	l.Log("no SSH host key in " + l.HostKeys + ": a new one is made, clients will warn at each start")
	key := filepath.Join(dir, "ssh_host_ed25519_key")
	if err := l.Tool(nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "goblinlab", "-f", key); err != nil {
		return fmt.Errorf("make host key: %w", err)
	}
	return nil
}

// copyHostKey copies a private key and, if there is one, its public half.
func copyHostKey(key, dir string) error {
	data, err := os.ReadFile(key)
	if err != nil {
		return fmt.Errorf("read host key: %w", err)
	}
	target := filepath.Join(dir, filepath.Base(key))
	if err := writeFile(target, data, 0o600); err != nil {
		return err
	}
	public, err := os.ReadFile(key + ".pub")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read public host key: %w", err)
	}
	return writeFile(target+".pub", public, 0o644)
}

// setRootPassword sets root's password, or locks it when there is none, so that
// one that was saved with the image does not stay valid. The secret goes
// through standard input.
func setRootPassword(l Launch) error {
	password := l.Secrets.RootPassword
	if strings.ContainsAny(password, "\n\r") {
		return fmt.Errorf("%w: %s contains a line break", ErrSettings, envRootPassword)
	}
	if password == "" {
		l.Log("ROOT_PASSWORD is not set: nobody can sign in over SSH by password")
		return l.Tool(strings.NewReader("root:*\n"), "chpasswd", "-e")
	}
	return l.Tool(strings.NewReader("root:"+password+"\n"), "chpasswd")
}

// sshArgs: options on the command line win over the image's configuration.
// PAM stays out, since its session modules need rights that a container does
// not have. StrictModes is off: everything is root's, and a home volume may be
// group-writable by its storage class.
func sshArgs(l Launch) []string {
	args := []string{
		"-D", "-e", "-f", sshEnvConfig(l.Settings), "-p", fmt.Sprint(sshPort),
		"-o", "PermitRootLogin=yes",
		"-o", "PasswordAuthentication=yes",
		"-o", "KbdInteractiveAuthentication=no",
		"-o", "UsePAM=no",
		"-o", "StrictModes=no",
		"-o", "PrintMotd=no",
		"-o", "PidFile=none",
	}
	keys, err := filepath.Glob(hostKeyPattern(sshKeys(l.Settings)))
	if err != nil {
		return args // the pattern is constant: it cannot be wrong
	}
	for _, key := range keys {
		args = append(args, "-h", key)
	}
	return args
}
