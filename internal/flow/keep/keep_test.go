package keep_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/flow/keep"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func on(day int) time.Time { return noon.AddDate(0, 0, day) }

func at(day int) *time.Time { t := on(day); return &t }

func behind(days int) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.AddDate(0, 0, -days) }
}

func TestWhatMayBeLookedAtStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flows     []keep.Flow
		upstream  bool
		last      keep.Last
		gone, not int // the latest day of flow f whose run may go, and the earliest that may not
	}{
		"nobody looks":                            {[]keep.Flow{{ID: "f", Next: at(1)}}, false, keep.Last{}, 100, 101},
		"a check of a week ago":                   {[]keep.Flow{{ID: "f"}, {ID: "g", Next: at(1), Looks: []keep.Look{{FlowID: "f", Back: behind(7)}}}}, false, keep.Last{}, -7, -6},
		"of its own run before":                   {[]keep.Flow{{ID: "f", Next: at(1), Looks: []keep.Look{{FlowID: "f", Back: behind(1)}}}}, false, keep.Last{}, -1, 0},
		"a living run of long ago":                {[]keep.Flow{{ID: "f"}, {ID: "g", Next: at(1), Alive: at(-90), Looks: []keep.Look{{FlowID: "f", Back: behind(0)}}}}, false, keep.Last{}, -91, -90},
		"the farther of two":                      {[]keep.Flow{{ID: "f"}, {ID: "g", Next: at(1), Looks: []keep.Look{{FlowID: "f", Back: behind(2)}, {FlowID: "f", Back: behind(9)}}}}, false, keep.Last{}, -9, -8},
		"nothing of it is yet to come":            {[]keep.Flow{{ID: "f"}, {ID: "g", Looks: []keep.Look{{FlowID: "f", Back: behind(7)}}}}, false, keep.Last{}, 100, 101},
		"one that comes after, when all are done": {[]keep.Flow{{ID: "f", Next: at(1)}, {ID: "e", Next: at(-40)}, {ID: "g", After: []string{"e", "f"}}}, false, keep.Last{}, -41, -40},
		"through two that come after":             {[]keep.Flow{{ID: "e", Next: at(-3)}, {ID: "d", After: []string{"e"}}, {ID: "g", After: []string{"d"}, Looks: []keep.Look{{FlowID: "f", Back: behind(1)}}}}, false, keep.Last{}, -5, -4},
		"a circle fires nothing":                  {[]keep.Flow{{ID: "f", After: []string{"g"}}, {ID: "g", After: []string{"f"}}}, true, keep.Last{}, 100, 101},
		"what may be fired again by others":       {[]keep.Flow{{ID: "e", Next: at(-3)}, {ID: "f", After: []string{"e"}}}, true, keep.Last{}, -4, -3},
		"its schedule's fire once anyway":         {[]keep.Flow{{ID: "e", Next: at(-3)}, {ID: "f", Next: at(-3)}}, false, keep.Last{}, 100, 101},
	} {
		b := keep.Of(c.flows)
		may := func(day int) bool {
			return b.May(keep.Run{ID: "r", FlowID: "f", Time: on(day), Upstream: c.upstream}, c.last)
		}
		if !may(c.gone) {
			t.Errorf("%s: the run of day %d stays", name, c.gone)
		}
		if c.not <= 100 && may(c.not) {
			t.Errorf("%s: the run of day %d may go", name, c.not)
		}
	}
}

func TestTheLastStay(t *testing.T) {
	t.Parallel()
	b := keep.Of(nil)
	for _, l := range []keep.Last{{Run: "r"}, {Success: "r"}, {Newest: "r"}} {
		if b.May(keep.Run{ID: "r", FlowID: "f", Time: on(-900)}, l) {
			t.Errorf("%+v may go", l)
		}
	}
	if !b.May(keep.Run{ID: "q", FlowID: "f", Time: on(-900)}, keep.Last{Run: "r", Success: "r"}) {
		t.Error("another one stays")
	}
	unknown := keep.Of([]keep.Flow{{ID: "g", Next: at(0), Looks: []keep.Look{{FlowID: "f"}}}})
	if unknown.May(keep.Run{ID: "q", FlowID: "f", Time: on(-9000)}, keep.Last{}) {
		t.Error("what is looked at nobody knows how far back may go")
	}
}

// reach is a flow's horizon by following who comes after whom, in days; none
// when nothing is yet to come.
func reach(flows map[string]keep.Flow, id string, on []string) int {
	f, ok := flows[id]
	if !ok || slices.Contains(on, id) {
		return none
	}
	h := min(day(f.Next), day(f.Alive))
	for _, before := range f.After {
		h = min(h, reach(flows, before, append(on, id)))
	}
	return h
}

const none = 1 << 30

func day(t *time.Time) int {
	if t == nil {
		return none
	}
	return int(t.Sub(noon) / (24 * time.Hour))
}

// oracle is another way to the same: one run, and every flow that could look at it.
func oracle(flows []keep.Flow, r keep.Run) bool {
	byID := map[string]keep.Flow{}
	for _, f := range flows {
		byID[f.ID] = f
	}
	for _, f := range flows {
		h := reach(byID, f.ID, nil)
		if h == none {
			continue
		}
		if slices.Contains(f.After, r.FlowID) && day(&r.Time) >= h {
			return false
		}
		for _, l := range f.Looks {
			if back := l.Back(on(h)); l.FlowID == r.FlowID && !r.Time.Before(back) {
				return false
			}
		}
	}
	own := reach(byID, r.FlowID, nil)
	return !r.Upstream || own == none || day(&r.Time) < own
}

func TestItAgreesWithAnotherWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e"}
		name := rapid.SampledFrom(names)
		days := rapid.IntRange(-20, 5)
		maybe := func(label string) *time.Time {
			if rapid.Bool().Draw(t, label+"?") {
				return at(days.Draw(t, label))
			}
			return nil
		}
		var flows []keep.Flow
		for _, id := range names[:rapid.IntRange(1, len(names)).Draw(t, "flows")] {
			f := keep.Flow{ID: id, Next: maybe("next"), Alive: maybe("alive"), After: rapid.SliceOfNDistinct(name, 0, 2, rapid.ID[string]).Draw(t, "after")}
			for i := range rapid.IntRange(0, 2).Draw(t, "looks") {
				f.Looks = append(f.Looks, keep.Look{FlowID: name.Draw(t, fmt.Sprint("look", i)), Back: behind(rapid.IntRange(-2, 9).Draw(t, "back"))})
			}
			flows = append(flows, f)
		}
		b := keep.Of(flows)
		for range 10 {
			r := keep.Run{ID: "r", FlowID: name.Draw(t, "of"), Time: on(rapid.IntRange(-40, 10).Draw(t, "day")), Upstream: rapid.Bool().Draw(t, "upstream")}
			if got, want := b.May(r, keep.Last{}), oracle(flows, r); got != want {
				t.Fatalf("%+v of %+v: %v, not %v", r, flows, got, want)
			}
		}
	})
}
