package engine

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// RunState is the state of a flow's run.
type RunState string

// The states of a flow's run.
const (
	RunQueued    RunState = "queued"
	RunRunning   RunState = "running"
	RunStopping  RunState = "stopping"
	RunSucceeded RunState = "succeeded"
	RunFailed    RunState = "failed"
	RunTimedOut  RunState = "timed_out"
	RunCancelled RunState = "cancelled"
	RunSkipped   RunState = "skipped"
)

// Over reports whether a state is a run's last, unless somebody reruns it.
func (s RunState) Over() bool {
	switch s {
	case RunSucceeded, RunFailed, RunTimedOut, RunCancelled, RunSkipped:
		return true
	}
	return false
}

// StepState is the state of a step.
type StepState string

// The states of a step.
const (
	StepWaiting        StepState = "waiting"        // for the steps before it
	StepWaitingInputs  StepState = "waiting_inputs" // a poll said: not yet
	StepWaitingSlot    StepState = "waiting_slot"   // its group is full
	StepStarting       StepState = "starting"
	StepRunning        StepState = "running"
	StepRetrying       StepState = "retrying"
	StepStopping       StepState = "stopping"
	StepSucceeded      StepState = "succeeded"
	StepFailed         StepState = "failed"
	StepTimedOut       StepState = "timed_out"
	StepSkipped        StepState = "skipped"
	StepUpstreamFailed StepState = "upstream_failed"
	StepCancelled      StepState = "cancelled"
)

// Settled reports whether a state is a step's last of its round.
func (s StepState) Settled() bool {
	switch s {
	case StepSucceeded, StepFailed, StepTimedOut, StepSkipped, StepUpstreamFailed, StepCancelled:
		return true
	}
	return false
}

// Bad reports whether a state is an end that counts as failed.
func (s StepState) Bad() bool { return s.Settled() && s != StepSucceeded && s != StepSkipped }

// Holds reports whether a step in this state takes a slot of its group. A step
// that is polled takes one from its first poll on.
func (s StepState) Holds() bool {
	return !s.Settled() && s != StepWaiting && s != StepWaitingSlot
}

// Wish is what people want of a run.
type Wish string

// The wishes.
const (
	WishRun    Wish = "run"
	WishCancel Wish = "cancel"
)

// Run is a flow run's row as the machine sees it.
type Run struct {
	ID         string
	State      RunState
	Wish       Wish
	WishedBy   string // who asked for its end
	Scheduled  bool   // made by the schedule: its start deadline and FinishBy count
	LogicalAt  time.Time
	DueAt      time.Time // the logical time; of a run by hand or of a backfill, when it was asked for
	Reason     *spec.Reason
	StartedAt  *time.Time // of its last start: a rerun has the flow's whole time limit (P65)
	EndedAt    *time.Time
	LateToldAt *time.Time
}

// Step is a step's row as the machine sees it. Decide makes those that are not
// there yet when it starts the run; a run that was skipped has none.
type Step struct {
	Name      string
	State     StepState
	Reason    *spec.Reason
	Round     int            // from 1; each rerun is a new one
	RunID     string         // of the run that carries it out; set by whoever obeys Decision.Start
	Outputs   map[string]any // what its end left; nil when there is none
	ReadyAt   *time.Time     // since when it waits for a slot
	StartedAt *time.Time
	EndedAt   *time.Time

	// Of a step that is polled:
	NextPoll     *time.Time // nil when it is not
	PollUntil    *time.Time // nil: for ever
	Polls        int        // answers so far in this round
	PollFailures int        // in a row
}

// Lives reports whether a run carries out this step now.
func (s Step) Lives() bool { return s.RunID != "" && !s.State.Settled() }

// untouched is a step that nothing has happened to in this round.
func (s Step) untouched() bool { return s.State == StepWaiting }

// Progress is the state of the run that carries out a step, as package run tells it.
type Progress string

// The states of such a run. ProgressGone: the caller has looked, and there is no such row.
const (
	ProgressPending   Progress = "pending"
	ProgressRunning   Progress = "running"
	ProgressRetrying  Progress = "retrying"
	ProgressStopping  Progress = "stopping"
	ProgressSucceeded Progress = "succeeded"
	ProgressFailed    Progress = "failed"
	ProgressTimedOut  Progress = "timed_out"
	ProgressStopped   Progress = "stopped"
	ProgressGone      Progress = "gone"
)

// RunSeen is a run that carries out a step.
type RunSeen struct {
	State   Progress
	Reason  *spec.Reason
	Outputs map[string]any
	EndedAt *time.Time
	Actor   string // who stopped it, if somebody did
}

// AnswerKind is what a poll found.
type AnswerKind string

// The kinds of answers.
const (
	AnswerYes    AnswerKind = "yes"     // the step has succeeded
	AnswerNotYet AnswerKind = "not-yet" // ask again
	AnswerFailed AnswerKind = "failed"  // it went wrong; its retries count
	AnswerNever  AnswerKind = "never"   // it went wrong, and no retry mends it
)

// Answer is what a poll brought. Round and Number are the step's Round and Polls
// when it was asked.
type Answer struct {
	Round   int
	Number  int
	Kind    AnswerKind
	Reason  *spec.Reason
	Outputs map[string]any
	Again   time.Duration // until the next poll after "not yet"; a minute when zero
}

// Prepared is a step whose macros were expanded.
type Prepared struct {
	Unmet  bool          // its condition does not hold
	Polled bool          // by polls, not by a run
	Within time.Duration // how long a polled step may wait; for ever when zero
	Held   *spec.Reason  // what it needs is on its way: it waits, and holds nothing
}

// Expand expands a task's macros, with the outputs of the steps before it; those
// of a step that left none are nil. It must be pure. A reason says why it cannot.
type Expand func(task *spec.FlowTask, outputs func(name string) map[string]any) (Prepared, *spec.Reason)

// Observed is what the caller knows beside the run's own rows.
type Observed struct {
	Others  []RunBrief              // the flow's other runs that are not over; needed while this one is queued
	Runs    map[string]RunSeen      // by id; one that is missing has no news
	Answers map[string]Answer       // by step
	Slots   map[string]bool         // steps that got a slot
	Refused map[string]*spec.Reason // steps whose run may not be made
	Expand  Expand
	Random  float64 // 0 to 1, for the jitter of waits
}

// Transition is one change of a state.
type Transition struct {
	Step  string // empty: of the flow's run
	From  string
	To    string
	Cause Cause
	Args  map[string]any
	Actor string // empty: the platform
}

// Note is something worth telling beside changes of states.
type Note struct {
	ID   string
	Args map[string]any
}

// Decision is what the rows should say, and what is to be done once they do.
type Decision struct {
	Run         Run
	Steps       []Step       // those that are new or changed
	Transitions []Transition // in order
	Start       []string     // steps whose run is to be made now, its id set in the same transaction
	Stop        []string     // runs of steps that are to be stopped
	Poll        []string     // steps to be asked now
	Cancel      []string     // other runs of the flow that are to be stopped first
	Freed       []string     // groups in which a slot became free
	Wake        bool         // the flow's queued runs should be asked again
	Notes       []Note
	After       time.Duration // ask again after it; 0: when something changes
}
