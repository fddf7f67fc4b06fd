package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// The cluster of the tests: two teams of two pods, and DNS.
var (
	testNamespaces = map[string]labels.Set{
		"red": {"kubernetes.io/metadata.name": "red", "kind": "team"}, "blue": {"kubernetes.io/metadata.name": "blue", "kind": "team"},
		"gate": {"kubernetes.io/metadata.name": "gate", "gateway": "yes"}, "kube-system": {"kubernetes.io/metadata.name": "kube-system"},
	}
	dnsIP    = netip.MustParseAddr("10.244.255.1")
	outside  = netip.MustParseAddr("192.0.2.7")
	testPods = []Pod{
		testPod("red", "web", "10.244.0.2", labels.Set{"app": "web"}, NamedPort{Name: "http", Port: Span{Protocol: "tcp", First: 8080, Last: 8080}}),
		testPod("red", "job", "10.244.1.2", labels.Set{"app": "job"}),
		testPod("blue", "web", "10.244.0.3", labels.Set{"app": "web"}, NamedPort{Name: "http", Port: Span{Protocol: "tcp", First: 9090, Last: 9090}}),
		testPod("blue", "job", "10.244.1.3", labels.Set{"app": "job"}),
		testPod("gate", "way", "10.244.2.2", labels.Set{"app": "way"}),
		dnsPod(dnsIP),
	}
)

func testPod(namespace, name, ip string, l labels.Set, ports ...NamedPort) Pod {
	return Pod{Namespace: namespace, Name: name, IP: netip.MustParseAddr(ip), Labels: l, Ports: ports}
}

// passes says what the rules mean for a new connection.
func (r Rules) passes(from, to netip.Addr, q Span) bool {
	if from == to {
		return true
	}
	allowed := func(pods map[netip.Addr][]Allow, pod, peer netip.Addr) bool {
		list, isolated := pods[pod]
		return !isolated || slices.ContainsFunc(list, func(a Allow) bool {
			return (len(a.Peers) == 0 || slices.ContainsFunc(a.Peers, func(p netip.Prefix) bool { return p.Contains(peer) })) &&
				(len(a.Ports) == 0 || slices.ContainsFunc(a.Ports, func(s Span) bool { return s.contains(q) }))
		})
	}
	return allowed(r.Egress, from, to) && allowed(r.Ingress, to, from)
}

func TestCompile(t *testing.T) {
	t.Parallel()
	tcp, udp := func(p int32) Span { return Span{Protocol: "tcp", First: p, Last: p} }, func(p int32) Span { return Span{Protocol: "udp", First: p, Last: p} }
	for _, c := range []struct {
		name     string
		policies string
		pass     map[string]bool // "FROM TO" in which a pod is NAMESPACE/NAME, to port
		port     Span
	}{
		{
			name: "without policies all passes", port: tcp(80),
			pass: map[string]bool{"red/job red/web": true, "blue/job red/web": true, "outside red/web": true, "red/web outside": true, "red/web dns": true},
		},
		{
			name: "ingress is denied, for the namespace and nowhere else", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Ingress]}}]`,
			pass: map[string]bool{"red/job red/web": false, "blue/job red/web": false, "outside red/web": false, "red/web blue/web": true,
				"red/web outside": true, "blue/job blue/web": true, "red/web red/web": true},
		},
		{
			name: "types that are missing are ingress, and egress where it has rules", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}}}, {metadata: {namespace: blue}, spec: {podSelector: {}, egress: [{to: [{podSelector: {}}]}]}}]`,
			pass:     map[string]bool{"outside red/web": false, "red/web outside": true, "outside blue/web": false, "blue/web outside": false},
		},
		{
			name: "the selector chooses pods", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}}]`,
			pass:     map[string]bool{"red/job red/web": false, "red/web red/job": true, "blue/job blue/web": true},
		},
		{
			name: "policies add up", port: tcp(80),
			policies: `[{metadata: {namespace: red, name: deny}, spec: {podSelector: {}, policyTypes: [Ingress]}},
{metadata: {namespace: red, name: team}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}},
{metadata: {namespace: red, name: gateways}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {gateway: "yes"}}}]}]}}]`,
			pass: map[string]bool{"red/job red/web": true, "blue/job red/web": false, "gate/way red/web": true, "outside red/web": false},
		},
		{
			name: "both selectors in one peer must match, and two peers are either", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kind: team}}, podSelector: {matchLabels: {app: web}}}]}]}},
{metadata: {namespace: blue}, spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {gateway: "yes"}}}, {podSelector: {matchLabels: {app: job}}}]}]}}]`,
			pass: map[string]bool{"blue/web red/job": true, "blue/job red/web": false, "red/web red/job": true, "gate/way red/web": false,
				"gate/way blue/web": true, "blue/job blue/web": true, "red/job blue/web": false, "blue/web blue/job": false},
		},
		{
			name: "an empty namespace selector is every namespace, an address outside is in none", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}}]`,
			pass:     map[string]bool{"blue/job red/web": true, "gate/way red/web": true, "outside red/web": false},
		},
		{
			name: "a rule without peers is for all", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{}]}}]`,
			pass:     map[string]bool{"blue/job red/web": true, "outside red/web": true},
		},
		{
			name: "a peer that selects nobody is nobody", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{from: [{podSelector: {matchLabels: {app: none}}}]}], egress: [{to: [{podSelector: {matchLabels: {app: none}}}]}]}}]`,
			pass:     map[string]bool{"red/job red/web": false, "outside red/web": false, "red/web outside": false, "red/web dns": false},
		},
		{
			name: "a block has exceptions, and counts for pods too", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16, except: [10.244.1.0/24, 10.244.2.2/32]}}]}]}}]`,
			pass:     map[string]bool{"blue/web red/web": true, "blue/job red/web": false, "gate/way red/web": false, "outside red/web": false},
		},
		{
			name: "a block of everything", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}]}]}}]`,
			pass:     map[string]bool{"red/web outside": true, "red/web blue/web": false, "red/web dns": false},
		},
		{
			name: "a block of another family is nobody", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: "::/0"}}]}]}}]`,
			pass:     map[string]bool{"blue/web red/web": false, "outside red/web": false},
		},
		{
			name: "a port within a range", port: tcp(8085),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{ports: [{port: 8080, endPort: 8090}]}]}}, {metadata: {namespace: blue}, spec: {podSelector: {}, ingress: [{ports: [{port: 8086, endPort: 8090}]}]}}]`,
			pass:     map[string]bool{"blue/job red/web": true, "red/job blue/web": false},
		},
		{
			name: "a port of another protocol", port: udp(53),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{ports: [{port: 53}]}]}}, {metadata: {namespace: blue}, spec: {podSelector: {}, ingress: [{ports: [{protocol: UDP}]}]}}]`,
			pass:     map[string]bool{"blue/job red/web": false, "red/job blue/web": true},
		},
		{
			name: "a named port into a pod is the pod's own", port: tcp(8080),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, ingress: [{ports: [{port: http}]}]}}, {metadata: {namespace: blue}, spec: {podSelector: {}, ingress: [{ports: [{port: http}]}]}}]`,
			pass:     map[string]bool{"blue/job red/web": true, "red/job blue/web": false, "outside red/job": false},
		},
		{
			name: "a named port out of a pod is that of the other", port: tcp(9090),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: http}]}]}}]`,
			pass:     map[string]bool{"red/job blue/web": true, "red/job red/web": false, "red/job outside": false},
		},
		{
			name: "a named port out of a pod holds for the selected ones only", port: tcp(9090),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: http}], to: [{podSelector: {}}]}]}}]`,
			pass:     map[string]bool{"red/job blue/web": false, "red/job red/web": false},
		},
		{
			name: "DNS by the labels that it has everywhere", port: udp(53),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{protocol: UDP, port: 53}]}]}},
{metadata: {namespace: blue}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}}], ports: [{protocol: UDP, port: dns}]}]}},
{metadata: {namespace: gate}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}}], ports: [{protocol: TCP, port: 53}]}]}}]`,
			pass: map[string]bool{"red/web dns": true, "red/web outside": false, "blue/web dns": true, "gate/way dns": false},
		},
		{
			name: "what else is on the address of DNS is not DNS", port: tcp(6443),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}}]}]}},
{metadata: {namespace: blue}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.244.255.1/32}}], ports: [{port: 6443}]}]}},
{metadata: {namespace: kube-system}, spec: {podSelector: {}, policyTypes: [Ingress, Egress]}}]`,
			pass: map[string]bool{"red/web dns": false, "red/web blue/web": true, "blue/web dns": true, "gate/way dns": true},
		},
		{
			name: "both sides must agree", port: tcp(80),
			policies: `[{metadata: {namespace: red}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: {kind: team}}}]}]}},
{metadata: {namespace: blue}, spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}}]`,
			pass: map[string]bool{"red/web blue/job": true, "red/web blue/web": false, "red/web gate/way": false},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var policies []*networkingv1.NetworkPolicy
			if err := yaml.UnmarshalStrict([]byte(c.policies), &policies); err != nil {
				t.Fatal(err)
			}
			rules := Compile(policies, testNamespaces, testPods)
			got := map[string]bool{}
			for way := range c.pass {
				var from, to string
				if _, err := fmt.Sscan(way, &from, &to); err != nil {
					t.Fatal(err)
				}
				got[way] = rules.passes(find(t, from), find(t, to), c.port)
			}
			if diff := cmp.Diff(c.pass, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func find(t *testing.T, who string) netip.Addr {
	t.Helper()
	switch who {
	case "outside":
		return outside
	case "dns":
		return dnsIP
	}
	for _, p := range testPods {
		if p.Namespace+"/"+p.Name == who {
			return p.IP
		}
	}
	t.Fatalf("there is no pod %s", who)
	return netip.Addr{}
}
