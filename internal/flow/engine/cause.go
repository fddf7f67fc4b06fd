package engine

// Cause is the id of a message that says why a state changed.
type Cause string

// The causes of transitions.
const (
	CauseAdmitted        Cause = "admitted"          // run: it may start
	CauseNotAdmitted     Cause = "not-admitted"      // run: the reason says why
	CauseBroken          Cause = "broken"            // run: its graph cannot be carried out
	CauseAsked           Cause = "asked"             // somebody wanted its end
	CauseTimeout         Cause = "timeout"           // the flow's time limit
	CauseStepsEnded      Cause = "steps-ended"       // run
	CauseTriggered       Cause = "triggered"         // step: what it needs has come so far
	CauseNothingFailed   Cause = "nothing-failed"    // step: any-failed has nothing to do
	CauseUpstreamFailed  Cause = "upstream-failed"   // step
	CauseSkipFlag        Cause = "skip-flag"         // step
	CauseCondition       Cause = "condition"         // step
	CauseUnprepared      Cause = "unprepared"        // step: its macros cannot be expanded
	CauseRefused         Cause = "refused"           // step: its run may not be made
	CauseGroupFull       Cause = "group-full"        // step
	CauseSlot            Cause = "slot"              // step: it got one
	CauseRunMoved        Cause = "run-moved"         // step: its run did
	CauseRunEnded        Cause = "run-ended"         // step
	CausePoll            Cause = "poll"              // step: a poll's answer
	CauseRerun           Cause = "rerun"             // somebody reran it
	CauseMarkedSucceeded Cause = "marked-succeeded"  // somebody did
	CauseSkipped         Cause = "skipped-by-person" // somebody did
)

// The codes of reasons that the machine itself gives.
const (
	CodeBroken         = "flow-broken"          // the graph names a task that is not there, or has a cycle
	CodeAsked          = "flow-cancelled"       // who
	CodeTimeout        = "flow-timeout"         // limit
	CodeStepFailed     = "flow-step-failed"     // step, count
	CodeAnotherLives   = "flow-another-lives"   // run
	CodeWaits          = "flow-waits"           // run: the one it waits for
	CodeNewerWaits     = "flow-newer-waits"     // run
	CodeReplaced       = "flow-replaced"        // run: the newer one
	CodeStartDeadline  = "flow-start-deadline"  // limit
	CodeUpstreamFailed = "step-upstream-failed" // step
	CodeNothingFailed  = "step-nothing-failed"
	CodeSkipFlag       = "step-skip-flag"
	CodeCondition      = "step-condition"
	CodeGroupFull      = "step-group-full" // group
	CodeRunGone        = "step-run-gone"
	CodeRunStopped     = "step-run-stopped" // who
	CodeSkippedBy      = "step-skipped-by"  // who
	CodeMarkedBy       = "step-marked-by"   // who
)

// NoteLate is the note that a run has not finished by its time: due.
const NoteLate = "late"
