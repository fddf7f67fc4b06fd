package schedule

import (
	"errors"
	"fmt"
	"strings"
)

// Error says what is wrong with one field of a Spec or a Misfire. It carries no
// words for users: a service makes them of ID and Args.
type Error struct {
	// Field is the field of the form: "cron", "every", "at", "anchor", "zone",
	// "from", "until", "policy", "limit", "grace".
	Field string
	// Value is the part of the field that is wrong, as it was written.
	Value string
	// Position is the byte in the field's text at which Value begins, -1 if the
	// error is about no place in it.
	Position int
	// ID names the kind of mistake: "schedule.cron.range".
	ID string
	// Args are the numbers and names that the words need. A mistake inside of a
	// cron expression has the part's name under "part": "minute".
	Args map[string]any
}

// Error describes the mistake for developers and logs.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Field, e.ID)
	if e.Position >= 0 {
		fmt.Fprintf(&b, " at %d", e.Position)
	}
	if e.Value != "" {
		fmt.Fprintf(&b, ": %q", e.Value)
	}
	return b.String()
}

// All returns every *Error in what Compile or Misfire.Validate returned, in the
// order of the form, so that a form can mark all of its fields at once.
func All(err error) []*Error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*Error
		for _, e := range joined.Unwrap() {
			out = append(out, All(e)...)
		}
		return out
	}
	var e *Error
	if errors.As(err, &e) {
		return []*Error{e}
	}
	return nil
}

// Warning is said about a Spec that is right but may not mean what was meant.
type Warning struct {
	// ID is "schedule.warning.uneven" (a step that starts anew each hour or day,
	// P61) or "schedule.warning.either" (day of month or weekday, not both).
	ID string
	// Position is the byte of the cron expression that it is about.
	Position int
	// Args are what the words need.
	Args map[string]any
}
