package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

type want struct {
	run    RunState // empty: it stays
	code   string   // of the run's reason
	steps  string
	start  string
	stop   string
	poll   string
	freed  string
	after  time.Duration
	moved  string // transitions, when they are asked for
	reason string // STEP=CODE
}

type given struct {
	flow   string
	change func(*spec.Flow, *Run)
	state  RunState // running when empty
	steps  string
	seen   Observed
	now    int
}

func cancelled(_ *spec.Flow, r *Run) { r.Wish, r.WishedBy = WishCancel, "ann" }

func limited(f *spec.Flow, _ *Run) { f.Timeout = spec.Duration(time.Hour) }

func saw(id string, p Progress) Observed {
	return Observed{Runs: map[string]RunSeen{id: {State: p}}}
}

func check(t *testing.T, g given, w want) {
	t.Helper()
	def, expand := aFlow(t, g.flow)
	state := g.state
	if state == "" {
		state = RunRunning
	}
	run := aRun(state)
	if g.change != nil {
		g.change(&def, &run)
	}
	g.seen.Expand = expand
	steps := theSteps(g.steps)
	d := Decide(def, run, steps, g.seen, at(g.now))
	after := merged(steps, d.Steps)
	if w.run == "" {
		w.run = state
	}
	for _, c := range []struct{ what, got, want string }{
		{"run", string(d.Run.State), string(w.run)},
		{"steps", states(after), w.steps},
		{"start", strings.Join(d.Start, " "), w.start},
		{"stop", strings.Join(d.Stop, " "), w.stop},
		{"poll", strings.Join(d.Poll, " "), w.poll},
		{"freed", strings.Join(d.Freed, " "), w.freed},
		{"after", d.After.String(), w.after.String()},
		{"reason", code(d.Run.Reason), w.code},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	if w.moved != "" && told(d.Transitions) != w.moved {
		t.Errorf("moved %q, want %q", told(d.Transitions), w.moved)
	}
	if name, want, ok := strings.Cut(w.reason, "="); ok && code(reasonOf(after, name)) != want {
		t.Errorf("reason of %s: %q, want %q", name, code(reasonOf(after, name)), want)
	}
}

func TestTriggers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given
		want
	}{
		"a run that may start makes its steps and starts the first": {
			given{flow: "a; b<a", state: RunQueued},
			want{run: RunRunning, steps: "a=starting b=waiting", start: "a", moved: "RUN>running:admitted a>starting:triggered"}},
		"a flow without tasks has succeeded": {
			given{state: RunQueued}, want{run: RunSucceeded, moved: "RUN>running:admitted RUN>succeeded:steps-ended"}},
		"a graph with a cycle fails at once, instead of for ever waiting": {
			given{flow: "a<b; b<a", state: RunQueued}, want{run: RunFailed, code: CodeBroken}},
		"a graph that names a missing task fails at once": {
			given{flow: "a<z", state: RunQueued}, want{run: RunFailed, code: CodeBroken}},
		"a step waits for all before it": {
			given{flow: "a; b; c<a,b", steps: "a=succeeded b=running:r c=waiting"},
			want{steps: "a=succeeded b=running c=waiting"}},
		"the last one's success starts it": {
			given{flow: "a; b; c<a,b", steps: "a=succeeded b=running:r c=waiting", seen: saw("r", ProgressSucceeded)},
			want{steps: "a=succeeded b=succeeded c=starting", start: "c", moved: "b>succeeded:run-ended c>starting:triggered"}},
		"a step that was skipped counts as succeeded": {
			given{flow: "a; b<a; k<a any-failed; c<b,k", steps: "a=succeeded b=succeeded k=skipped c=waiting"},
			want{steps: "a=succeeded b=succeeded c=starting k=skipped", start: "c"}},
		"a failure is handed down, and the run fails by the culprit": {
			given{flow: "b<a; c<b; a", steps: "a=running:r b=waiting c=waiting", seen: saw("r", ProgressFailed)},
			want{run: RunFailed, code: CodeStepFailed, steps: "a=failed b=upstream_failed c=upstream_failed", reason: "b=" + CodeUpstreamFailed}},
		"upstream_failed too comes after everything before it": {
			given{flow: "a; b; c<a,b", steps: "a=failed b=running:r c=waiting"},
			want{steps: "a=failed b=running c=waiting"}},
		"all-done starts after a failure, when all have ended": {
			given{flow: "a; b; c<a,b all-done", steps: "a=failed b=running:r c=waiting", seen: saw("r", ProgressTimedOut)},
			want{steps: "a=failed b=timed_out c=starting", start: "c"}},
		"all-done does not start while one runs": {
			given{flow: "a; b; c<a,b all-done", steps: "a=failed b=running:r c=waiting"},
			want{steps: "a=failed b=running c=waiting"}},
		"an alarm goes off with the first failure": {
			given{flow: "a; b; c<a,b any-failed", steps: "a=failed b=running:r c=waiting"},
			want{steps: "a=failed b=running c=starting", start: "c"}},
		"upstream_failed sets off an alarm": {
			given{flow: "a; b<a; c<b any-failed", steps: "a=failed b=waiting c=waiting"},
			want{steps: "a=failed b=upstream_failed c=starting", start: "c"}},
		"an alarm is skipped when nothing failed": {
			given{flow: "a; c<a any-failed", steps: "a=succeeded c=waiting"},
			want{run: RunSucceeded, steps: "a=succeeded c=skipped", reason: "c=" + CodeNothingFailed}},
		"an alarm waits while nothing has failed yet": {
			given{flow: "a; b; c<a,b any-failed", steps: "a=succeeded b=running:r c=waiting"},
			want{steps: "a=succeeded b=running c=waiting"}},
		"a clean-up that works turns no failure green": {
			given{flow: "a; c<a all-done", steps: "a=failed c=running:r", seen: saw("r", ProgressSucceeded)},
			want{run: RunFailed, code: CodeStepFailed, steps: "a=failed c=succeeded"}},
		"the flag to skip skips, and lets what is behind it start": {
			given{flow: "a skip; b<a", steps: "a=waiting b=waiting"},
			want{steps: "a=skipped b=starting", start: "b", reason: "a=" + CodeSkipFlag}},
		"the flag to skip hides no failure before it": {
			given{flow: "a; b<a skip", steps: "a=failed b=waiting"},
			want{run: RunFailed, code: CodeStepFailed, steps: "a=failed b=upstream_failed"}},
		"a condition that does not hold skips": {
			given{flow: "a unmet; b<a", steps: "a=waiting b=waiting"},
			want{steps: "a=skipped b=starting", start: "b", reason: "a=" + CodeCondition}},
		"a macro that cannot be expanded fails the step with its reason": {
			given{flow: "a broken; b<a", steps: "a=waiting b=waiting"},
			want{run: RunFailed, code: CodeStepFailed, steps: "a=failed b=upstream_failed", reason: "a=broken"}},
		"an output that is missing fails the step": {
			given{flow: "a; b<a reads=a", steps: "a=running:r b=waiting", seen: saw("r", ProgressSucceeded)},
			want{run: RunFailed, code: CodeStepFailed, steps: "a=succeeded b=failed", reason: "b=no-output"}},
		"an output that has come with the end is there": {
			given{flow: "a; b<a reads=a", steps: "a=running:r b=waiting", seen: Observed{Runs: map[string]RunSeen{"r": {State: ProgressSucceeded, Outputs: map[string]any{"key": 1}}}}},
			want{steps: "a=succeeded b=starting", start: "b"}},
		"what its owner may not run fails with that reason": {
			given{flow: "a; b", steps: "a=waiting b=waiting", seen: Observed{Refused: map[string]*spec.Reason{"a": {Code: "no-right"}}}},
			want{steps: "a=failed b=starting", start: "b", reason: "a=no-right"}},
		"a run that was not made is made": {
			given{flow: "a", steps: "a=starting"}, want{steps: "a=starting", start: "a"}},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); check(t, c.given, c.want) })
	}
}

func TestARunCarriesOutAStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		seen   Progress
		after  string
		run    RunState
		code   string
	}{
		"its run waits":                        {"starting", ProgressPending, "starting", RunRunning, ""},
		"its run runs":                         {"starting", ProgressRunning, "running", RunRunning, ""},
		"its run will be tried again":          {"running", ProgressRetrying, "retrying", RunRunning, ""},
		"its run is tried again":               {"retrying", ProgressPending, "starting", RunRunning, ""},
		"somebody stops its run":               {"running", ProgressStopping, "stopping", RunRunning, ""},
		"its run has succeeded":                {"running", ProgressSucceeded, "succeeded", RunSucceeded, ""},
		"a fast one was never seen running":    {"starting", ProgressSucceeded, "succeeded", RunSucceeded, ""},
		"its run has failed":                   {"running", ProgressFailed, "failed", RunFailed, CodeStepFailed},
		"its run took too long":                {"running", ProgressTimedOut, "timed_out", RunFailed, CodeStepFailed},
		"somebody stopped its run":             {"stopping", ProgressStopped, "cancelled", RunFailed, CodeStepFailed},
		"its run ended before it could stop":   {"stopping", ProgressSucceeded, "succeeded", RunSucceeded, ""},
		"its run's row is gone":                {"running", ProgressGone, "failed", RunFailed, CodeStepFailed},
		"no news":                              {"running", "", "running", RunRunning, ""},
		"a step that stops does not run again": {"stopping", ProgressRunning, "stopping", RunRunning, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := Observed{}
			if c.seen != "" {
				seen = saw("r", c.seen)
			}
			check(t, given{flow: "a", steps: "a=" + c.before + ":r", seen: seen}, want{run: c.run, code: c.code, steps: "a=" + c.after})
		})
	}
}

func TestStopping(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given
		want
	}{
		"cancelled while queued": {
			given{flow: "a", state: RunQueued, change: cancelled}, want{run: RunCancelled, code: CodeAsked, moved: "RUN>cancelled:asked@ann"}},
		"what lives is stopped, what waits is cancelled, and it is not over (P71, P72)": {
			given{flow: "a; b<a; p polled", change: cancelled, steps: "a=running:r b=waiting p=waiting"},
			want{run: RunStopping, code: CodeAsked, steps: "a=stopping b=cancelled p=cancelled", stop: "r",
				moved: "RUN>stopping:asked@ann a>stopping:asked@ann b>cancelled:asked@ann p>cancelled:asked@ann"}},
		"asked again until it is seen to stop": {
			given{flow: "a; b<a", state: RunStopping, change: cancelled, steps: "a=stopping:r b=cancelled", seen: saw("r", ProgressRunning)},
			want{code: CodeAsked, steps: "a=stopping b=cancelled", stop: "r"}},
		"not asked again once it stops": {
			given{flow: "a; b<a", state: RunStopping, change: cancelled, steps: "a=stopping:r b=cancelled", seen: saw("r", ProgressStopping)},
			want{steps: "a=stopping b=cancelled"}},
		"over when all have ended": {
			given{flow: "a; b<a", state: RunStopping, change: cancelled, steps: "a=stopping:r b=cancelled", seen: saw("r", ProgressStopped)},
			want{run: RunCancelled, code: CodeAsked, steps: "a=cancelled b=cancelled"}},
		"a success on the way stays one": {
			given{flow: "a; b<a", state: RunStopping, change: cancelled, steps: "a=stopping:r b=cancelled", seen: saw("r", ProgressSucceeded)},
			want{run: RunCancelled, code: CodeAsked, steps: "a=succeeded b=cancelled"}},
		"nothing new starts in a run that stops": {
			given{flow: "a; b<a; c", change: cancelled, steps: "a=running:r b=waiting c=running:s", seen: saw("r", ProgressSucceeded)},
			want{run: RunStopping, code: CodeAsked, steps: "a=succeeded b=cancelled c=stopping", stop: "s"}},
		"asked too late: it ends as its steps did": {
			given{flow: "a", change: cancelled, steps: "a=running:r", seen: saw("r", ProgressSucceeded)},
			want{run: RunSucceeded, steps: "a=succeeded"}},
		"a slot is given back when its holder has ended, not before (P73)": {
			given{flow: "a group=g; b group=h", state: RunStopping, change: cancelled, steps: "a=stopping:r b=stopping:s", seen: saw("r", ProgressStopped)},
			want{steps: "a=cancelled b=stopping", stop: "s", freed: "g"}},
		"its time is over (P63, P64)": {
			given{flow: "a; b<a", change: limited, steps: "a=running:r b=waiting", now: 3600},
			want{run: RunStopping, code: CodeTimeout, steps: "a=stopping b=cancelled", stop: "r", moved: "RUN>stopping:timeout a>stopping:timeout b>cancelled:timeout"}},
		"its time is not over": {
			given{flow: "a", change: limited, steps: "a=running:r", now: 3590}, want{steps: "a=running", after: 10 * time.Second}},
		"its time is over, and all have ended": {
			given{flow: "a", state: RunStopping, steps: "a=stopping:r", seen: saw("r", ProgressStopped), now: 3700, change: func(_ *spec.Flow, r *Run) { r.Reason = because(CodeTimeout, "limit", "1h") }},
			want{run: RunTimedOut, code: CodeTimeout, steps: "a=cancelled", reason: "a=" + CodeTimeout}},
		"what ended before anybody looked has not timed out": {
			given{flow: "a", change: limited, steps: "a=running:r", seen: saw("r", ProgressSucceeded), now: 9000},
			want{run: RunSucceeded, steps: "a=succeeded"}},
		"the first cause of an end stays": {
			given{flow: "a", state: RunStopping, steps: "a=stopping:r", seen: saw("r", ProgressStopped), change: func(f *spec.Flow, r *Run) {
				cancelled(f, r)
				r.Reason = because(CodeTimeout, "limit", "1h")
			}},
			want{run: RunTimedOut, code: CodeTimeout, steps: "a=cancelled"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.given.state == RunStopping && c.given.change != nil {
				inner := c.given.change
				c.given.change = func(f *spec.Flow, r *Run) {
					r.Reason = because(CodeAsked, "who", "ann")
					inner(f, r)
				}
				if c.want.run == "" && c.want.code == "" {
					c.want.code = CodeAsked
				}
			}
			check(t, c.given, c.want)
		})
	}
}

// TestLate: told once, however the run goes, and it is not ended for it.
func TestLate(t *testing.T) {
	t.Parallel()
	def, expand := aFlow(t, "a")
	def.FinishBy = spec.Duration(time.Hour)
	seen := Observed{Expand: expand}
	d := Decide(def, aRun(RunRunning), theSteps("a=running:r"), seen, at(3599))
	if len(d.Notes) != 0 || d.After != time.Second {
		t.Errorf("before: %v, %v", d.Notes, d.After)
	}
	d = Decide(def, aRun(RunRunning), theSteps("a=running:r"), seen, at(3600))
	if len(d.Notes) != 1 || d.Notes[0].ID != NoteLate || d.Run.LateToldAt == nil || d.Run.State != RunRunning || d.After != 0 {
		t.Errorf("at its time: %+v", d)
	}
	if d = Decide(def, d.Run, theSteps("a=running:r"), seen, at(3700)); len(d.Notes) != 0 {
		t.Errorf("told twice: %v", d.Notes)
	}
	queued := aRun(RunQueued)
	seen.Others = []RunBrief{{ID: "other", State: RunRunning, DueAt: at(-60)}}
	def.Concurrency = spec.QueueOne
	if d = Decide(def, queued, nil, seen, at(4000)); len(d.Notes) != 1 || d.Run.State != RunQueued {
		t.Errorf("one that waits is late, too: %+v", d)
	}
	queued.Scheduled = false
	if d = Decide(def, queued, nil, seen, at(4000)); len(d.Notes) != 0 {
		t.Errorf("a backfill of last year is not late: %+v", d)
	}
}
