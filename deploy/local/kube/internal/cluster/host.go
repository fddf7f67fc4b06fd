package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
)

// The nodes' mount namespaces are made and removed in the machine's own mount namespace. A start does so in its first
// stage. The running cluster, which lives inside the namespace of its first node, runs this program again outside.

// Settle brings the machine in line with the nodes that the cluster has.
func Settle(dir string) error {
	l, err := layout.New(dir)
	if err != nil {
		return err
	}
	s, err := loadSaved(l)
	if err != nil {
		return err
	}
	return settle(l, s)
}

// PowerOff ends everything of one node on the machine; its containers have the grace to end by themselves.
func PowerOff(dir, node string, grace time.Duration) error {
	l, err := layout.New(dir)
	if err != nil {
		return err
	}
	return machine.CleanNode(l, node, grace)
}

// settle removes nodes that the cluster no longer has, and makes or finds the mount namespaces of those that are on.
func settle(l layout.Layout, s saved) error {
	if err := machine.Remember(l, s.links(l)); err != nil {
		return fmt.Errorf("prepare the machine: %w", err)
	}
	for _, n := range s.Nodes {
		if n.Stopped { // the process may have been killed while it stopped the node
			if err := machine.CleanNode(l, n.Name, 0); err != nil {
				return fmt.Errorf("stop node %s: %w", n.Name, err)
			}
		}
	}
	for _, n := range s.on().Nodes {
		f, err := mountns.Pin(l.Pins(), n.Name, func() error {
			for _, b := range l.Node(n.Name).Binds() {
				if err := mountns.Bind(b.From, b.To, b.Shared); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// outside runs this program with a hidden command in the machine's mount namespace. It is not cut short by the end of the
// cluster, which waits for it.
func (r *run) outside(command string, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return mountns.Do(r.host, func() error {
		cmd := exec.Command(self, append([]string{command, "--dir", r.layout.Dir}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return errors.New(strings.TrimPrefix(strings.TrimSpace(string(out)), "goblinlab-local: ") + " (" + err.Error() + ")")
		}
		return nil
	})
}
