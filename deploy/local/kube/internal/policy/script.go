package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
)

// The chains are in the table mangle, which a packet passes before the table filter. There kube-proxy accepts some packets
// at once, as the machine's own rules may, and what is accepted is not looked at further. In mangle nothing but DROP ends
// the way of a packet, so the machine's rules hold as well.
const (
	table        = "mangle"
	mainChain    = network.ChainPrefix + "POLICY"
	egressChain  = network.ChainPrefix + "EGRESS"
	ingressChain = network.ChainPrefix + "INGRESS"
)

// hooks are the machine's chains that lead to ours: what is passed on, and what pods send to the machine itself. What the
// machine sends is not filtered: the kubelet's probes, and all else that comes from a pod's own node, are always allowed.
var hooks = []string{"FORWARD", "INPUT"}

// script is the input for iptables-restore that brings the rules in force, in one step, and the chains that it has. Chains
// that are there and no longer of use go.
func (r Rules) script(there []string) (string, []string) {
	s := scripter{body: &bytes.Buffer{}, chains: map[string]bool{mainChain: true, egressChain: true, ingressChain: true}}
	// What belongs to a connection that was allowed passes, answers too.
	s.rule(mainChain, "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN")
	s.rule(mainChain, "-s %s -j %s", network.PodCIDR, egressChain)
	s.rule(mainChain, "-d %s -j %s", network.PodCIDR, ingressChain)
	s.dispatch(egressChain, "-s %s ! -d %s", "-d", r.Egress, r.Names)
	s.dispatch(ingressChain, "-d %s ! -s %s", "-s", r.Ingress, r.Names)

	var out strings.Builder
	out.WriteString("*" + table + "\n")
	chains := slices.Sorted(maps.Keys(s.chains))
	var stale []string
	for _, c := range there {
		if !s.chains[c] {
			stale = append(stale, c)
		}
	}
	for _, c := range slices.Concat(chains, stale) {
		fmt.Fprintf(&out, ":%s - [0:0]\n", c) // declaring a chain empties it
	}
	out.Write(s.body.Bytes())
	for _, c := range stale {
		fmt.Fprintf(&out, "-X %s\n", c)
	}
	out.WriteString("COMMIT\n")
	return out.String(), chains
}

type scripter struct {
	body   *bytes.Buffer
	chains map[string]bool
}

func (s scripter) rule(chain, format string, args ...any) {
	fmt.Fprintf(s.body, "-A %s %s\n", chain, fmt.Sprintf(format, args...))
}

// dispatch sends the packets of each isolated pod to the chain of its rules. A pod always reaches itself, as it may by the
// address of a service.
func (s scripter) dispatch(chain, match, peer string, pods map[netip.Addr][]Allow, names map[netip.Addr]string) {
	for _, ip := range slices.SortedFunc(maps.Keys(pods), netip.Addr.Compare) {
		s.rule(chain, match+" -m comment --comment %s -j %s", single(ip), single(ip), comment(names[ip]), s.allows(peer, pods[ip]))
	}
}

// comment is a pod's name, which is made of letters, digits and few other characters, in the length that fits.
func comment(name string) string {
	const limit = 255
	return name[:min(len(name), limit)]
}

// allows writes a chain unless there is one with the same content, and gives its name.
func (s scripter) allows(peer string, list []Allow) string {
	var lines []string
	for _, a := range list {
		for _, p := range orAny(a.Peers) {
			for _, q := range orAny(a.Ports) {
				lines = append(lines, strings.Join(slices.Concat(address(peer, p), q.match(), []string{"-j", "RETURN"}), " "))
			}
		}
	}
	slices.Sort(lines)
	lines = append(slices.Compact(lines), "-j DROP")
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	const bytesOfHash = 8 // a chain's name has 28 characters at most
	name := network.ChainPrefix + hex.EncodeToString(sum[:bytesOfHash])
	if !s.chains[name] {
		s.chains[name] = true
		for _, l := range lines {
			s.rule(name, "%s", l)
		}
	}
	return name
}

// orAny gives a list with one zero value, which matches everything, for an empty one.
func orAny[T any](list []T) []T {
	if len(list) == 0 {
		return make([]T, 1)
	}
	return list
}

func address(flag string, p netip.Prefix) []string {
	if !p.IsValid() || p.Bits() == 0 {
		return nil
	}
	return []string{flag, p.String()}
}

func (s Span) match() []string {
	switch {
	case s.Protocol == "":
		return nil
	case s.First == 0:
		return []string{"-p", s.Protocol}
	case s.First == s.Last:
		return []string{"-p", s.Protocol, "--dport", fmt.Sprint(s.First)}
	}
	return []string{"-p", s.Protocol, "--dport", fmt.Sprintf("%d:%d", s.First, s.Last)}
}
