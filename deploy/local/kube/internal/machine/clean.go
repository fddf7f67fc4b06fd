package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/node"
)

const cgroupWait = 5 * time.Second

// Clean removes everything that a stopped cluster left on the machine, as a power cut would: its containers, given grace
// to end by themselves, then shims, mounts, cgroups, interfaces, packet filter rules. What is ours is known exactly:
// processes by cgroup and mount namespace, the rest by name. Data stays.
func Clean(l layout.Layout, grace time.Duration) error {
	s, err := Load(l)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// All nodes at once, so that the grace passes once.
	if err := s.processes(l).end(grace); err != nil {
		return err // the rest would fail in confusing ways
	}
	var errs []error
	for name := range s.Nodes {
		errs = append(errs, cleanNode(l, s, name, 0))
	}
	errs = append(errs,
		removeCgroups(l.CgroupRoot()),
		network.RemoveLink(l.Bridge(network.ServiceIndex)),
		network.Cut(nil), network.RemoveRules(l.Comment()), network.RemoveChains(s.Chains), s.restoreSysctls(),
		unmount(l.Pins()))
	s.removeMade()
	if err := errors.Join(errs...); err != nil {
		return err // the state stays, so that it can be tried again
	}
	if err := RefuseMounts(l.Run); err != nil {
		return err
	}
	return os.RemoveAll(l.Run)
}

// CleanNode removes one node from the machine as a power cut would; it may be started again. Containers have the grace to
// end by themselves. Its data stays.
func CleanNode(l layout.Layout, name string, grace time.Duration) error {
	s, err := Load(l)
	if err != nil {
		return err
	}
	return cleanNode(l, s, name, grace)
}

// cleanNode removes one node from the machine.
func cleanNode(l layout.Layout, s State, name string, grace time.Duration) error {
	cgroup := filepath.Join(l.CgroupRoot(), name)
	if err := (processes{cgroup: cgroup, pins: l.Pins(), nodes: []string{name}}).end(grace); err != nil {
		return err
	}
	err := errors.Join(mountns.Unpin(l.Pins(), name), removeCgroups(cgroup), network.RemoveLink(s.Nodes[name]))
	if err != nil {
		return err
	}
	// Sockets, addresses that were given to pods, tasks: without the processes they would mislead a node that returns.
	return os.RemoveAll(l.Node(name).Run)
}

// folders lists a folder and all below it, children first.
func folders(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			out = append([]string{path}, out...)
		}
		return nil // cgroups vanish while one looks
	})
	return out
}

func removeCgroups(name string) error {
	hierarchies, err := node.AllHierarchies()
	if err != nil {
		return err
	}
	for _, h := range hierarchies {
		root := filepath.Join(h, name)
		for end := time.Now().Add(cgroupWait); ; time.Sleep(20 * time.Millisecond) {
			var last error
			for _, dir := range folders(root) {
				if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
					last = err
				}
			}
			if last == nil {
				break
			}
			if time.Now().After(end) { // the kernel counts an ended process for a moment
				return fmt.Errorf("remove cgroup: %w", last)
			}
		}
	}
	return nil
}

func unmount(path string) error {
	is, err := mountns.IsMountPoint(path)
	if err != nil || !is {
		return err
	}
	return syscall.Unmount(path, 0)
}

// RefuseMounts is the last look before a folder is removed: an error when something is mounted at or below it.
func RefuseMounts(dir string) error {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 4 && (f[4] == dir || strings.HasPrefix(f[4], dir+"/")) {
			return fmt.Errorf("%s is still mounted, so %s is not removed", f[4], dir)
		}
	}
	return nil
}
