package schedule

import (
	"errors"
	"time"
)

// Policies of a Misfire. An empty policy is PolicySkip.
const (
	// PolicySkip starts nothing that was missed.
	PolicySkip = "skip"
	// PolicyLatest starts the newest of what was missed.
	PolicyLatest = "latest"
	// PolicyAll starts the newest Limit of what was missed, oldest first.
	PolicyAll = "all"
)

const (
	// DefaultGrace is how late a logical time may be looked at and still be on time.
	DefaultGrace = 60 * time.Second
	// MaxGrace is the most that Misfire.Grace may be: what is on time is always
	// listed, so that this bounds the list.
	MaxGrace = 10 * time.Minute
	// MaxLimit is the most that Misfire.Limit may be.
	MaxLimit = 1000
)

// Misfire says what becomes of the logical times that nobody looked at in time (P54).
type Misfire struct {
	Policy string `json:"policy,omitempty" yaml:"policy,omitempty"`
	// Limit is how many PolicyAll starts at most.
	Limit int `json:"limit,omitempty" yaml:"limit,omitempty"`
	// Grace is how old a logical time may be and still be on time; 0 is DefaultGrace.
	Grace time.Duration `json:"-" yaml:"-"`
}

// Validate finds what is wrong; All gives the parts of it.
func (m Misfire) Validate() error {
	var errs []error
	switch m.Policy {
	case "", PolicySkip, PolicyLatest, PolicyAll:
	default:
		errs = append(errs, &Error{Field: "policy", Value: m.Policy, Position: -1, ID: "schedule.misfire.policy",
			Args: map[string]any{"policies": []string{PolicySkip, PolicyLatest, PolicyAll}}})
	}
	least := 0
	if m.Policy == PolicyAll {
		least = 1
	}
	if m.Limit < least || m.Limit > MaxLimit {
		errs = append(errs, &Error{Field: "limit", Position: -1, ID: "schedule.misfire.limit",
			Args: map[string]any{"limit": m.Limit, "min": least, "max": MaxLimit}})
	}
	if m.Grace < 0 || m.Grace > MaxGrace {
		errs = append(errs, &Error{Field: "grace", Value: m.Grace.String(), Position: -1, ID: "schedule.misfire.grace",
			Args: map[string]any{"max": MaxGrace}})
	}
	return errors.Join(errs...)
}

func (m Misfire) grace() time.Duration {
	if m.Grace <= 0 {
		return DefaultGrace
	}
	return min(m.Grace, MaxGrace)
}

// missed is how many missed logical times may start.
func (m Misfire) missed() int {
	switch m.Policy {
	case PolicyLatest:
		return 1
	case PolicyAll:
		return min(max(m.Limit, 0), MaxLimit)
	}
	return 0
}

// Firing is what Due found.
type Firing struct {
	// Fire are the logical times to start, oldest first. They are the newest of
	// all that were due: everything skipped is older.
	Fire []time.Time
	// Skipped is how many are due and not started, exactly.
	Skipped int64
	// SkippedFrom and SkippedTo are the first and the last of these.
	SkippedFrom, SkippedTo time.Time
	// Next is the first logical time that is not yet due, if HasNext.
	Next    time.Time
	HasNext bool
	// Cursor is the last logical time considered, for the next look. It never
	// lies before the cursor that was given.
	Cursor time.Time
}

// Due says what is to start now. The cursor is the last logical time that was
// considered, fired or not; a zero one means that the schedule is new, and that
// only what comes after now counts. Logical times in (cursor, now] are due:
//
//   - within the grace they are on time and all start;
//   - older ones are missed, and the Misfire's policy chooses among them;
//   - what is older than startDeadline never starts (P58); 0 is no deadline.
//
// The work does not grow with what was missed (P59). A clock that was set back
// finds nothing due and leaves the cursor (P51).
func Due(plan *Plan, cursor, now time.Time, misfire Misfire, startDeadline time.Duration) Firing {
	if cursor.IsZero() {
		cursor = now
	}
	out := Firing{Cursor: cursor}
	begin, end := floor(cursor)+1, floor(now)+1
	out.Next, out.HasNext = plan.instant(plan.next(max(begin, end)))
	if begin >= end {
		return out
	}
	onTime := clamp(ceil(now.Add(-misfire.grace())), begin, end)
	alive := begin
	if startDeadline > 0 {
		alive = clamp(ceil(now.Add(-startDeadline)), begin, end)
	}
	first := max(onTime, alive)
	for range misfire.missed() {
		at, ok := plan.prev(first)
		if !ok || at < alive {
			break
		}
		first = at
	}
	for at, ok := plan.next(first); ok && at < end; at, ok = plan.next(at + 1) {
		out.Fire = append(out.Fire, moment(at))
	}
	if out.Skipped = plan.count(begin, first); out.Skipped > 0 {
		out.SkippedFrom, _ = plan.instant(plan.next(begin))
		out.SkippedTo, _ = plan.instant(plan.prev(first))
	}
	if last, ok := plan.prev(end); ok && last >= begin {
		out.Cursor = moment(last)
	}
	return out
}

// Backlog is what lies between a pause and now.
type Backlog struct {
	// Count is how many logical times passed, exactly.
	Count int64
	// First are the oldest of them, at most MaxBacklog.
	First []time.Time
	// Last is the newest.
	Last time.Time
	// Cursor is the cursor with which none of them starts: what to store unless
	// the user asks for them.
	Cursor time.Time
}

// MaxBacklog is how many logical times a Backlog lists.
const MaxBacklog = 10

// Unpause lists what a paused schedule has not started since its cursor, so that
// somebody can be asked before anything of it starts (P62).
func Unpause(plan *Plan, cursor, now time.Time) Backlog {
	if cursor.IsZero() {
		cursor = now
	}
	out := Backlog{Cursor: cursor}
	begin, end := floor(cursor)+1, floor(now)+1
	if begin >= end {
		return out
	}
	if out.Count = plan.count(begin, end); out.Count == 0 {
		return out
	}
	for at, ok := plan.next(begin); ok && at < end && len(out.First) < MaxBacklog; at, ok = plan.next(at + 1) {
		out.First = append(out.First, moment(at))
	}
	out.Last, _ = plan.instant(plan.prev(end))
	out.Cursor = out.Last
	return out
}
