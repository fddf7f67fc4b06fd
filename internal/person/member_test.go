package person

import (
	"context"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// mapped is a change as a group of the OpenID provider makes it, before anybody is signed in.
func (l *lab) mapped(u *ent.User, role *authz.Role) error {
	ctx := authz.With(l.t.Context(), &authz.Viewer{Address: "192.0.2.1"})
	var done func()
	err := l.db.Tx(ctx, func(tx *ent.Tx) (err error) {
		_, done, err = l.Teams.Put(ctx, tx, team.Change{TeamID: l.Team.ID, UserID: u.ID, Role: role, Origin: authz.Mapped, HandOver: team.HandOver{Forced: true}})
		return err
	})
	if err == nil {
		done()
	}
	return err
}

// TestEveryWayOutHandsOver: whichever way a membership ends, or becomes one that
// only looks, what the person owned is an owner's, and goes on.
func TestEveryWayOutHandsOver(t *testing.T) {
	t.Parallel()
	viewer := authz.RoleViewer
	for name, c := range map[string]struct {
		out  func(l *lab) error
		left authz.Role
	}{
		"removed": {func(l *lab) error {
			_, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID})
			return err
		}, ""},
		"leaves": {func(l *lab) error {
			_, err := l.Leave(l.as(l.Member), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID})
			return err
		}, ""},
		"role taken": {func(l *lab) error {
			_, err := l.Teams.SetMember(l.as(l.Owner), team.Change{TeamID: l.Team.ID, UserID: l.Member.ID})
			return err
		}, ""},
		"out of the group":     {func(l *lab) error { return l.mapped(l.Member, nil) }, ""},
		"the group gives less": {func(l *lab) error { return l.mapped(l.Member, &viewer) }, viewer},
		"becomes a viewer": {func(l *lab) error {
			_, err := l.SetRole(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID}, viewer)
			return err
		}, viewer},
		"departs, with the platform": {func(l *lab) error { _, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID}); return err }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			th := l.give(l.Team, l.Member)
			if err := c.out(l); err != nil {
				t.Fatal(err)
			}
			if got := l.whose(th); got != l.Owner.ID {
				t.Errorf("it belongs to %s", got)
			}
			if got := l.role(l.Team, l.Member); got != c.left {
				t.Errorf("the role is %q", got)
			}
			if i := l.db.Client.Instance.GetX(l.sys, th.running.ID); i.Desired != entinstance.DesiredRunning {
				t.Errorf("the instance is %s", i.Desired)
			}
			if l.audits("user.hand-over") != 1 {
				t.Errorf("%d entries say so", l.audits("user.hand-over"))
			}
		})
	}
}

func TestWhoStaysSomebodyWhoMakesThingsKeepsThem(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Maintainer)
	if _, err := l.SetRole(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Maintainer.ID}, authz.RoleMember); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Maintainer.ID || l.role(l.Team, l.Maintainer) != authz.RoleMember {
		t.Errorf("it belongs to %s, %s", got, l.role(l.Team, l.Maintainer))
	}
	in := LeaveInput{TeamID: l.Team.ID, UserID: l.Maintainer.ID, HeirID: l.Member.ID, Instances: spec.FateStop}
	if _, err := l.SetRole(l.as(l.Owner), in, authz.RoleViewer); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Member.ID {
		t.Errorf("with an heir named it belongs to %s", got)
	}
	if i := l.db.Client.Instance.GetX(l.sys, th.running.ID); i.Desired != entinstance.DesiredStopped {
		t.Errorf("the instance is %s", i.Desired)
	}
}

// TestWithoutAnHeirNothingIsHandedOverUnasked: a person is told; a group cannot
// be, so the membership ends and what runs is asked to end with it.
func TestWithoutAnHeirNothingIsHandedOverUnasked(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Owner)
	for _, u := range []*ent.User{l.Maintainer, l.Member} {
		l.db.Client.Membership.Delete().Where(membership.TeamID(l.Team.ID), membership.UserID(u.ID)).ExecX(l.sys)
	}
	_, err := l.SetRole(l.as(l.Admin), LeaveInput{TeamID: l.Team.ID, UserID: l.Owner.ID}, authz.RoleViewer)
	wants(t, err, "person.no-heir")
	if l.role(l.Team, l.Owner) != authz.RoleOwner {
		t.Fatal("refused, and done")
	}
	if err := l.mapped(l.Owner, nil); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Owner.ID || l.role(l.Team, l.Owner) != "" {
		t.Errorf("it belongs to %s, who is %q", got, l.role(l.Team, l.Owner))
	}
	if i := l.db.Client.Instance.GetX(l.sys, th.running.ID); i.Desired != entinstance.DesiredStopped {
		t.Errorf("the instance is %s", i.Desired)
	}
	if r := l.db.Client.Run.GetX(l.sys, th.run.ID); r.Desired != entrun.DesiredStopped {
		t.Errorf("the run is %s", r.Desired)
	}
	// Later, somebody is there to take it.
	testkit.Join(t, l.db, l.Team, l.Other, authz.RoleOwner)
	if _, err := l.Leave(l.as(l.Admin), LeaveInput{TeamID: l.Team.ID, UserID: l.Owner.ID}); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Other.ID {
		t.Errorf("then it belongs to %s", got)
	}
}

func TestAFormerOwnerWhoOnlyLooksHandsOverWhatTheyOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Owner)
	if _, err := l.Teams.Transfer(l.as(l.Owner), team.TransferInput{TeamID: l.Team.ID, UserID: l.Member.ID, Keep: authz.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Member.ID || l.role(l.Team, l.Owner) != authz.RoleViewer || l.role(l.Team, l.Member) != authz.RoleOwner {
		t.Errorf("it belongs to %s", got)
	}
}

func TestNobodyJoinsAnArchivedTeam(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	invite := func(email string) (string, error) {
		row, err := l.db.Client.Invitation.Create().SetTeamID(l.Team.ID).SetEmail(email).SetRole(authz.RoleMember).
			SetTokenHash(hashOf(email)).SetInviterID(l.Owner.ID).SetExpiresAt(soon()).Save(l.sys)
		if err != nil {
			return "", err
		}
		return row.ID, nil
	}
	if _, err := invite("new@example.com"); err != nil {
		t.Fatal(err)
	}
	l.db.Client.Team.UpdateOneID(l.Team.ID).SetArchivedAt(time.Now().UTC()).ExecX(l.sys)
	member := authz.RoleMember
	_, err := l.Teams.SetMember(l.as(l.Admin), team.Change{TeamID: l.Team.ID, UserID: l.Other.ID, Role: &member})
	wants(t, err, "team.archived")
	_, err = l.Accept(context.Background(), AcceptInput{Token: "new@example.com", DisplayName: "New", Password: "seven boring lamps"})
	wants(t, err, "team.archived")
	wants(t, l.mapped(l.Other, &member), "team.archived") // the groups of who signs in are not asked for it, see the account's test
	// Whoever is in it can be another, and leave.
	if _, err := l.SetRole(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Viewer.ID}, member); err != nil {
		t.Error(err)
	}
	if _, err := l.Leave(l.as(l.Viewer), LeaveInput{TeamID: l.Team.ID, UserID: l.Viewer.ID}); err != nil {
		t.Error(err)
	}
}

func hashOf(token string) string { return account.HashToken(token) }
