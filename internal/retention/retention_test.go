package retention_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/retention"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const day = 24 * time.Hour

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

type bundle struct {
	db    *db.DB
	cast  testkit.Cast
	logs  *logstore.Store
	dir   string
	image *ent.Image
	flow  *ent.Flow
	flows *flow.Service
	sweep *retention.Service
	sys   context.Context
}

// setup has a team that keeps logs for 10 days and runs for 30.
func setup(t *testing.T, batch int) bundle {
	t.Helper()
	b := bundle{db: testkit.DB(t), sys: testkit.System(t)}
	b.cast = testkit.NewCast(t, b.db)
	b.image = logtest.Image(t, b.db, "img:1")
	broker, kicks, c := event.NewLocal(), &testkit.Kicks{}, config.Default()
	bucket, dir := logtest.Bucket(t)
	b.dir, b.logs = dir, logstore.New(b.db, bucket, broker, 0).InFolder(dir)
	executors, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	runs := run.New(run.Deps{DB: b.db, Broker: broker, Kicker: kicks, Config: c, Logs: b.logs})
	b.flows = flow.New(flow.Deps{DB: b.db, Broker: broker, Kicker: kicks, Config: c, Runs: runs, Executors: executors, Now: func() time.Time { return now }})
	b.sweep = retention.New(retention.Deps{DB: b.db, Teams: team.New(team.Deps{DB: b.db, Broker: broker, Kicker: kicks, Config: c}), Runs: runs, Flows: b.flows,
		Now: func() time.Time { return now }, Batch: batch})
	b.cast.Team.Update().SetRetention(&spec.Retention{LogDays: 10, RunDays: 30}).ExecX(b.sys)
	b.flow = b.db.Client.Flow.Create().SetID(ident.New(ident.Flow)).SetTeamID(b.cast.Team.ID).SetOwnerID(b.cast.Member.ID).SetName("nightly").SetLatest(1).
		SetSchedule(spec.Schedule{}).SetCursor(now).SaveX(b.sys)
	b.db.Client.FlowVersion.Create().SetID(ident.New(ident.FlowVersion)).SetTeamID(b.cast.Team.ID).SetFlowID(b.flow.ID).SetNumber(1).SetSpec(spec.Flow{}).
		SetAuthorID(b.cast.Member.ID).ExecX(b.sys)
	return b
}

const lines = 40

// run makes one with a log that ended so many days ago; -1 for one that lives.
func (b bundle) run(t *testing.T, days int, flowRunID string) *ent.Run {
	t.Helper()
	made := logtest.Run(t, b.db, b.cast.Team, b.cast.Member, b.image, spec.Task{Command: []string{"true"}})
	c := b.db.Client.Run.Create().SetID(ident.New(ident.Run)).SetTeamID(made.TeamID).SetOwnerID(made.OwnerID).SetTaskID(made.TaskID).SetName("train").
		SetFlowRunID(flowRunID).SetState(entrun.StateRunning)
	b.db.Client.Run.DeleteOne(made).ExecX(b.sys)
	if days >= 0 {
		c.SetState(entrun.StateSucceeded).SetEndedAt(now.Add(-time.Duration(days) * day))
	}
	r := c.SaveX(b.sys)
	id := ident.New(ident.Attempt)
	b.db.Client.Attempt.Create().SetID(id).SetTeamID(r.TeamID).SetRunID(r.ID).SetNumber(1).SetJobName(ident.ObjectName("train", id)).ExecX(b.sys)
	for i := range 4 {
		var text []logstore.Line
		for j := range lines / 4 {
			text = append(text, logstore.Line{Time: now, Source: logstore.Platform, Text: fmt.Sprint("line ", i*lines/4+j)})
		}
		if err := b.logs.Append(b.sys, id, text); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (b bundle) flowRun(t *testing.T, days int, state flowrun.State) string {
	t.Helper()
	id, at := ident.New(ident.FlowRun), now.Add(-time.Duration(days)*day)
	c := b.db.Client.FlowRun.Create().SetID(id).SetTeamID(b.cast.Team.ID).SetFlowID(b.flow.ID).SetNumber(1).SetOwnerID(b.cast.Member.ID).
		SetFireKey("m:" + id).SetCause(flowrun.CauseManual).SetLogicalTime(at).SetTimezone("UTC").SetState(state)
	if state != flowrun.StateRunning {
		c.SetEndedAt(at)
	}
	c.ExecX(b.sys)
	return id
}

// reads tells whether a run's log can be read, and fails when it is neither there nor said to be gone.
func (b bundle) reads(t *testing.T, r *ent.Run) bool {
	t.Helper()
	id := b.db.Client.Attempt.Query().Where(attempt.RunID(r.ID)).OnlyIDX(b.sys)
	w, err := b.logs.Window(b.sys, id, logstore.Query{})
	if f := fault.Of(err); f != nil && f.ID == "log.removed" {
		return false
	}
	if err != nil || len(w.Lines) != lines {
		t.Fatalf("a log with %d lines, %v", len(w.Lines), err)
	}
	return true
}

func (b bundle) folders(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(b.dir, "logs"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestLogsGoBeforeTheirRuns(t *testing.T) {
	t.Parallel()
	b := setup(t, 100)
	old := b.flowRun(t, 40, flowrun.StateSucceeded)
	living := b.flowRun(t, 90, flowrun.StateRunning)
	last := b.flowRun(t, 20, flowrun.StateSucceeded)
	gone := b.flowRun(t, 25, flowrun.StateFailed)
	newest := b.flowRun(t, 15, flowrun.StateFailed)
	runs := map[string]*ent.Run{
		"young": b.run(t, 9, ""), "older than logs": b.run(t, 11, ""), "older than runs": b.run(t, 31, ""), "living": b.run(t, -1, ""),
		"of the last success": b.run(t, 20, last), "of a flow run that lives": b.run(t, 80, living), "of an old one": b.run(t, 40, old),
		"of one that failed": b.run(t, 25, gone), "of the latest": b.run(t, 15, newest),
	}
	if _, err := b.sweep.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		log bool
		row bool // stays
	}{
		"young": {true, true}, "older than logs": {false, true}, "older than runs": {false, false}, "living": {true, true},
		"of the last success": {true, true}, "of a flow run that lives": {true, true}, "of an old one": {false, true},
		"of one that failed": {false, true}, "of the latest": {true, true},
	} {
		r := b.db.Client.Run.GetX(b.sys, runs[name].ID)
		if log := b.reads(t, r); log != want.log {
			t.Errorf("%s: its log is there: %v", name, log)
		}
		if stays := r.Desired == entrun.DesiredRun; stays != want.row {
			t.Errorf("%s: it stays: %v", name, stays)
		}
		if want.log != (r.LogState == entrun.LogStateKept) {
			t.Errorf("%s: its log is %s", name, r.LogState)
		}
	}
	if n := b.folders(t); n != 5 {
		t.Errorf("%d logs are in the store", n)
	}
	for id, want := range map[string]flowrun.Wish{last: flowrun.WishRun, living: flowrun.WishRun, old: flowrun.WishDelete, gone: flowrun.WishRun, newest: flowrun.WishRun} {
		if r := b.db.Client.FlowRun.GetX(b.sys, id); r.Wish != want {
			t.Errorf("flow run of %s: %s", r.LogicalTime.Format(time.DateOnly), r.Wish)
		}
	}
	// What drives flow runs does the rest: first the runs.
	if _, err := (flow.Driver{Service: b.flows}).Reconcile(b.sys, old); err != nil {
		t.Fatal(err)
	}
	if r := b.db.Client.Run.GetX(b.sys, runs["of an old one"].ID); r.Desired != entrun.DesiredDeleted {
		t.Errorf("the run of the removed flow run: %s", r.Desired)
	}
}

func TestNothingGoesWhereNobodySaidSo(t *testing.T) {
	t.Parallel()
	b := setup(t, 100)
	b.cast.Team.Update().ClearRetention().ExecX(b.sys)
	r := b.run(t, 900, "")
	if more, err := b.sweep.Sweep(t.Context()); err != nil || more {
		t.Fatal(more, err)
	}
	if !b.reads(t, r) {
		t.Error("its log is gone")
	}
}

var errKilled = errors.New("killed")

// TestASweepThatDiesAnywhereGoesOn: each sweep dies at one write later than the
// one before; all along, every log is whole or said to be gone, and in the end
// everything is as after one sweep.
func TestASweepThatDiesAnywhereGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	b.flowRun(t, 50, flowrun.StateSucceeded)
	var runs []*ent.Run
	for i := range 8 {
		runs = append(runs, b.run(t, 40+i, ""))
	}
	b.flowRun(t, 1, flowrun.StateSucceeded)
	writes, dies, died := 0, -1, 0
	b.db.Client.Use(func(next ent.Mutator) ent.Mutator {
		return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
			if writes++; dies >= 0 && writes > dies {
				return nil, errKilled
			}
			return next.Mutate(ctx, m)
		})
	})
	done := func() bool {
		return !b.db.Client.Run.Query().Where(entrun.DesiredEQ(entrun.DesiredRun)).ExistX(b.sys)
	}
	for dies = 0; !done(); dies++ {
		if dies > 500 {
			t.Fatal("it does not come to an end")
		}
		writes = 0
		_, err := b.sweep.Sweep(t.Context())
		if err != nil {
			died++
		}
		if writes > dies && !errors.Is(err, errKilled) {
			t.Fatalf("it died of %v", err)
		}
		for _, r := range runs {
			b.reads(t, r)
		}
		if going := b.db.Client.Run.Query().Where(entrun.DesiredEQ(entrun.DesiredDeleted)).CountX(b.sys); going >= 3 { // as if they were erased meanwhile
			b.erased(t, &runs)
		}
	}
	if died < 10 {
		t.Errorf("it died %d times only", died)
	}
	if n := b.folders(t); n != 0 {
		t.Errorf("%d logs are left in the store", n)
	}
	if n := b.db.Client.LogChunk.Query().CountX(b.sys); n != 0 {
		t.Errorf("%d chunks are left", n)
	}
}

// erased takes away the rows of runs that are to be deleted.
func (b bundle) erased(t *testing.T, runs *[]*ent.Run) {
	t.Helper()
	var left []*ent.Run
	for _, r := range *runs {
		row := b.db.Client.Run.GetX(b.sys, r.ID)
		if row.Desired == entrun.DesiredRun {
			left = append(left, r)
			continue
		}
		if row.LogState != entrun.LogStateRemoved {
			t.Errorf("the run goes, and its log is %s", row.LogState)
		}
		if _, err := b.db.SQL.ExecContext(b.sys, "DELETE FROM attempts WHERE run_id = '"+r.ID+"'"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.db.SQL.ExecContext(b.sys, "DELETE FROM runs WHERE id = '"+r.ID+"'"); err != nil {
			t.Fatal(err)
		}
	}
	*runs = left
}
