package schedule

import (
	"errors"
	"time"
)

// Spec says when something fires, as a user writes it. At most one of Cron,
// Every and At is set; with none of them the schedule is manual.
type Spec struct {
	// Cron is an expression of five parts, or six with seconds first.
	Cron string `json:"cron,omitempty" yaml:"cron,omitempty"`
	// Every is a true interval: "90s", "8m", "1h30m". It is elapsed time; days are
	// not offered, since the days of a zone are not all of one length.
	Every string `json:"every,omitempty" yaml:"every,omitempty"`
	// Anchor is an instant from which Every counts, in both directions; it is no
	// beginning, which From is. Without one it is 1970-01-01 00:00 UTC.
	Anchor time.Time `json:"anchor,omitzero" yaml:"anchor,omitempty"`
	// At is the one instant at which the schedule fires.
	At time.Time `json:"at,omitzero" yaml:"at,omitempty"`
	// Zone is the IANA name of the zone of the wall times; empty is UTC.
	Zone string `json:"zone,omitempty" yaml:"zone,omitempty"`
	// From is the first instant that may fire, if it is set.
	From time.Time `json:"from,omitzero" yaml:"from,omitempty"`
	// Until is the first instant that may not fire any more, if it is set.
	Until time.Time `json:"until,omitzero" yaml:"until,omitempty"`
}

// Compile finds everything that is wrong with a Spec; All gives the parts of
// the error. It asks no clock: that all logical times are past is no error here.
func Compile(spec Spec) (*Plan, error) {
	p := &Plan{spec: spec, zone: time.UTC, rule: never{}, until: horizon}
	var errs []error
	fail := func(e *Error) {
		if e != nil {
			errs = append(errs, e)
		}
	}
	fail(spec.exclusive())
	for _, t := range []struct {
		field string
		time  time.Time
		whole bool
	}{{"anchor", spec.Anchor, true}, {"at", spec.At, true}, {"from", spec.From, false}, {"until", spec.Until, false}} {
		fail(checkTime(t.field, t.time, t.whole))
	}
	zone, e := loadZone(spec.Zone)
	fail(e)
	if e == nil {
		p.zone = zone
	}
	switch {
	case spec.Cron != "":
		fail(p.cron(spec.Cron))
	case spec.Every != "":
		step, e := parseEvery(spec.Every)
		fail(e)
		p.rule = interval{step: step, anchor: secondsOr(spec.Anchor, 0)}
	case !spec.At.IsZero():
		p.rule = once(spec.At.Unix())
	}
	if len(errs) == 0 {
		fail(p.bound())
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return p, nil
}

// exclusive finds fields that do not go together.
func (s Spec) exclusive() *Error {
	var set []string
	if s.Cron != "" {
		set = append(set, "cron")
	}
	if s.Every != "" {
		set = append(set, "every")
	}
	if !s.At.IsZero() {
		set = append(set, "at")
	}
	switch {
	case len(set) > 1:
		return &Error{Field: set[1], Position: -1, ID: "schedule.several", Args: map[string]any{"fields": set}}
	case s.Every == "" && !s.Anchor.IsZero():
		return &Error{Field: "anchor", Position: -1, ID: "schedule.anchor.alone"}
	case len(set) == 0 && !s.From.IsZero():
		return &Error{Field: "from", Position: -1, ID: "schedule.bounds.alone"}
	case len(set) == 0 && !s.Until.IsZero():
		return &Error{Field: "until", Position: -1, ID: "schedule.bounds.alone"}
	}
	return nil
}

// checkTime refuses what cannot be stored or compared exactly.
func checkTime(field string, t time.Time, whole bool) *Error {
	if t.IsZero() {
		return nil
	}
	id := ""
	switch {
	case t.Unix() < 0 || t.Unix() >= horizon:
		id = "schedule.time.range"
	case whole && t.Nanosecond() != 0:
		id = "schedule.time.fraction"
	default:
		return nil
	}
	return &Error{Field: field, Value: t.UTC().Format(time.RFC3339Nano), Position: -1, ID: id,
		Args: map[string]any{"minYear": 1970, "maxYear": 9999}}
}

// cron sets the rule of an expression, or says what is wrong with it.
func (p *Plan) cron(text string) *Error {
	rule, warnings, err := parseCron(text)
	if err != nil {
		return err
	}
	if _, ok := rule.pattern.next(0); !ok {
		return &Error{Field: "cron", Value: text, Position: 0, ID: "schedule.cron.never"}
	}
	rule.zone = p.zone
	p.rule, p.warnings = rule, warnings
	return nil
}

// bound sets the bounds, and refuses those between which nothing fires.
func (p *Plan) bound() *Error {
	if !p.spec.From.IsZero() {
		p.from = ceil(p.spec.From)
	}
	if !p.spec.Until.IsZero() {
		p.until = ceil(p.spec.Until)
	}
	if p.Manual() {
		return nil
	}
	args := map[string]any{"from": p.spec.From, "until": p.spec.Until}
	field := "until"
	if p.spec.Until.IsZero() {
		field = "from"
	}
	if !p.spec.Until.IsZero() && !p.spec.From.Before(p.spec.Until) {
		return &Error{Field: field, Position: -1, ID: "schedule.bounds.reversed", Args: args}
	}
	if _, ok := p.next(p.from); !ok {
		return &Error{Field: field, Position: -1, ID: "schedule.bounds.never", Args: args}
	}
	return nil
}

func secondsOr(t time.Time, otherwise int64) int64 {
	if t.IsZero() {
		return otherwise
	}
	return t.Unix()
}
