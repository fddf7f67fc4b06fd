package schedule

import (
	"slices"
	"time"
)

// Plan is a compiled Spec. It does not change and may be used by several
// goroutines. All times that it gives are whole seconds in UTC.
type Plan struct {
	spec     Spec
	zone     *time.Location
	rule     rule
	from     int64 // the first second that may fire
	until    int64 // the first second that may not
	warnings []Warning
}

// Spec is what the Plan was compiled from.
func (p *Plan) Spec() Spec { return p.spec }

// Zone is the zone in which wall times are meant.
func (p *Plan) Zone() *time.Location { return p.zone }

// Manual is true if nothing ever fires by itself.
func (p *Plan) Manual() bool { return p.rule == rule(never{}) }

// Warnings are said about what is right but may not mean what was meant.
func (p *Plan) Warnings() []Warning { return slices.Clone(p.warnings) }

// Next is the first logical time strictly after an instant.
func (p *Plan) Next(after time.Time) (time.Time, bool) { return p.instant(p.next(floor(after) + 1)) }

// Prev is the last logical time strictly before an instant.
func (p *Plan) Prev(before time.Time) (time.Time, bool) { return p.instant(p.prev(ceil(before))) }

// Count is how many logical times lie in [from, to). It is exact, and its work
// grows with the months between, not with the result.
func (p *Plan) Count(from, to time.Time) int64 { return p.count(ceil(from), ceil(to)) }

// Between lists the logical times from one instant to another, both included,
// for a backfill: newest first if from is after to. more is true if there are
// more than limit.
func (p *Plan) Between(from, to time.Time, limit int) (times []time.Time, more bool) {
	if from.After(to) {
		for at, ok := p.prev(floor(from) + 1); ok && at >= ceil(to); at, ok = p.prev(at) {
			if len(times) >= limit {
				return times, true
			}
			times = append(times, moment(at))
		}
		return times, false
	}
	end := floor(to) + 1
	for at, ok := p.next(ceil(from)); ok && at < end; at, ok = p.next(at + 1) {
		if len(times) >= limit {
			return times, true
		}
		times = append(times, moment(at))
	}
	return times, false
}

func (p *Plan) next(from int64) (int64, bool) {
	from = max(from, p.from)
	if from >= p.until {
		return 0, false
	}
	at, ok := p.rule.next(from)
	return at, ok && at < p.until
}

func (p *Plan) prev(to int64) (int64, bool) {
	to = min(to, p.until)
	if to <= p.from {
		return 0, false
	}
	at, ok := p.rule.prev(to)
	return at, ok && at >= p.from
}

func (p *Plan) count(from, to int64) int64 {
	from, to = max(from, p.from), min(to, p.until)
	if from >= to {
		return 0
	}
	return p.rule.count(from, to)
}

func (p *Plan) instant(at int64, ok bool) (time.Time, bool) {
	if !ok {
		return time.Time{}, false
	}
	return moment(at), true
}

func moment(at int64) time.Time { return time.Unix(at, 0).UTC() }

// floor is the last whole second not after t.
func floor(t time.Time) int64 { return clamp(t.Unix(), -forever, forever) }

// ceil is the first whole second not before t.
func ceil(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return floor(t) + 1
	}
	return floor(t)
}

func clamp(v, low, high int64) int64 { return min(max(v, low), high) }
