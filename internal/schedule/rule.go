package schedule

import (
	"math"
	"time"
)

// forever is after every instant that a schedule knows, and far enough from the
// ends of int64 that offsets can be added to it.
const forever = math.MaxInt64 / 4

// horizon is the year 10000, which RFC 3339 cannot write: no schedule fires from
// there on, nor before 1970.
var horizon = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// rule is a set of instants, in seconds since 1970 in UTC.
type rule interface {
	// next is the first at or after from.
	next(from int64) (int64, bool)
	// prev is the last before to.
	prev(to int64) (int64, bool)
	// count is how many lie in [from, to).
	count(from, to int64) int64
	// note says what a change of the clocks did to the one at an instant.
	note(at int64) *Note
}

// never is the rule of a manual schedule.
type never struct{}

func (never) next(int64) (int64, bool) { return 0, false }
func (never) prev(int64) (int64, bool) { return 0, false }
func (never) count(_, _ int64) int64   { return 0 }
func (never) note(int64) *Note         { return nil }

// once is the rule of a schedule that fires at one instant.
type once int64

func (o once) next(from int64) (int64, bool) { return int64(o), int64(o) >= from }
func (o once) prev(to int64) (int64, bool)   { return int64(o), int64(o) < to }
func (once) note(int64) *Note                { return nil }

func (o once) count(from, to int64) int64 {
	if int64(o) >= from && int64(o) < to {
		return 1
	}
	return 0
}

// interval is the rule of a true interval (P61): all instants that are a whole
// number of steps from the anchor, on both sides of it.
type interval struct {
	anchor, step int64
}

func (i interval) next(from int64) (int64, bool) {
	at := i.anchor + i.steps(from)*i.step
	return at, at < horizon
}

func (i interval) prev(to int64) (int64, bool) {
	at := i.anchor + (i.steps(to)-1)*i.step
	return at, at >= 0
}

func (i interval) count(from, to int64) int64 { return max(0, i.steps(to)-i.steps(from)) }
func (interval) note(int64) *Note             { return nil }

// steps is how many steps the first instant at or after at is from the anchor.
func (i interval) steps(at int64) int64 {
	n, rest := floorDiv(at-i.anchor, i.step)
	if rest > 0 {
		n++
	}
	return n
}

// period is a span of time in which a zone's offset from UTC does not change.
type period struct {
	start, end int64 // [start, end)
	before     int64 // the offset before start, in seconds
	offset     int64 // the offset in the period
	after      int64 // the offset from end on
}

func periodAt(zone *time.Location, at int64) period {
	t := time.Unix(at, 0).In(zone)
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	p := period{start: -forever, end: forever, before: int64(offset), offset: int64(offset), after: int64(offset)}
	if !start.IsZero() {
		p.start = start.Unix()
		p.before = offsetAt(zone, p.start-1)
	}
	if !end.IsZero() {
		p.end = end.Unix()
		p.after = offsetAt(zone, p.end)
	}
	return p
}

func offsetAt(zone *time.Location, at int64) int64 {
	_, offset := time.Unix(at, 0).In(zone).Zone()
	return int64(offset)
}
