package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
)

// kubelets are the process names of other programs that contain a kubelet.
var kubelets = []string{"kubelet", "k3s-server", "k3s-agent", "k0s", "rke2", "kubelite"}

// MakeAlone is an error that says which other cluster is on the machine, if there is one. Two of them would rewrite each
// other's packet filter and addresses. What is left of one without a process is removed: whatever ended it ended its pods
// too, and its folder may be gone. The caller holds the lock of the machine, so none is starting.
func MakeAlone(l layout.Layout, say func(format string, args ...any)) error {
	if err := removeDead(l, say); err != nil {
		return err
	}
	if err := checkKubelet(); err != nil {
		return err
	}
	if _, err := Load(l); err == nil {
		return nil // the addresses that are in use are our own
	}
	what, err := network.Conflict()
	if err != nil {
		return err
	}
	if what != "" {
		return fmt.Errorf("the addresses of the local cluster are in use: %s", what)
	}
	return nil
}

// removeDead refuses other clusters that have processes, and removes what is left of those that have none.
func removeDead(l layout.Layout, say func(format string, args ...any)) error {
	states, err := filepath.Glob(layout.RunPrefix + "*/state.json")
	if err != nil {
		return err
	}
	for _, path := range states {
		if path == l.State() {
			continue
		}
		other := layout.OfRun(filepath.Dir(path))
		s, err := Load(other)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		alive, err := s.processes(other).all()
		if err != nil {
			return err
		}
		if len(alive) > 0 {
			return fmt.Errorf("pods of the local cluster in %s are still on this machine; end them with: goblinlab-local down --dir %s", s.Dir, s.Dir)
		}
		say("removing what the local cluster in %s left on this machine; none of its processes runs", s.Dir)
		if err := Clean(other, 0); err != nil {
			return fmt.Errorf("the local cluster in %s: %w", s.Dir, err)
		}
	}
	return nil
}

// checkKubelet looks for a kubelet in our own network; one inside a container of its own does no harm.
func checkKubelet() error {
	self, err := mountns.ID("/proc/self/ns/net")
	if err != nil {
		return err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		comm, err := os.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		if err != nil || !slices.Contains(kubelets, strings.TrimSpace(string(comm))) {
			continue
		}
		if id, err := mountns.ID(filepath.Join("/proc", e.Name(), "ns/net")); err == nil && id == self {
			return fmt.Errorf("another Kubernetes runs on this machine (%s, process %d); only one can. Use it through KUBECONFIG, or stop it", strings.TrimSpace(string(comm)), pid)
		}
	}
	return nil
}
