package nearest

import (
	"cmp"
	"slices"
	"strings"
)

const (
	most   = 3  // names that are told
	length = 64 // bytes that are compared: names are not longer
)

// Names are up to three of the known names that are close to name, the closest
// first. When none is close, it is up to three of the known ones, in their
// order, so that the reader sees at least what there is.
func Names(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	low := strings.ToLower(name)
	var close []candidate
	for _, k := range known {
		d := distance(low, strings.ToLower(k))
		if k != "" && (d <= max(1, min(len(name), len(k))/3) || len(name) > 2 && strings.HasPrefix(strings.ToLower(k), low)) {
			close = append(close, candidate{k, d})
		}
	}
	slices.SortStableFunc(close, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, c := range close {
		if len(out) < most && !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	for i := 0; len(close) == 0 && i < len(known) && len(out) < most; i++ {
		out = append(out, known[i])
	}
	return out
}

// distance counts the bytes that must be changed, added, taken or swapped with
// their neighbour to make b of a.
func distance(a, b string) int {
	a, b = a[:min(len(a), length)], b[:min(len(b), length)]
	var before, last, row [length + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
