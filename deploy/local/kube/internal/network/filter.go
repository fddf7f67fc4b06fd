package network

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// rule is one of our own packet filter rules.
type rule struct {
	table, chain string
	match        []string
	first        bool // before the machine's rules, which may drop
}

// ownRules let pods out under the machine's address, and through a machine that forwards nothing by default.
func ownRules(comment string) []rule {
	c := []string{"-m", "comment", "--comment", comment}
	r := func(table, chain string, first bool, match ...string) rule {
		n := len(match) - 2 // the comment goes before "-j TARGET"
		return rule{table: table, chain: chain, first: first, match: slices.Concat(match[:n], c, match[n:])}
	}
	return []rule{
		r("nat", "POSTROUTING", false, "-s", PodCIDR, "!", "-d", PodCIDR, "-j", "MASQUERADE"),
		r("filter", "FORWARD", true, "-s", PodCIDR, "-j", "ACCEPT"),
		r("filter", "FORWARD", true, "-d", PodCIDR, "-j", "ACCEPT"),
		r("filter", "INPUT", true, "-s", PodCIDR, "-d", PodCIDR, "-j", "ACCEPT"),
	}
}

// EnsureRules adds our rules where they are missing.
func EnsureRules(comment string) error {
	for _, r := range ownRules(comment) {
		if r.run("-C") == nil {
			continue
		}
		verb := "-A"
		if r.first {
			verb = "-I"
		}
		if err := r.run(verb); err != nil {
			return err
		}
	}
	return nil
}

// RemoveRules takes our rules away.
func RemoveRules(comment string) error {
	var errs []error
	for _, r := range ownRules(comment) {
		for r.run("-C") == nil {
			if err := r.run("-D"); err != nil {
				errs = append(errs, err)
				break
			}
		}
	}
	return errors.Join(errs...)
}

func (r rule) run(verb string) error {
	args := append([]string{"-w", "10", "-t", r.table, verb, r.chain}, r.match...)
	if out, err := exec.Command("iptables", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("iptables %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// Chains maps family/table to the names of its chains.
type Chains map[string][]string

// ChainPrefix starts the names of our own chains.
const ChainPrefix = "GOBLINLAB-"

// families and tables in which the kubelet, kube-proxy, the CNI plug-ins and we make chains.
var (
	families = []string{"iptables", "ip6tables"}
	tables   = []string{"filter", "nat", "mangle"}
)

// KubernetesChains lists the chains that Kubernetes, a CNI plug-in or a local cluster has made.
func KubernetesChains() Chains {
	out := Chains{}
	for _, f := range families {
		for _, t := range tables {
			for _, line := range save(f, t) {
				if name, ok := chainName(line); ok && isKubernetes(name) {
					out[f+"/"+t] = append(out[f+"/"+t], name)
				}
			}
		}
	}
	return out
}

// RemoveChains removes the chains of Kubernetes, of the CNI plug-ins and our own which are not in before, with every rule
// that jumps to them, in one step per table.
func RemoveChains(before Chains) error {
	var errs []error
	for _, f := range families {
		for _, t := range tables {
			lines := save(f, t)
			script := removalScript(t, lines, before[f+"/"+t])
			if script == "" {
				continue
			}
			if err := restore(f, script); err != nil {
				errs = append(errs, fmt.Errorf("table %s: %w", t, err))
			}
		}
	}
	return errors.Join(errs...)
}

// removalScript is the input for iptables-restore that removes our chains from a table; empty when there are none.
func removalScript(table string, lines, keep []string) string {
	ours := map[string]bool{}
	var flush, remove, rules strings.Builder
	for _, line := range lines {
		if name, ok := chainName(line); ok && isKubernetes(name) && !slices.Contains(keep, name) {
			ours[name] = true
			fmt.Fprintf(&flush, ":%s - [0:0]\n", name) // declaring a chain empties it
			fmt.Fprintf(&remove, "-X %s\n", name)
		}
	}
	if len(ours) == 0 {
		return ""
	}
	for _, line := range lines {
		chain, target := ruleEnds(line)
		if ours[target] && !ours[chain] {
			rules.WriteString("-D" + strings.TrimPrefix(line, "-A") + "\n")
		}
	}
	return "*" + table + "\n" + flush.String() + rules.String() + remove.String() + "COMMIT\n"
}

func isKubernetes(chain string) bool {
	return strings.HasPrefix(chain, "KUBE-") || strings.HasPrefix(chain, "CNI-") || strings.HasPrefix(chain, ChainPrefix)
}

// Restore applies the input of iptables-restore in one step and leaves alone what it does not name.
func Restore(script string) error { return restore("iptables", script) }

func restore(family, script string) error {
	cmd := exec.Command(family+"-restore", "-w", "10", "--noflush")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s-restore: %w: %s", family, err, bytes.TrimSpace(out))
	}
	return nil
}

// OwnChains lists our chains in a table.
func OwnChains(table string) []string {
	var out []string
	for _, line := range save("iptables", table) {
		if name, ok := chainName(line); ok && strings.HasPrefix(name, ChainPrefix) {
			out = append(out, name)
		}
	}
	return out
}

// EnsureJump makes a chain of the machine lead to one of ours, before its other rules.
func EnsureJump(table, from, to string) error {
	r := rule{table: table, chain: from, match: []string{"-j", to}}
	if r.run("-C") == nil {
		return nil
	}
	return r.run("-I")
}

// chainName reads ":NAME POLICY [0:0]".
func chainName(line string) (string, bool) {
	if !strings.HasPrefix(line, ":") {
		return "", false
	}
	name, _, ok := strings.Cut(line[1:], " ")
	return name, ok
}

// ruleEnds reads the chain and the target of "-A CHAIN ... -j TARGET ...".
func ruleEnds(line string) (chain, target string) {
	f := strings.Fields(line)
	if len(f) < 2 || f[0] != "-A" {
		return "", ""
	}
	if i := slices.Index(f, "-j"); i >= 0 && i+1 < len(f) {
		target = f[i+1]
	}
	return f[1], target
}

// save prints a table. A family or table that the kernel lacks has no lines, and none of our chains.
func save(family, table string) []string {
	out, err := exec.Command(family+"-save", "-t", table).Output()
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
