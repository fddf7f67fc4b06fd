package engine

import (
	"cmp"
	"slices"
	"time"
)

// Waiter is a step that waits for a slot of its group.
type Waiter struct {
	ID       string    // of the step's row
	Priority int       // the flow's and the task's
	Since    time.Time // its ReadyAt
}

// Slots says which waiters of a group get a slot, in the order in which they do:
// by priority, then by how long they wait, then by id. holders are the ids of the
// steps whose state Holds: living rows, so that what ended has given back its
// slot by having ended (P73). A group that was made smaller takes nothing from
// anybody.
func Slots(size int, holders []string, waiters []Waiter) []string {
	holds := make(map[string]bool, len(holders))
	for _, id := range holders {
		holds[id] = true
	}
	free := size - len(holds)
	queue := slices.Clone(waiters)
	slices.SortFunc(queue, func(a, b Waiter) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	var out []string
	for _, w := range queue {
		if free <= 0 {
			break
		}
		if !holds[w.ID] {
			holds[w.ID] = true
			out = append(out, w.ID)
			free--
		}
	}
	return out
}
