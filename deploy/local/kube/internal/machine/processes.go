package machine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/node"
)

const killWait = 15 * time.Second

// processes are those of some nodes: the containers' in a cgroup, and containerd, shims and helpers in the nodes' mount
// namespaces.
type processes struct {
	cgroup string
	pins   string
	nodes  []string
}

// processes are those of all nodes of the cluster.
func (s State) processes(l layout.Layout) processes {
	return processes{cgroup: l.CgroupRoot(), pins: l.Pins(), nodes: slices.Collect(maps.Keys(s.Nodes))}
}

// end ends the containers with SIGTERM and, after the grace, everything with SIGKILL.
func (p processes) end(grace time.Duration) error {
	pids, err := p.inContainers()
	if err != nil {
		return err
	}
	if grace > 0 {
		signal(pids, syscall.SIGTERM)
	}
	for end := time.Now().Add(grace); len(pids) > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if pids, err = p.inContainers(); err != nil {
			return err
		}
		pids = withoutPause(pids)
	}
	for end := time.Now().Add(killWait); ; time.Sleep(50 * time.Millisecond) {
		all, err := p.all()
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes %v do not end", all)
		}
		signal(all, syscall.SIGKILL)
	}
}

// all lists those that run.
func (p processes) all() ([]int, error) {
	in, err := p.inContainers()
	return append(in, p.inNamespaces()...), err
}

// withoutPause leaves out the processes that only hold a pod's namespaces: they need no grace.
func withoutPause(pids []int) []int {
	var out []int
	for _, p := range pids {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p)); strings.TrimSpace(string(b)) != "pause" {
			out = append(out, p)
		}
	}
	return out
}

func signal(pids []int, sig syscall.Signal) {
	for _, p := range pids {
		_ = syscall.Kill(p, sig) // it may have ended meanwhile
	}
}

// inContainers lists the processes in the cgroup and below.
func (p processes) inContainers() ([]int, error) {
	hierarchies, err := node.AllHierarchies()
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	var out []int
	for _, h := range hierarchies {
		for _, dir := range folders(filepath.Join(h, p.cgroup)) {
			b, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
			for f := range strings.FieldsSeq(string(b)) {
				if pid, err := strconv.Atoi(f); err == nil && pid > 0 && !seen[pid] {
					seen[pid] = true
					out = append(out, pid)
				}
			}
		}
	}
	return out, nil
}

// inNamespaces lists the processes in the nodes' mount namespaces.
func (p processes) inNamespaces() []int {
	ours := map[uint64]bool{}
	for _, n := range p.nodes {
		if id, err := mountns.ID(filepath.Join(p.pins, n)); err == nil {
			ours[id] = true
		}
	}
	if self, err := mountns.ID("/proc/self/ns/mnt"); err == nil {
		delete(ours, self) // never ourselves, whatever happened to the pins
	}
	entries, _ := os.ReadDir("/proc")
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if id, err := mountns.ID(fmt.Sprintf("/proc/%d/ns/mnt", pid)); err == nil && ours[id] {
			out = append(out, pid)
		}
	}
	return out
}
