package run_test

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/reservation"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func (b bundle) reserved(t *testing.T) map[string]reservation.State {
	t.Helper()
	out := map[string]reservation.State{}
	for _, r := range b.db.Client.Reservation.Query().AllX(b.sys) {
		out[r.ConsumerID] = r.State
	}
	return out
}

func (b bundle) asks(t *testing.T, who *ent.User, atOnce bool) (*ent.Run, error) {
	t.Helper()
	in := b.input()
	in.Resources.GPU, in.AtOnce = 1, atOnce
	return b.runs.RunNow(testkit.As(t, b.db, who), in)
}

// TestP85ARunWaitsForTheLastGPU: by default; or it is refused, and nothing is made.
func TestP85ARunWaitsForTheLastGPU(t *testing.T) {
	t.Parallel()
	b := setupWith(t, 1)
	b.db.Client.Capacity.UpdateOneID("cluster").SetNodes([]spec.GPUNode{{Name: "n1", GPU: 1}}).SetObservedAt(time.Now().UTC()).ExecX(b.sys)
	first, err := b.asks(t, b.cast.Member, false)
	if err != nil || first.Reason != nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := b.asks(t, b.cast.Owner, true); fault.KindOf(err) != fault.ResourceExhausted {
		t.Errorf("at once: %v", err)
	}
	second, err := b.asks(t, b.cast.Owner, false)
	if err != nil || second.State != entrun.StatePending || second.Reason == nil || second.Reason.Code != "waits-gpu-team" {
		t.Fatalf("P88: %+v, %v", second, err)
	}
	if n := b.db.Client.Run.Query().CountX(b.sys); n != 2 {
		t.Errorf("%d runs: who was refused left something behind", n)
	}
	if got := b.reserved(t); got[first.ID] != reservation.StateHeld || got[second.ID] != reservation.StateWaiting {
		t.Errorf("%v", got)
	}
	// A retry holds nothing meanwhile, and stands behind who waited.
	for _, step := range []struct {
		to   run.State
		next bool
		want map[string]reservation.State
	}{
		{run.State{Desired: entrun.DesiredRun, State: entrun.StateRetrying}, false, map[string]reservation.State{second.ID: reservation.StateWaiting}},
		{run.State{Desired: entrun.DesiredRun, State: entrun.StatePending}, true, map[string]reservation.State{second.ID: reservation.StateWaiting, first.ID: reservation.StateWaiting}},
		{run.State{Desired: entrun.DesiredRun, State: entrun.StateFailed}, false, map[string]reservation.State{second.ID: reservation.StateWaiting}},
	} {
		if err := run.Save(b.sys, b.runs, first.ID, run.Decision{Run: step.to, Start: step.next}); err != nil {
			t.Fatal(err)
		}
		got := b.reserved(t)
		if len(got) != len(step.want) {
			t.Fatalf("P73: %s: %v, want %v", step.to.State, got, step.want)
		}
		for id, state := range step.want {
			if got[id] != state {
				t.Errorf("P73: %s: %v, want %v", step.to.State, got, step.want)
			}
		}
	}
	if why, err := run.Turn(b.sys, b.runs, second.ID); err != nil || why != nil {
		t.Errorf("its turn: %+v, %v", why, err)
	}
	if got := b.reserved(t); len(got) != 1 || got[second.ID] != reservation.StateHeld {
		t.Errorf("%v", got)
	}
}
