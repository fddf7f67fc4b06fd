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

// recent remembers the times of the last lines of output: those from since on,
// and no more than maxTimes.
type recent struct {
	times  []seen // as the lines came
	newest int64  // of all lines
	floor  int64  // everything up to here counts as stored
	keep   int    // trim when there are more
}

// seen is a time with the number of stored lines, or parts of lines, that carry it.
type seen struct {
	time  int64 // Unix nanoseconds
	lines int32
	long  bool // among them are parts of a long line
}

// add notes n lines of one time that came next.
func (r *recent) add(s seen) {
	r.times = push(r.times, s)
	r.newest = max(r.newest, s.time)
	if len(r.times) > max(r.keep, 1024) {
		r.trim()
	}
}

func push(times []seen, s seen) []seen {
	if i := len(times) - 1; i >= 0 && times[i].time == s.time {
		times[i].lines += s.lines
		times[i].long = times[i].long || s.long
		return times
	}
	return append(times, s)
}

func seenOf(l *Line) seen { return seen{l.Time.UnixNano(), 1, l.Partial} }

// last is the time of the line that came last, which may go on.
func (r *recent) last() int64 { return r.times[len(r.times)-1].time }

func (r *recent) trim() {
	from := r.since().UnixNano()
	start := 0
	for start < len(r.times) && r.times[start].time < from {
		start++
	}
	if start > 0 {
		start-- // the line before tells whether it reaches into what follows
	}
	for ; len(r.times)-start > maxTimes; start++ { // a flood: exact no more, but never twice
		r.floor = max(r.floor, r.times[start].time)
	}
	r.times = append(r.times[:0], r.times[start:]...)
	r.keep = 2 * len(r.times)
}

// since is the moment to read the runtime's log from; zero for its start. The
// runtime gives the end of a long line, if it is asked for that alone, as a
// line with a time of its own: so the moment is moved back to where the line began.
func (r *recent) since() time.Time {
	if len(r.times) == 0 {
		return time.Time{}
	}
	at := second(min(r.newest, r.last()) - int64(overlap))
	for i := len(r.times) - 2; i >= 0; i-- {
		if t := r.times[i]; t.long && t.time < at && at <= r.times[i+1].time {
			at = second(t.time)
		}
	}
	return time.Unix(0, at).UTC()
}

func second(nanoseconds int64) int64 {
	return time.Unix(0, nanoseconds).Truncate(time.Second).UnixNano()
}

// Replay tells the stored lines of the runtime's log from the new ones after a
// reader came back (P80, P81). Give it each line in order, in the parts that
// Cut makes.
type Replay struct {
	have  map[int64]int32
	floor int64
	met   bool // something stored came again, or there is nothing to meet
	gap   bool
}

func (r *recent) replay() *Replay {
	p := &Replay{have: make(map[int64]int32, len(r.times)), floor: r.floor, met: len(r.times) == 0}
	for _, t := range r.times {
		p.have[t.time] += t.lines
	}
	return p
}

// Stored reports whether a line, or a part of one, with this time is stored.
func (p *Replay) Stored(t time.Time) bool {
	n := t.UnixNano()
	if c := p.have[n]; c > 0 {
		p.have[n] = c - 1
		p.met = true
		return true
	}
	if n <= p.floor {
		return true
	}
	if !p.met {
		p.met, p.gap = true, true
	}
	return false
}

// Gap reports, once, that nothing stored came before the first new line: the
// node has rotated the log, and lines in between may be missing.
func (p *Replay) Gap() bool {
	g := p.gap
	p.gap = false
	return g
}
