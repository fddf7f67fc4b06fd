package model

import (
	"encoding/json"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// FlowRun is one run of a version of a flow.
type FlowRun struct {
	*ent.FlowRun
	Flow        *Flow      // when selected
	Team        *Team      // when selected
	Owner       *User      // when selected
	Actor       *User      // when selected
	StoppedBy   *User      // when selected
	Says        *spec.Flow // of its version, when selected
	Steps       []*Step
	Transitions []*Transition
	Can         *FlowRunPermissions
	Lang        lang.Lang
}

// IsNode says that it has a global id.
func (*FlowRun) IsNode() {}

// Spec is what its version says.
func (r *FlowRun) Spec() json.RawMessage {
	if r.Says == nil {
		return json.RawMessage("{}")
	}
	return raw(r.Says)
}

// LocalTime is the logical time as a clock shows it in the schedule's zone.
func (r *FlowRun) LocalTime() string {
	zone, err := time.LoadLocation(r.Timezone)
	if err != nil { // checked when the version was saved
		zone = time.UTC
	}
	return r.LogicalTime.In(zone).Format(time.RFC3339)
}

// Parameters that it was given.
func (r *FlowRun) Parameters() json.RawMessage { return texts(r.FlowRun.Parameters) }

// Reason why it waits or why it ended.
func (r *FlowRun) Reason() *Reason { return NewReason(r.FlowRun.Reason, r.Lang) }

// Lateness is how long after its logical time the schedule made it, in seconds.
func (r *FlowRun) Lateness() *float64 {
	if r.Cause != flowrun.CauseSchedule {
		return nil
	}
	s := r.CreatedAt.Sub(r.LogicalTime).Seconds()
	return &s
}

// BackfillID is the backfill that made it.
func (r *FlowRun) BackfillID() *string {
	if r.FlowRun.BackfillID == "" {
		return nil
	}
	return &r.FlowRun.BackfillID
}

// Step is one task of a flow run.
type Step struct {
	*ent.Step
	Run  *Run   // of this round, when selected
	Runs []*Run // when selected, the newest first
	Lang lang.Lang
}

// IsNode says that it has a global id.
func (*Step) IsNode() {}

// Reason why it waits or why it ended.
func (s *Step) Reason() *Reason { return NewReason(s.Step.Reason, s.Lang) }

// Outputs that it left for others.
func (s *Step) Outputs() json.RawMessage { return texts(s.Step.Outputs) }

// With is what its executor was told.
func (s *Step) With() json.RawMessage { return s.Step.With }

// Transition is a change of state of a flow run, or of one of its steps.
type Transition struct {
	*ent.Transition
	Actor *User // when selected
	Lang  lang.Lang
}

// Text is what caused it.
func (t *Transition) Text() string { return lang.Text(t.Lang, "cause."+t.Cause, t.Args) }

// Backfill is a range of logical times that is run afterwards.
type Backfill struct {
	*ent.Backfill
	Flow  *Flow // when selected
	Actor *User // when selected
}

// IsNode says that it has a global id.
func (*Backfill) IsNode() {}

// Total is how many runs it makes.
func (b *Backfill) Total() int { return len(b.Times) }
