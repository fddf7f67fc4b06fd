package engine

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func sameReason(a, b *spec.Reason) bool { return reflect.DeepEqual(a, b) }

// ErrorKind says why an operation is not legal.
type ErrorKind string

// The kinds of errors.
const (
	ErrorRunState     ErrorKind = "run-state"     // not in this state of the run
	ErrorStepState    ErrorKind = "step-state"    // not in this state of the step
	ErrorStepLives    ErrorKind = "step-lives"    // its run has to end first
	ErrorUnknownStep  ErrorKind = "unknown-step"  // the flow has none of this name
	ErrorNothing      ErrorKind = "nothing"       // no step is meant
	ErrorAnotherLives ErrorKind = "another-lives" // another run lives, and the flow allows one only
)

// Error is an operation that is not legal now.
type Error struct {
	Kind  ErrorKind
	Run   RunState
	Step  string
	State StepState
	Other string // the run that lives
}

// Error is for logs; people are told by the kind.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (run %s, step %q %s, other %q)", e.Kind, e.Run, e.Step, e.State, e.Other)
}

// Change is what an operation makes of the rows. Decide goes on from there.
type Change struct {
	Run         Run
	Steps       []Step // those that changed
	Transitions []Transition
	Freed       []string // groups in which a slot became free
}

// Scope says which steps are rerun; everything behind them is, too.
type Scope struct {
	All    bool
	Failed bool     // those that count as failed
	Names  []string // these
}

// operation begins a change of a run's steps.
func operation(def *spec.Flow, run Run, steps []Step, now time.Time) (*rows, error) {
	if run.State == RunQueued || run.State == RunStopping || run.State == RunSkipped ||
		run.State == RunRunning && run.Wish == WishCancel {
		return nil, &Error{Kind: ErrorRunState, Run: run.State}
	}
	r := &rows{def: def, graph: newGraph(def), run: run, now: now}
	if !r.graph.sound {
		return nil, &Error{Kind: ErrorRunState, Run: run.State}
	}
	r.load(steps)
	return r, nil
}

func (r *rows) change() Change {
	return Change{Run: r.run, Steps: r.changedSteps(), Transitions: r.transitions, Freed: r.freed}
}

// reopen has a run go on that was over. It does not wait in the queue, where it
// might be skipped; so it may not while another lives, unless the flow allows two
// (P57). A person is not to stop a newer run by repeating an older one either.
func (r *rows) reopen(others []RunBrief, cause Cause, actor string) error {
	if !r.run.State.Over() {
		return nil
	}
	for _, o := range others {
		if o.ID != r.run.ID && o.lives() && r.def.Concurrency != spec.Allow {
			return &Error{Kind: ErrorAnotherLives, Run: r.run.State, Other: o.ID}
		}
	}
	at := r.now
	r.moveRun(RunRunning, why{cause: cause, actor: actor})
	r.run.Wish, r.run.WishedBy, r.run.StartedAt, r.run.EndedAt = WishRun, "", &at, nil
	return nil
}

// reset has a step wait again, in a new round.
func (r *rows) reset(i int, actor string) {
	r.move(i, StepWaiting, why{cause: CauseRerun, actor: actor})
	r.steps[i] = Step{Name: r.steps[i].Name, State: StepWaiting, Round: r.steps[i].Round + 1}
}

// Rerun has the steps of a scope and everything behind them run once more. The
// run is running, and none of them lives; or it has ended. others are the flow's
// other runs.
func Rerun(def spec.Flow, run Run, steps []Step, others []RunBrief, scope Scope, actor string, now time.Time) (Change, error) {
	r, err := operation(&def, run, steps, now)
	if err != nil {
		return Change{}, err
	}
	chosen := make([]bool, len(r.steps))
	for _, name := range scope.Names {
		i, ok := r.graph.index[name]
		if !ok {
			return Change{}, &Error{Kind: ErrorUnknownStep, Run: run.State, Step: name}
		}
		chosen[i] = true
	}
	for i := range r.steps {
		chosen[i] = chosen[i] || scope.All || scope.Failed && r.steps[i].State.Bad()
	}
	r.graph.downstream(chosen)
	meant := scope.All && run.StartedAt == nil // it was cancelled before it had steps
	for i, s := range r.steps {
		if chosen[i] && s.Lives() {
			return Change{}, &Error{Kind: ErrorStepLives, Run: run.State, Step: s.Name, State: s.State}
		}
		meant = meant || chosen[i] && !s.untouched()
	}
	if !meant {
		return Change{}, &Error{Kind: ErrorNothing, Run: run.State}
	}
	if err := r.reopen(others, CauseRerun, actor); err != nil {
		return Change{}, err
	}
	for _, i := range r.graph.order {
		if chosen[i] && !r.steps[i].untouched() {
			r.reset(i, actor)
		}
	}
	return r.change(), nil
}

// MarkSucceeded has a step that does not live, and has not succeeded, count as
// succeeded. What could not start for it can now: those behind it that are
// upstream_failed, were cancelled before they started, or wait for a slot, look at
// their trigger again, and the run goes on. Nothing else is touched: an alarm that went off has gone off, and what
// was cancelled elsewhere still fails the run.
func MarkSucceeded(def spec.Flow, run Run, steps []Step, others []RunBrief, name, actor string, now time.Time) (Change, error) {
	w := why{cause: CauseMarkedSucceeded, actor: actor, reason: because(CodeMarkedBy, "who", actor)}
	return settle(&def, run, steps, others, name, StepSucceeded, w, now)
}

// SkipStep has a step that does not live, and has neither succeeded nor been
// skipped, count as skipped; what is behind it goes on as after MarkSucceeded.
func SkipStep(def spec.Flow, run Run, steps []Step, others []RunBrief, name, actor string, now time.Time) (Change, error) {
	w := why{cause: CauseSkipped, actor: actor, reason: because(CodeSkippedBy, "who", actor)}
	return settle(&def, run, steps, others, name, StepSkipped, w, now)
}

// stale is a step that has not started, and may stand where it does for an end
// that is changed now.
func (s Step) stale() bool {
	return s.State == StepUpstreamFailed || s.State == StepWaitingSlot || s.State == StepCancelled && s.StartedAt == nil
}

func settle(def *spec.Flow, run Run, steps []Step, others []RunBrief, name string, to StepState, w why, now time.Time) (Change, error) {
	r, err := operation(def, run, steps, now)
	if err != nil {
		return Change{}, err
	}
	at, ok := r.graph.index[name]
	if !ok {
		return Change{}, &Error{Kind: ErrorUnknownStep, Run: run.State, Step: name}
	}
	switch s := r.steps[at]; {
	case s.Lives():
		return Change{}, &Error{Kind: ErrorStepLives, Run: run.State, Step: name, State: s.State}
	case s.State == StepSucceeded, s.State == StepSkipped:
		return Change{}, &Error{Kind: ErrorStepState, Run: run.State, Step: name, State: s.State}
	}
	if run.StartedAt == nil { // it was cancelled before it started: marking is not starting
		return Change{}, &Error{Kind: ErrorRunState, Run: run.State}
	}
	if err := r.reopen(others, w.cause, w.actor); err != nil {
		return Change{}, err
	}
	r.move(at, to, w)
	opened := make([]bool, len(r.steps))
	opened[at] = true
	for _, i := range r.graph.order {
		if slices.ContainsFunc(r.graph.needs[i], func(j int) bool { return opened[j] }) && r.steps[i].stale() {
			r.reset(i, w.actor)
			opened[i] = true
		}
	}
	return r.change(), nil
}
