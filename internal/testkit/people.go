package testkit

import (
	"context"
	"testing"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// System is a context of the platform itself that ends with the test.
func System(t testing.TB) context.Context { return authz.AsSystem(t.Context()) }

// User makes a person.
func User(t testing.TB, d *db.DB, name string, role authz.PlatformRole) *ent.User {
	t.Helper()
	u, err := d.Client.User.Create().SetEmail(name + "." + xid.New().String() + "@example.com").
		SetDisplayName(name).SetPlatformRole(role).Save(System(t))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Team makes a team without limits, in a namespace of its own that the cluster need not have.
func Team(t testing.TB, d *db.DB, name string) *ent.Team {
	t.Helper()
	x := xid.New().String()
	tm, err := d.Client.Team.Create().SetName(name + " " + x).SetNamespace("gl-test-" + x).
		SetQuota(spec.Quota{}).SetOvercommit(spec.Overcommit{CPU: 1, Memory: 1}).Save(System(t))
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// Join gives a person a role in a team.
func Join(t testing.TB, d *db.DB, team *ent.Team, user *ent.User, role authz.Role) {
	t.Helper()
	if err := d.Client.Membership.Create().SetTeamID(team.ID).SetUserID(user.ID).SetRole(role).Exec(System(t)); err != nil {
		t.Fatal(err)
	}
}

// As is a context of a person with their present roles, as a request of theirs has it.
func As(t testing.TB, d *db.DB, u *ent.User) context.Context {
	t.Helper()
	ms, err := d.Client.User.QueryMemberships(u).All(System(t))
	if err != nil {
		t.Fatal(err)
	}
	v := &authz.Viewer{UserID: u.ID, Platform: u.PlatformRole, Teams: map[string]authz.Role{}, Address: "192.0.2.1"}
	for _, m := range ms {
		v.Teams[m.TeamID] = m.Role
	}
	return authz.With(t.Context(), v)
}

// Cast is a team with one person of each kind, for tables of allow and deny.
type Cast struct {
	Team, OtherTeam                                 *ent.Team
	Owner, Maintainer, Member, Viewer, Other, Admin *ent.User
	Auditor                                         *ent.User
}

// NewCast makes one. Member is the person who owns things in most tests.
func NewCast(t testing.TB, d *db.DB) Cast {
	t.Helper()
	c := Cast{
		Team: Team(t, d, "vision"), OtherTeam: Team(t, d, "speech"),
		Owner: User(t, d, "olga", authz.PlatformUser), Maintainer: User(t, d, "mara", authz.PlatformUser),
		Member: User(t, d, "meng", authz.PlatformUser), Viewer: User(t, d, "vera", authz.PlatformUser),
		Other: User(t, d, "otto", authz.PlatformUser), Admin: User(t, d, "ada", authz.PlatformAdministrator),
		Auditor: User(t, d, "aud", authz.PlatformAuditor),
	}
	Join(t, d, c.Team, c.Owner, authz.RoleOwner)
	Join(t, d, c.Team, c.Maintainer, authz.RoleMaintainer)
	Join(t, d, c.Team, c.Member, authz.RoleMember)
	Join(t, d, c.Team, c.Viewer, authz.RoleViewer)
	Join(t, d, c.OtherTeam, c.Other, authz.RoleOwner)
	return c
}
