package flow_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const daily = "  schedule: {cron: \"0 2 * * *\"}\n"

func TestAFlowHasVersions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	if f.Name != "nightly" || f.Latest != 1 || f.Paused {
		t.Fatalf("made %+v", f)
	}
	if f.NextFireAt == nil || !f.NextFireAt.Equal(time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("it fires next at %v", f.NextFireAt)
	}
	save := func(base int, head string) (*ent.Flow, error) {
		return b.flows.Save(b.own, flow.SaveInput{ID: f.ID, Base: base, Definition: flow.Definition{YAML: b.document(head, "")}, Comment: "later"})
	}
	g, err := save(1, daily)
	if err != nil || g.Latest != 1 {
		t.Errorf("saving the same made version %d, %v", g.Latest, err)
	}
	if g, err = save(1, "  schedule: {cron: \"0 3 * * *\"}\n"); err != nil || g.Latest != 2 || g.NextFireAt.Hour() != 3 {
		t.Fatalf("version 2: %+v, %v", g, err)
	}
	if _, err = save(1, daily); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an old base is taken: %v", err)
	}
	if g, err = b.flows.Restore(b.own, f.ID, 1, "back"); err != nil || g.Latest != 3 || g.NextFireAt.Hour() != 2 {
		t.Fatalf("restored: %+v, %v", g, err)
	}
	v, err := b.flows.Version(b.own, f.ID, 3)
	if err != nil || v.Restores != 1 || v.AuthorID != b.cast.Member.ID {
		t.Errorf("version 3 is %+v, %v", v, err)
	}
	if _, err := b.flows.Version(b.own, f.ID, 9); fault.KindOf(err) != fault.NotFound {
		t.Errorf("version 9: %v", err)
	}
}

func TestEverythingWrongIsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bad := strings.NewReplacer(`cron: "0 2 * * *"`, `cron: "61 2 * * *"`, b.image.ID, "img-00000000000000000000", "needs: [extract]", "needs: [extrct]").
		Replace(b.document(daily, "    group: gpu\n"))
	_, err := b.flows.Create(b.own, flow.CreateInput{TeamID: b.cast.Team.ID, Definition: flow.Definition{YAML: bad}})
	e := fault.Of(err)
	if e == nil {
		t.Fatalf("taken: %v", err)
	}
	var paths []string
	for _, f := range e.Fields {
		paths = append(paths, f.Path)
	}
	for _, want := range []string{"spec.schedule.cron", "spec.tasks[1].needs[0]"} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is not among %v", want, paths)
		}
	}
	good := strings.ReplaceAll(b.document(daily, "    group: gpu\n"), b.image.ID, "img-00000000000000000000")
	_, err = b.flows.Create(b.own, flow.CreateInput{TeamID: b.cast.Team.ID, Definition: flow.Definition{YAML: good}})
	paths = nil
	for _, f := range fault.Of(err).Fields {
		paths = append(paths, f.Path)
	}
	if !slices.Contains(paths, "spec.tasks[0].group") || !slices.Contains(paths, "spec.tasks[3].with.imageId") {
		t.Errorf("references: %v", paths)
	}
	if n, _ := b.db.Client.Flow.Query().Count(b.sys); n != 0 {
		t.Errorf("%d flows were made", n)
	}
}

func TestOnlyWhoMayDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	for who, kind := range map[*ent.User]fault.Kind{b.cast.Viewer: fault.Forbidden, b.cast.Other: fault.NotFound} {
		ctx := testkit.As(t, b.db, who)
		_, errSave := b.flows.Save(ctx, flow.SaveInput{ID: f.ID, Base: 1, Definition: flow.Definition{YAML: b.document("", "")}})
		_, errRun := b.flows.Run(ctx, flow.RunInput{FlowID: f.ID})
		_, errPause := b.flows.Pause(ctx, f.ID)
		_, errFill := b.flows.StartBackfill(ctx, flow.BackfillInput{FlowID: f.ID, From: b.clock.now(), To: b.clock.now().AddDate(0, 0, 2), Parallel: 1})
		errDelete := b.flows.Delete(ctx, f.ID, f.Name)
		for what, err := range map[string]error{"save": errSave, "run": errRun, "pause": errPause, "backfill": errFill, "delete": errDelete} {
			if fault.KindOf(err) != kind {
				t.Errorf("%s by %s: %v, not %s", what, who.Email, err, kind)
			}
		}
	}
}

// P51, P52, P104: whoever fires, and how many do at once.
func TestP51SchedulersFireEachTimeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  concurrency: allow\n  schedule: {every: 1m}\n", ""))
	for range 30 {
		b.clock.move(time.Minute)
		var wg sync.WaitGroup
		for range 3 {
			other := flow.New(b.deps)
			wg.Go(func() {
				if _, _, err := other.Fire(b.sys, f.ID); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	b.fire(t, f.ID)
	seen := map[time.Time]int{}
	for _, r := range b.runsOf(t, f.ID) {
		seen[r.LogicalTime.UTC()]++
	}
	if len(seen) != 30 {
		t.Errorf("%d logical times fired, not 30", len(seen))
	}
	for at, n := range seen {
		if n != 1 {
			t.Errorf("%s fired %d times", at, n)
		}
	}
	b.clock.move(-time.Hour) // P51: a clock that was set back
	if after := b.fire(t, f.ID); len(after) != 30 {
		t.Errorf("a clock that was set back fired %d more", len(after)-30)
	}
}

func TestP54MisfiresFollowThePolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"skip": 0, "latest": 1, "all, limit: 3": 3} {
		b := setup(t)
		f := b.create(t, b.document("  concurrency: allow\n  schedule: {cron: \"0 * * * *\", misfire: {policy: "+policy+"}}\n", ""))
		b.clock.move(10*time.Hour + 20*time.Minute)
		if got := len(b.fire(t, f.ID)); got != want {
			t.Errorf("%s fired %d, not %d", policy, got, want)
		}
	}
}

// P62: what passed while it was paused is not started by itself.
func TestP62UnpausingAsks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  concurrency: allow\n  schedule: {cron: \"0 * * * *\", misfire: {policy: all, limit: 100}}\n", ""))
	if _, err := b.flows.Pause(b.own, f.ID); err != nil {
		t.Fatal(err)
	}
	b.clock.move(5 * time.Hour)
	if n := len(b.fire(t, f.ID)); n != 0 {
		t.Fatalf("a paused flow fired %d times", n)
	}
	m, err := b.flows.PreviewUnpause(b.own, f.ID)
	if err != nil || m.Count != 5 || len(m.Times(20)) != 5 {
		t.Fatalf("missed %d %v, %v", m.Count, m.Times(20), err)
	}
	if _, err := b.flows.Unpause(b.own, f.ID, 6); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("more than was missed: %v", err)
	}
	g, err := b.flows.Unpause(b.own, f.ID, 2)
	if err != nil || g.Paused || g.NextFireAt == nil {
		t.Fatalf("%+v, %v", g, err)
	}
	rows := b.fire(t, f.ID)
	if len(rows) != 2 || rows[0].LogicalTime.UTC().Hour() != 5 || rows[1].LogicalTime.UTC().Hour() != 6 {
		t.Errorf("it caught up with %d", len(rows))
	}
}

func TestARunGoesThroughItsGraph(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	b.clock.move(30 * time.Minute)
	rows := b.fire(t, f.ID)
	if len(rows) != 1 {
		t.Fatalf("%d runs", len(rows))
	}
	id := rows[0].ID
	b.drive(t, id)
	if got := b.states(t, id); got["extract"] != "starting" || got["left"] != "waiting" {
		t.Fatalf("at first %v", got)
	}
	b.drive(t, id) // P68: a repetition changes nothing
	made, err := b.db.Client.Run.Query().Where(run.FlowRunID(id)).WithTask().All(b.sys)
	if err != nil || len(made) != 1 {
		t.Fatalf("%d runs were made, %v", len(made), err)
	}
	if args := made[0].Edges.Task.Spec.Command; args[2] != "echo 20261129" || made[0].OwnerID != b.cast.Member.ID {
		t.Errorf("the task runs %v as %s", args, made[0].OwnerID)
	}
	for _, names := range [][]string{{"extract"}, {"left", "right"}, {"load"}} {
		for _, n := range names {
			b.end(t, id, n, run.StateSucceeded, `{"rows": 7}`)
		}
		b.drive(t, id)
	}
	if r := b.flowRun(t, id); r.State != flowrun.StateSucceeded || r.EndedAt == nil {
		t.Errorf("it is %s, %v", r.State, b.states(t, id))
	}
	b.replay(t, id)
}

func TestP66RerunsWhatFailed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	r, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.drive(t, r.ID)
	b.end(t, r.ID, "extract", run.StateSucceeded, "")
	b.drive(t, r.ID)
	b.end(t, r.ID, "left", run.StateFailed, "")
	b.end(t, r.ID, "right", run.StateSucceeded, "")
	if r = b.drive(t, r.ID); r.State != flowrun.StateFailed || b.states(t, r.ID)["load"] != "upstream_failed" {
		t.Fatalf("%s %v", r.State, b.states(t, r.ID))
	}
	if _, err := b.flows.Rerun(b.own, r.ID, engine.Scope{Failed: true}); err != nil {
		t.Fatal(err)
	}
	b.drive(t, r.ID)
	if got := b.states(t, r.ID); got["extract"] != "succeeded" || got["left"] != "starting" || got["load"] != "waiting" {
		t.Fatalf("after the rerun %v", got)
	}
	b.end(t, r.ID, "left", run.StateSucceeded, "")
	b.drive(t, r.ID)
	b.end(t, r.ID, "load", run.StateSucceeded, "")
	if r = b.drive(t, r.ID); r.State != flowrun.StateSucceeded {
		t.Errorf("it is %s", r.State)
	}
	n, err := b.db.Client.Run.Query().Where(run.FlowRunID(r.ID), run.Step("left")).Count(b.sys)
	if err != nil || n != 2 {
		t.Errorf("left has %d runs, %v", n, err)
	}
	b.replay(t, r.ID)
}

// P71: it is not said to be over before what runs has ended.
func TestP71StoppingWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	r, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.drive(t, r.ID)
	if _, err := b.flows.Stop(b.own, r.ID); err != nil {
		t.Fatal(err)
	}
	if r = b.drive(t, r.ID); r.State != flowrun.StateStopping {
		t.Fatalf("it is %s", r.State)
	}
	made, err := b.db.Client.Run.Query().Where(run.FlowRunID(r.ID)).Only(b.sys)
	if err != nil || made.Desired != run.DesiredStopped || made.StoppedBy == nil || *made.StoppedBy != b.cast.Member.ID {
		t.Fatalf("its run: %+v, %v", made, err)
	}
	b.end(t, r.ID, "extract", run.StateStopped, "")
	if r = b.drive(t, r.ID); r.State != flowrun.StateCancelled || r.Reason == nil {
		t.Errorf("it is %s, %v", r.State, r.Reason)
	}
	b.replay(t, r.ID)
}

// P56, P57: forbid looks at what lives.
func TestP56ForbidIsComputedFromWhatLives(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  concurrency: forbid\n  schedule: {cron: \"0 * * * *\"}\n", ""))
	b.clock.move(30 * time.Minute)
	first := b.fire(t, f.ID)[0]
	b.drive(t, first.ID)
	b.clock.move(time.Hour)
	second := b.fire(t, f.ID)[1]
	if r := b.drive(t, second.ID); r.State != flowrun.StateSkipped || r.Reason.Args["run"] != first.ID {
		t.Errorf("the second is %s, %v", r.State, r.Reason)
	}
	byHand, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	if r := b.drive(t, byHand.ID); r.State != flowrun.StateQueued || r.Reason == nil {
		t.Errorf("one by hand is %s, %v", r.State, r.Reason)
	}
	b.end(t, first.ID, "extract", run.StateFailed, "")
	b.drive(t, first.ID)
	if r := b.drive(t, byHand.ID); r.State != flowrun.StateRunning {
		t.Errorf("the one by hand is %s after the first ended", r.State)
	}
	b.clock.move(time.Hour)
	b.fire(t, f.ID)
	if n := len(b.runsOf(t, f.ID)); n != 4 {
		t.Errorf("%d runs", n)
	}
}

func TestOutputsGoOnToLaterTasks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	yaml := strings.Replace(b.document(daily, ""), "- name: left\n    executor: container\n    with: {imageId: "+b.image.ID+`, command: [sh, -c, "echo ${yyyyMMdd}"]`,
		"- name: left\n    executor: container\n    with: {imageId: "+b.image.ID+`, command: [sh, -c, "echo ${tasks.extract.outputs.rows}"]`, 1)
	f := b.create(t, yaml)
	r, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.drive(t, r.ID)
	b.end(t, r.ID, "extract", run.StateSucceeded, `{"rows": 7}`)
	b.drive(t, r.ID)
	made, err := b.db.Client.Run.Query().Where(run.FlowRunID(r.ID), run.Step("left")).WithTask().Only(b.sys)
	if err != nil || made.Edges.Task.Spec.Command[2] != "echo 7" {
		t.Fatalf("%v, %v", made, err)
	}
	again, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.end(t, r.ID, "left", run.StateFailed, "")
	b.end(t, r.ID, "right", run.StateFailed, "")
	b.drive(t, r.ID)
	b.drive(t, again.ID)
	b.end(t, again.ID, "extract", run.StateSucceeded, "")
	b.drive(t, again.ID)
	if got := b.states(t, again.ID); got["left"] != "failed" || got["right"] != "starting" {
		t.Errorf("without the output %v", got)
	}
}

func TestP73SlotsOfAGroupAreCountedFromWhatLives(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := testkit.As(t, b.db, b.cast.Owner)
	if _, err := b.flows.SetGroup(b.own, b.cast.Team.ID, "gpu", 1); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a member sets groups: %v", err)
	}
	if _, err := b.flows.SetGroup(owner, b.cast.Team.ID, "gpu", 1); err != nil {
		t.Fatal(err)
	}
	f := b.create(t, b.document("  concurrency: allow\n", "    group: gpu\n"))
	var ids []string
	for range 3 {
		r, err := b.flows.Run(b.own, flow.RunInput{FlowID: f.ID})
		if err != nil {
			t.Fatal(err)
		}
		b.drive(t, r.ID)
		ids = append(ids, r.ID)
	}
	count := func() (out []string) {
		for _, id := range ids {
			out = append(out, b.states(t, id)["extract"])
		}
		return out
	}
	if got := count(); !slices.Equal(got, []string{"starting", "waiting_slot", "waiting_slot"}) {
		t.Fatalf("%v", got)
	}
	b.end(t, ids[0], "extract", run.StateFailed, "")
	for _, id := range ids {
		b.drive(t, id)
	}
	if got := count(); !slices.Equal(got, []string{"failed", "starting", "waiting_slot"}) {
		t.Errorf("after the first ended %v", got)
	}
	used, waiting, err := b.flows.GroupUse(b.own, b.cast.Team.ID, "gpu")
	if err != nil || used != 1 || waiting != 1 {
		t.Errorf("%d used, %d waiting, %v", used, waiting, err)
	}
}
