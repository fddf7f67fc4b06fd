package instance

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestStartStopRestart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	i := b.made()
	if i.State != entinstance.StateStopped || i.StartNumber != 0 || i.StartedSpec != nil {
		t.Fatalf("a new instance is %+v", i)
	}
	i, err := b.Start(ctx, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if i.State != entinstance.StatePending || i.StartNumber != 1 || i.Desired != entinstance.DesiredRunning || i.StartedAt == nil ||
		len(i.Timeline) != 1 || i.Timeline[0].Name != phaseQueued || i.StartedSpec.Resources.CPUMilli != 1000 {
		t.Errorf("after start it is %+v", i)
	}
	version := i.Version
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 1 || i.Version != version {
		t.Errorf("a second start changes nothing: %+v %v", i, err)
	}
	if i, err = b.Stop(ctx, i.ID); err != nil || i.State != entinstance.StateStopping || i.Desired != entinstance.DesiredStopped {
		t.Errorf("P7: stop while pending: %+v %v", i, err)
	}
	version = i.Version
	if i, err = b.Stop(ctx, i.ID); err != nil || i.Version != version {
		t.Errorf("a second stop changes nothing: %+v %v", i, err)
	}
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 2 || i.Desired != entinstance.DesiredRunning || i.State != entinstance.StatePending {
		t.Errorf("start while stopping: %+v %v", i, err)
	}
	if i, err = b.Restart(ctx, i.ID); err != nil || i.StartNumber != 3 {
		t.Errorf("restart is a start of its own: %+v %v", i, err)
	}
	b.db.Client.Instance.UpdateOneID(i.ID).SetState(entinstance.StateFailed).SetReason(because("crash")).ExecX(testkit.System(t))
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 4 || i.Reason != nil || i.State != entinstance.StatePending {
		t.Errorf("start of one that was given up: %+v %v", i, err)
	}
	if err := b.Service.Delete(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func(context.Context, string) (*ent.Instance, error){"start": b.Start, "restart": b.Restart} {
		if _, err := act(ctx, i.ID); fault.KindOf(err) != fault.FailedPrecondition {
			t.Errorf("%s of what is being deleted: %v", name, err)
		}
	}
	if i, err = b.Stop(ctx, i.ID); err != nil || i.State != entinstance.StateDeleting {
		t.Errorf("P7: stop of what is being deleted: %+v %v", i, err)
	}
	b.trace(i.ID, []string{"instance.create", "instance.start", "instance.stop", "instance.start", "instance.restart", "instance.start", "instance.delete"},
		[]string{"created", "started", "stopping", "started", "restarted", "started", "deleting"})
}

func faultID(err error) string {
	if f := new(fault.Error); errors.As(err, &f) {
		return f.ID
	}
	return ""
}

func TestMoveOffALostNode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	disk := b.disk(b.Member, b.Team, "ReadWriteOnce")
	i := b.made(func(in *CreateInput) { in.Mounts = []spec.Mount{{VolumeID: disk.ID, Path: "/data"}} })
	i, err := b.Start(ctx, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Move(ctx, i.ID, true); faultID(err) != "instance.node-answers" {
		t.Errorf("P17: a move off a node that answers: %v", err)
	}
	lost := func() {
		b.db.Client.Instance.UpdateOneID(i.ID).SetState(entinstance.StateUnhealthy).SetReason(because(reason.NodeLost)).ExecX(testkit.System(t))
	}
	lost()
	if _, err := b.Move(b.as(b.Other), i.ID, true); err == nil {
		t.Error("P17: a stranger moved it")
	}
	_, err = b.Move(ctx, i.ID, false)
	if f := new(fault.Error); !errors.As(err, &f) || f.ID != "instance.move-risk" || f.Args["volumes"] != disk.Name {
		t.Errorf("P17: a volume for one node, the risk not accepted: %v", err)
	}
	if got := b.again(i.ID); got.StartNumber != 1 || got.MovedAtStart != 0 {
		t.Errorf("P17: a refused move changed %+v", got)
	}
	if i, err = b.Move(ctx, i.ID, true); err != nil || i.StartNumber != 2 || i.MovedAtStart != 2 || i.State != entinstance.StatePending || i.Reason != nil {
		t.Errorf("P17: %+v %v", i, err)
	}
	lost()
	if _, err := b.Update(ctx, UpdateInput{ID: i.ID, Mounts: []spec.Mount{}}); err != nil {
		t.Fatal(err)
	}
	if i, err = b.Move(ctx, i.ID, false); err != nil || i.MovedAtStart != 3 {
		t.Errorf("P17: without such a volume there is no risk to accept: %+v %v", i, err)
	}
	if i, err = b.Restart(ctx, i.ID); err != nil || i.StartNumber != 4 || i.MovedAtStart != 3 {
		t.Errorf("P17: a restart gives no pod up: %+v %v", i, err)
	}
	b.trace(i.ID, []string{"instance.create", "instance.start", "instance.move", "instance.update", "instance.move", "instance.restart"},
		[]string{"created", "started", "moved", "updated", "moved", "restarted"})
}

// trace holds what was written down against what was done.
func (b *bundle) trace(id string, acts, events []string) {
	b.t.Helper()
	sys := testkit.System(b.t)
	var gotActs, gotEvents []string
	for _, a := range b.db.Client.Audit.Query().Where(entaudit.ObjectID(id)).Order(ent.Asc(entaudit.FieldID)).AllX(sys) {
		gotActs = append(gotActs, a.Action)
		if a.ActorID != b.Member.ID || a.Address == "" {
			b.t.Errorf("%s was done by %q from %q", a.Action, a.ActorID, a.Address)
		}
	}
	for _, e := range b.db.Client.Event.Query().Where(entevent.SubjectID(id)).Order(ent.Asc(entevent.FieldID)).AllX(sys) {
		gotEvents = append(gotEvents, e.Type)
		if !lang.Has("event." + e.Type) {
			b.t.Errorf("event %s has no words", e.Type)
		}
	}
	if diff := cmp.Diff(acts, gotActs); diff != "" {
		b.t.Errorf("audit (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(events, gotEvents); diff != "" {
		b.t.Errorf("events (-want +got)\n%s", diff)
	}
	if n := len(slices.DeleteFunc(b.kicks.All(), func(k string) bool { return k != "instance/"+id })); n != len(acts) {
		b.t.Errorf("%d wake-ups for %d acts", n, len(acts))
	}
}
