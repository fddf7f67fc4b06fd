package admission

import (
	"github.com/goblinlab/goblinlab/internal/spec"
)

// GPUs are the nodes with GPUs, and which pods of ours are on them, seen at one moment.
type GPUs struct {
	Known  bool // whether the cluster was seen at all
	Nodes  []spec.GPUNode
	Placed []Placed
}

// Placed is what the pod of a consumer takes of a node.
type Placed struct {
	Consumer, Node string
	GPU            int64
}

// hold is what one consumer may take.
type hold struct {
	consumer string
	gpu      int64
}

// room is what there is for one more.
type room struct {
	total   int64 // of all nodes that it may go to
	free    int64 // on nodes that take something now, less what is promised to those that have no pod yet
	largest int64 // on one node
	most    int64 // that one node has, were it empty
}

func (r room) fits(gpu int64) bool { return gpu <= r.free && gpu <= r.largest }

// roomFor counts for a request of a class by the consumer self, whose own pods
// do not stand in its way. A hold counts as promised as far as no pod of its
// consumer is on a node: each hold is counted once, there or here. One that has
// no node yet counts against every request, wherever it may go.
func roomFor(g GPUs, holds []hold, self string, class spec.Class) room {
	used, seen := map[string]int64{}, map[string]int64{}
	for _, p := range g.Placed {
		if p.Consumer != self {
			used[p.Node] += p.GPU
			seen[p.Consumer] += p.GPU
		}
	}
	var r room
	for _, n := range g.Nodes {
		if n.Online && class != spec.ClassOnline {
			continue
		}
		r.total += n.GPU
		r.most = max(r.most, n.GPU)
		if n.Closed {
			continue
		}
		free := max(n.GPU-used[n.Name], 0)
		r.free += free
		r.largest = max(r.largest, free)
	}
	for _, h := range holds {
		if h.consumer != self {
			r.free -= max(h.gpu-seen[h.consumer], 0)
		}
	}
	r.free = max(r.free, 0)
	return r
}
