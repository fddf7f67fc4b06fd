package keep

import "time"

// Flow is what of a flow says how far it looks back.
type Flow struct {
	ID    string
	Next  *time.Time // next logical time of its schedule; nil when none is left, or it has none
	Alive *time.Time // the earliest of its runs that live and of its running backfills
	After []string   // flows that it comes after
	Looks []Look     // its checks of other flows
}

// Look is a check of another flow.
type Look struct {
	FlowID string
	// Back is the earliest logical time that is looked at from one; nil when
	// nobody can tell, and it may be any.
	Back func(time.Time) time.Time
}

// Bounds are how far back flows are looked at.
type Bounds struct {
	horizons map[string]time.Time
	needed   map[string]time.Time
}

// Of computes the bounds from all flows that there are.
func Of(flows []Flow) Bounds {
	b := Bounds{horizons: horizons(flows), needed: map[string]time.Time{}}
	for i := range flows {
		f := &flows[i]
		at, ok := b.horizons[f.ID]
		if !ok {
			continue
		}
		for _, id := range f.After {
			earlier(b.needed, id, at)
		}
		for _, l := range f.Looks {
			if l.Back == nil {
				earlier(b.needed, l.FlowID, time.Time{})
			} else {
				earlier(b.needed, l.FlowID, l.Back(at))
			}
		}
	}
	return b
}

// horizons are the earliest logical times of runs that live or are yet to come,
// by flow. They spread to flows that come after until nothing moves; flows that
// come after each other in a circle fire nothing by that.
func horizons(flows []Flow) map[string]time.Time {
	h := make(map[string]time.Time, len(flows))
	for i := range flows {
		for _, at := range []*time.Time{flows[i].Next, flows[i].Alive} {
			if at != nil {
				earlier(h, flows[i].ID, *at)
			}
		}
	}
	for moved := true; moved; {
		moved = false
		for i := range flows {
			for _, id := range flows[i].After {
				if at, ok := h[id]; ok && earlier(h, flows[i].ID, at) {
					moved = true
				}
			}
		}
	}
	return h
}

// earlier notes a time if it is before the one that is there.
func earlier(m map[string]time.Time, id string, at time.Time) bool {
	if was, ok := m[id]; ok && !at.Before(was) {
		return false
	}
	m[id] = at
	return true
}

// Run is a run that has ended and is older than its team keeps runs.
type Run struct {
	ID, FlowID string
	Time       time.Time // logical
	Upstream   bool      // flows before it fired it
}

// Last are the runs of a flow that stay, whatever their age.
type Last struct {
	Run     string // the latest
	Success string // the latest that succeeded
	Newest  string // the one that succeeded with the latest logical time
}

// Holds reports whether a run is one of them.
func (l Last) Holds(id string) bool { return id == l.Run || id == l.Success || id == l.Newest }

// May reports whether a run may go.
func (b Bounds) May(r Run, l Last) bool {
	if l.Holds(r.ID) {
		return false
	}
	if from, ok := b.needed[r.FlowID]; ok && !r.Time.Before(from) {
		return false
	}
	if at, ok := b.horizons[r.FlowID]; r.Upstream && ok && !r.Time.Before(at) {
		return false
	}
	return true
}
