package policy

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScript(t *testing.T) {
	t.Parallel()
	a, b, c := netip.MustParseAddr("10.244.0.2"), netip.MustParseAddr("10.244.1.2"), netip.MustParseAddr("10.244.1.3")
	team := []Allow{{Peers: []netip.Prefix{netip.MustParsePrefix("10.244.1.2/31")}, Ports: []Span{{Protocol: "tcp", First: 80, Last: 80}, {Protocol: "udp", First: 1, Last: 9}}}}
	r := Rules{
		Ingress: map[netip.Addr][]Allow{b: nil, a: team, c: slices.Concat(team, team)},
		Egress:  map[netip.Addr][]Allow{a: {{Ports: []Span{{Protocol: "sctp"}}}, {Peers: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}}},
		Names:   map[netip.Addr]string{a: "red/a", b: "red/b", c: "red/c"},
	}
	want := `*mangle
:GOBLINLAB-5aa891c761c12f42 - [0:0]
:GOBLINLAB-686ca8bbc6628e89 - [0:0]
:GOBLINLAB-9673cefc4487eb97 - [0:0]
:GOBLINLAB-EGRESS - [0:0]
:GOBLINLAB-INGRESS - [0:0]
:GOBLINLAB-POLICY - [0:0]
:GOBLINLAB-old - [0:0]
-A GOBLINLAB-POLICY -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN
-A GOBLINLAB-POLICY -s 10.244.0.0/16 -j GOBLINLAB-EGRESS
-A GOBLINLAB-POLICY -d 10.244.0.0/16 -j GOBLINLAB-INGRESS
-A GOBLINLAB-5aa891c761c12f42 -j RETURN
-A GOBLINLAB-5aa891c761c12f42 -p sctp -j RETURN
-A GOBLINLAB-5aa891c761c12f42 -j DROP
-A GOBLINLAB-EGRESS -s 10.244.0.2/32 ! -d 10.244.0.2/32 -m comment --comment red/a -j GOBLINLAB-5aa891c761c12f42
-A GOBLINLAB-686ca8bbc6628e89 -s 10.244.1.2/31 -p tcp --dport 80 -j RETURN
-A GOBLINLAB-686ca8bbc6628e89 -s 10.244.1.2/31 -p udp --dport 1:9 -j RETURN
-A GOBLINLAB-686ca8bbc6628e89 -j DROP
-A GOBLINLAB-INGRESS -d 10.244.0.2/32 ! -s 10.244.0.2/32 -m comment --comment red/a -j GOBLINLAB-686ca8bbc6628e89
-A GOBLINLAB-9673cefc4487eb97 -j DROP
-A GOBLINLAB-INGRESS -d 10.244.1.2/32 ! -s 10.244.1.2/32 -m comment --comment red/b -j GOBLINLAB-9673cefc4487eb97
-A GOBLINLAB-INGRESS -d 10.244.1.3/32 ! -s 10.244.1.3/32 -m comment --comment red/c -j GOBLINLAB-686ca8bbc6628e89
-X GOBLINLAB-old
COMMIT
`
	got, chains := r.script([]string{"GOBLINLAB-EGRESS", "GOBLINLAB-old"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if slices.Contains(chains, "GOBLINLAB-old") || len(chains) != 6 {
		t.Errorf("chains %q", chains)
	}
	for _, name := range chains {
		if len(name) > 28 {
			t.Errorf("the name of chain %s is longer than iptables has it", name)
		}
	}
}

func TestCommentFits(t *testing.T) {
	t.Parallel()
	if n := len(comment(strings.Repeat("n", 63) + "/" + strings.Repeat("p", 253))); n != 255 {
		t.Errorf("a long name has %d characters", n)
	}
}
