package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Node is a node with what is free on it.
type Node struct {
	preflight.Node
	Pool  string // value of the pool label; empty for ordinary nodes
	Ready bool
	Free  spec.Resources // what further pods could request
}

// counted is how long a count of all pods serves: many instances that wait ask
// at the same time.
const counted = time.Second

// Nodes are the nodes as last seen, by name; none while nothing is known.
func (s *Service) Nodes(ctx context.Context) ([]Node, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	if s.Cache == nil || !s.Cache.Synced() {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.count(); err != nil {
		return nil, err
	}
	return slices.Clone(s.nodes), nil
}

// count looks at all nodes and pods once in a while. The caller holds mu.
func (s *Service) count() error {
	if time.Now().Before(s.until) {
		return nil
	}
	nodes, err := s.Cache.Nodes.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	pods, err := s.Cache.AllPods.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("pods: %w", err)
	}
	at := s.Scheduling()
	s.nodes, s.gpus, s.until = shapes(nodes, pods, at), gpus(nodes, pods, at), time.Now().Add(counted)
	return nil
}

// Shapes are the nodes as preflight takes them.
func (s *Service) Shapes(ctx context.Context) ([]preflight.Node, error) {
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	return Shapes(nodes), nil
}

// Shapes are nodes as preflight takes them.
func Shapes(nodes []Node) []preflight.Node {
	out := make([]preflight.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Node
	}
	return out
}

// Down reports whether a node does not answer any more.
func (s *Service) Down(name string) bool {
	if s.Cache == nil || name == "" {
		return false
	}
	n, err := s.Cache.Nodes.Get(name)
	if err != nil {
		return s.Cache.Synced()
	}
	return condition(n) == corev1.ConditionUnknown
}

func condition(n *corev1.Node) corev1.ConditionStatus {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// shapes counts what pods leave of each node. What DaemonSets and static pods
// take is no part of the shape: they come back on an empty node.
func shapes(nodes []*corev1.Node, pods []*corev1.Pod, at manifest.Scheduling) []Node {
	used, fixed := map[string]spec.Resources{}, map[string]spec.Resources{}
	for _, p := range pods {
		if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		r := requests(p)
		used[p.Spec.NodeName] = add(used[p.Spec.NodeName], r, 1)
		if stays(p) {
			fixed[p.Spec.NodeName] = add(fixed[p.Spec.NodeName], r, 1)
		}
	}
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		all := resources(n.Status.Allocatable)
		out[i] = node(n, at)
		shape := atLeastZero(add(all, fixed[n.Name], -1))
		out[i].CPUMilli, out[i].MemoryBytes, out[i].GPU = shape.CPUMilli, shape.MemoryBytes, shape.GPU
		if out[i].Ready && !out[i].Cordoned {
			out[i].Free = atLeastZero(add(all, used[n.Name], -1))
		}
	}
	slices.SortFunc(out, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func node(n *corev1.Node, at manifest.Scheduling) Node {
	out := Node{
		Node:  preflight.Node{Name: n.Name, Labels: n.Labels, Cordoned: n.Spec.Unschedulable},
		Pool:  n.Labels[at.Online.Key],
		Ready: condition(n) == corev1.ConditionTrue,
	}
	for _, t := range n.Spec.Taints {
		switch {
		case t.Effect == corev1.TaintEffectPreferNoSchedule, lifecycle(t.Key):
		case t.Key == at.Online.Key && t.Value == at.Online.Value && t.Effect == corev1.TaintEffectNoSchedule:
			out.Online = true
		case t.Key == manifest.GPUResource && t.Value == "true" && t.Effect == corev1.TaintEffectNoSchedule:
			out.GPUOnly = true
		default:
			out.Foreign = true
		}
	}
	return out
}

// lifecycle taints come and go with the node's health; they say nothing about whom it takes.
func lifecycle(key string) bool {
	switch key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable,
		corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeNetworkUnavailable, "node.cloudprovider.kubernetes.io/uninitialized":
		return true
	}
	return false
}

// stays reports pods that an emptied node keeps.
func stays(p *corev1.Pod) bool {
	for _, o := range p.OwnerReferences {
		if o.Kind == "DaemonSet" || o.Kind == "Node" {
			return true
		}
	}
	return false
}

// requests are what the scheduler counts of a pod: its containers and sidecars
// together, or the largest step before them, if that is more; and its overhead.
func requests(p *corev1.Pod) spec.Resources {
	var sum, sidecars, first spec.Resources
	for _, c := range p.Spec.InitContainers {
		r := resources(c.Resources.Requests)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars = add(sidecars, r, 1)
			first = largest(first, sidecars)
			continue
		}
		first = largest(first, add(sidecars, r, 1))
	}
	for _, c := range p.Spec.Containers {
		sum = add(sum, resources(c.Resources.Requests), 1)
	}
	return add(largest(add(sum, sidecars, 1), first), resources(p.Spec.Overhead), 1)
}

func resources(l corev1.ResourceList) spec.Resources {
	gpu := l[manifest.GPUResource]
	return spec.Resources{CPUMilli: l.Cpu().MilliValue(), MemoryBytes: l.Memory().Value(), GPU: gpu.Value()}
}

func add(a, b spec.Resources, sign int64) spec.Resources {
	return spec.Resources{CPUMilli: a.CPUMilli + sign*b.CPUMilli, MemoryBytes: a.MemoryBytes + sign*b.MemoryBytes, GPU: a.GPU + sign*b.GPU}
}

func largest(a, b spec.Resources) spec.Resources {
	return spec.Resources{CPUMilli: max(a.CPUMilli, b.CPUMilli), MemoryBytes: max(a.MemoryBytes, b.MemoryBytes), GPU: max(a.GPU, b.GPU)}
}

func atLeastZero(a spec.Resources) spec.Resources { return largest(a, spec.Resources{}) }
