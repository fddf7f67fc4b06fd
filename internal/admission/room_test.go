package admission

import (
	"testing"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestRoomCountsEachHoldOnce(t *testing.T) {
	t.Parallel()
	two := GPUs{Known: true, Nodes: []spec.GPUNode{{Name: "a", GPU: 2}, {Name: "b", GPU: 2}}}
	with := func(g GPUs, p ...Placed) GPUs { g.Placed = p; return g }
	for name, c := range map[string]struct {
		gpus  GPUs
		holds []hold
		self  string
		class spec.Class
		want  room
	}{
		"nothing is held":                 {gpus: two, want: room{total: 4, free: 4, largest: 2, most: 2}},
		"promised, not on a node yet":     {gpus: two, holds: []hold{{"x", 2}}, want: room{4, 2, 2, 2}},
		"on a node, and held":             {gpus: with(two, Placed{"x", "a", 2}), holds: []hold{{"x", 2}}, want: room{4, 2, 2, 2}},
		"one of two is on its node":       {gpus: with(two, Placed{"x", "a", 1}), holds: []hold{{"x", 2}}, want: room{4, 2, 2, 2}},
		"on a node, not held any more":    {gpus: with(two, Placed{"x", "a", 1}), want: room{4, 3, 2, 2}},
		"scattered":                       {gpus: with(two, Placed{"x", "a", 1}, Placed{"y", "b", 1}), holds: []hold{{"x", 1}, {"y", 1}}, want: room{4, 2, 1, 2}},
		"its own pods are not in its way": {gpus: with(two, Placed{"me", "a", 2}), holds: []hold{{"me", 2}}, self: "me", want: room{4, 4, 2, 2}},
		"more promised than there is":     {gpus: two, holds: []hold{{"x", 9}}, want: room{4, 0, 2, 2}},
		"a closed node": {gpus: GPUs{Known: true, Nodes: []spec.GPUNode{{Name: "a", GPU: 4, Closed: true}, {Name: "b", GPU: 1}},
			Placed: []Placed{{"x", "a", 4}}}, holds: []hold{{"x", 4}}, want: room{5, 1, 1, 4}},
		"test work cannot enter the online pool": {gpus: GPUs{Known: true, Nodes: []spec.GPUNode{{Name: "a", GPU: 4, Online: true}, {Name: "b", GPU: 1}}},
			class: spec.ClassTest, want: room{1, 1, 1, 1}},
		"online work can": {gpus: GPUs{Known: true, Nodes: []spec.GPUNode{{Name: "a", GPU: 4, Online: true}, {Name: "b", GPU: 1}}},
			class: spec.ClassOnline, want: room{5, 5, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := roomFor(c.gpus, c.holds, c.self, c.class); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
