package share_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// ended notes what the end of shares asks of consumers.
type ended struct{ asked []string }

func (e *ended) Remount(_ context.Context, id, shareID string, narrow, restart bool) error {
	e.asked = append(e.asked, fmt.Sprint("remount ", id, " ", shareID, " ", narrow, restart))
	return nil
}

func (e *ended) Stop(_ context.Context, id string) (*ent.Run, error) {
	e.asked = append(e.asked, "stop "+id)
	return nil, nil
}

type bundle struct {
	testkit.Cast
	t      *testing.T
	db     *db.DB
	sys    context.Context
	now    time.Time
	shares *share.Service
	data   *ent.Volume // the member's
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, db: testkit.DB(t), sys: testkit.System(t), now: time.Now().UTC()}
	b.Cast = testkit.NewCast(t, b.db)
	e := &ended{}
	b.shares = share.New(share.Deps{DB: b.db, Broker: event.NewLocal(), Kicker: &testkit.Kicks{}, Instances: e, Runs: e, Now: func() time.Time { return b.now }})
	b.data = b.volume(b.Team, b.Member, entvolume.KindData)
	return b
}

func (b *bundle) volume(t *ent.Team, u *ent.User, kind entvolume.Kind) *ent.Volume {
	x := xid.New().String()
	return b.db.Client.Volume.Create().SetTeamID(t.ID).SetOwnerID(u.ID).SetName("data").SetKind(kind).SetObjectName("data-" + x).
		SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SetPhase(entvolume.PhaseBound).SaveX(b.sys)
}

func (b *bundle) as(u *ent.User) context.Context { return testkit.As(b.t, b.db, u) }

func (b *bundle) offer(kind entshare.GranteeKind, grantee string, mode entshare.Mode) share.OfferInput {
	return share.OfferInput{Target: share.Target{VolumeID: b.data.ID, Kind: kind, Grantee: grantee, Mode: mode}}
}

func (b *bundle) toOther(mode entshare.Mode) *ent.Share {
	b.t.Helper()
	row, err := b.shares.Offer(b.as(b.Member), b.offer(entshare.GranteeKindUser, b.Other.Email, mode))
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

func (b *bundle) accepted(mode entshare.Mode) *ent.Share {
	b.t.Helper()
	row, err := b.shares.Accept(b.as(b.Other), b.toOther(mode).ID, b.OtherTeam.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

// check is what a mount of a share gets from the check before something is made.
func (b *bundle) check(u *ent.User, teamID string, m ...spec.Mount) string {
	b.t.Helper()
	var f fault.Fields
	if _, err := volume.CheckMounts(b.as(u), b.db.Client, &f, "", teamID, m); err != nil {
		b.t.Fatal(err)
	}
	return fields(f.Err())
}

func fields(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	out := []string{}
	if f.ID != "" {
		out = append(out, f.ID)
	}
	for _, field := range f.Fields {
		out = append(out, field.Path+" "+field.ID)
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if said := lang.Text(l, "fault."+field.ID, field.Args); said == "fault."+field.ID || strings.Contains(said, "?") {
				out = append(out, "unsaid in "+string(l)+": "+said)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func TestOffer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	home := b.volume(b.Team, b.Member, entvolume.KindHome)
	past := b.now.Add(-time.Hour)
	user, team := entshare.GranteeKindUser, entshare.GranteeKindTeam
	ro, rw := entshare.ModeReadOnly, entshare.ModeReadWrite
	for name, c := range map[string]struct {
		as   *ent.User
		edit func(*share.OfferInput)
		want string
	}{
		"bad everything": {b.Member, func(in *share.OfferInput) {
			in.Grantee, in.Mode, in.EndsAt, in.Message = "x", "both", &past, strings.Repeat("字", 501)
		}, "endsAt share.end; grantee account.email; message share.message; mode share.mode"},
		"a home":                       {b.Member, func(in *share.OfferInput) { in.VolumeID = home.ID }, "volumeId share.home"},
		"to its owner":                 {b.Member, func(in *share.OfferInput) { in.Grantee, in.Mode = b.Member.Email, rw }, "grantee share.owner"},
		"what a colleague reads":       {b.Member, func(in *share.OfferInput) { in.Grantee = b.Viewer.Email }, "mode share.reads-already"},
		"what the team reads":          {b.Member, func(in *share.OfferInput) { in.Kind, in.Grantee = team, b.Team.Name }, "mode share.reads-already"},
		"a kind of nothing":            {b.Member, func(in *share.OfferInput) { in.Kind = "group" }, "granteeKind share.grantee-kind"},
		"a colleague's volume":         {b.Viewer, nil, "forbidden"},
		"a stranger's":                 {b.Other, nil, "not-found"},
		"the owner":                    {b.Member, func(in *share.OfferInput) { in.Grantee = "a@example.org" }, ""},
		"who manages the team":         {b.Maintainer, func(in *share.OfferInput) { in.Grantee = "b@example.org" }, ""},
		"an administrator":             {b.Admin, func(in *share.OfferInput) { in.Grantee = "c@example.org" }, ""},
		"to a colleague, to write":     {b.Member, func(in *share.OfferInput) { in.Grantee, in.Mode = b.Maintainer.Email, rw }, ""},
		"to the whole team, to write":  {b.Member, func(in *share.OfferInput) { in.Kind, in.Grantee, in.Mode = team, b.Team.Name, rw }, ""},
		"in capital letters, as typed": {b.Member, func(in *share.OfferInput) { in.Grantee = " D@Example.org " }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := b.offer(user, "new@example.org", ro)
			if c.edit != nil {
				c.edit(&in)
			}
			row, err := b.shares.Offer(b.as(c.as), in)
			if got := fields(err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if err != nil {
				return
			}
			inside := strings.Contains(name, "to write")
			if (row.State == entshare.StateAccepted) != inside || row.Ready != inside {
				t.Errorf("%s, ready %v", row.State, row.Ready)
			}
			if _, err := b.shares.Offer(b.as(c.as), in); fields(err) != "grantee share.open" {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// TestAnOfferTellsNothing offers to somebody and to nobody: what the granter sees is the same.
func TestAnOfferTellsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sees := func(kind entshare.GranteeKind, grantee string) share.Permissions {
		row, err := b.shares.Offer(b.as(b.Member), b.offer(kind, grantee, entshare.ModeReadOnly))
		if err != nil {
			t.Fatal(err)
		}
		if row.State != entshare.StateOffered || row.Ready || row.Grantee != grantee {
			t.Errorf("%+v", row)
		}
		p, err := b.shares.Preview(b.as(b.Member), share.Target{VolumeID: b.data.ID, Kind: kind, Grantee: grantee, Mode: entshare.ModeReadOnly},
			func(context.Context, string) ([]volume.Use, error) { return nil, nil })
		if err != nil || p.AtOnce || p.LapsesAt == nil {
			t.Errorf("preview %+v, %v", p, err)
		}
		v := authz.From(b.as(b.Member))
		return share.PermissionsOf(v, row, b.data)
	}
	some, none := sees(entshare.GranteeKindUser, b.Other.Email), sees(entshare.GranteeKindUser, "nobody@example.org")
	team, noTeam := sees(entshare.GranteeKindTeam, b.OtherTeam.Name), sees(entshare.GranteeKindTeam, "no such team")
	if some != none || team != noTeam || some.Accept {
		t.Errorf("%v %v %v %v", some, none, team, noTeam)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.toOther(entshare.ModeReadOnly)
	for name, c := range map[string]struct {
		as   *ent.User
		team string
		want string
	}{
		"the granter cannot":    {b.Member, b.Team.ID, "share.not-yours"},
		"nor an administrator":  {b.Admin, b.OtherTeam.ID, "share.not-yours"},
		"a colleague sees none": {b.Viewer, b.Team.ID, "not-found"},
		"without a team":        {b.Other, "", "teamId share.which-team"},
		"into a stranger's":     {b.Other, b.Team.ID, "not-found"},
	} {
		if _, err := b.shares.Accept(b.as(c.as), row.ID, c.team); fields(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if got := b.check(b.Other, b.OtherTeam.ID, spec.Mount{VolumeID: row.ID, ReadOnly: true}); got != "mounts[0].volumeId share.missing" {
		t.Errorf("before it was accepted: %q", got)
	}
	for range 2 { // the second changes nothing
		if _, err := b.shares.Accept(b.as(b.Other), row.ID, b.OtherTeam.ID); err != nil {
			t.Fatal(err)
		}
	}
	b.db.Client.Team.UpdateOneID(b.OtherTeam.ID).SetQuota(spec.Quota{Volumes: 1}).ExecX(b.sys)
	second := b.offer(entshare.GranteeKindTeam, b.OtherTeam.Name, entshare.ModeReadOnly)
	offer, err := b.shares.Offer(b.as(b.Maintainer), second)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Join(t, b.db, b.OtherTeam, b.Viewer, authz.RoleMember)
	if _, err := b.shares.Accept(b.as(b.Viewer), offer.ID, ""); fields(err) != "forbidden" {
		t.Errorf("P29: a member for their team: %v", err)
	}
	b.db.Client.Membership.Update().Where(membership.TeamID(b.OtherTeam.ID), membership.UserID(b.Viewer.ID)).SetRole(authz.RoleMaintainer).ExecX(b.sys)
	if _, err := b.shares.Accept(b.as(b.Viewer), offer.ID, ""); fault.KindOf(err) != fault.ResourceExhausted {
		t.Errorf("P29: over the quota of volumes: %v", err)
	}
	b.now = b.now.Add(15 * 24 * time.Hour)
	b.db.Client.Team.UpdateOneID(b.OtherTeam.ID).SetQuota(spec.Quota{}).ExecX(b.sys)
	if _, err := b.shares.Accept(b.as(b.Viewer), offer.ID, ""); fields(err) != "share.no-offer" {
		t.Errorf("after two weeks: %v", err)
	}
}

// P21, P23: what may be mounted, by whom, where.
func TestMountsOfShares(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read, write := b.accepted(entshare.ModeReadOnly), &ent.Share{}
	{
		in := b.offer(entshare.GranteeKindUser, b.Other.Email, entshare.ModeReadWrite)
		in.VolumeID = b.volume(b.Team, b.Maintainer, entvolume.KindData).ID
		var err error
		if write, err = b.shares.Offer(b.as(b.Maintainer), in); err == nil {
			write, err = b.shares.Accept(b.as(b.Other), write.ID, b.OtherTeam.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	testkit.Join(t, b.db, b.OtherTeam, b.Viewer, authz.RoleMember)
	testkit.Join(t, b.db, b.OtherTeam, b.Member, authz.RoleMember)
	third := testkit.Team(t, b.db, "third")
	testkit.Join(t, b.db, third, b.Other, authz.RoleOwner)
	inside, err := b.shares.Offer(b.as(b.Member), b.offer(entshare.GranteeKindTeam, b.Team.Name, entshare.ModeReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	mount := func(id string, ro bool) spec.Mount { return spec.Mount{VolumeID: id, ReadOnly: ro} }
	const missing = "mounts[0].volumeId share.missing"
	for name, c := range map[string]struct {
		as     *ent.User
		team   string
		mounts []spec.Mount
		want   string
	}{
		"read what was granted":              {b.Other, b.OtherTeam.ID, []spec.Mount{mount(read.ID, true)}, ""},
		"write what was granted to read":     {b.Other, b.OtherTeam.ID, []spec.Mount{mount(read.ID, false)}, "mounts[0].volumeId share.read-only"},
		"write what was granted to write":    {b.Other, b.OtherTeam.ID, []spec.Mount{mount(write.ID, false)}, ""},
		"in another team":                    {b.Other, third.ID, []spec.Mount{mount(read.ID, true)}, missing},
		"a colleague of the grantee":         {b.Viewer, b.OtherTeam.ID, []spec.Mount{mount(read.ID, true)}, missing},
		"the owner in the grantee's team":    {b.Member, b.OtherTeam.ID, []spec.Mount{mount(read.ID, true)}, missing},
		"the administrator":                  {b.Admin, b.OtherTeam.ID, []spec.Mount{mount(read.ID, true)}, missing},
		"the volume by its own id":           {b.Other, b.OtherTeam.ID, []spec.Mount{mount(b.data.ID, true)}, "mounts[0].volumeId volume.missing"},
		"an id of nothing":                   {b.Other, b.OtherTeam.ID, []spec.Mount{mount(ident.New(ident.Share), true)}, missing},
		"a share of the team's, to write":    {b.Maintainer, b.Team.ID, []spec.Mount{mount(inside.ID, false)}, ""},
		"the volume itself, to write":        {b.Viewer, b.Team.ID, []spec.Mount{mount(b.data.ID, false)}, "mounts[0].volumeId volume.read-only"},
		"one claim at two paths":             {b.Maintainer, b.Team.ID, []spec.Mount{mount(inside.ID, false), mount(b.data.ID, true)}, ""},
		"twice as what it was granted to be": {b.Other, b.OtherTeam.ID, []spec.Mount{mount(read.ID, true), mount(read.ID, true)}, ""},
	} {
		if got := b.check(c.as, c.team, c.mounts...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	found, err := volume.Mounted(b.sys, b.db.Client, b.OtherTeam.ID, b.Other.ID, []spec.Mount{mount(read.ID, true), mount(write.ID, false)})
	if err != nil || found[read.ID].Claim() != read.ReadOnlyName || !found[read.ID].ReadsOnly() || found[write.ID].Claim() != write.ReadWriteName {
		t.Errorf("P26: the claims are %+v, %v", found, err)
	}
	if found, _ := volume.Mounted(b.sys, b.db.Client, b.OtherTeam.ID, b.Viewer.ID, []spec.Mount{mount(read.ID, true)}); len(found) != 0 {
		t.Error("what belongs to somebody else mounts it at its next start")
	}
	team := b.offer(entshare.GranteeKindTeam, b.OtherTeam.Name, entshare.ModeReadOnly)
	offer, err := b.shares.Offer(b.as(b.Member), team)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Join(t, b.db, b.OtherTeam, b.Owner, authz.RoleOwner)
	if offer, err = b.shares.Accept(b.as(b.Owner), offer.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.check(b.Other, b.OtherTeam.ID, mount(read.ID, true), mount(offer.ID, true)); got != "mounts[1].volumeId share.twice" {
		t.Errorf("P23: one disk through two claims: %q", got)
	}
}

// consumer is an instance that runs with a mount of a share.
func (b *bundle) consumer(sh *ent.Share, readOnly bool) *ent.Instance {
	img := b.db.Client.Image.Create().SetName(xid.New().String()).SetReference("x:1").SetDevelopment(true).SaveX(b.sys)
	s := spec.Instance{ImageID: img.ID, Mounts: []spec.Mount{{VolumeID: sh.ID, Path: "/shared", ReadOnly: readOnly}}}
	return b.db.Client.Instance.Create().SetTeamID(sh.TeamID).SetOwnerID(b.Other.ID).SetName("lab").SetObjectName(xid.New().String()).SetImageID(img.ID).
		SetSpec(s).SetStartedSpec(&s).SetDesired(instance.DesiredRunning).SetState(instance.StateRunning).SaveX(b.sys)
}

// P20: what would be ended is named, and ended only when that was confirmed.
func TestEndsAreConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.accepted(entshare.ModeReadWrite)
	b.consumer(row, false)
	for _, u := range []*ent.User{b.Member, b.Other, b.Maintainer, b.Auditor} {
		p, err := b.shares.PreviewEnd(b.as(u), row.ID)
		if err != nil || len(p.UsedBy) != 1 || p.UsedBy[0].Name != "lab" || p.UsedBy[0].OwnerName != b.Other.DisplayName || !p.UsedBy[0].Writes || p.Stopped != 0 {
			t.Errorf("%s sees %+v, %v", u.DisplayName, p, err)
		}
	}
	if _, err := b.shares.PreviewEnd(b.as(b.Viewer), row.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("somebody else: %v", err)
	}
	ro := entshare.ModeReadOnly
	if _, err := b.shares.Change(b.as(b.Member), share.ChangeInput{ID: row.ID, Mode: &ro}); fields(err) != "share.in-use" {
		t.Errorf("to read-only: %v", err)
	}
	if _, err := b.shares.Revoke(b.as(b.Member), row.ID, false, entshare.AfterStop); fields(err) != "share.in-use" {
		t.Errorf("revoked: %v", err)
	}
	if _, err := b.shares.Decline(b.as(b.Other), row.ID, false); fields(err) != "share.in-use" {
		t.Errorf("given back: %v", err)
	}
	if _, err := b.shares.Revoke(b.as(b.Other), row.ID, true, entshare.AfterStop); fields(err) != "forbidden" {
		t.Errorf("the grantee revokes: %v", err)
	}
	if _, err := b.shares.Decline(b.as(b.Member), row.ID, true); fields(err) != "share.not-yours" {
		t.Errorf("the granter gives back: %v", err)
	}
	changed, err := b.shares.Change(b.as(b.Member), share.ChangeInput{ID: row.ID, Mode: &ro, Restart: true})
	if err != nil || changed.Mode != ro || changed.Ready || changed.Generation != row.Generation+1 {
		t.Errorf("confirmed: %+v, %v", changed, err)
	}
	if got := b.check(b.Other, b.OtherTeam.ID, spec.Mount{VolumeID: row.ID}); got != "mounts[0].volumeId share.read-only" {
		t.Errorf("then: %q", got)
	}
	over, err := b.shares.Revoke(b.as(b.Member), row.ID, true, entshare.AfterStop)
	if err != nil || over.State != entshare.StateRevoked || over.After != entshare.AfterStop || over.OpenKey != nil || over.OverAt == nil {
		t.Errorf("revoked: %+v, %v", over, err)
	}
	if got := b.check(b.Other, b.OtherTeam.ID, spec.Mount{VolumeID: row.ID, ReadOnly: true}); got != "mounts[0].volumeId share.missing" {
		t.Errorf("mounted after its end: %q", got)
	}
	for range 2 { // over stays over
		if again, err := b.shares.Decline(b.as(b.Other), row.ID, true); err != nil || again.State != entshare.StateRevoked {
			t.Errorf("%+v, %v", again, err)
		}
	}
	if _, err := b.shares.Change(b.as(b.Member), share.ChangeInput{ID: row.ID, Endless: true}); fields(err) != "share.over" {
		t.Errorf("changed after its end: %v", err)
	}
	b.toOther(entshare.ModeReadOnly) // and can be granted again
}

// What a share hangs on: each end takes effect, by the sweep and its reconciler.
func TestSharesEndByThemselves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(b *bundle, sh *ent.Share)
		want string
	}{
		"its end comes": {func(b *bundle, sh *ent.Share) {
			end := b.now.Add(time.Hour)
			if _, err := b.shares.Change(b.as(b.Member), share.ChangeInput{ID: sh.ID, EndsAt: &end}); err != nil {
				b.t.Fatal(err)
			}
			b.now = end
		}, "share-end"},
		"the volume is deleted": {func(b *bundle, _ *ent.Share) {
			b.data.Update().SetDesired(entvolume.DesiredDeleted).ExecX(b.sys)
		}, "share-volume-gone"},
		"its row is gone, too":           {func(b *bundle, _ *ent.Share) { b.db.Client.Volume.DeleteOneID(b.data.ID).ExecX(b.sys) }, "share-volume-gone"},
		"its team is archived":           {func(b *bundle, _ *ent.Share) { b.Team.Update().SetArchivedAt(b.now).ExecX(b.sys) }, "share-team-closed"},
		"the grantee's team is archived": {func(b *bundle, _ *ent.Share) { b.OtherTeam.Update().SetArchivedAt(b.now).ExecX(b.sys) }, "share-grantee-closed"},
		"the grantee leaves the team": {func(b *bundle, _ *ent.Share) {
			b.db.Client.Membership.Delete().Where(membership.UserID(b.Other.ID)).ExecX(b.sys)
		}, "share-grantee-left"},
		"the owner hands over": {func(b *bundle, _ *ent.Share) { b.data.Update().SetOwnerID(b.Owner.ID).ExecX(b.sys) }, ""},
		"nothing happens":      {func(*bundle, *ent.Share) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			sh := b.accepted(entshare.ModeReadOnly)
			c.do(b, sh)
			for range 2 {
				if err := b.shares.Settle(b.sys, sh.ID); err != nil {
					t.Fatal(err)
				}
			}
			got := b.db.Client.Share.GetX(b.sys, sh.ID)
			code := ""
			if got.State == entshare.StateEnded {
				code = got.Reason.Code
			}
			if code != c.want || (code == "") != (got.State == entshare.StateAccepted) {
				t.Errorf("%s %q, want %q", got.State, code, c.want)
			}
			if name == "the owner hands over" { // who has it now decides
				if _, err := b.shares.Revoke(b.as(b.Member), sh.ID, true, ""); fields(err) != "forbidden" {
					t.Errorf("the owner before: %v", err)
				}
				if _, err := b.shares.Revoke(b.as(b.Owner), sh.ID, true, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
