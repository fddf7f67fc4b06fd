package definition

import (
	"slices"

	"github.com/goblinlab/goblinlab/internal/spec"
)

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
