package policy

import (
	"maps"
	"net/netip"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dnsPod stands for the cluster's DNS, which is no pod here: policies everywhere let pods ask it by these labels. It shares
// its address with the way to the API server.
func dnsPod(ip netip.Addr) Pod {
	const port = 53
	return Pod{
		Namespace: metav1.NamespaceSystem, Name: "dns", IP: ip, Labels: map[string]string{"k8s-app": "kube-dns"},
		Ports: []NamedPort{
			{Name: "dns", Port: Span{Protocol: "udp", First: port, Last: port}},
			{Name: "dns-tcp", Port: Span{Protocol: "tcp", First: port, Last: port}},
		},
		OnlyPorts: true,
	}
}

// withAddresses gives the pods that have an address of their own now. A claim counts more than a status: it is earlier,
// and the address of a pod that ended can be another's by now.
func withAddresses(list []*v1.Pod, by map[netip.Addr]Claim) []Pod {
	claimed := map[string]netip.Addr{}
	for ip, c := range by {
		claimed[c.UID] = ip
	}
	var out []Pod
	for _, p := range list {
		if p.Spec.HostNetwork || p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed {
			continue
		}
		ip, ok := claimed[string(p.UID)]
		if !ok {
			var err error
			if ip, err = netip.ParseAddr(p.Status.PodIP); err != nil || !ip.Is4() {
				continue
			}
			if _, taken := by[ip]; taken {
				continue
			}
		}
		out = append(out, Pod{Namespace: p.Namespace, Name: p.Name, IP: ip, Labels: p.Labels, Ports: namedPorts(p)})
	}
	return out
}

func namedPorts(p *v1.Pod) []NamedPort {
	var out []NamedPort
	for _, c := range p.Spec.Containers {
		for _, q := range c.Ports {
			if q.Name != "" {
				out = append(out, NamedPort{Name: q.Name, Port: Span{Protocol: strings.ToLower(string(q.Protocol)), First: q.ContainerPort, Last: q.ContainerPort}})
			}
		}
	}
	return out
}

// trim leaves of a pod what is looked at here, so that the copy of all pods is small.
func trim(o any) (any, error) {
	p, ok := o.(*v1.Pod)
	if !ok {
		return o, nil
	}
	slim := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion, Labels: p.Labels},
		Spec:       v1.PodSpec{HostNetwork: p.Spec.HostNetwork},
		Status:     v1.PodStatus{Phase: p.Status.Phase, PodIP: p.Status.PodIP},
	}
	for _, c := range p.Spec.Containers {
		slim.Spec.Containers = append(slim.Spec.Containers, v1.Container{Ports: c.Ports})
	}
	return slim, nil
}

// matters says whether a change of an object can change rules.
func matters(before, after any) bool {
	switch a := after.(type) {
	case *v1.Pod:
		b, ok := before.(*v1.Pod)
		return !ok || a.UID != b.UID || a.Status.Phase != b.Status.Phase || a.Status.PodIP != b.Status.PodIP || !maps.Equal(a.Labels, b.Labels)
	case *v1.Namespace:
		b, ok := before.(*v1.Namespace)
		return !ok || !maps.Equal(a.Labels, b.Labels)
	}
	return true
}
