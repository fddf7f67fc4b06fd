package definition

import (
	"slices"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Order are the tasks in levels: a task stands in the first level in which all
// that it needs stand before it. It is not ok when tasks go in circles; those
// and what needs them are left out. Needs that are no tasks count as done.
func Order(f spec.Flow) (levels [][]string, ok bool) {
	known, waits, after := map[string]bool{}, map[string]int{}, map[string][]string{}
	for _, t := range f.Tasks {
		known[t.Name] = true
	}
	for _, t := range f.Tasks {
		for _, n := range distinct(t.Needs) {
			if known[n] {
				waits[t.Name]++
				after[n] = append(after[n], t.Name)
			}
		}
	}
	done := map[string]bool{}
	for {
		var level []string
		for _, t := range f.Tasks {
			if !done[t.Name] && waits[t.Name] == 0 && !slices.Contains(level, t.Name) {
				level = append(level, t.Name)
			}
		}
		if len(level) == 0 {
			return levels, len(done) == len(known)
		}
		for _, n := range level {
			done[n] = true
			for _, next := range after[n] {
				waits[next]--
			}
		}
		levels = append(levels, level)
	}
}

func distinct(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// Downstream are the named tasks and all that come after them, in the flow's order.
func Downstream(f spec.Flow, names ...string) []string {
	after := map[string][]string{}
	for _, t := range f.Tasks {
		for _, n := range t.Needs {
			after[n] = append(after[n], t.Name)
		}
	}
	return reach(f, names, after)
}

// Upstream are all tasks that end before a task can start.
func Upstream(f spec.Flow, name string) []string {
	before := needs(f)
	return reach(f, before[name], before)
}

func needs(f spec.Flow) map[string][]string {
	out := map[string][]string{}
	for _, t := range f.Tasks {
		out[t.Name] = append(out[t.Name], t.Needs...)
	}
	return out
}

func reach(f spec.Flow, from []string, next map[string][]string) []string {
	seen := map[string]bool{}
	for stack := slices.Clone(from); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !seen[n] {
			seen[n] = true
			stack = append(stack, next[n]...)
		}
	}
	var out []string
	for _, t := range f.Tasks {
		if seen[t.Name] && !slices.Contains(out, t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

const maxCycles = 10 // that are told at once

// cycles are circles of tasks, at least one of each knot: a, b, a. The walk keeps
// its own stack, since a chain may be as long as a flow.
func cycles(f spec.Flow) [][]string {
	const open, closed = 1, 2
	needs, state := needs(f), map[string]int{}
	var out [][]string
	for _, t := range f.Tasks {
		if state[t.Name] != 0 {
			continue
		}
		state[t.Name] = open
		path, next := []string{t.Name}, []int{0}
		for len(path) > 0 {
			n, i := path[len(path)-1], next[len(next)-1]
			if i == len(needs[n]) {
				state[n] = closed
				path, next = path[:len(path)-1], next[:len(next)-1]
				continue
			}
			next[len(next)-1]++
			need := needs[n][i]
			switch {
			case len(needs[need]) == 0, need == n: // an end, no task, or itself, which is told for itself
			case state[need] == open:
				if len(out) == maxCycles {
					return out
				}
				out = append(out, append(slices.Clone(path[slices.Index(path, need):]), need))
			case state[need] == 0:
				state[need] = open
				path, next = append(path, need), append(next, 0)
			}
		}
	}
	return out
}
