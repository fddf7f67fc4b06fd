package network

import (
	"errors"
	"fmt"
	"strings"
)

// cutChain holds the rules that separate nodes from the control plane.
const cutChain = ChainPrefix + "CUT"

// KubeletPort is where the API server reaches a node's kubelet.
const KubeletPort = 10250

// Cut separates the nodes with these numbers, and no others, from the control plane: packets are lost, as when a cable is
// pulled. What is lost is the kubelet's traffic to the API server, the API server's to the kubelet, and that of the
// node's pods to the API server. Pods go on, and reach each other.
func Cut(nodes []int) error {
	if len(nodes) == 0 {
		return removeCut()
	}
	if err := Restore(cutScript(nodes)); err != nil {
		return fmt.Errorf("chain %s: %w", cutChain, err)
	}
	for _, r := range cutJumps() {
		if err := EnsureJump(r.table, r.chain, cutChain); err != nil {
			return err
		}
	}
	return nil
}

// cutScript is the input for iptables-restore that gives the chain its content; naming the chain empties it first.
func cutScript(nodes []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*filter\n:%s - [0:0]\n", cutChain)
	lose := func(format string, args ...any) {
		fmt.Fprintf(&b, "-A %s -p tcp %s -j DROP\n", cutChain, fmt.Sprintf(format, args...))
	}
	for _, i := range nodes {
		for _, port := range []int{APIPort, KubeletPort} {
			lose("-d %s --dport %d", Gateway(i), port)
			lose("-s %s --sport %d", Gateway(i), port)
		}
		lose("-s %s -d %s --dport %d", Subnet(i), ServiceIP(), APIPort)
		lose("-s %s -d %s --sport %d", ServiceIP(), Subnet(i), APIPort)
	}
	b.WriteString("COMMIT\n")
	return b.String()
}

func cutJumps() []rule {
	return []rule{
		{table: "filter", chain: "INPUT", match: []string{"-j", cutChain}},
		{table: "filter", chain: "OUTPUT", match: []string{"-j", cutChain}},
	}
}

func removeCut() error {
	var errs []error
	for _, r := range cutJumps() {
		for r.run("-C") == nil {
			if err := r.run("-D"); err != nil {
				errs = append(errs, err)
				break
			}
		}
	}
	chain := rule{table: "filter", chain: cutChain}
	if chain.run("-S") == nil {
		errs = append(errs, chain.run("-F"), chain.run("-X"))
	}
	return errors.Join(errs...)
}
