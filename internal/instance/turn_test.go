package instance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// oneGPU is a cluster as a worker noted it.
func (b *bundle) oneGPU() {
	b.t.Helper()
	b.db.Client.Capacity.UpdateOneID("cluster").SetNodes([]spec.GPUNode{{Name: "n1", GPU: 1}}).SetObservedAt(time.Now().UTC()).ExecX(testkit.System(b.t))
}

func withGPU(name string, wait bool) func(*CreateInput) {
	return func(in *CreateInput) { in.Name, in.Resources.GPU, in.Start, in.Wait = name, 1, true, wait }
}

func (b *bundle) reserved() map[string]reservation.State {
	b.t.Helper()
	out := map[string]reservation.State{}
	for _, r := range b.db.Client.Reservation.Query().AllX(testkit.System(b.t)) {
		out[r.Name] = r.State
	}
	return out
}

// TestP73AnEndGivesBackAndTheNextOneStarts goes through the state machine's own
// writes: a stop, a deletion, a start that is given up.
func TestP73AnEndGivesBackAndTheNextOneStarts(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(b *bundle, i *ent.Instance) error{
		"stopped": func(b *bundle, i *ent.Instance) error {
			return b.save(testkit.System(b.t), i, Decision{State: Stopped, Timeline: i.Timeline}, nil, done{applied: true})
		},
		"given up": func(b *bundle, i *ent.Instance) error {
			return b.save(testkit.System(b.t), i, Decision{State: Failed, Timeline: i.Timeline, Reason: because("crash")}, nil, done{applied: true})
		},
		"deleted": func(b *bundle, i *ent.Instance) error { return b.remove(testkit.System(b.t), i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.oneGPU()
			first, second := b.made(withGPU("first", false)), b.made(withGPU("second", true))
			if got := b.reserved(); got["first"] != reservation.StateHeld || got["second"] != reservation.StateWaiting {
				t.Fatalf("P85: %v", got)
			}
			if second.State != entinstance.StatePending || second.Reason == nil || second.Reason.Code != "waits-gpu-team" {
				t.Errorf("P88: one that waits: %s, %+v", second.State, second.Reason)
			}
			for _, l := range []lang.Lang{lang.English, lang.Chinese} {
				if said := lang.Text(l, "reason."+second.Reason.Code, second.Reason.Args); !strings.Contains(said, "first") || strings.Contains(said, "?") {
					t.Errorf("%s says %q", l, said)
				}
			}
			began := second.Timeline[0].Since
			if after, err := b.Reconcile(t.Context(), second.ID); err != nil || after != turnAgain {
				t.Errorf("while it waits: %v, %v", after, err)
			}
			if err := end(b, b.again(first.ID)); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(b.kicks.All(), "instance/"+second.ID) {
				t.Error("nobody woke the next one")
			}
			if after, err := b.Reconcile(t.Context(), second.ID); err != nil || after != soon {
				t.Errorf("its turn: %v, %v", after, err)
			}
			now := b.again(second.ID)
			if got := b.reserved(); len(got) != 1 || got["second"] != reservation.StateHeld {
				t.Errorf("after the end %v", got)
			}
			if now.Reason != nil || !now.Timeline[0].Since.After(began) {
				t.Errorf("P12: its time to start counts from here: %+v", now.Timeline)
			}
			if now.StartNumber != 1 {
				t.Errorf("it started %d times", now.StartNumber)
			}
		})
	}
}

func TestWhoWaitsCanBeStopped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.oneGPU()
	b.made(withGPU("first", false))
	second := b.made(withGPU("second", true))
	if _, err := b.Stop(b.as(b.Member), second.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.save(testkit.System(t), b.again(second.ID), Decision{State: Stopped}, nil, done{applied: true}); err != nil {
		t.Fatal(err)
	}
	if got := b.reserved(); len(got) != 1 {
		t.Errorf("P7: it waits on: %v", got)
	}
}

// TestARestartKeepsWhatItHolds: it neither loses its GPU to who waits, nor gets
// a second one past them.
func TestARestartKeepsWhatItHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.oneGPU()
	first := b.made(withGPU("first", false))
	b.made(withGPU("second", true))
	if _, err := b.Restart(b.as(b.Member), first.ID); err != nil {
		t.Fatalf("one that holds a GPU: %v", err)
	}
	b.db.Client.Capacity.UpdateOneID("cluster").SetNodes([]spec.GPUNode{{Name: "n1", GPU: 2}}).ExecX(testkit.System(t))
	two := Resources{CPU: "1", Memory: "1Gi", GPU: 2}
	if _, err := b.Update(b.as(b.Member), UpdateInput{ID: first.ID, Resources: &two}); err != nil {
		t.Fatal(err)
	}
	_, err := b.Restart(b.as(b.Member), first.ID)
	if got := faults(err); fault.KindOf(err) != fault.ResourceExhausted || !slices.Equal(got, []string{"resources.gpu admission.gpu.waiting"}) {
		t.Errorf("a second GPU past one that waits: %v", err)
	}
	if got := b.again(first.ID); got.StartNumber != 2 {
		t.Errorf("a refused restart counted: %d", got.StartNumber)
	}
}

// TestP3WhoeverMayUseNoGPUsIsTold: also one that would wait, and one that waits already.
func TestP3WhoeverMayUseNoGPUsIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quota(spec.Quota{GPU: spec.None})
	for name, c := range map[string]CreateInput{"started": {Start: true}, "that waits": {Start: true, Wait: true}, "for later": {}} {
		in := b.input()
		in.Name, in.Resources.GPU, in.Start, in.Wait = name, 1, c.Start, c.Wait
		_, err := b.Create(b.as(b.Member), in)
		if got := faults(err); fault.KindOf(err) != fault.ResourceExhausted || !slices.Equal(got, []string{"resources.gpu preflight.none.gpu"}) {
			t.Errorf("one %s: %v", name, err)
		}
	}
	b.quota(spec.Quota{CPUMilli: 1500})
	b.made(atOnce)
	late := b.made(func(in *CreateInput) { in.Name, in.Start, in.Wait = "late", true, true })
	b.quota(spec.Quota{Pods: spec.None})
	if _, err := b.Reconcile(t.Context(), late.ID); err != nil {
		t.Fatal(err)
	}
	got := b.again(late.ID)
	if got.Reason == nil || got.Reason.Code != "waits-none" {
		t.Fatalf("one that waits: %+v", got.Reason)
	}
	if said := lang.Text(lang.English, "reason.waits-none", got.Reason.Args); said != "It does not start: the team may use no pods any more, and 1 asked for." {
		t.Errorf("%q", said)
	}
}

// TestATeamsQuotaIsWaitedFor: the quota's numbers are in the reason.
func TestATeamsQuotaIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quota(spec.Quota{CPUMilli: 1500})
	b.made(atOnce)
	wait := func(in *CreateInput) { in.Name, in.Start, in.Wait = "late", true, true }
	late := b.made(wait)
	if late.Reason == nil || late.Reason.Code != "waits-quota" {
		t.Fatalf("%+v", late.Reason)
	}
	if said := lang.Text(lang.English, "reason.waits-quota", late.Reason.Args); said != "It waits for its turn: 1 CPU asked for, 1 CPU of the team's 1.5 CPU of CPU used." {
		t.Errorf("P88: %q", said)
	}
	b.quota(spec.Quota{CPUMilli: 2000})
	if _, err := b.Reconcile(t.Context(), late.ID); err != nil {
		t.Fatal(err)
	}
	if got := b.again(late.ID); got.Reason != nil {
		t.Errorf("after the quota was raised: %+v", got.Reason)
	}
}
