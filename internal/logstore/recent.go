package logstore

import "time"

// The cluster's API takes moments in whole seconds, and the two streams of a
// container are stamped apart and may be stored a bit out of order. So a reader
// that comes back asks for a second more than it needs, and passes over what it
// has by counting lines per time.
const (
	overlap  = time.Second
	maxTimes = 1 << 17 // different times that are remembered
)

// recent remembers the times of the last lines of output: those within an
// overlap and a second of the newest, and no more than maxTimes.
type recent struct {
	times  []seen
	newest int64 // of all lines
	last   int64 // of the last line, which may go on
	floor  int64 // everything up to here counts as stored
	keep   int   // trim when there are more
}

type seen struct {
	time  int64 // Unix nanoseconds
	lines int32
}

func (r *recent) add(t time.Time, lines int32) {
	n := t.UnixNano()
	if i := len(r.times) - 1; i >= 0 && r.times[i].time == n {
		r.times[i].lines += lines
	} else {
		r.times = append(r.times, seen{n, lines})
	}
	r.last = n
	r.newest = max(r.newest, n)
	if len(r.times) > max(r.keep, 1024) {
		r.trim()
	}
}

func (r *recent) trim() {
	from := r.since().UnixNano()
	kept := r.times[:0]
	for i, t := range r.times {
		switch {
		case t.time < from:
		case len(r.times)-i > maxTimes: // a flood: exact no more, but never twice
			r.floor = max(r.floor, t.time)
		default:
			kept = append(kept, t)
		}
	}
	r.times = kept
	r.keep = 2 * len(kept)
}

// since is the moment to read the runtime's log from; zero for its start.
func (r *recent) since() time.Time {
	if len(r.times) == 0 {
		return time.Time{}
	}
	return time.Unix(0, min(r.newest, r.last)).Add(-overlap).Truncate(time.Second).UTC()
}

// Replay tells the stored lines of the runtime's log from the new ones after a
// reader came back (P80, P81). Give it each line in order, in the parts that
// Cut makes.
type Replay struct {
	have   map[int64]int32
	newest int64
	floor  int64
	begun  bool  // the first line has been seen
	torn   int64 // time of the first line when it is the end of one
	met    bool  // something stored came again
	gap    bool
}

func (r *recent) replay() *Replay {
	p := &Replay{have: make(map[int64]int32, len(r.times)), newest: r.newest, floor: r.floor}
	for _, t := range r.times {
		p.have[t.time] += t.lines
	}
	p.met = len(r.times) == 0 // nothing to meet
	p.begun = p.met
	return p
}

// Stored reports whether a part of a line with this time is stored; first says
// that the part begins its line.
func (p *Replay) Stored(t time.Time, first bool) bool {
	n := t.UnixNano()
	if c := p.have[n]; c > 0 {
		p.have[n] = c - 1
		p.met, p.begun = true, true
		return true
	}
	switch {
	case n <= p.floor:
		p.begun = true
		return true
	case !p.begun && n < p.newest:
		// A long line began before the moment that was asked for: the runtime
		// gives its end with a time of its own.
		p.torn, p.begun = n, true
		return true
	case p.torn != 0 && p.torn == n && !first:
		return true
	}
	p.torn = 0
	if !p.met {
		p.met, p.gap = true, true
	}
	p.begun = true
	return false
}

// Gap reports, once, that nothing stored came before the first new line: the
// node has rotated the log, and lines in between may be missing.
func (p *Replay) Gap() bool {
	g := p.gap
	p.gap = false
	return g
}
