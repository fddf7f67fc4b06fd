package schedule

import "time"

// NoteKind says what a change of the clocks did to a logical time.
type NoteKind string

// What a change of the clocks does.
const (
	// NoteMoved: the wall time does not exist on this day; it fires when the gap ends.
	NoteMoved NoteKind = "moved"
	// NoteSkipped: wall times before this one do not exist and did not fire.
	NoteSkipped NoteKind = "skipped"
	// NoteFirst: the wall time exists twice; this is the first of the two. Again
	// tells whether the second fires, too.
	NoteFirst NoteKind = "first"
	// NoteSecond: the wall time exists twice; this is the second of the two.
	NoteSecond NoteKind = "second"
)

// Note is said beside a logical time that a change of the clocks touches.
type Note struct {
	Kind NoteKind `json:"kind"`
	// Wall is the wall time that the note is about, the first of them if several:
	// "2025-03-30T02:30:00".
	Wall string `json:"wall"`
	// Count is how many wall times were moved here, or skipped.
	Count int64 `json:"count"`
	// Again is true if a wall time that exists twice fires twice.
	Again bool `json:"again,omitempty"`
}

// Fire is a logical time as a preview shows it.
type Fire struct {
	// Time is the logical time in UTC.
	Time time.Time `json:"time"`
	// Local is the same instant in the schedule's zone.
	Local time.Time `json:"local"`
	// Note is nil unless a change of the clocks touches it.
	Note *Note `json:"note,omitempty"`
}

// Preview lists the next n logical times strictly after an instant (P55).
func (p *Plan) Preview(after time.Time, n int) []Fire {
	var out []Fire
	for at, ok := p.next(floor(after) + 1); ok && len(out) < n; at, ok = p.next(at + 1) {
		out = append(out, Fire{Time: moment(at), Local: time.Unix(at, 0).In(p.zone), Note: p.rule.note(at)})
	}
	return out
}
