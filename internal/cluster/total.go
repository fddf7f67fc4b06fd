package cluster

import (
	"context"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Total is what all nodes that take work of the platform have together; nil
// while no node is known.
func (s *Service) Total(ctx context.Context) (*spec.Resources, error) {
	nodes, err := s.Nodes(ctx)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	return total(nodes), nil
}

func total(nodes []Node) *spec.Resources {
	var sum spec.Resources
	for _, n := range nodes {
		if !n.Foreign {
			sum = add(sum, spec.Resources{CPUMilli: n.CPUMilli, MemoryBytes: n.MemoryBytes, GPU: n.GPU}, 1)
		}
	}
	return &sum
}
