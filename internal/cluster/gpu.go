package cluster

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var _ admission.Capacity = (*Service)(nil)

// GPUs are the cluster's GPUs as last seen; nothing is known before that.
func (s *Service) GPUs(context.Context) (admission.GPUs, error) {
	if s.Cache == nil || !s.Cache.Synced() {
		return admission.GPUs{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.count(); err != nil {
		return admission.GPUs{}, err
	}
	return s.gpus, nil
}

// gpus tells the pods of instances and runs, which admission let in, from all
// others, which only take away from what there is.
func gpus(nodes []*corev1.Node, pods []*corev1.Pod, at manifest.Scheduling) admission.GPUs {
	out := admission.GPUs{Known: true, Nodes: []spec.GPUNode{}}
	others := map[string]int64{}
	for _, p := range pods {
		n := requests(p).GPU
		if n == 0 || p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		if id := consumer(p); id != "" {
			out.Placed = append(out.Placed, admission.Placed{Consumer: id, Node: p.Spec.NodeName, GPU: n})
		} else {
			others[p.Spec.NodeName] += n
		}
	}
	for _, n := range nodes {
		have := resources(n.Status.Allocatable).GPU
		s := node(n, at)
		if have == 0 || s.Foreign {
			continue
		}
		out.Nodes = append(out.Nodes, spec.GPUNode{Name: n.Name, GPU: max(have-others[n.Name], 0), Online: s.Online, Closed: !s.Ready || s.Cordoned})
	}
	slices.SortFunc(out.Nodes, func(a, b spec.GPUNode) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// consumer is the instance or run that a pod of ours belongs to; empty for others.
func consumer(p *corev1.Pod) string {
	if p.Labels[manifest.LabelManagedBy] != manifest.Manager {
		return ""
	}
	return cmp.Or(p.Labels[manifest.LabelInstanceID], p.Labels[manifest.LabelRunID])
}
