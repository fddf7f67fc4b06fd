// Package machine knows what a local cluster changes on its machine, and puts it back.
package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// State is what the machine was like before the cluster. It lies in the run folder: a reboot forgets both.
type State struct {
	Dir     string            `json:"dir"`
	Nodes   []string          `json:"nodes"`
	Links   []string          `json:"links"`
	Made    []string          `json:"made"`    // folders that did not exist, parents first
	Sysctls map[string]string `json:"sysctls"` // values that the kubelet, kube-proxy or we overwrite
	Chains  network.Chains    `json:"chains"`  // of other programs
}

// sysctls are the kernel settings that a node changes.
var sysctls = []string{
	"kernel/keys/root_maxbytes", "kernel/keys/root_maxkeys", "kernel/panic", "kernel/panic_on_oops",
	"net/ipv4/conf/all/route_localnet", "net/ipv4/ip_forward",
	"vm/overcommit_memory", "vm/panic_on_oom",
}

const sysctlRoot = "/proc/sys"

// Remember writes the state of the machine unless an earlier start has, and makes the folders onto which the nodes'
// folders are bound. The nodes may differ from those of an earlier start.
func Remember(l layout.Layout, nodes []string, links []string) (State, error) {
	s, err := Load(l)
	if errors.Is(err, os.ErrNotExist) {
		s = State{Dir: l.Dir, Sysctls: readSysctls(), Chains: network.KubernetesChains()}
	} else if err != nil {
		return State{}, err
	}
	s.Nodes, s.Links = union(s.Nodes, nodes), union(s.Links, links)
	for _, n := range nodes {
		for _, b := range l.Node(n).Binds() {
			for _, d := range missing(b.To) {
				s.Made = union(s.Made, []string{d})
			}
		}
	}
	if err := os.MkdirAll(l.Run, 0o711); err != nil {
		return State{}, err
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return State{}, err
	}
	if err := pki.WriteFile(l.State(), b, 0o600); err != nil { // before anything is made
		return State{}, err
	}
	for _, n := range nodes {
		for _, b := range l.Node(n).Binds() {
			for _, d := range []string{b.From, b.To} {
				if err := os.MkdirAll(d, 0o755); err != nil {
					return State{}, err
				}
			}
		}
	}
	return s, nil
}

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
	return s, nil
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
	for i := len(s.Made) - 1; i >= 0; i-- {
		_ = os.Remove(s.Made[i])
	}
}

func union(a, b []string) []string {
	for _, x := range b {
		found := false
		for _, y := range a {
			found = found || x == y
		}
		if !found {
			a = append(a, x)
		}
	}
	return a
}

// EnableForwarding lets the machine route, which pods need.
func EnableForwarding() error {
	path := filepath.Join(sysctlRoot, "net/ipv4/ip_forward")
	if b, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(b)) == "1" {
		return nil
	}
	return os.WriteFile(path, []byte("1"), 0o644)
}
