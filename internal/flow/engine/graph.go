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
	g.edges(def)
	open := make([]int, n)
	for i := range open {
		open[i] = len(g.needs[i])
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

// edges fills needs and after, each in one piece of memory: a flow is decided
// often, and most of that would be making small slices.
func (g *graph) edges(def *spec.Flow) {
	total := 0
	for i := range def.Tasks {
		total += len(def.Tasks[i].Needs)
	}
	needs, after := make([]int, 0, total), make([]int, total)
	count := make([]int, len(def.Tasks))
	for i := range def.Tasks {
		from := len(needs)
		for _, name := range def.Tasks[i].Needs {
			if j, ok := g.index[name]; ok {
				needs = append(needs, j)
				count[j]++
			} else {
				g.sound = false
			}
		}
		g.needs[i] = needs[from:len(needs):len(needs)]
	}
	from := 0
	for j, c := range count {
		g.after[j] = after[from : from : from+c]
		from += c
	}
	for i := range g.needs {
		for _, j := range g.needs[i] {
			g.after[j] = append(g.after[j], i)
		}
	}
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
