package engine

import (
	"fmt"
	"testing"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// large is a flow of 500 tasks in 50 layers, each task behind three of the layer before.
func large() (spec.Flow, []Step, Observed) {
	var def spec.Flow
	seen := Observed{Runs: map[string]RunSeen{}, Expand: func(*spec.FlowTask, func(string) map[string]any) (Prepared, *spec.Reason) {
		return Prepared{}, nil
	}}
	var steps []Step
	for i := range 500 {
		task := spec.FlowTask{Name: fmt.Sprintf("task-%03d", i)}
		for j := range 3 {
			if i >= 10 {
				task.Needs = append(task.Needs, fmt.Sprintf("task-%03d", i/10*10-10+(i+j)%10))
			}
		}
		s := Step{Name: task.Name, State: StepWaiting, Round: 1}
		switch {
		case i < 250:
			s.State, s.RunID = StepSucceeded, task.Name
		case i < 260:
			s.State, s.RunID = StepRunning, task.Name
			seen.Runs[s.RunID] = RunSeen{State: ProgressRunning}
		}
		def.Tasks, steps = append(def.Tasks, task), append(steps, s)
	}
	return def, steps, seen
}

// BenchmarkDecide500 starts a flow of 500 tasks: every step is made.
func BenchmarkDecide500(b *testing.B) {
	def, _, seen := large()
	for b.Loop() {
		if d := Decide(def, aRun(RunQueued), nil, seen, noon); len(d.Start) != 10 {
			b.Fatal(len(d.Start))
		}
	}
}

// BenchmarkOneEnd500 is the end of one step in the middle of such a flow.
func BenchmarkOneEnd500(b *testing.B) {
	def, steps, seen := large()
	seen.Runs["task-250"] = RunSeen{State: ProgressSucceeded}
	for b.Loop() {
		if d := Decide(def, aRun(RunRunning), steps, seen, noon); len(d.Steps) != 1 {
			b.Fatal(len(d.Steps))
		}
	}
}
