package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/node"
)

const (
	killWait   = 15 * time.Second
	cgroupWait = 5 * time.Second
)

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
	if err := endProcesses(l, s, grace); err != nil {
		return err // the rest would fail in confusing ways
	}
	var errs []error
	for _, n := range s.Nodes {
		errs = append(errs, mountns.Unpin(l.Pins(), n))
	}
	errs = append(errs, removeCgroups(l))
	for _, link := range s.Links {
		errs = append(errs, network.RemoveLink(link))
	}
	errs = append(errs, network.RemoveRules(l.Comment()), network.RemoveChains(s.Chains), s.restoreSysctls())
	errs = append(errs, unmount(l.Pins()))
	s.removeMade()
	if err := errors.Join(errs...); err != nil {
		return err // the state stays, so that it can be tried again
	}
	if err := RefuseMounts(l.Run); err != nil {
		return err
	}
	return os.RemoveAll(l.Run)
}

// endProcesses ends the containers with SIGTERM and, after the grace, everything with SIGKILL.
func endProcesses(l layout.Layout, s State, grace time.Duration) error {
	pids, err := containerProcesses(l)
	if err != nil {
		return err
	}
	signal(pids, syscall.SIGTERM)
	for end := time.Now().Add(grace); len(pids) > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if pids, err = containerProcesses(l); err != nil {
			return err
		}
		pids = withoutPause(pids)
	}
	for end := time.Now().Add(killWait); ; time.Sleep(50 * time.Millisecond) {
		in, err := containerProcesses(l)
		if err != nil {
			return err
		}
		all := append(in, namespaceProcesses(l, s)...)
		if len(all) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes %v do not end", all)
		}
		signal(all, syscall.SIGKILL)
	}
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

// containerProcesses are those in the cluster's cgroups.
func containerProcesses(l layout.Layout) ([]int, error) {
	hierarchies, err := node.AllHierarchies()
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	var out []int
	for _, h := range hierarchies {
		for _, dir := range folders(filepath.Join(h, l.CgroupRoot())) {
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

// namespaceProcesses are those in a mount namespace of the nodes: containerd, shims, helpers.
func namespaceProcesses(l layout.Layout, s State) []int {
	ours := map[uint64]bool{}
	for _, n := range s.Nodes {
		if id, err := mountns.ID(filepath.Join(l.Pins(), n)); err == nil {
			ours[id] = true
		}
	}
	self, err := mountns.ID("/proc/self/ns/mnt")
	if err == nil {
		delete(ours, self)
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

func removeCgroups(l layout.Layout) error {
	hierarchies, err := node.AllHierarchies()
	if err != nil {
		return err
	}
	for _, h := range hierarchies {
		root := filepath.Join(h, l.CgroupRoot())
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
