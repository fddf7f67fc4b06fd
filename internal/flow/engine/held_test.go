package engine

import (
	"testing"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// What waits for something that is on its way says so, holds no slot and is no run.
func TestAStepThatIsHeldWaits(t *testing.T) {
	t.Parallel()
	def, _ := aFlow(t, "a")
	def.Tasks[0].Group = "g"
	held, unmet := &spec.Reason{Code: "held"}, false
	seen := Observed{Slots: map[string]bool{"a": true}, Expand: func(*spec.FlowTask, func(string) map[string]any) (Prepared, *spec.Reason) {
		return Prepared{Held: held, Unmet: unmet}, nil
	}}
	d := Decide(def, aRun(RunRunning), nil, seen, noon)
	if len(d.Steps) != 1 || d.Steps[0].State != StepWaiting || d.Steps[0].Reason != held || len(d.Start)+len(d.Transitions) != 0 || d.After != heldFor {
		t.Fatalf("held: %+v", d)
	}
	rows := d.Steps
	if d = Decide(def, aRun(RunRunning), rows, seen, at(1)); len(d.Steps) != 0 || d.After != heldFor {
		t.Errorf("the same reason was written again: %+v", d)
	}
	held = &spec.Reason{Code: "held", Args: map[string]any{"detail": "no agent"}}
	if d = Decide(def, aRun(RunRunning), rows, seen, at(2)); len(d.Steps) != 1 || d.Steps[0].Reason != held {
		t.Errorf("another reason was not: %+v", d)
	}
	cancelled := aRun(RunRunning)
	cancelled.Wish = WishCancel
	if d = Decide(def, cancelled, rows, seen, at(3)); d.Run.State != RunCancelled || d.Steps[0].State != StepCancelled {
		t.Errorf("asked to end: %+v", d)
	}
	held = nil
	if d = Decide(def, aRun(RunRunning), rows, seen, at(4)); len(d.Start) != 1 || d.Steps[0].State != StepStarting || d.Steps[0].Reason != nil {
		t.Errorf("let go: %+v", d)
	}
	held, unmet = &spec.Reason{Code: "held"}, true
	if d = Decide(def, aRun(RunRunning), rows, seen, at(5)); d.Steps[0].State != StepSkipped {
		t.Errorf("what does not run waits for nothing: %+v", d)
	}
}
