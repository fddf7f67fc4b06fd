// Package policy enforces NetworkPolicies by the machine's packet filter. All pods of all nodes pass it, so one enforcer
// serves the cluster.
//
// Compile, which is pure, turns policies, namespaces and pods into what each isolated pod may do; script writes that for
// iptables-restore. The Enforcer keeps both up to date, and lets no pod start before its rules are in force.
package policy

import (
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"
	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pod is one that has an address of its own.
type Pod struct {
	Namespace, Name string
	IP              netip.Addr
	Labels          labels.Set
	Ports           []NamedPort
	// OnlyPorts says that the address is shared with others, so that nothing but Ports is the pod's.
	OnlyPorts bool
}

// NamedPort is a port that a container declares.
type NamedPort struct {
	Name string
	Port Span
}

// Span is a range of ports of a protocol; all of them when First is 0.
type Span struct {
	Protocol    string // as iptables writes it
	First, Last int32
}

// Allow lets the traffic of some ports with some addresses pass.
type Allow struct {
	Peers []netip.Prefix // every address when empty
	Ports []Span         // every protocol and port when empty
}

// Rules say what isolated pods may do: new connections that no Allow names are dropped. A pod that is not in a map is not
// isolated in that direction.
type Rules struct {
	Ingress, Egress map[netip.Addr][]Allow
	// Names are those of the pods in the maps.
	Names map[netip.Addr]string
}

// Compile gives the rules for the policies. Namespaces are given with their labels.
func Compile(policies []*networkingv1.NetworkPolicy, namespaces map[string]labels.Set, pods []Pod) Rules {
	policies = slices.SortedFunc(slices.Values(policies), func(a, b *networkingv1.NetworkPolicy) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	c := compiler{namespaces: namespaces, pods: pods}
	out := Rules{Ingress: map[netip.Addr][]Allow{}, Egress: map[netip.Addr][]Allow{}, Names: map[netip.Addr]string{}}
	for _, p := range policies {
		in, eg := directions(p)
		var ingress func(Pod) []Allow
		var egress []Allow
		if in {
			ingress = c.ingress(p)
		}
		if eg {
			egress = c.egress(p)
		}
		selects := selector(&p.Spec.PodSelector)
		for _, pod := range pods {
			if pod.OnlyPorts || pod.Namespace != p.Namespace || !selects.Matches(pod.Labels) {
				continue
			}
			out.Names[pod.IP] = pod.Namespace + "/" + pod.Name
			if in {
				out.Ingress[pod.IP] = append(out.Ingress[pod.IP], ingress(pod)...)
			}
			if eg {
				out.Egress[pod.IP] = append(out.Egress[pod.IP], egress...)
			}
		}
	}
	return out
}

// directions says which ones a policy isolates. A server fills the types in; one that is old may not have.
func directions(p *networkingv1.NetworkPolicy) (ingress, egress bool) {
	if t := p.Spec.PolicyTypes; len(t) > 0 {
		return slices.Contains(t, networkingv1.PolicyTypeIngress), slices.Contains(t, networkingv1.PolicyTypeEgress)
	}
	return true, len(p.Spec.Egress) > 0
}

type compiler struct {
	namespaces map[string]labels.Set
	pods       []Pod
}

// ingress gives what a policy lets in. Ports that have names are those of the pod that is asked.
func (c compiler) ingress(p *networkingv1.NetworkPolicy) func(Pod) []Allow {
	from := make([]peers, len(p.Spec.Ingress))
	for i, r := range p.Spec.Ingress {
		from[i] = c.peers(p.Namespace, r.From)
	}
	return func(pod Pod) []Allow {
		var out []Allow
		for i, r := range p.Spec.Ingress {
			numbers, names := spans(r.Ports)
			for _, n := range names {
				numbers = append(numbers, pod.named(n)...)
			}
			if from[i].none() || len(r.Ports) > 0 && len(numbers) == 0 {
				continue
			}
			out = append(out, Allow{Peers: from[i].addresses, Ports: numbers})
		}
		return out
	}
}

// egress gives what a policy lets out. Ports that have names are those of the pods that are reached.
func (c compiler) egress(p *networkingv1.NetworkPolicy) []Allow {
	var out []Allow
	for _, r := range p.Spec.Egress {
		to := c.peers(p.Namespace, r.To)
		numbers, names := spans(r.Ports)
		if !to.none() && (len(r.Ports) == 0 || len(numbers) > 0) {
			out = append(out, Allow{Peers: to.addresses, Ports: numbers})
		}
		for _, pod := range c.pods {
			if !to.has(pod) {
				continue
			}
			for _, n := range names {
				out = append(out, pod.at(pod.named(n))...)
			}
		}
		for _, pod := range to.shared {
			out = append(out, pod.at(pod.among(numbers, len(r.Ports) == 0))...)
		}
	}
	return out
}

// peers are the other side of a rule.
type peers struct {
	all       bool
	addresses []netip.Prefix // empty when all
	shared    []Pod          // selected ones with OnlyPorts, which are not among the addresses
}

func (p peers) none() bool { return !p.all && len(p.addresses) == 0 }

func (p peers) has(pod Pod) bool {
	if p.all || slices.ContainsFunc(p.addresses, func(a netip.Prefix) bool { return a.Contains(pod.IP) }) {
		return true
	}
	return slices.ContainsFunc(p.shared, func(s Pod) bool { return s.IP == pod.IP })
}

func (c compiler) peers(namespace string, list []networkingv1.NetworkPolicyPeer) peers {
	if len(list) == 0 {
		return peers{all: true}
	}
	var out peers
	var b netipx.IPSetBuilder
	for _, p := range list {
		if p.IPBlock != nil {
			b.AddSet(block(p.IPBlock))
			continue
		}
		for _, pod := range c.pods {
			if !c.selects(p, namespace, pod) {
				continue
			}
			if pod.OnlyPorts {
				out.shared = append(out.shared, pod)
				continue
			}
			b.Add(pod.IP)
		}
	}
	set, err := b.IPSet()
	if err != nil { // only for addresses that are not valid
		return peers{}
	}
	out.addresses = set.Prefixes()
	return out
}

func (c compiler) selects(p networkingv1.NetworkPolicyPeer, namespace string, pod Pod) bool {
	if p.NamespaceSelector == nil && pod.Namespace != namespace {
		return false
	}
	if p.NamespaceSelector != nil && !selector(p.NamespaceSelector).Matches(c.namespaces[pod.Namespace]) {
		return false
	}
	return p.PodSelector == nil || selector(p.PodSelector).Matches(pod.Labels)
}

// block is a range without its exceptions. Pods have no IPv6 addresses, so such a block is empty.
func block(b *networkingv1.IPBlock) *netipx.IPSet {
	var out netipx.IPSetBuilder
	if p, err := netip.ParsePrefix(b.CIDR); err == nil && p.Addr().Is4() {
		out.AddPrefix(p.Masked())
	}
	for _, e := range b.Except {
		if p, err := netip.ParsePrefix(e); err == nil {
			out.RemovePrefix(p.Masked())
		}
	}
	set, err := out.IPSet()
	if err != nil { // cannot be, since all prefixes were parsed
		return &netipx.IPSet{}
	}
	return set
}

// selector is nothing for one that is not valid, which the API server does not let in.
func selector(s *metav1.LabelSelector) labels.Selector {
	out, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return out
}

// spans separates ports with numbers from those with names.
func spans(ports []networkingv1.NetworkPolicyPort) (numbers []Span, names []NamedPort) {
	for _, p := range ports {
		s := Span{Protocol: protocol(p.Protocol)}
		switch {
		case p.Port == nil:
			numbers = append(numbers, s)
		case p.Port.Type == intstr.String:
			names = append(names, NamedPort{Name: p.Port.StrVal, Port: s})
		default:
			s.First, s.Last = p.Port.IntVal, p.Port.IntVal
			if p.EndPort != nil {
				s.Last = *p.EndPort
			}
			numbers = append(numbers, s)
		}
	}
	return numbers, names
}

func protocol(p *v1.Protocol) string {
	if p == nil {
		return "tcp"
	}
	return strings.ToLower(string(*p))
}

// at lets ports of the pod be reached; nothing without ports.
func (p Pod) at(ports []Span) []Allow {
	if len(ports) == 0 {
		return nil
	}
	return []Allow{{Peers: []netip.Prefix{single(p.IP)}, Ports: ports}}
}

// named gives the pod's ports of that name and protocol.
func (p Pod) named(want NamedPort) []Span {
	var out []Span
	for _, have := range p.Ports {
		if have.Name == want.Name && have.Port.Protocol == want.Port.Protocol {
			out = append(out, have.Port)
		}
	}
	return out
}

// among gives the pod's ports that lie in one of the spans, or all.
func (p Pod) among(spans []Span, all bool) []Span {
	var out []Span
	for _, have := range p.Ports {
		if all || slices.ContainsFunc(spans, func(s Span) bool { return s.contains(have.Port) }) {
			out = append(out, have.Port)
		}
	}
	return out
}

func (s Span) contains(o Span) bool {
	return s.Protocol == o.Protocol && (s.First == 0 || s.First <= o.First && o.Last <= s.Last)
}

func single(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }
