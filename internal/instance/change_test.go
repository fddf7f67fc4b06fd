package instance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

func (b *bundle) disk(owner *ent.User, team *ent.Team, mode string) *ent.Volume {
	b.t.Helper()
	v, err := b.Volumes.Create(b.as(owner), volume.CreateInput{TeamID: team.ID, Name: "data", Size: "1Gi", AccessMode: mode})
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func TestMountsThatAPersonMayNotHave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.made() // the member's home
	home := b.db.Client.Volume.Query().Where(entvolume.OwnerID(b.Member.ID)).OnlyX(testkit.System(t))
	mine, theirs := b.disk(b.Member, b.Team, "ReadWriteMany"), b.disk(b.Owner, b.Team, "ReadWriteMany")
	far := b.disk(b.Other, b.OtherTeam, "ReadWriteMany")
	gone := b.disk(b.Member, b.Team, "ReadWriteMany")
	if err := b.Volumes.Delete(b.as(b.Member), gone.ID, gone.Name); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		who      *ent.User
		volume   *ent.Volume
		readOnly bool
		want     []string
	}{
		"one's own":                           {b.Member, mine, false, nil},
		"a colleague's, to read":              {b.Member, theirs, true, nil},
		"a colleague's, to write":             {b.Member, theirs, false, []string{"mounts[0].volumeId volume.read-only"}},
		"a member's, written by a maintainer": {b.Maintainer, mine, false, nil},
		"one's own home at another path":      {b.Member, home, true, nil},
		"somebody else's home":                {b.Maintainer, home, true, []string{"mounts[0].volumeId volume.home-of-another"}},
		"another team's":                      {b.Member, far, true, []string{"mounts[0].volumeId volume.missing"}},
		"another team's, as administrator":    {b.Admin, far, true, []string{"mounts[0].volumeId volume.missing"}},
		"one that is being deleted":           {b.Member, gone, true, []string{"mounts[0].volumeId volume.missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Create(b.as(c.who), b.input(func(in *CreateInput) {
				in.Mounts = []spec.Mount{{VolumeID: c.volume.ID, Path: "/data", ReadOnly: c.readOnly}}
			}))
			if diff := cmp.Diff(c.want, faults(err)); diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestASecondConsumerOfAVolumeForOneNodeIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.disk(b.Member, b.Team, "ReadWriteOnce")
	mounts := func(in *CreateInput) { in.Mounts = []spec.Mount{{VolumeID: v.ID, Path: "/data", ReadOnly: true}} }
	first := b.made(mounts, func(in *CreateInput) { in.Name = "first" })
	second := b.made(mounts)
	ctx := b.as(b.Member)
	if _, err := b.Start(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	_, err := b.Start(ctx, second.ID)
	if fault.KindOf(err) != fault.FailedPrecondition || !strings.Contains(fmt.Sprint(err), "first") {
		t.Errorf("P21: the second start: %v", err)
	}
	_, err = b.Create(ctx, b.input(mounts, atOnce))
	if diff := cmp.Diff([]string{"mounts[0].volumeId preflight.volume.one-node"}, faults(err)); diff != "" {
		t.Errorf("P21: create and start: %v", err)
	}
	if err := b.Volumes.Delete(ctx, v.ID, v.Name); fault.KindOf(err) != fault.FailedPrecondition || !strings.Contains(fmt.Sprint(err), "first") {
		t.Errorf("P20: deletion of a volume in use: %v", err)
	}
	if _, err := b.Restart(ctx, first.ID); err != nil {
		t.Errorf("the holder itself may restart: %v", err)
	}
	b.db.Client.Instance.UpdateOneID(first.ID).SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopped).ExecX(testkit.System(t))
	if _, err := b.Start(ctx, second.ID); err != nil {
		t.Errorf("once the first is stopped: %v", err)
	}
}

func TestAStartWithoutItsVolumeIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.disk(b.Member, b.Team, "ReadWriteMany")
	i := b.made(func(in *CreateInput) { in.Mounts = []spec.Mount{{VolumeID: v.ID, Path: "/data"}} })
	if err := b.Volumes.Delete(b.as(b.Member), v.ID, v.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(b.as(b.Member), i.ID); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("start: %v", err)
	}
}

func TestUpdateCountsFromTheNextStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	i := b.made(atOnce, func(in *CreateInput) { in.Env = []spec.EnvVar{{Name: "A", Value: "very secret"}} })
	name := "another name"
	i, err := b.Update(ctx, UpdateInput{ID: i.ID, Name: &name})
	if err != nil || i.Name != name || RestartToApply(i) {
		t.Errorf("a name needs no restart: %+v %v", i, err)
	}
	object := i.ObjectName
	i, err = b.Update(ctx, UpdateInput{ID: i.ID, Resources: &Resources{CPU: "2", Memory: "2Gi"}})
	if err != nil || !RestartToApply(i) || i.StartedSpec.Resources.CPUMilli != 1000 || i.Spec.Resources.CPUMilli != 2000 {
		t.Errorf("resources need a restart: %+v %v", i, err)
	}
	if len(i.Spec.Env) != 1 {
		t.Errorf("what was not named changed: %+v", i.Spec)
	}
	if i, err = b.Restart(ctx, i.ID); err != nil || RestartToApply(i) || i.StartedSpec.Resources.CPUMilli != 2000 {
		t.Errorf("after the restart: %+v %v", i, err)
	}
	if i, err = b.Update(ctx, UpdateInput{ID: i.ID, Env: []spec.EnvVar{}}); err != nil || len(i.Spec.Env) != 0 || !RestartToApply(i) {
		t.Errorf("an empty list empties: %+v %v", i, err)
	}
	if i.ObjectName != object {
		t.Errorf("P26: the object's name changed from %s to %s", object, i.ObjectName)
	}
	_, err = b.Update(ctx, UpdateInput{ID: i.ID, Resources: &Resources{CPU: "0", Memory: "1"}, Ports: []spec.Port{{Number: 70000}}})
	want := []string{"ports[0].number preflight.port.range", "resources.cpu quantity.cpu.zero", "resources.memory preflight.memory.too-small"}
	if diff := cmp.Diff(want, faults(err)); diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, a := range b.db.Client.Audit.Query().Where(entaudit.ObjectID(i.ID)).AllX(testkit.System(t)) {
		if text := fmt.Sprint(a.Before, a.After); strings.Contains(text, "very secret") {
			t.Errorf("the audit log keeps a variable's value: %s", text)
		}
	}
}

func TestAMaintainerLeavesWhatTheOwnerMounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.made()
	home := b.db.Client.Volume.Query().Where(entvolume.OwnerID(b.Member.ID)).OnlyX(testkit.System(t))
	i := b.made(func(in *CreateInput) { in.Mounts = []spec.Mount{{VolumeID: home.ID, Path: "/again", ReadOnly: true}} })
	other := b.made()
	ctx := b.as(b.Maintainer)
	mounts := []spec.Mount{{VolumeID: home.ID, Path: "/elsewhere", ReadOnly: true}}
	if _, err := b.Update(ctx, UpdateInput{ID: i.ID, Mounts: mounts}); err != nil {
		t.Errorf("a mount that was there: %v", err)
	}
	if _, err := b.Update(ctx, UpdateInput{ID: other.ID, Mounts: mounts}); len(faults(err)) != 1 {
		t.Errorf("a mount that is new: %v", err)
	}
	mounts[0].ReadOnly = false
	if _, err := b.Update(ctx, UpdateInput{ID: i.ID, Mounts: mounts}); len(faults(err)) != 1 {
		t.Errorf("a mount that becomes writable: %v", err)
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	row := func(desired entinstance.Desired, state entinstance.State) *ent.Instance {
		return &ent.Instance{TeamID: "team-1", OwnerID: "usr-1", Desired: desired, State: state}
	}
	lost := func(i *ent.Instance) *ent.Instance {
		i.Reason = because(reason.NodeLost)
		return i
	}
	viewer := func(id string, role authz.Role) *authz.Viewer {
		return &authz.Viewer{UserID: id, Platform: authz.PlatformUser, Teams: map[string]authz.Role{"team-1": role}}
	}
	owner, maintainer, member := viewer("usr-1", authz.RoleMember), viewer("usr-2", authz.RoleMaintainer), viewer("usr-3", authz.RoleMember)
	for name, c := range map[string]struct {
		v    *authz.Viewer
		i    *ent.Instance
		want Permissions
	}{
		"stopped":                 {owner, row("stopped", "stopped"), Permissions{Start: true, Edit: true, Delete: true}},
		"stopping":                {owner, row("stopped", "stopping"), Permissions{Start: true, Edit: true, Delete: true}},
		"pending":                 {owner, row("running", "pending"), Permissions{Stop: true, Restart: true, Edit: true, Delete: true}},
		"running":                 {owner, row("running", "running"), Permissions{Stop: true, Restart: true, Edit: true, Delete: true, Connect: true}},
		"unhealthy":               {owner, row("running", "unhealthy"), Permissions{Stop: true, Restart: true, Edit: true, Delete: true, Connect: true}},
		"P17 on a lost node":      {owner, lost(row("running", "unhealthy")), Permissions{Stop: true, Restart: true, Move: true, Edit: true, Delete: true, Connect: true}},
		"P17 of a colleague":      {member, lost(row("running", "unhealthy")), Permissions{}},
		"P17 stopping there":      {owner, lost(row("stopped", "stopping")), Permissions{Start: true, Edit: true, Delete: true}},
		"failed":                  {owner, row("running", "failed"), Permissions{Start: true, Stop: true, Restart: true, Edit: true, Delete: true}},
		"being deleted":           {owner, row("deleted", "deleting"), Permissions{}},
		"running, for maintainer": {maintainer, row("running", "running"), Permissions{Stop: true, Restart: true, Edit: true, Delete: true}},
		"running, for colleague":  {member, row("running", "running"), Permissions{}},
		"running, for nobody":     {nil, row("running", "running"), Permissions{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, PermissionsOf(c.v, c.i)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
