package engine

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
	"pgregory.net/rapid"
)

func TestPolls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer   Answer
		failures int // before
		until    int // seconds after noon; 0 for none
		now      int
		state    StepState
		next     int // seconds after noon; 0 for none
		failed   int // after
	}{
		"yes": {answer: Answer{Kind: AnswerYes}, state: StepSucceeded},
		"yes, after its time: it was asked before": {answer: Answer{Kind: AnswerYes}, until: 60, now: 61, state: StepSucceeded},
		"not yet: asked again":                     {answer: Answer{Kind: AnswerNotYet, Again: 30 * time.Second}, state: StepWaitingInputs, next: 30},
		"not yet, without an interval":             {answer: Answer{Kind: AnswerNotYet}, state: StepWaitingInputs, next: 60},
		"not yet ends a row of failures":           {answer: Answer{Kind: AnswerNotYet}, failures: 2, state: StepWaitingInputs, next: 60},
		"the last poll is at its end":              {answer: Answer{Kind: AnswerNotYet}, until: 45, state: StepWaitingInputs, next: 45},
		"not yet, at its end":                      {answer: Answer{Kind: AnswerNotYet}, until: 45, now: 45, state: StepTimedOut},
		"a failure, with a retry":                  {answer: Answer{Kind: AnswerFailed}, state: StepRetrying, next: 10, failed: 1},
		"another: twice the wait":                  {answer: Answer{Kind: AnswerFailed}, failures: 1, state: StepRetrying, next: 20, failed: 2},
		"no retry left":                            {answer: Answer{Kind: AnswerFailed}, failures: 2, state: StepFailed, failed: 3},
		"a failure at its end":                     {answer: Answer{Kind: AnswerFailed}, until: 45, now: 45, state: StepTimedOut, failed: 1},
		"no retry mends it":                        {answer: Answer{Kind: AnswerNever}, state: StepFailed, failed: 1},
		"an answer of an earlier poll":             {answer: Answer{Kind: AnswerYes, Number: -1}, state: StepStarting, next: -1},
		"an answer of an earlier round":            {answer: Answer{Kind: AnswerYes, Round: -1}, state: StepStarting, next: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def, expand := aFlow(t, "a polled retry=2")
			step := Step{Name: "a", State: StepStarting, Round: 3, Polls: 4, PollFailures: c.failures, StartedAt: ptr(noon), NextPoll: ptr(at(-1))}
			if c.until > 0 {
				step.PollUntil = ptr(at(c.until))
			}
			c.answer.Round += 3
			c.answer.Number += 4
			d := Decide(def, aRun(RunRunning), []Step{step}, Observed{Expand: expand, Random: 1, Answers: map[string]Answer{"a": c.answer}}, at(c.now))
			got := merged([]Step{step}, d.Steps)[0]
			if got.State != c.state || got.PollFailures != max(c.failed, 0) && c.state != StepStarting {
				t.Fatalf("%+v", got)
			}
			switch {
			case c.next == 0 && got.NextPoll != nil, c.next != 0 && (got.NextPoll == nil || !got.NextPoll.Equal(at(c.next))):
				t.Errorf("next poll: %v", got.NextPoll)
			case c.next > 0 && d.After != time.Duration(c.next-c.now)*time.Second:
				t.Errorf("after: %v", d.After)
			case c.next < 0 && len(d.Poll) != 1:
				t.Error("its poll is not asked for any more")
			}
		})
	}
}

func TestAPolledStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given
		want
	}{
		"is asked at once, and makes no run": {
			given{flow: "a within=60", steps: "a=waiting"}, want{steps: "a=starting", poll: "a"}},
		"waits for a slot as others do": {
			given{flow: "a polled group=g", steps: "a=waiting"}, want{steps: "a=waiting_slot", reason: "a=" + CodeGroupFull}},
		"a step waits while its group is full": {
			given{flow: "a group=g", steps: "a=waiting_slot"}, want{steps: "a=waiting_slot"}},
		"a step that got a slot starts": {
			given{flow: "a group=g", steps: "a=waiting_slot", seen: Observed{Slots: map[string]bool{"a": true}}}, want{steps: "a=starting", start: "a", moved: "a>starting:slot"}},
		"a slot is free when its holder has ended (P73)": {
			given{flow: "a group=g; b group=g", steps: "a=running:r b=running:s", seen: saw("r", ProgressFailed)}, want{steps: "a=failed b=running", freed: "g"}},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); check(t, c.given, c.want) })
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	r := spec.Retry{Wait: spec.Duration(time.Second), Most: spec.Duration(5 * time.Second), Jitter: 0.5}
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		if got := Backoff(r, i+1, 1); got != want {
			t.Errorf("%d: %v", i+1, got)
		}
		if got := Backoff(r, i+1, 0); got != want/2 {
			t.Errorf("%d, all jitter: %v", i+1, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := spec.Retry{Wait: spec.Duration(rapid.Int64Min(0).Draw(t, "wait")), Most: spec.Duration(rapid.Int64Min(0).Draw(t, "most")), Jitter: rapid.Float64Range(0, 1).Draw(t, "jitter")}
		n := rapid.IntRange(1, 101).Draw(t, "failures")
		if got := Backoff(r, n, rapid.Float64Range(0, 1).Draw(t, "random")); got < 0 || r.Most > 0 && got > r.Most.Std() {
			t.Fatalf("%v", got)
		}
	})
}
