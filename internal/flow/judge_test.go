package flow_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/kube/kubetest"
	runservice "github.com/goblinlab/goblinlab/internal/run"
)

// judge holds what happened against what should have: what fired by the rows,
// what ran by the cluster's own books.
func (b bundle) judge(t *testing.T, pods []kubetest.Ran, want int, size storm) {
	t.Helper()
	rows, err := b.db.Client.FlowRun.Query().WithSteps().All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := b.db.Client.Run.Query().WithAttempts(func(q *ent.AttemptQuery) { q.Order(ent.Asc(attempt.FieldNumber)) }).All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	b.firedOnce(t, rows, want, size)
	ofStep := map[[2]string][]*ent.Run{}
	for _, r := range runs {
		if !runservice.Over(r.State) {
			t.Errorf("run %s of step %s is stuck: %s", r.ID, r.Step, r.State)
		}
		ofStep[[2]string{r.FlowRunID, r.Step}] = append(ofStep[[2]string{r.FlowRunID, r.Step}], r)
	}
	for _, r := range rows {
		for _, s := range r.Edges.Steps {
			n := 0
			if s.State == "succeeded" || s.State == "failed" {
				n = 1
			}
			if got := len(ofStep[[2]string{r.ID, s.Name}]); got != n {
				t.Errorf("%s of %s is %s and has %d runs", s.Name, r.ID, s.State, got)
			}
		}
	}
	ranOnce(t, pods, runs)
	b.forbade(t, pods, runs, rows)
	for _, r := range rows[:min(50, len(rows))] {
		b.replay(t, r.ID)
	}
}

// firedOnce: every logical time of every schedule, once.
func (b bundle) firedOnce(t *testing.T, rows []*ent.FlowRun, want int, size storm) {
	t.Helper()
	if len(rows) != want {
		t.Errorf("%d flow runs, not %d", len(rows), want)
	}
	type fire struct {
		flow string
		at   time.Time
	}
	seen := map[fire]int{}
	for _, r := range rows {
		if !flow.Over(r.State) {
			t.Errorf("%s is stuck: %s", r.ID, r.State)
		}
		if r.Cause == flowrun.CauseSchedule {
			seen[fire{r.FlowID, r.LogicalTime.UTC()}]++
		}
	}
	if len(seen) != size.flows*size.minutes {
		t.Errorf("%d times fired, not %d", len(seen), size.flows*size.minutes)
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("%v fired %d times", what, n)
		}
	}
}

// ranOnce: each attempt was one pod, and no two pods of a run at once.
func ranOnce(t *testing.T, pods []kubetest.Ran, runs []*ent.Run) {
	t.Helper()
	ofRun := map[string][]kubetest.Ran{}
	for _, p := range pods {
		ofRun[p.RunID] = append(ofRun[p.RunID], p)
	}
	retried := 0
	for _, r := range runs {
		mine := ofRun[r.ID]
		delete(ofRun, r.ID)
		var ids, had []string
		for _, a := range r.Edges.Attempts {
			ids = append(ids, a.ID)
		}
		for _, p := range mine {
			had = append(had, p.AttemptID)
		}
		if !slices.Equal(ids, had) {
			t.Errorf("run %s has the attempts %v, and the pods of %v ran", r.ID, ids, had)
		}
		if len(ids) > 1 {
			retried++
		}
		alone(t, "run "+r.ID, mine)
	}
	for id := range ofRun {
		t.Errorf("pods of a run %q ran that nobody knows", id)
	}
	if retried == 0 {
		t.Error("no run was tried again: the test has lost its point")
	}
}

// alone: one after the other.
func alone(t *testing.T, what string, pods []kubetest.Ran) {
	t.Helper()
	slices.SortFunc(pods, func(a, b kubetest.Ran) int { return cmp.Compare(a.Began.UnixNano(), b.Began.UnixNano()) })
	for i := 1; i < len(pods); i++ {
		if was := pods[i-1]; was.Ended.IsZero() || pods[i].Began.Before(was.Ended) {
			t.Errorf("%s ran twice at once: %+v and %+v", what, was, pods[i])
		}
	}
}

// forbade: of a flow that forbids it no two runs had pods at once (P57).
func (b bundle) forbade(t *testing.T, pods []kubetest.Ran, runs []*ent.Run, rows []*ent.FlowRun) {
	t.Helper()
	list, err := b.db.Client.Flow.Query().All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	forbid := map[string]bool{}
	for _, f := range list {
		v, err := b.flows.Version(b.sys, f.ID, f.Latest)
		if err != nil {
			t.Fatal(err)
		}
		forbid[f.ID] = v.Spec.Concurrency == "forbid"
	}
	flowOf, of := map[string]string{}, map[string]string{}
	for _, r := range rows {
		flowOf[r.ID] = r.FlowID
	}
	for _, r := range runs {
		of[r.ID] = flowOf[r.FlowRunID]
	}
	byFlow := map[string][]kubetest.Ran{}
	for _, p := range pods {
		if f := of[p.RunID]; forbid[f] {
			byFlow[f] = append(byFlow[f], p)
		}
	}
	if len(byFlow) == 0 {
		t.Error("no flow forbade anything: the test has lost its point")
	}
	for f, p := range byFlow {
		alone(t, "flow "+f, p)
	}
}
