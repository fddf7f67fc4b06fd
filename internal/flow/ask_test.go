package flow_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/transition"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestABackfillRunsItsTimesInTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	in := flow.BackfillInput{FlowID: f.ID, From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 4, 0, 0, 0, 0, time.UTC), Parallel: 1, NewestFirst: true}
	p, err := b.flows.PreviewBackfill(b.own, in)
	if err != nil || len(p.Fires) != 3 || p.Existing != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	fill, err := b.flows.StartBackfill(b.own, in)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for range 3 {
		r, err := b.db.Client.FlowRun.Query().Where(flowrun.BackfillID(fill.ID), flowrun.StateIn(flowrun.StateQueued, flowrun.StateRunning)).Only(b.sys)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, r.LogicalTime.Day())
		b.drive(t, r.ID)
		for _, names := range [][]string{{"extract"}, {"left", "right"}, {"load"}} {
			for _, n := range names {
				b.end(t, r.ID, n, run.StateSucceeded, "")
			}
			b.drive(t, r.ID)
		}
	}
	if !slices.Equal(order, []int{3, 2, 1}) {
		t.Errorf("in the order %v", order)
	}
	if fill, err = b.db.Client.Backfill.Get(b.sys, fill.ID); err != nil || fill.State != "done" {
		t.Errorf("%+v, %v", fill, err)
	}
	in.OnlyMissing = true
	if _, err := b.flows.StartBackfill(b.own, in); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("nothing is missing, and yet %v", err)
	}
}

func TestAFlowComesAfterOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.create(t, b.document(daily, ""))
	yaml := strings.Replace(b.document(fmt.Sprintf("  schedule: {after: [%s]}\n", first.ID), ""), "name: nightly", "name: later", 1)
	second := b.create(t, yaml)
	b.clock.move(30 * time.Minute)
	r := b.fire(t, first.ID)[0]
	b.drive(t, r.ID)
	up := flow.Upstream{Service: b.flows}
	look := func() []*ent.FlowRun {
		for range 2 { // to look twice fires once
			if _, err := up.Reconcile(b.sys, r.ID); err != nil {
				t.Fatal(err)
			}
		}
		return b.runsOf(t, second.ID)
	}
	if n := len(look()); n != 0 {
		t.Fatalf("%d runs before the first has succeeded", n)
	}
	for _, names := range [][]string{{"extract"}, {"left", "right"}, {"load"}} {
		for _, n := range names {
			b.end(t, r.ID, n, run.StateSucceeded, "")
		}
		b.drive(t, r.ID)
	}
	rows := look()
	if len(rows) != 1 || !rows[0].LogicalTime.Equal(r.LogicalTime) || rows[0].Cause != flowrun.CauseUpstream {
		t.Errorf("%+v", rows)
	}
}

func TestParametersAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  parameters:\n    - {name: day, required: true}\n    - {name: mode, default: fast}\n", ""))
	_, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID, Parameters: map[string]string{"dya": "x", "mode": strings.Repeat("x", 5000)}})
	got := map[string]string{}
	if e := fault.Of(err); e != nil {
		for _, f := range e.Fields {
			got[f.Path] = f.ID
		}
	}
	want := map[string]string{"parameters.day": "flow.parameter-missing", "parameters.dya": "flow.parameter-unknown", "parameters.mode": "flow.parameter-long"}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestDeletingTakesRunsAlong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	r, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.drive(t, r.ID)
	if err := b.flows.Delete(b.own, f.ID, "nigthly"); fault.KindOf(err) != fault.InvalidArgument {
		t.Fatalf("deleted by another name: %v", err)
	}
	if err := b.flows.Delete(b.own, f.ID, "nightly"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a deleted flow runs: %v", err)
	}
	b.drive(t, r.ID)
	b.end(t, r.ID, "extract", run.StateStopped, "")
	b.drive(t, r.ID)
	made, err := b.db.Client.Run.Query().Where(run.FlowRunID(r.ID)).Only(b.sys)
	if err != nil || made.Desired != run.DesiredDeleted {
		t.Fatalf("its run is %+v, %v", made, err)
	}
	err = b.db.Tx(b.sys, func(tx *ent.Tx) error { // as the machine of runs does, once nothing of it is left
		if _, err := tx.Attempt.Delete().Where(attempt.RunID(made.ID)).Exec(b.sys); err != nil {
			return err
		}
		return tx.Run.DeleteOneID(made.ID).Exec(b.sys)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (flow.Driver{Service: b.flows}).Reconcile(b.sys, r.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.flows.Reconcile(b.sys, f.ID); err != nil {
		t.Fatal(err)
	}
	c := b.db.Client
	for what, n := range map[string]int{"flows": c.Flow.Query().CountX(b.sys), "versions": c.FlowVersion.Query().CountX(b.sys), "flow runs": c.FlowRun.Query().CountX(b.sys),
		"steps": c.Step.Query().CountX(b.sys), "transitions": c.Transition.Query().CountX(b.sys)} {
		if n != 0 {
			t.Errorf("%d %s are left", n, what)
		}
	}
}

func TestTheNameOfADeletedFlowIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	taken := flow.CreateInput{TeamID: b.cast.Team.ID, Name: " NIGHTLY ", Definition: flow.Definition{YAML: b.document(daily, "")}}
	if _, err := b.flows.Create(b.own, taken); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("a name that looks the same: %v", err)
	}
	if err := b.flows.Delete(b.own, f.ID, "nightly"); err != nil {
		t.Fatal(err)
	}
	b.create(t, b.document(daily, ""))
}

// Whoever may run nothing any more has flows that only fail: they stop, and say why.
func TestAFlowWhoseOwnerLeftFiresNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  schedule: {cron: \"0 * * * *\"}\n", ""))
	if err := b.db.Client.User.UpdateOneID(b.cast.Member.ID).SetDisabledAt(b.clock.now()).Exec(b.sys); err != nil {
		t.Fatal(err)
	}
	b.clock.move(time.Hour)
	r := b.drive(t, b.fire(t, f.ID)[0].ID)
	if r.State != flowrun.StateFailed {
		t.Errorf("it is %s", r.State)
	}
	row := b.db.Client.Flow.GetX(b.sys, f.ID)
	if !row.Paused || row.PausedWhy == nil || row.PausedWhy.Code != "step-owner" || row.NextFireAt != nil {
		t.Errorf("the flow is %+v", row)
	}
	b.clock.move(5 * time.Hour)
	if n := len(b.fire(t, f.ID)); n != 1 {
		t.Errorf("it fired %d times", n)
	}
	owner := testkit.As(t, b.db, b.cast.Owner)
	if _, err := b.flows.Transfer(owner, f.ID, b.cast.Maintainer.ID); err != nil {
		t.Fatal(err)
	}
	if row, err := b.flows.Unpause(owner, f.ID, 0); err != nil || row.PausedWhy != nil || row.NextFireAt == nil {
		t.Errorf("with another owner it is %+v, %v", row, err)
	}
}

func TestWhatIsLateIsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  finishBy: 1h\n"+daily, ""))
	b.clock.move(30 * time.Minute)
	r := b.fire(t, f.ID)[0]
	b.drive(t, r.ID)
	b.clock.move(61 * time.Minute)
	for range 2 {
		b.drive(t, r.ID)
	}
	late := b.db.Client.Transition.Query().Where(transition.FlowRunID(r.ID), transition.Cause("late")).AllX(b.sys)
	if len(late) != 1 || late[0].Was != "running" || late[0].Becomes != "running" {
		t.Errorf("told %d times: %+v", len(late), late)
	}
	b.replay(t, r.ID)
}

// An editor shows what is right of a definition while something else is wrong.
func TestWhatIsRightIsThereWhateverElseIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.flows.Parse(flow.Definition{Spec: []byte(`{"schedule": {"cron": "0 2 * * *", "timezone": "Mars/Base"}, "tasks": []}`)})
	if err != nil || !p.Readable || p.Spec.Schedule.Cron != "0 2 * * *" {
		t.Fatalf("%+v, %v", p, err)
	}
	var paths []string
	for _, x := range p.Problems {
		paths = append(paths, x.Path)
	}
	slices.Sort(paths)
	if !slices.Equal(paths, []string{"schedule.timezone", "tasks"}) {
		t.Errorf("problems at %v", paths)
	}
	if p, err = b.flows.Parse(flow.Definition{YAML: "a: [b"}); err != nil || p.Readable || len(p.Problems) != 1 {
		t.Errorf("what cannot be read: %+v, %v", p, err)
	}
}
