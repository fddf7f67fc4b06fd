package engine

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
	"pgregory.net/rapid"
)

// world is a small one around one flow run: rows that are saved or not, runs
// that move on their own, polls that answer late or twice, and people.
type world struct {
	t       *rapid.T
	def     spec.Flow
	expand  Expand
	run     Run
	steps   []Step
	runs    map[string]RunSeen
	made    map[string]bool // STEP/ROUND of every run that was made
	answers []struct {
		step string
		Answer
	}
	size  map[string]int // of groups
	now   time.Time
	polls []string // that the last decision asked for
	after time.Duration
}

var triggers = []spec.Trigger{"", spec.AllSucceeded, spec.AllDone, spec.AnyFailed}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, run: aRun(RunQueued), runs: map[string]RunSeen{}, made: map[string]bool{}, now: noon, size: map[string]int{"g": 1, "h": 2}}
	n := rapid.IntRange(1, 8).Draw(t, "tasks")
	how, held := map[string]Prepared{}, map[string]time.Time{}
	broken := map[string]bool{}
	for i := range n {
		task := spec.FlowTask{Name: fmt.Sprintf("t%d", i), Trigger: rapid.SampledFrom(triggers).Draw(t, "trigger")}
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				task.Needs = append(task.Needs, fmt.Sprintf("t%d", j))
			}
		}
		task.Group = rapid.SampledFrom([]string{"", "", "g", "h"}).Draw(t, "group")
		task.Skip = rapid.IntRange(0, 9).Draw(t, "skip") == 0
		task.Retry = spec.Retry{Count: rapid.IntRange(0, 2).Draw(t, "retry"), Jitter: 0.5}
		how[task.Name] = Prepared{
			Polled: rapid.IntRange(0, 2).Draw(t, "polled") == 0, Unmet: rapid.IntRange(0, 9).Draw(t, "unmet") == 0,
			Within: time.Duration(rapid.IntRange(0, 1).Draw(t, "within")) * 10 * time.Minute,
		}
		broken[task.Name] = rapid.IntRange(0, 14).Draw(t, "broken") == 0
		held[task.Name] = noon.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 40, 4000}).Draw(t, "held")) * time.Second)
		w.def.Tasks = append(w.def.Tasks, task)
	}
	perm := rapid.Permutation(w.def.Tasks).Draw(t, "order")
	w.def.Tasks = perm
	w.def.Timeout = spec.Duration(rapid.IntRange(0, 1).Draw(t, "timeout")) * spec.Duration(time.Hour)
	w.def.FinishBy = spec.Duration(rapid.IntRange(0, 1).Draw(t, "finishBy")) * spec.Duration(time.Hour) // without limits, nothing but its steps wakes it
	w.expand = func(task *spec.FlowTask, _ func(string) map[string]any) (Prepared, *spec.Reason) {
		if broken[task.Name] {
			return Prepared{}, &spec.Reason{Code: "broken"}
		}
		p := how[task.Name]
		if w.now.Before(held[task.Name]) {
			p.Held = &spec.Reason{Code: "held"}
		}
		return p, nil
	}
	return w
}

func (w *world) seen() Observed {
	return Observed{Runs: maps.Clone(w.runs), Slots: w.slots(), Expand: w.expand, Random: 0.5}
}

// slots grants what is free, from the rows.
func (w *world) slots() map[string]bool {
	out := map[string]bool{}
	for g, size := range w.size {
		var holders []string
		var waiters []Waiter
		for _, s := range w.steps {
			switch {
			case w.task(s.Name).Group != g:
			case s.State.Holds():
				holders = append(holders, s.Name)
			case s.State == StepWaitingSlot:
				waiters = append(waiters, Waiter{ID: s.Name, Since: *s.ReadyAt})
			}
		}
		if !w.run.State.Over() && len(holders) > size {
			w.t.Fatalf("group %s of %d is held by %v", g, size, holders)
		}
		for _, name := range Slots(size, holders, waiters) {
			out[name] = true
		}
	}
	return out
}

func (w *world) task(name string) spec.FlowTask {
	return w.def.Tasks[slices.IndexFunc(w.def.Tasks, func(t spec.FlowTask) bool { return t.Name == name })]
}

// decide asks, checks what is said, and saves it unless it dies before.
func (w *world) decide(seen Observed, dies bool) {
	before := slices.Clone(w.steps)
	d := Decide(w.def, w.run, w.steps, seen, w.now)
	if again := Decide(w.def, w.run, w.steps, seen, w.now); !reflect.DeepEqual(d, again) {
		w.t.Fatalf("twice the same question, two answers:\n%+v\n%+v", d, again)
	}
	if !reflect.DeepEqual(before, w.steps) {
		w.t.Fatalf("the rows that it was given were changed")
	}
	w.checkDecision(d)
	if dies {
		return
	}
	for _, s := range d.Steps {
		w.steps = merged(w.steps, []Step{s})
	}
	w.run, w.polls, w.after = d.Run, d.Poll, d.After
	for _, name := range d.Start {
		i := slices.IndexFunc(w.steps, func(s Step) bool { return s.Name == name })
		key := fmt.Sprintf("%s/%d", name, w.steps[i].Round)
		if w.made[key] {
			w.t.Fatalf("%s was started twice in one round", key)
		}
		w.made[key] = true
		w.steps[i].RunID = key
		w.runs[key] = RunSeen{State: ProgressPending}
		seen.Runs[key] = w.runs[key]
	}
	for _, id := range d.Stop {
		if r := w.runs[id]; !w.ended(id) {
			r.State = ProgressStopping
			w.runs[id] = r
		}
	}
	w.checkRows()
	w.checkRepeated(seen, d)
}

// checkRepeated gives its rows back, with the same sights.
func (w *world) checkRepeated(seen Observed, first Decision) {
	d := Decide(w.def, w.run, w.steps, seen, w.now)
	if !reflect.DeepEqual(d.Run, w.run) || len(d.Steps)+len(d.Transitions)+len(d.Start)+len(d.Notes)+len(d.Freed) > 0 {
		// A slot that was granted and turned out to be for a step that became ready
		// only now is the one thing that a second look may use.
		w.t.Fatalf("said twice, it changes something:\nfirst %+v\nsecond %+v", first, d)
	}
	if !w.run.State.Over() && d.After != first.After && first.After == 0 {
		w.t.Fatalf("the second time it wants to be asked again: %v, %v", first.After, d.After)
	}
}

func (w *world) ended(id string) bool {
	_, lives := living[w.runs[id].State]
	return !lives
}

// checkDecision: transitions tell all, nothing leaves an end by itself, and
// nothing starts before its trigger holds.
func (w *world) checkDecision(d Decision) {
	w.replay(d.Run, d.Steps, d.Transitions)
	for _, tr := range d.Transitions {
		if tr.Step == "" && RunState(tr.From).Over() || tr.Step != "" && StepState(tr.From).Settled() {
			w.t.Fatalf("left an end by itself: %+v", tr)
		}
		if tr.Cause == "" {
			w.t.Fatalf("without a cause: %+v", tr)
		}
	}
	after := map[string]Step{}
	for _, s := range merged(w.steps, d.Steps) {
		after[s.Name] = s
	}
	for _, name := range slices.Concat(d.Start, d.Poll) {
		if s := after[name]; s.Polls == 0 && !w.triggered(w.task(name), after) && !s.started(w.steps) {
			w.t.Fatalf("%s starts, but its trigger does not hold: %s", name, states(slices.Collect(maps.Values(after))))
		}
	}
	if d.Run.State != RunRunning && len(d.Start)+len(d.Poll) > 0 {
		w.t.Fatalf("starts something in a run that is %s", d.Run.State)
	}
}

// started reports whether the step had started before.
func (s Step) started(before []Step) bool {
	return slices.ContainsFunc(before, func(b Step) bool { return b.Name == s.Name && b.Round == s.Round && b.StartedAt != nil })
}

func (w *world) triggered(task spec.FlowTask, steps map[string]Step) bool {
	ended, failed := 0, 0
	for _, n := range task.Needs {
		switch steps[n].State {
		case StepSucceeded, StepSkipped:
			ended++
		case StepFailed, StepTimedOut, StepUpstreamFailed, StepCancelled:
			ended++
			failed++
		}
	}
	switch task.Trigger {
	case spec.AnyFailed:
		return failed > 0
	case spec.AllDone:
		return ended == len(task.Needs)
	}
	return ended == len(task.Needs) && failed == 0
}

// replay plays transitions over the rows.
func (w *world) replay(run Run, changed []Step, ts []Transition) {
	have := map[string]string{"": string(w.run.State)}
	for _, task := range w.def.Tasks {
		have[task.Name] = string(StepWaiting)
	}
	for _, s := range w.steps {
		have[s.Name] = string(s.State)
	}
	for _, tr := range ts {
		if have[tr.Step] != tr.From || tr.From == tr.To {
			w.t.Fatalf("%q is %s, and a transition says %+v", tr.Step, have[tr.Step], tr)
		}
		have[tr.Step] = tr.To
	}
	for _, s := range merged(w.steps, changed) {
		if have[s.Name] != string(s.State) {
			w.t.Fatalf("%s: transitions lead to %s, the row says %s", s.Name, have[s.Name], s.State)
		}
	}
	if have[""] != string(run.State) {
		w.t.Fatalf("transitions lead to %s, the run's row says %s", have[""], run.State)
	}
}

// checkRows: over means over, and who is not over waits for something.
func (w *world) checkRows() {
	waits := w.after > 0 || len(w.polls) > 0
	for id := range w.runs {
		if w.ended(id) {
			continue
		}
		waits = true
		if w.run.State.Over() {
			w.t.Fatalf("P71: the run is %s, and %s lives", w.run.State, id)
		}
	}
	for _, s := range w.steps {
		waits = waits || s.State == StepWaitingSlot
		if w.run.State.Over() && !s.State.Settled() {
			w.t.Fatalf("the run is %s, and %s is %s", w.run.State, s.Name, s.State)
		}
		if w.run.State == RunSucceeded && s.State.Bad() {
			w.t.Fatalf("the run has succeeded, and %s is %s", s.Name, s.State)
		}
	}
	if !w.run.State.Over() && !waits {
		w.t.Fatalf("stuck: %s, %s", w.run.State, states(w.steps))
	}
}

func TestWorld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 60).Draw(t, "turns") {
			w.turn()
		}
		w.conclude()
	})
}
