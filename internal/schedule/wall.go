package schedule

import "time"

// wallRule is the rule of a cron expression in a zone. See the package's text
// for what it does when clocks change.
//
// With `each`, an instant fires whenever the zone's clock shows a matching time.
// Otherwise a matching wall time fires at the first instant at which the clock
// shows it or a later one. So in a period [start, end), the times that the
// period before has not covered begin at start+before, whichever way the clock
// went, and those between start+before and start+offset were skipped: they all
// fire at start.
type wallRule struct {
	pattern
	zone *time.Location
	each bool
}

func (r *wallRule) next(from int64) (int64, bool) {
	var known span
	for at := from; at < horizon; {
		p := periodAt(r.zone, at)
		low := at + p.offset
		if !r.each {
			low = max(low, p.start+p.before)
			if at == p.start {
				low = p.start + p.before
			}
		}
		if low < known.from || low > known.to || known == (span{}) {
			wall, ok := r.pattern.next(low)
			if !ok {
				return 0, false
			}
			known = span{low, wall}
		}
		if known.to < p.end+p.offset {
			found := max(known.to-p.offset, p.start)
			return found, found < horizon
		}
		at = p.end
	}
	return 0, false
}

func (r *wallRule) prev(to int64) (int64, bool) {
	var known span
	for at := to; at > 0; {
		p := periodAt(r.zone, at-1)
		high, low := at+p.offset, p.start+p.before
		if r.each {
			low = p.start + p.offset
		}
		if high <= known.from || high > known.to || known == (span{}) {
			wall, ok := r.pattern.prev(high)
			if !ok {
				return 0, false
			}
			known = span{wall, high}
		}
		if known.from >= low {
			found := max(known.from-p.offset, p.start)
			return found, found >= 0
		}
		at = p.start
	}
	return 0, false
}

// span is a span of wall times of which only one end matches. A rare pattern is
// searched for once, not once per change of the clocks that lies between.
type span struct{ from, to int64 }

func (r *wallRule) count(from, to int64) int64 {
	var n int64
	for at := from; at < to; {
		p := periodAt(r.zone, at)
		end := min(to, p.end)
		low := at + p.offset
		switch {
		case r.each:
		case at == p.start && p.before < p.offset:
			low = p.start + p.offset + 1
			if r.pattern.count(p.start+p.before, low) > 0 {
				n++
			}
		default:
			low = max(low, p.start+p.before)
		}
		n += r.pattern.count(low, end+p.offset)
		at = end
	}
	return n
}

func (r *wallRule) note(at int64) *Note {
	p := periodAt(r.zone, at)
	wall := at + p.offset
	gapFrom, gapTo := p.start+p.before, p.start+p.offset
	switch {
	case p.before < p.offset && (at == p.start || r.each && r.pattern.count(gapTo, wall) == 0):
		skipped := r.pattern.count(gapFrom, gapTo)
		if skipped == 0 {
			break
		}
		first, _ := r.pattern.next(gapFrom)
		kind := NoteMoved
		if r.each {
			kind = NoteSkipped
		}
		return &Note{Kind: kind, Wall: wallText(first), Count: skipped}
	case r.each && wall < gapFrom:
		return &Note{Kind: NoteSecond, Wall: wallText(wall), Count: 1}
	}
	if wall >= p.end+p.after {
		return &Note{Kind: NoteFirst, Wall: wallText(wall), Count: 1, Again: r.each}
	}
	return nil
}

func wallText(wall int64) string { return time.Unix(wall, 0).UTC().Format("2006-01-02T15:04:05") }
