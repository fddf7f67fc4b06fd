package engine

import "github.com/goblinlab/goblinlab/internal/spec"

// graph is a flow's tasks by their place in the definition.
type graph struct {
	index map[string]int
	needs [][]int
	after [][]int
	order []int // every task after those it needs
	sound bool  // no cycle, no name that is missing or given twice
}

func newGraph(def *spec.Flow) graph {
	n := len(def.Tasks)
	g := graph{index: make(map[string]int, n), needs: make([][]int, n), after: make([][]int, n), order: make([]int, 0, n), sound: true}
	for i := range def.Tasks {
		g.index[def.Tasks[i].Name] = i
	}
	g.sound = len(g.index) == n
	open := make([]int, n)
	for i := range def.Tasks {
		for _, name := range def.Tasks[i].Needs {
			j, ok := g.index[name]
			if !ok {
				g.sound = false
				continue
			}
			g.needs[i] = append(g.needs[i], j)
			g.after[j] = append(g.after[j], i)
			open[i]++
		}
	}
	for i := range open {
		if open[i] == 0 {
			g.order = append(g.order, i)
		}
	}
	for at := 0; at < len(g.order); at++ {
		for _, i := range g.after[g.order[at]] {
			if open[i]--; open[i] == 0 {
				g.order = append(g.order, i)
			}
		}
	}
	g.sound = g.sound && len(g.order) == n
	return g
}

// downstream adds to chosen everything behind it.
func (g *graph) downstream(chosen []bool) {
	for _, i := range g.order {
		if chosen[i] {
			for _, j := range g.after[i] {
				chosen[j] = true
			}
		}
	}
}
