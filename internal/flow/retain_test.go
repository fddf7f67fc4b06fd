package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/ident"
)

const day = 24 * time.Hour

// old makes a flow run of 2 o'clock so many days ago, which ended within the
// hour; an empty state for one that runs to this day.
func (b bundle) old(t *testing.T, f *ent.Flow, days int, cause flowrun.Cause, state flowrun.State) *ent.FlowRun {
	t.Helper()
	id := ident.New(ident.FlowRun)
	at := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC).AddDate(0, 0, -days)
	key := map[flowrun.Cause]string{flowrun.CauseSchedule: "s:", flowrun.CauseUpstream: "u:"}[cause] + at.Format(time.RFC3339)
	if cause == flowrun.CauseManual {
		key = "m:" + id
	}
	c := b.db.Client.FlowRun.Create().SetID(id).SetTeamID(f.TeamID).SetFlowID(f.ID).SetNumber(1).SetOwnerID(f.OwnerID).SetFireKey(key).
		SetCause(cause).SetLogicalTime(at).SetTimezone("UTC").SetCreatedAt(at).SetState(flowrun.StateRunning)
	if state != "" {
		c.SetState(state).SetEndedAt(at.Add(time.Hour))
	}
	r, err := c.Save(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expire removes what is older than 30 days, and tells the days of what is left, newest first.
func (b bundle) expire(t *testing.T, f *ent.Flow) []int {
	t.Helper()
	before := b.clock.now().Add(-30 * day)
	if _, err := b.flows.Expire(b.own, f.TeamID, before, 1000); err != nil {
		t.Fatal(err)
	}
	marked, err := b.db.Client.FlowRun.Query().Where(flowrun.WishEQ(flowrun.WishDelete)).IDs(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range marked {
		if _, err := (flow.Driver{Service: b.flows}).Reconcile(b.sys, id); err != nil {
			t.Fatal(err)
		}
	}
	var out []int
	for _, r := range b.runsOf(t, f.ID) {
		out = append(out, int(time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC).Sub(r.LogicalTime)/day))
	}
	slices.Sort(out)
	return out
}

func TestAFlowKeepsItsLastRunsAndThoseThatLive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	b.old(t, f, 90, flowrun.CauseSchedule, "")
	for _, days := range []int{60, 59, 58} {
		b.old(t, f, days, flowrun.CauseSchedule, flowrun.StateSucceeded)
	}
	b.old(t, f, 57, flowrun.CauseSchedule, flowrun.StateCancelled)
	b.old(t, f, 70, flowrun.CauseManual, flowrun.StateSucceeded) // by hand, later, of an earlier day
	for _, days := range []int{56, 55} {
		b.old(t, f, days, flowrun.CauseSchedule, flowrun.StateFailed)
	}
	if got := b.expire(t, f); !slices.Equal(got, []int{55, 58, 70, 90}) {
		t.Errorf("left are those of %v days ago", got)
	}
	b.old(t, f, 20, flowrun.CauseSchedule, flowrun.StateSucceeded)
	if got := b.expire(t, f); !slices.Equal(got, []int{20, 90}) {
		t.Errorf("after a new success those of %v days ago", got)
	}
	n, err := b.db.Client.Audit.Query().Where(audit.Action("flow-run.expire"), audit.TeamID(f.TeamID)).Count(b.sys)
	if err != nil || n != 2 {
		t.Errorf("%d entries of the audit log, %v", n, err)
	}
}

func TestExpiryGoesInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	for days := 300; days > 40; days-- {
		b.old(t, f, days, flowrun.CauseSchedule, flowrun.StateSucceeded)
	}
	for _, want := range []int{150, 109, 0} { // the last one stays
		if n, err := b.flows.Expire(b.sys, f.TeamID, b.clock.now().Add(-30*day), 150); err != nil || n != want {
			t.Errorf("%d, %v, not %d", n, err, want)
		}
	}
	if n, err := b.flows.Going(b.sys); err != nil || n != 259 {
		t.Errorf("%d are on their way out, %v", n, err)
	}
}

// A flow that looks 35 days back, by a check.
func (b bundle) looker(t *testing.T, id, offset string) *ent.Flow {
	t.Helper()
	return b.create(t, "apiVersion: goblinlab.io/v1\nkind: Flow\nname: looker"+strings.Trim(offset, "-")+"\nspec:\n"+daily+"  tasks:\n  - name: ready\n    executor: check\n"+
		"    with: {every: 1m, for: 1h, flow: {flowId: "+id+", offset: \""+offset+"\"}}\n")
}

func TestARunThatACheckMayLookAtStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	g := b.looker(t, f.ID, "-35d")
	for days := 40; days > 30; days-- {
		b.old(t, f, days, flowrun.CauseSchedule, flowrun.StateFailed)
	}
	b.old(t, f, 1, flowrun.CauseSchedule, flowrun.StateSucceeded)
	// Its next logical time is that of the clock's day, which is day 0.
	if got := b.expire(t, f); !slices.Equal(got, []int{1, 31, 32, 33, 34, 35}) {
		t.Errorf("left are those of %v days ago", got)
	}
	if _, err := b.flows.Pause(b.own, g.ID); err != nil {
		t.Fatal(err)
	}
	if got := b.expire(t, f); len(got) != 6 {
		t.Errorf("paused: %v", got)
	}
	if err := b.flows.Delete(b.own, g.ID, g.Name); err != nil {
		t.Fatal(err)
	}
	if got := b.expire(t, f); !slices.Equal(got, []int{1}) {
		t.Errorf("when nobody looks any more: %v", got)
	}
}

func TestP51WhatWasRemovedNeverFiresAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  concurrency: allow\n"+daily, ""))
	h := b.create(t, strings.Replace(b.document("  schedule: {after: ["+f.ID+"]}\n", ""), "name: nightly", "name: later", 1))
	success := b.old(t, f, 50, flowrun.CauseSchedule, flowrun.StateSucceeded) // the last one: it stays
	b.old(t, f, 45, flowrun.CauseSchedule, flowrun.StateFailed)
	b.old(t, f, 2, flowrun.CauseSchedule, flowrun.StateFailed)
	after := func() {
		t.Helper()
		if _, err := (flow.Upstream{Service: b.flows}).Reconcile(b.sys, success.ID); err != nil {
			t.Fatal(err)
		}
	}
	after()
	made := b.runsOf(t, h.ID)
	if len(made) != 1 || made[0].Cause != flowrun.CauseUpstream {
		t.Fatalf("%+v", made)
	}
	made[0].Update().SetState(flowrun.StateSucceeded).SetEndedAt(made[0].LogicalTime.Add(time.Hour)).ExecX(b.sys)
	b.old(t, h, 1, flowrun.CauseManual, flowrun.StateSucceeded)
	if got := b.expire(t, f); !slices.Equal(got, []int{2, 50}) {
		t.Fatalf("left of the first are those of %v days ago", got)
	}
	if got := b.expire(t, h); !slices.Equal(got, []int{1}) {
		t.Fatalf("left of the one after it are those of %v days ago", got)
	}
	after() // as when a step of it was run again, and succeeded
	if got := b.runsOf(t, h.ID); len(got) != 1 {
		t.Errorf("it fired again: %+v", got)
	}
	b.clock.move(time.Hour) // 02:30
	for range 2 {
		b.fire(t, f.ID)
	}
	if got := b.runsOf(t, f.ID); len(got) != 3 || !got[2].LogicalTime.Equal(time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("the schedule fired %+v", got)
	}
	// By hand it may run again: a backfill has a key of its own.
	gone := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC).AddDate(0, 0, -45)
	if _, err := b.flows.StartBackfill(b.own, flow.BackfillInput{FlowID: f.ID, From: gone, To: gone.Add(time.Hour), Parallel: 1}); err != nil {
		t.Fatal(err)
	}
	if got := b.runsOf(t, f.ID); len(got) != 4 || got[1].Cause != flowrun.CauseBackfill || !got[1].LogicalTime.Equal(gone) {
		t.Errorf("after a backfill %+v", got)
	}
}

func TestWhoseLogsMayGo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document(daily, ""))
	lives := b.old(t, f, 90, flowrun.CauseSchedule, "")
	gone := b.old(t, f, 60, flowrun.CauseSchedule, flowrun.StateSucceeded)
	last := b.old(t, f, 59, flowrun.CauseSchedule, flowrun.StateSucceeded)
	young := b.old(t, f, 10, flowrun.CauseSchedule, flowrun.StateFailed)
	latest := b.old(t, f, 58, flowrun.CauseManual, flowrun.StateFailed)
	got, err := b.flows.LogsMay(b.sys, []string{lives.ID, gone.ID, last.ID, young.ID, latest.ID, "frun-gone"}, b.clock.now().Add(-30*day))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{lives.ID: false, gone.ID: true, last.ID: false, young.ID: false, latest.ID: false, "frun-gone": true} {
		if got[id] != want {
			t.Errorf("%s: %v", id, got[id])
		}
	}
}
