package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/spec"
)

const pipeline = "a; b<a; c<b; alarm<b any-failed; end<c all-done group=g; x"

func TestOperations(t *testing.T) {
	t.Parallel()
	const broken = "a=succeeded:ra b=failed:rb c=upstream_failed alarm=succeeded:rl end=succeeded:re x=succeeded:rx"
	other := []RunBrief{{ID: "run", State: RunFailed}, {ID: "other", State: RunRunning}}
	for name, c := range map[string]struct {
		do     string
		policy spec.Concurrency
		state  RunState
		others []RunBrief
		steps  string
		want   string // states, or the error
	}{
		"rerun of all":               {"all", "", RunFailed, nil, broken, "a=waiting/2 alarm=waiting/2 b=waiting/2 c=waiting/2 end=waiting/2 x=waiting/2"},
		"rerun of what failed (P66)": {"failed", "", RunFailed, nil, broken, "a=succeeded alarm=waiting/2 b=waiting/2 c=waiting/2 end=waiting/2 x=succeeded"},
		"rerun of one that had succeeded, and what is behind it": {"clear c", "", RunSucceeded, nil,
			"a=succeeded b=succeeded c=succeeded alarm=skipped end=succeeded x=succeeded", "a=succeeded alarm=skipped b=succeeded c=waiting/2 end=waiting/2 x=succeeded"},
		"rerun after a time limit": {"failed", "", RunTimedOut, nil,
			"a=succeeded b=cancelled c=cancelled alarm=cancelled end=cancelled x=succeeded", "a=succeeded alarm=waiting/2 b=waiting/2 c=waiting/2 end=waiting/2 x=succeeded"},
		"nothing failed": {"failed", "", RunSucceeded, nil,
			"a=succeeded b=succeeded c=succeeded alarm=skipped end=succeeded x=succeeded", "nothing"},
		"clear beside a branch that lives": {"clear b", "", RunRunning, nil,
			"a=succeeded b=failed c=upstream_failed alarm=succeeded end=succeeded x=running:rx", "a=succeeded alarm=waiting/2 b=waiting/2 c=waiting/2 end=waiting/2 x=running"},
		"clear with something behind it that lives": {"clear b", "", RunRunning, nil,
			"a=succeeded b=failed c=upstream_failed alarm=running:rl end=succeeded x=succeeded", "step-lives alarm"},
		"what waits anyway is no new round": {"clear a", "", RunRunning, nil,
			"a=failed b=waiting c=waiting alarm=waiting end=waiting x=running:rx", "a=waiting/2 alarm=waiting b=waiting c=waiting end=waiting x=running"},
		"a step that is not there":         {"clear z", "", RunFailed, nil, broken, "unknown-step z"},
		"rerun while it stops":             {"all", "", RunStopping, nil, broken, "run-state "},
		"rerun of one that was skipped":    {"all", "", RunSkipped, nil, "", "run-state "},
		"rerun of one that is queued":      {"all", "", RunQueued, nil, "", "run-state "},
		"rerun while another lives (P57)":  {"all", spec.Forbid, RunFailed, other, broken, "another-lives "},
		"rerun beside another, as allowed": {"failed", spec.Allow, RunFailed, other, broken, "a=succeeded alarm=waiting/2 b=waiting/2 c=waiting/2 end=waiting/2 x=succeeded"},
		"mark: what could not start can":   {"mark b", "", RunFailed, nil, broken, "a=succeeded alarm=succeeded b=succeeded c=waiting/2 end=succeeded x=succeeded"},
		"mark the last one: the run goes on": {"mark x", "", RunFailed, nil,
			"a=succeeded b=succeeded c=succeeded alarm=skipped end=succeeded x=failed", "a=succeeded alarm=skipped b=succeeded c=succeeded end=succeeded x=succeeded"},
		"mark after a time limit: what never started can": {"mark b", "", RunTimedOut, nil,
			"a=succeeded b=cancelled c=cancelled:rc alarm=waiting end=cancelled x=succeeded", "a=succeeded alarm=waiting b=succeeded c=cancelled end=cancelled x=succeeded"},
		"mark one that lives": {"mark b", "", RunRunning, nil,
			"a=succeeded b=running:rb c=waiting alarm=waiting end=waiting x=succeeded", "step-lives b"},
		"mark one that has succeeded": {"mark a", "", RunFailed, nil, broken, "step-state a"},
		"mark while another lives":    {"mark b", "", RunFailed, other, broken, "another-lives "},
		"an alarm that waits for a slot looks again": {"mark b", "", RunRunning, nil,
			"a=succeeded b=failed c=upstream_failed alarm=waiting_slot end=waiting_slot x=running:rx", "a=succeeded alarm=waiting/2 b=succeeded c=waiting/2 end=waiting/2 x=running"},
		"skip one that waits": {"skip b", "", RunRunning, nil,
			"a=running:ra b=waiting c=waiting alarm=waiting end=waiting x=succeeded", "a=running alarm=waiting b=skipped c=waiting end=waiting x=succeeded"},
		"skip one that failed":       {"skip b", "", RunFailed, nil, broken, "a=succeeded alarm=succeeded b=skipped c=waiting/2 end=succeeded x=succeeded"},
		"skip one that was skipped":  {"skip alarm", "", RunRunning, nil, "a=succeeded b=succeeded c=waiting alarm=skipped end=waiting x=succeeded", "step-state alarm"},
		"skip one that is not there": {"skip z", "", RunFailed, nil, broken, "unknown-step z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def, _ := aFlow(t, pipeline)
			def.Concurrency = c.policy
			run, steps := aRun(c.state), theSteps(c.steps)
			verb, step, _ := strings.Cut(c.do, " ")
			var change Change
			var err error
			switch verb {
			case "all", "failed":
				change, err = Rerun(def, run, steps, c.others, Scope{All: verb == "all", Failed: verb == "failed"}, "ann", at(60))
			case "clear":
				change, err = Rerun(def, run, steps, c.others, Scope{Names: []string{step}}, "ann", at(60))
			case "mark":
				change, err = MarkSucceeded(def, run, steps, c.others, step, "ann", at(60))
			case "skip":
				change, err = SkipStep(def, run, steps, c.others, step, "ann", at(60))
			}
			got := states(merged(steps, change.Steps))
			var typed *Error
			if errors.As(err, &typed) {
				got = fmt.Sprintf("%s %s", typed.Kind, typed.Step)
				if c.want == "nothing" {
					got = string(typed.Kind)
				}
			}
			if got != c.want {
				t.Fatalf("%q, want %q", got, c.want)
			}
			if err == nil && (change.Run.State != RunRunning || change.Run.EndedAt != nil || change.Run.Reason != nil) {
				t.Errorf("the run does not go on: %+v", change.Run)
			}
		})
	}
}

// TestARunThatNeverStarted can be run after all, as a whole.
func TestARunThatNeverStarted(t *testing.T) {
	t.Parallel()
	def, expand := aFlow(t, "a; b<a")
	run := aRun(RunCancelled)
	run.StartedAt = nil
	c, err := Rerun(def, run, nil, nil, Scope{All: true}, "ann", at(60))
	if err != nil || states(c.Steps) != "a=waiting b=waiting" {
		t.Fatalf("%v, %s", err, states(c.Steps))
	}
	if d := Decide(def, c.Run, c.Steps, Observed{Expand: expand}, at(60)); len(d.Start) != 1 || d.Start[0] != "a" {
		t.Errorf("%+v", d)
	}
	if _, err := MarkSucceeded(def, run, nil, nil, "a", "ann", at(60)); err == nil {
		t.Error("marking one of its steps starts it")
	}
	if _, err := Rerun(def, run, nil, nil, Scope{Names: []string{"a"}}, "ann", at(60)); err == nil {
		t.Error("clearing one of its steps starts it")
	}
}

// TestP65ARerunHasAllItsTime, and none of what its last round left.
func TestP65ARerunHasAllItsTime(t *testing.T) {
	t.Parallel()
	def, expand := aFlow(t, "a")
	limited(&def, nil)
	run := aRun(RunTimedOut)
	run.Wish, run.WishedBy = WishCancel, "bob"
	steps := theSteps("a=cancelled:ra")
	steps[0].Outputs = map[string]any{"key": 1}
	c, err := Rerun(def, run, steps, nil, Scope{All: true}, "ann", at(7200))
	if err != nil || told(c.Transitions) != "RUN>running:rerun@ann a>waiting:rerun@ann" {
		t.Fatalf("%v, %q", err, told(c.Transitions))
	}
	if s := c.Steps[0]; s.RunID != "" || s.Outputs != nil || s.EndedAt != nil || s.Reason != nil {
		t.Errorf("it keeps something: %+v", s)
	}
	d := Decide(def, c.Run, c.Steps, Observed{Expand: expand}, at(7200))
	if d.Run.State != RunRunning || len(d.Start) != 1 || d.After.Hours() != 1 {
		t.Errorf("%+v", d)
	}
}
