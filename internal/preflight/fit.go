package preflight

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Node is the shape of a node: what its pods may use together, and whom it
// takes. A cordoned node counts: it comes back.
type Node struct {
	Name        string
	CPUMilli    int64 // allocatable
	MemoryBytes int64
	GPU         int64
	Labels      map[string]string
	Cordoned    bool // takes nothing at the moment
	Online      bool // carries the online pool's taint
	GPUOnly     bool // carries the GPU taint
	Foreign     bool // carries another taint, which GoblinLab's pods do not tolerate
}

// Placement says which nodes a pod may go to.
type Placement struct {
	Class        spec.Class // instances are ClassTest: they never enter the online pool
	NodeSelector map[string]string
}

// Takes reports whether the pod may go to the node, whatever its size.
func (p Placement) Takes(n Node, gpu bool) bool {
	if n.Foreign || n.Online && p.Class != spec.ClassOnline || n.GPUOnly && !gpu {
		return false
	}
	for k, v := range p.NodeSelector {
		if have, ok := n.Labels[k]; !ok || have != v {
			return false
		}
	}
	return true
}

// Fit refuses what no node could hold even when it is empty (P10, P11). Pass
// requests, which the scheduler counts: limits divided by the overcommit ratio.
// It says nothing without any nodes, since then nothing is known.
func Fit(requests spec.Resources, p Placement, nodes []Node) error {
	var f fault.Fields
	CheckFit(&f, "", requests, p, nodes)
	return f.Err()
}

// dimension is one resource of a request and of a node's shape.
type dimension struct {
	name  string
	want  int64
	have  func(Node) int64
	human func(int64) string
}

func dimensions(r spec.Resources) []dimension {
	return []dimension{
		{"cpu", r.CPUMilli, func(n Node) int64 { return n.CPUMilli }, quantity.CPU},
		{"memory", r.MemoryBytes, func(n Node) int64 { return n.MemoryBytes }, quantity.Memory},
		{"gpu", r.GPU, func(n Node) int64 { return n.GPU }, GPUs},
	}
}

// CheckFit is Fit for a form; prefix goes before the paths, as "tasks[2].".
func CheckFit(f *fault.Fields, prefix string, requests spec.Resources, p Placement, nodes []Node) {
	if len(nodes) == 0 {
		return
	}
	open := Open(requests, p, nodes)
	if len(open) == 0 {
		f.Add(prefix+"resources", "preflight.fit.no-node", fault.Args{"nodes": len(nodes)})
		return
	}
	larger := false
	for _, d := range dimensions(requests) {
		if n := Largest(d.have, open); d.want > d.have(n) {
			larger = true
			f.Add(prefix+"resources."+d.name, "preflight.fit."+d.name, fault.Args{
				"requested": d.human(d.want), "largest": d.human(d.have(n)), "node": n.Name,
			})
		}
	}
	if larger || slices.ContainsFunc(open, func(n Node) bool { return holds(n, requests) }) {
		return
	}
	f.Add(prefix+"resources", "preflight.fit.shape", fault.Args{
		"requested": Shape(requests), "nodes": nearest(requests, open),
	})
}

// Open are the nodes that a pod may go to, whatever their size.
func Open(requests spec.Resources, p Placement, nodes []Node) []Node {
	var open []Node
	for _, n := range nodes {
		if p.Takes(n, requests.GPU > 0) {
			open = append(open, n)
		}
	}
	return open
}

// Largest is the node with the most of what have tells; of equals the first by name.
func Largest(have func(Node) int64, nodes []Node) Node {
	return slices.MaxFunc(nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(have(a), have(b)), cmp.Compare(b.Name, a.Name))
	})
}

func holds(n Node, r spec.Resources) bool {
	return n.CPUMilli >= r.CPUMilli && n.MemoryBytes >= r.MemoryBytes && n.GPU >= r.GPU
}

// nearest names up to three nodes with their shapes, those first that lack the smallest part.
func nearest(r spec.Resources, nodes []Node) []string {
	lack := func(n Node) float64 {
		worst := 0.0
		for _, d := range dimensions(r) {
			if d.want > 0 {
				worst = max(worst, 1-float64(d.have(n))/float64(d.want))
			}
		}
		return worst
	}
	sorted := slices.SortedFunc(slices.Values(nodes), func(a, b Node) int {
		return cmp.Or(cmp.Compare(lack(a), lack(b)), cmp.Compare(a.Name, b.Name))
	})
	var out []string
	for _, n := range sorted[:min(3, len(sorted))] {
		out = append(out, n.Name+" ("+Shape(spec.Resources{CPUMilli: n.CPUMilli, MemoryBytes: n.MemoryBytes, GPU: n.GPU})+")")
	}
	return out
}

// Shape writes resources for people: "8 CPU, 64 GiB, 2 GPU".
func Shape(r spec.Resources) string {
	s := quantity.CPU(r.CPUMilli) + ", " + quantity.Memory(r.MemoryBytes)
	if r.GPU > 0 {
		s += ", " + GPUs(r.GPU)
	}
	return s
}

// GPUs writes a number of GPUs for people: "2 GPU".
func GPUs(n int64) string { return strconv.FormatInt(n, 10) + " GPU" }
