// Package machine knows what a local cluster changes on its machine, and puts it back.
package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// State is what the machine was like before the cluster, and what the cluster has on it. It is void after a reboot.
type State struct {
	Dir     string            `json:"dir"`
	Boot    string            `json:"boot"`    // identifies the boot of the machine
	Nodes   map[string]string `json:"nodes"`   // name to interface
	Made    []string          `json:"made"`    // folders that did not exist, parents first
	Sysctls map[string]string `json:"sysctls"` // values that the kubelet, kube-proxy or we overwrite
	Chains  network.Chains    `json:"chains"`  // of other programs
}

// sysctls are the kernel settings that a node changes.
var sysctls = []string{
	inotifyInstances,
	"kernel/keys/root_maxbytes", "kernel/keys/root_maxkeys", "kernel/panic", "kernel/panic_on_oops",
	"net/ipv4/conf/all/route_localnet", "net/ipv4/ip_forward",
	"vm/overcommit_memory", "vm/panic_on_oom",
}

// Each node watches files with some thirty of these, and all belong to root; 128 is usual and serves no more than three
// nodes. Without them the kubelet's statistics do not start, and with them the kubelet.
const (
	inotifyInstances = "fs/inotify/max_user_instances"
	enoughInstances  = 1024
)

const sysctlRoot = "/proc/sys"

// Remember writes the state of the machine unless an earlier start has, removes nodes that are no longer wanted, and makes
// the folders of the others. The nodes are given with their interfaces.
func Remember(l layout.Layout, nodes map[string]string) error {
	s, err := Load(l)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := forgetOldBoot(l); err != nil {
			return err
		}
		s = State{Dir: l.Dir, Boot: bootID(), Nodes: map[string]string{}, Sysctls: readSysctls(), Chains: network.KubernetesChains()}
	case err != nil:
		return err
	}
	for name := range s.Nodes {
		if _, wanted := nodes[name]; !wanted {
			if err := cleanNode(l, s, name, removedNodeGrace); err != nil {
				return fmt.Errorf("remove node %s: %w", name, err)
			}
			delete(s.Nodes, name)
		}
	}
	maps.Copy(s.Nodes, nodes)
	var binds []layout.Bind
	for name := range nodes {
		binds = append(binds, l.Node(name).Binds()...)
	}
	for _, b := range binds {
		for _, d := range missing(b.To) {
			if !slices.Contains(s.Made, d) {
				s.Made = append(s.Made, d)
			}
		}
	}
	if err := s.write(l); err != nil { // before anything is made
		return err
	}
	for _, b := range binds {
		if err := errors.Join(makePrivate(b.From), os.MkdirAll(b.To, 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// makePrivate makes a folder of a node below one that root alone may enter: what containers write there is of any user.
func makePrivate(path string) error {
	node := filepath.Dir(path)
	return errors.Join(os.MkdirAll(path, 0o755), os.Chmod(node, 0o700))
}

const removedNodeGrace = 5 * time.Second

// Load reads the state; the error is os.ErrNotExist when the cluster has left nothing on this machine.
func Load(l layout.Layout) (State, error) {
	b, err := os.ReadFile(l.State())
	if err != nil {
		return State{}, err
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return State{}, fmt.Errorf("%s: %w", l.State(), err)
	}
	if s.Boot != bootID() {
		return State{}, fmt.Errorf("%s is from before the machine started: %w", l.State(), os.ErrNotExist)
	}
	return s, nil
}

func (s State) write(l layout.Layout) error {
	if err := os.MkdirAll(l.Run, 0o711); err != nil {
		return err
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return pki.WriteFile(l.State(), b, 0o600)
}

// forgetOldBoot removes a run folder that outlived a reboot, where /run is on disk.
func forgetOldBoot(l layout.Layout) error {
	if err := RefuseMounts(l.Run); err != nil {
		return err
	}
	return os.RemoveAll(l.Run)
}

func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// missing lists the parts of a path that do not exist, parents first.
func missing(path string) []string {
	var out []string
	for d := path; d != "/"; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil {
			break
		}
		out = append([]string{d}, out...)
	}
	return out
}

func readSysctls() map[string]string {
	out := map[string]string{}
	for _, k := range sysctls {
		if b, err := os.ReadFile(filepath.Join(sysctlRoot, k)); err == nil {
			out[k] = strings.TrimSpace(string(b))
		}
	}
	return out
}

// restoreSysctls puts changed settings back. One that is read-only here was not changed either.
func (s State) restoreSysctls() error {
	var errs []error
	now := readSysctls()
	for k, before := range s.Sysctls {
		if now[k] != before {
			errs = append(errs, os.WriteFile(filepath.Join(sysctlRoot, k), []byte(before), 0o644))
		}
	}
	return errors.Join(errs...)
}

// removeMade removes the folders that were made, children first. One that is not empty belongs to somebody else by now.
func (s State) removeMade() {
	for _, d := range slices.Backward(s.Made) {
		_ = os.Remove(d)
	}
}

// SetUp gives the machine the kernel settings that nodes and pods need.
func SetUp() error {
	path := filepath.Join(sysctlRoot, inotifyInstances)
	if b, err := os.ReadFile(path); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && n < enoughInstances {
			_ = os.WriteFile(path, []byte(strconv.Itoa(enoughInstances)), 0o644) // where it is read-only, it has to do
		}
	}
	return enableForwarding()
}

// enableForwarding lets the machine route.
func enableForwarding() error {
	path := filepath.Join(sysctlRoot, "net/ipv4/ip_forward")
	if b, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(b)) == "1" {
		return nil
	}
	return os.WriteFile(path, []byte("1"), 0o644)
}
