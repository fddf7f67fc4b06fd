package spec

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a span of time as people write it: "90s", "1h30m". In JSON and
// YAML it is text in Go's notation; the zero value is left out.
type Duration time.Duration

// MarshalText writes Go's notation.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads it; it must not be negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration as 90s or 1h30m", text)
	}
	*d = Duration(v)
	return nil
}

// String is Go's notation without units that are zero: "1h30m", not "1h30m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if time.Duration(d)%time.Minute == 0 && d != 0 {
		s = s[:len(s)-len("0s")]
		if time.Duration(d)%time.Hour == 0 {
			s = s[:len(s)-len("0m")]
		}
	}
	return s
}

// Std is the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Flow is what one version of a flow says. Texts inside of Parameters, When and
// With may hold macros (package macro).
type Flow struct {
	Description string      `json:"description,omitempty"`
	Tags        []string    `json:"tags,omitempty"`
	Class       Class       `json:"class,omitempty"` // of its tasks; empty means test
	Parameters  []Parameter `json:"parameters,omitempty"`
	Schedule    Schedule    `json:"schedule,omitzero"`
	Concurrency Concurrency `json:"concurrency,omitempty"` // what happens when it is due while it runs; empty means forbid
	Timeout     Duration    `json:"timeout,omitzero"`      // of a run, from its start; none when zero
	FinishBy    Duration    `json:"finishBy,omitzero"`     // after the logical time; a run that is later is told of, not ended
	Priority    int         `json:"priority,omitempty"`    // -100 to 100; higher goes first among what waits
	Tasks       []FlowTask  `json:"tasks"`
}

// Parameter is a value that a run is given, or its default.
type Parameter struct {
	Name        string `json:"name"` // as ${param.NAME}
	Default     string `json:"default,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"` // a run by hand must give it; without a default only flows without a schedule may have it
}

// Schedule says when a flow fires; at most one of Cron, Every, At and After is
// given, none means by hand only.
type Schedule struct {
	Cron     string     `json:"cron,omitempty"`     // five fields, or six with seconds first
	Every    Duration   `json:"every,omitzero"`     // a true interval, counted from Anchor
	Anchor   *time.Time `json:"anchor,omitempty"`   // of Every; 1970-01-01 00:00 UTC when it is nil
	At       *time.Time `json:"at,omitempty"`       // once
	After    []string   `json:"after,omitempty"`    // ids of flows; it fires when all have succeeded for the same logical time
	Timezone string     `json:"timezone,omitempty"` // IANA name; empty means UTC
	From     *time.Time `json:"from,omitempty"`     // not before
	Until    *time.Time `json:"until,omitempty"`    // not after
	Misfire  Misfire    `json:"misfire,omitzero"`
	// StartDeadline drops a logical time that could not be started for so long; never when zero.
	StartDeadline Duration `json:"startDeadline,omitzero"`
}

// Manual reports whether nothing but people fires it.
func (s Schedule) Manual() bool {
	return s.Cron == "" && s.Every == 0 && s.At == nil && len(s.After) == 0
}

// Misfire says what happens with logical times that passed while nobody could fire.
type Misfire struct {
	Policy MisfirePolicy `json:"policy,omitempty"` // empty means latest
	Limit  int           `json:"limit,omitempty"`  // of all; 0 means 10
}

// MisfirePolicy is one of skip, latest, all.
type MisfirePolicy string

// The policies of misfires.
const (
	MisfireSkip   MisfirePolicy = "skip"
	MisfireLatest MisfirePolicy = "latest"
	MisfireAll    MisfirePolicy = "all"
)

// Concurrency says what happens when a flow is due while a run of it lives.
type Concurrency string

// The policies of concurrency.
const (
	Allow    Concurrency = "allow"   // both run
	Forbid   Concurrency = "forbid"  // the new one is skipped, with a row that says so
	Replace  Concurrency = "replace" // the old one is stopped, then the new one runs
	QueueOne Concurrency = "queue"   // the new one waits; one that waited already is skipped
)

// FlowTask is one node of a flow's graph.
type FlowTask struct {
	Name        string          `json:"name"` // unique in the flow: a letter, then letters, digits, - and _; at most 63
	Description string          `json:"description,omitempty"`
	Executor    string          `json:"executor"`          // of package executor: container, check, http, …
	With        json.RawMessage `json:"with"`              // what the executor is told; every text in it may hold macros
	Needs       []string        `json:"needs,omitempty"`   // names of tasks before it
	Trigger     Trigger         `json:"trigger,omitempty"` // empty means all-succeeded
	When        string          `json:"when,omitempty"`    // "LEFT == RIGHT" or "LEFT != RIGHT" after macros; else it is skipped
	Skip        bool            `json:"skip,omitempty"`    // it counts as succeeded without being run
	Retry       Retry           `json:"retry,omitzero"`
	Timeout     Duration        `json:"timeout,omitzero"`        // of one attempt, from its creation; none when zero
	Pending     Duration        `json:"pendingTimeout,omitzero"` // of an attempt's wait for its container; the platform's when zero
	Group       string          `json:"group,omitempty"`         // a concurrency group of the team: its slots are shared by all flows
	Priority    int             `json:"priority,omitempty"`      // added to the flow's
}

// Trigger says which ends of the tasks before let a task start.
type Trigger string

// The trigger rules. A skipped task counts as succeeded.
const (
	AllSucceeded Trigger = "all-succeeded"
	AllDone      Trigger = "all-done"
	AnyFailed    Trigger = "any-failed"
)

// Retry is what follows a failure of the task's own; what the platform did to it takes no retry.
type Retry struct {
	Count  int      `json:"count,omitempty"`  // further attempts, 0 to 100
	Wait   Duration `json:"wait,omitzero"`    // before the first, doubled each time; 10 s when zero
	Most   Duration `json:"most,omitzero"`    // the longest wait; 5 min when zero
	Jitter float64  `json:"jitter,omitempty"` // 0 to 1: the part of a wait that is random
}
