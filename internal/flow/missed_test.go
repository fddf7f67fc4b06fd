package flow_test

import (
	"testing"
	"time"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// P54: what the policy of misfires leaves out stands in the flow's history, and who watches that is told.
func TestP54WhatWasLeftOutIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.create(t, b.document("  schedule: {every: 1h, misfire: {policy: skip}}\n", ""))
	told := b.deps.Broker.Subscribe(t.Context(), "event", f.ID)
	b.clock.move(5*time.Hour + 40*time.Minute)
	b.fire(t, f.ID)
	row := b.db.Client.Event.Query().Where(entevent.SubjectID(f.ID)).OnlyX(b.sys)
	if row.Type != "flow-missed" || row.TeamID != f.TeamID || row.Severity != entevent.SeverityWarning || !lang.Has("event."+row.Type) {
		t.Errorf("the history says %+v", row)
	}
	select {
	case m := <-told:
		if m.ID != f.ID {
			t.Errorf("told of %s", m.ID)
		}
	case <-time.After(5 * time.Second):
		t.Error("nobody is told")
	}
	b.clock.move(time.Minute)
	b.fire(t, f.ID)
	if n := b.db.Client.Event.Query().Where(entevent.SubjectID(f.ID)).CountX(b.sys); n != 1 {
		t.Errorf("%d entries: it was told again", n)
	}
}
