package team

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// volume makes one of the owner's.
func (b *bundle) volume(name string, size int64) string {
	b.t.Helper()
	return b.db.Client.Volume.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Owner.ID).SetName(name).SetKind(entvolume.KindData).SetObjectName(name).
		SetSizeBytes(size).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(testkit.System(b.t)).ID
}

func (b *bundle) live(name string, r spec.Resources) {
	b.t.Helper()
	i := b.instance(name, r.CPUMilli, entinstance.DesiredRunning, entinstance.StateRunning)
	i.Spec.Resources = r
	b.db.Client.Instance.UpdateOneID(i.ID).SetSpec(i.Spec).ExecX(testkit.System(b.t))
}

func (b *bundle) idle(name string, r spec.Resources) {
	b.t.Helper()
	i := b.instance(name, r.CPUMilli, entinstance.DesiredStopped, entinstance.StateStopped)
	i.Spec.Resources = r
	b.db.Client.Instance.UpdateOneID(i.ID).SetSpec(i.Spec).ExecX(testkit.System(b.t))
}

func said(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	if f.ID == "" && len(f.Fields) > 0 {
		return lang.Text(lang.English, "fault."+f.Fields[0].ID, f.Fields[0].Args)
	}
	return lang.Text(lang.English, "fault."+f.ID, f.Args)
}

func (b *bundle) roles() map[string]authz.Role {
	out := map[string]authz.Role{}
	for _, m := range b.db.Client.Membership.Query().Where(membership.TeamID(b.Team.ID)).WithUser().AllX(testkit.System(b.t)) {
		out[m.Edges.User.DisplayName] = m.Role
	}
	return out
}

func TestTransferLeavesNoMomentWithoutAnOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := TransferInput{TeamID: b.Team.ID, UserID: b.Member.ID, Keep: authz.RoleMaintainer}
	for who, c := range map[string]struct {
		ctx  context.Context
		want fault.Kind
	}{"maintainer": {b.as(b.Maintainer), fault.Forbidden}, "viewer": {b.as(b.Viewer), fault.Forbidden}, "auditor": {b.as(b.Auditor), fault.Forbidden},
		"other team": {b.as(b.Other), fault.NotFound}, "anonymous": {t.Context(), fault.Unauthenticated},
		"an administrator who is no owner": {b.as(b.Admin), fault.FailedPrecondition}} {
		if _, err := b.Transfer(c.ctx, in); kind(err) != c.want {
			t.Errorf("%s: %v", who, err)
		}
	}
	if _, err := b.Transfer(b.as(b.Owner), TransferInput{TeamID: b.Team.ID, UserID: b.Owner.ID, Keep: authz.RoleOwner}); kind(err) != fault.InvalidArgument {
		t.Errorf("to oneself: %v", err)
	}
	if _, err := b.Transfer(b.as(b.Owner), TransferInput{TeamID: b.Team.ID, UserID: "usr-nobody", Keep: authz.RoleMember}); kind(err) != fault.InvalidArgument {
		t.Errorf("to nobody: %v", err)
	}
	if _, err := b.Transfer(b.as(b.Owner), TransferInput{TeamID: b.Team.ID, UserID: b.Other.ID, Keep: authz.RoleMember}); kind(err) != fault.InvalidArgument || !strings.Contains(said(err), "Invite them") {
		t.Errorf("an owner, to somebody who was never in the team: %v", err)
	}
	if _, err := b.Transfer(b.as(b.Admin), TransferInput{TeamID: b.Team.ID, From: b.Owner.ID, UserID: "usr-nobody", Keep: authz.RoleMember}); kind(err) != fault.NotFound {
		t.Errorf("an administrator, to nobody: %v", err)
	}
	before := b.roles()
	if before["olga"] != authz.RoleOwner {
		t.Fatalf("%v", before)
	}
	if _, err := b.Transfer(b.as(b.Owner), in); err != nil {
		t.Fatal(err)
	}
	want := map[string]authz.Role{"olga": authz.RoleMaintainer, "mara": authz.RoleMaintainer, "meng": authz.RoleOwner, "vera": authz.RoleViewer}
	if diff := cmp.Diff(want, b.roles()); diff != "" {
		t.Error(diff)
	}
	if _, err := b.Transfer(b.as(b.Owner), in); kind(err) != fault.Forbidden {
		t.Errorf("a former owner: %v", err)
	}
	// An administrator hands over for an owner who has left, to somebody from outside.
	if _, err := b.Transfer(b.as(b.Admin), TransferInput{TeamID: b.Team.ID, From: b.Member.ID, UserID: b.Other.ID, Keep: authz.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	if got := b.roles(); got["otto"] != authz.RoleOwner || got["meng"] != authz.RoleViewer {
		t.Errorf("%v", got)
	}
	entry := b.db.Client.Audit.Query().Where(entaudit.Action("team.transfer")).FirstX(testkit.System(t))
	if entry.Before["owner"] != b.Owner.ID || entry.After["owner"] != b.Member.ID || entry.After["keeps"] != "maintainer" {
		t.Errorf("audit: %+v", entry)
	}
}

func TestATeamIsDeletedOnlyWhenNothingIsLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, sys := b.as(b.Admin), testkit.System(t)
	if err := b.Delete(ctx, b.Team.ID, b.Team.Name); !strings.Contains(said(err), "is not archived") {
		t.Errorf("one that is open: %v", err)
	}
	if _, err := b.Archive(ctx, b.Team.ID, false); err != nil {
		t.Fatal(err)
	}
	row, err := b.Archive(ctx, b.Team.ID, false)
	if err != nil || row.ArchivedAt == nil || row.Version != 2 {
		t.Errorf("twice: %+v, %v", row, err)
	}
	if err := b.Delete(ctx, b.Team.ID, "vision"); !strings.Contains(said(err), "Type the team's name") {
		t.Errorf("another name: %v", err)
	}
	v := b.volume("disk", 1<<30)
	if err := b.Delete(ctx, b.Team.ID, b.Team.Name); !strings.Contains(said(err), "1 things of the team are left: disk") {
		t.Errorf("with a volume: %v", err)
	}
	b.db.Client.Volume.DeleteOneID(v).ExecX(sys)
	if _, err := b.Create(ctx, CreateInput{Name: b.Team.Name}); !strings.Contains(said(err), "There is a team named") {
		t.Errorf("the name of an archived team: %v", err)
	}
	if err := b.Delete(ctx, b.Team.ID, b.Team.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restore(ctx, b.Team.ID); !strings.Contains(said(err), "is being deleted") {
		t.Errorf("restored while it goes: %v", err)
	}
	if got := b.db.Client.Team.GetX(sys, b.Team.ID); got.Desired != entteam.DesiredDeleted || got.Generation != got.ObservedGeneration+2 {
		t.Errorf("%+v", got)
	}
	acts := b.db.Client.Audit.Query().Where(entaudit.ObjectID(b.Team.ID)).Order(entaudit.ByID()).Select(entaudit.FieldAction).StringsX(sys)
	if diff := cmp.Diff([]string{"team.archive", "team.delete"}, acts); diff != "" {
		t.Error(diff)
	}
}

func TestALossStaysUntilItWasRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	lost := spec.Reason{Code: "team-namespace-lost", Args: map[string]any{"namespace": b.Team.Namespace, "count": 1, "volumes": []string{"disk"}, "at": time.Now().UTC().Format(time.RFC3339)}}
	row := b.db.Client.Team.UpdateOneID(b.Team.ID).SetLost(&lost).SetNamespaceUID("old").SaveX(sys)
	if err := b.save(sys, row, outcome{uid: "new"}); err != nil {
		t.Fatal(err)
	}
	if row = b.db.Client.Team.GetX(sys, row.ID); row.Lost == nil || row.NamespaceUID != "new" || row.Reason != nil {
		t.Errorf("a later look took it away: %+v", row)
	}
	if _, err := b.Acknowledge(b.as(b.Owner), row.ID); kind(err) != fault.Forbidden {
		t.Errorf("an owner: %v", err)
	}
	if row, err := b.Acknowledge(b.as(b.Admin), row.ID); err != nil || row.Lost != nil {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestOvercommitByClass(t *testing.T) {
	t.Parallel()
	o := spec.Overcommit{CPU: 4, Memory: 2, OnlineCPU: 1}
	if got := o.For(spec.ClassOnline); got != (spec.Overcommit{CPU: 1, Memory: 2}) {
		t.Errorf("online: %+v", got)
	}
	if got := o.For(spec.ClassTest); got != (spec.Overcommit{CPU: 4, Memory: 2}) {
		t.Errorf("test: %+v", got)
	}
	// The quota of requests must hold any mix of both.
	hard := manifest.Hard(spec.Quota{CPUMilli: 8000, MemoryBytes: 8 << 30}, o)
	if cpu, memory := hard["requests.cpu"], hard["requests.memory"]; cpu.String() != "8" || memory.String() != "4Gi" {
		t.Errorf("requests of a quota: %s CPU, %s", cpu.String(), memory.String())
	}
}

func TestPreviewTellsWhatAQuotaWouldMean(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(spec.Quota{CPUMilli: 10_000, GPU: 4, StorageBytes: 10 << 30}).ExecX(sys)
	b.db.Client.Team.UpdateOneID(b.OtherTeam.ID).SetQuota(spec.Quota{CPUMilli: 30_000}).ExecX(sys)
	b.live("big", spec.Resources{CPUMilli: 4000, MemoryBytes: 1 << 30, GPU: 2})
	b.live("small", spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30})
	b.idle("idle", spec.Resources{CPUMilli: 2000, MemoryBytes: 1 << 30})
	b.volume("disk", 6<<30)
	in := PreviewInput{TeamID: b.Team.ID, Quota: QuotaInput{CPU: text("6"), GPU: number(1), Storage: text("5Gi")}, Overcommit: spec.Overcommit{CPU: 2, Memory: 1}}
	p, err := b.Preview(b.as(b.Admin), in, &spec.Resources{CPUMilli: 20_000, GPU: 2})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]PreviewItem{}
	for _, i := range p.Items {
		by[i.Resource] = i
	}
	names := func(h []Holder) string {
		var out []string
		for _, x := range h {
			out = append(out, x.Name)
		}
		return strings.Join(out, " ")
	}
	if c := by["cpu"]; c.Used != 5000 || *c.Old != 10_000 || *c.New != 6000 || c.Excess != 0 || names(c.Blocked) != "idle" || c.Promised != 36_000 || c.Unlimited != 0 || *c.Capacity != 20_000 {
		t.Errorf("cpu: %+v", c)
	}
	if g := by["gpu"]; g.Excess != 1 || names(g.Holders) != "big" || g.Promised != 1 || g.Unlimited != 1 || *g.Capacity != 2 {
		t.Errorf("gpu: %+v", g)
	}
	if s := by["storage"]; s.Excess != 1<<30 || names(s.Holders) != "disk" || s.Capacity != nil {
		t.Errorf("storage: %+v", s)
	}
	if m := by["memory"]; m.New != nil || m.Old != nil || m.Unlimited != 2 {
		t.Errorf("memory: %+v", m)
	}
	if p.LargestVolume != 5<<30 || p.Requests.CPUMilli*2 != p.Defaults.CPUMilli {
		t.Errorf("limits of what states none: %+v", p)
	}
	in.Quota = QuotaInput{GPU: number(0), Pods: number(0)}
	if p, err = b.Preview(b.as(b.Admin), in, nil); err != nil {
		t.Fatal(err)
	}
	if g, pods := p.Items[2], p.Items[5]; g.New == nil || *g.New != 0 || g.Excess != 2 || names(g.Holders) != "big" || g.Promised != 0 || g.Unlimited != 1 || names(pods.Blocked) != "idle" {
		t.Errorf("none at all: %+v, %+v", g, pods)
	}
	if got := b.db.Client.Team.GetX(sys, b.Team.ID); got.Quota.GPU != 4 {
		t.Error("to look changed it")
	}
	if _, err := b.Preview(b.as(b.Owner), in, nil); kind(err) != fault.Forbidden {
		t.Errorf("an owner: %v", err)
	}
	if _, err := b.Preview(b.as(b.Admin), PreviewInput{Quota: QuotaInput{CPU: text("lots")}}, nil); kind(err) != fault.InvalidArgument {
		t.Errorf("bad input: %v", err)
	}
	if fresh, err := b.Preview(b.as(b.Admin), PreviewInput{Quota: QuotaInput{CPU: text("1")}}, nil); err != nil || fresh.Items[0].Promised != 41_000 || fresh.Items[0].Old != nil {
		t.Errorf("a new team: %+v, %v", fresh, err)
	}
}
