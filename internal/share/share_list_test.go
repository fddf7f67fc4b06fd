package share_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

func TestLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := b.toOther(entshare.ModeReadOnly)
	team, err := b.shares.Offer(b.as(b.Member), b.offer(entshare.GranteeKindTeam, b.OtherTeam.Name, entshare.ModeReadOnly))
	if err != nil {
		t.Fatal(err)
	}
	late, err := b.shares.Offer(b.as(b.Member), b.offer(entshare.GranteeKindUser, "late@example.org", entshare.ModeReadOnly))
	if err != nil {
		t.Fatal(err)
	}
	all, none := []string{person.ID, team.ID, late.ID}, []string{}
	for name, c := range map[string]struct {
		as                 *ent.User
		incoming, outgoing []string
	}{
		"the owner":             {b.Member, none, all},
		"who manages the team":  {b.Maintainer, none, all},
		"a colleague":           {b.Viewer, none, none},
		"the grantee":           {b.Other, []string{person.ID, team.ID}, none},
		"who sees everything":   {b.Auditor, none, all},
		"the owner of the team": {b.Owner, none, all},
	} {
		for incoming, want := range map[bool][]string{true: c.incoming, false: c.outgoing} {
			q, err := b.shares.Query(b.as(c.as), incoming)
			if err != nil {
				t.Fatal(err)
			}
			got, err := q.IDs(b.as(c.as))
			if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b string) bool { return a < b }), cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%s, incoming %v: %s %v", name, incoming, diff, err)
			}
		}
	}
	u := b.db.Client.User.Create().SetEmail("late@example.org").SetDisplayName("Late").SaveX(b.sys)
	if err := b.shares.Sweep(b.sys); err != nil {
		t.Fatal(err)
	}
	if row, err := b.shares.Get(b.as(u), late.ID); err != nil || row.UserID != u.ID {
		t.Errorf("an offer that was there before its person: %+v, %v", row, err)
	}
}

// P20, P21: uses through shares are found from both sides, and a volume for one
// node is held by whoever mounts it first, in whichever team.
func TestUsesThroughShares(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sh := b.accepted(entshare.ModeReadOnly)
	b.consumer(sh, true)
	volumes := volume.New(volume.Deps{DB: b.db, Broker: event.NewLocal(), Kicker: &testkit.Kicks{}, Config: config.Default()})
	uses, err := volumes.UsedBy(b.as(b.Member), b.data.ID)
	want := []volume.Use{{ID: sh.ID, Name: b.Other.Email, Kind: "share", ReadOnly: true}}
	if diff := cmp.Diff(want, uses); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	if err := volumes.Delete(b.as(b.Member), b.data.ID, b.data.Name); fields(err) != "volume.in-use" {
		t.Errorf("deleted under the grantee: %v", err)
	}
	once := *b.data
	once.AccessMode = entvolume.AccessModeReadWriteOnce
	source := map[string]*volume.Source{b.data.ID: {Volume: &once}}
	held := func(oneNode bool) error {
		return volume.Held(b.sys, b.db.Client, b.Team.ID, volume.Mounting{Mounts: []spec.Mount{{VolumeID: b.data.ID}}, Sources: source, SameNode: oneNode})
	}
	if err := held(false); fields(err) != "mounts[0].volumeId preflight.volume.one-node" {
		t.Errorf("held by the grantee: %v", err)
	}
	if err := held(true); err != nil {
		t.Errorf("on the only node: %v", err)
	}
	through := map[string]*volume.Source{sh.ID: {Volume: &once, Share: sh}}
	img := b.db.Client.Image.Create().SetName("i").SetReference("x:1").SaveX(b.sys)
	s := spec.Instance{ImageID: img.ID, Mounts: []spec.Mount{{VolumeID: b.data.ID, Path: "/data"}}}
	b.db.Client.Instance.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Member.ID).SetName("secret plan").SetObjectName("p").SetImageID(img.ID).
		SetSpec(s).SetDesired(instance.DesiredRunning).SetState(instance.StateRunning).ExecX(b.sys)
	err = volume.Held(b.sys, b.db.Client, b.OtherTeam.ID, volume.Mounting{Mounts: []spec.Mount{{VolumeID: sh.ID, ReadOnly: true}}, Sources: through})
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 1 {
		t.Fatalf("held by the volume's team: %v", err)
	}
	said := lang.Text(lang.English, "fault."+f.Fields[0].ID, f.Fields[0].Args)
	if !strings.Contains(said, b.Team.Name) || strings.Contains(said, "secret plan") {
		t.Errorf("the grantee hears %q", said)
	}
}

// Access to files follows grants: through the grantee's claim, in the granted mode.
func TestAccessToFilesOfShares(t *testing.T) {
	t.Parallel()
	b := setup(t)
	volumes := volume.New(volume.Deps{DB: b.db, Broker: event.NewLocal(), Kicker: &testkit.Kicks{}, Config: config.Default()})
	sh := b.accepted(entshare.ModeReadOnly)
	if _, err := volumes.Access(b.as(b.Other), sh.ID); fields(err) != "share.not-ready" {
		t.Errorf("before its claim is there: %v", err)
	}
	sh.Update().SetReady(true).ExecX(b.sys)
	a, err := volumes.Access(b.as(b.Other), sh.ID)
	if err != nil || a.Mode != volume.ReadOnly || a.Namespace != b.OtherTeam.Namespace || a.Claim != sh.ReadOnlyName || a.TeamID != b.OtherTeam.ID {
		t.Errorf("%+v, %v", a, err)
	}
	sh.Update().SetMode(entshare.ModeReadWrite).ExecX(b.sys)
	if a, err = volumes.Access(b.as(b.Other), sh.ID); err != nil || a.Mode != volume.ReadWrite || a.Claim != sh.ReadWriteName {
		t.Errorf("to write: %+v, %v", a, err)
	}
	reading := authz.With(b.sys, authz.From(b.as(b.Other)).Within(authz.ScopeRead))
	if a, err = volumes.Access(reading, sh.ID); err != nil || a.Mode != volume.ReadOnly {
		t.Errorf("a token that reads: %+v, %v", a, err)
	}
	for _, u := range []*ent.User{b.Member, b.Viewer, b.Admin, b.Auditor} {
		if _, err := volumes.Access(b.as(u), sh.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", u.DisplayName, err)
		}
	}
	testkit.Join(t, b.db, b.Team, b.Other, authz.RoleMember)
	if a, err = volumes.Access(b.as(b.Other), b.data.ID); err != nil || a.Mode != volume.ReadOnly {
		t.Errorf("a colleague: %+v, %v", a, err)
	}
	if _, err := b.shares.Offer(b.as(b.Member), b.offer(entshare.GranteeKindTeam, b.Team.Name, entshare.ModeReadWrite)); err != nil {
		t.Fatal(err)
	}
	if a, err = volumes.Access(b.as(b.Other), b.data.ID); err != nil || a.Mode != volume.ReadWrite {
		t.Errorf("a colleague to whom it was granted: %+v, %v", a, err)
	}
}
