package flow_test

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// P60: what should have fired and has not says so, though no scheduler lives;
// once one looks at it again, it is quiet.
func TestP60WhatDoesNotFireSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  schedule: {cron: \"0 2 * * *\", timezone: Asia/Shanghai}\n", ""))
	b.db.Client.Flow.UpdateOneID(f.ID).SetNextFireAt(b.clock.now().Add(time.Hour)).ExecX(b.sys)
	says := func(change func(*ent.FlowUpdateOne)) string {
		t.Helper()
		if change != nil {
			up := b.db.Client.Flow.UpdateOneID(f.ID)
			change(up)
			up.ExecX(b.sys)
		}
		why, err := b.flows.Overdue(b.own, []*ent.Flow{b.db.Client.Flow.GetX(b.sys, f.ID)})
		if err != nil {
			t.Fatal(err)
		}
		if why[f.ID] == nil {
			return ""
		}
		return lang.Text(lang.English, "reason."+why[f.ID].Code, why[f.ID].Args)
	}
	b.clock.move(time.Hour + time.Minute)
	if got := says(nil); got != "" {
		t.Errorf("a minute late it says %q", got)
	}
	b.clock.move(time.Second)
	if got, want := says(nil), "It should have fired at 2026-11-29 10:30:00 CST and has not, for 1m1s."; got != want {
		t.Errorf("it says %q, not %q", got, want)
	}
	if got := says(func(up *ent.FlowUpdateOne) { up.SetPaused(true) }); got != "" {
		t.Errorf("paused it says %q", got)
	}
	b.db.Client.Team.UpdateOne(b.cast.Team).SetArchivedAt(b.clock.now()).ExecX(b.sys)
	if got := says(func(up *ent.FlowUpdateOne) { up.SetPaused(false) }); got != "" {
		t.Errorf("in an archived team it says %q", got)
	}
	b.db.Client.Team.UpdateOne(b.cast.Team).ClearArchivedAt().ExecX(b.sys)
	if says(nil) == "" {
		t.Error("it says nothing once its team is back")
	}
	b.fire(t, f.ID)
	if got := says(nil); got != "" {
		t.Errorf("after a scheduler looked at it, it says %q", got)
	}
}
