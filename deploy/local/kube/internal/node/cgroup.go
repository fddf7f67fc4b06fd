package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const cgroupMount = "/sys/fs/cgroup"

// makeCgroup makes a node's own cgroup: in the one hierarchy of version 2, or in each of version 1. Nodes on one machine
// must not share /kubepods.
func makeCgroup(name string) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, h := range hierarchies {
		if err := os.MkdirAll(filepath.Join(h, name), 0o755); err != nil {
			return err
		}
		if err := inheritCpuset(h, name); err != nil {
			return err
		}
	}
	if len(hierarchies) == 1 && hierarchies[0] == cgroupMount {
		return delegateControllers(name)
	}
	return nil
}

// AllHierarchies lists everywhere a container may have a cgroup. Beside Hierarchies it is the "unified" hierarchy that a
// machine with version 1 may mount as well.
func AllHierarchies() ([]string, error) {
	out, err := Hierarchies()
	if unified := filepath.Join(cgroupMount, "unified"); err == nil {
		if _, err := os.Stat(unified); err == nil {
			out = append(out, unified)
		}
	}
	return out, err
}

// Hierarchies lists the mounted cgroup hierarchies: the one of version 2, or those of version 1.
func Hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(cgroupMount, "cgroup.controllers")); err == nil {
		return []string{cgroupMount}, nil
	}
	entries, err := os.ReadDir(cgroupMount)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		// "cpu" may be a link to "cpu,cpuacct"; "unified" carries no controllers.
		if e.IsDir() && e.Name() != "unified" {
			out = append(out, filepath.Join(cgroupMount, e.Name()))
		}
	}
	return out, nil
}

// inheritCpuset fills the settings of version 1 that are empty in a new cgroup and then refuse every process.
func inheritCpuset(hierarchy, name string) error {
	parent := hierarchy
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		child := filepath.Join(parent, part)
		for _, key := range []string{"cpuset.cpus", "cpuset.mems"} {
			own, err := os.ReadFile(filepath.Join(child, key))
			if errors.Is(err, os.ErrNotExist) || strings.TrimSpace(string(own)) != "" {
				continue // not this hierarchy, or set already
			}
			b, err := os.ReadFile(filepath.Join(parent, key))
			if err != nil {
				continue // version 2 keeps it elsewhere and needs no copy
			}
			if err := os.WriteFile(filepath.Join(child, key), b, 0o644); err != nil {
				return err
			}
		}
		parent = child
	}
	return nil
}

// delegateControllers switches every available controller on down to the node's cgroup (version 2).
func delegateControllers(name string) error {
	dir := cgroupMount
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		b, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
		if err != nil {
			return err
		}
		for controller := range strings.FieldsSeq(string(b)) {
			// A controller that cannot be delegated here is missed later, by the kubelet, by name.
			_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
		}
		dir = filepath.Join(dir, part)
	}
	return nil
}
