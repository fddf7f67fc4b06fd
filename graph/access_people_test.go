package graph_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func init() { maps.Copy(access, accessPeople) }

// anInvitation is one into the team, on the owner's right; with its token.
func (w *world) invitation() (i *ent.Invitation, token string) {
	return w.invite(w.Cast.Team, xid.New().String()+"@new.example", w.Cast.Owner)
}

func (w *world) invite(t *ent.Team, email string, by *ent.User) (i *ent.Invitation, token string) {
	w.t.Helper()
	token = account.Token()
	i = must[*ent.Invitation](w)(w.DB.Client.Invitation.Create().SetTeamID(t.ID).SetEmail(email).SetRole(authz.RoleViewer).
		SetTokenHash(account.HashToken(token)).SetInviterID(by.ID).SetExpiresAt(time.Now().UTC().Add(time.Hour)).Save(w.sys))
	return i, token
}

func anInvitation(w *world) string {
	i, _ := w.invitation()
	return i.ID
}

// somebody is a person of nobody's tables, who may be lost.
func (w *world) somebody() *ent.User { return testkit.User(w.t, w.DB, "sam", authz.PlatformUser) }

func somebodyID(w *world) string { return w.somebody().ID }

// accepts is an invitation to a team of its own for whoever asks, or for somebody new.
func accepts(w *world, who string) map[string]any {
	tm := testkit.Team(w.t, w.DB, "joinable")
	email := xid.New().String() + "@new.example"
	switch {
	case w.person(who) != nil:
		email = w.person(who).Email
	case strings.Contains(who, "member"):
		email = w.Cast.Member.Email
	case strings.Contains(who, "administrator"):
		email = w.Cast.Admin.Email
	}
	_, token := w.invite(tm, email, w.Cast.Admin)
	in := map[string]any{"token": token}
	if who == anonymous {
		in["displayName"], in["password"] = "Nina", "seven boring lamps"
	}
	return map[string]any{"in": in}
}

var accessPeople = map[string]accessCase{
	"Query.people":           {op: `{ people { nodes { user { id } state waysIn sessions accessTokens lastSeenAt memberships { role } } } }`, vars: none, allow: []string{admin, auditor}},
	"Query.person":           {op: `query($id: ID!) { person(id: $id) { user { email } } }`, vars: one("id", func(w *world) string { return w.Cast.Member.ID }), allow: []string{admin, auditor}, empty: isNull},
	"Query.departurePreview": {op: `query($user: ID!, $team: ID!) { departurePreview(userId: $user, teamId: $team) { estates { teamName volumes { name } } } }`, vars: leaver, allow: []string{owner, admin, member, writeToken, readToken}},
	"Query.invitations":      {op: `query($team: ID!) { invitations(teamId: $team) { email inviter { displayName } } }`, vars: with(teamVar, func(w *world) { w.invitation() }), allow: []string{owner, admin, auditor}},
	"Query.invitation": {op: `query($token: String!) { invitation(token: $token) { email teamName } }`, vars: func(w *world, _ string) map[string]any {
		_, token := w.invitation()
		return map[string]any{"token": token}
	}, allow: slices.Concat(signedIn(), []string{anonymous}), empty: isNull},
	"Query.password": {op: `{ password { changedAt currentNeeded removable } }`, vars: none, allow: outside(signedIn())},

	"Mutation.setPassword": {op: `mutation($p: String!) { setPassword(input: {password: $p}) { password { changedAt } } }`, vars: func(*world, string) map[string]any {
		return map[string]any{"p": "seven boring lamps " + xid.New().String()}
	}, allow: browsers()},
	"Mutation.removePassword": {op: `mutation { removePassword { password { changedAt } } }`, vars: none, allow: browsers(), passes: []string{"FAILED_PRECONDITION"}}, // their only way in
	"Mutation.inviteMember": {op: `mutation($team: ID!, $email: String!) { inviteMember(input: {teamId: $team, email: $email}) { url invitation { id role } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"team": w.Cast.Team.ID, "email": xid.New().String() + "@new.example"}
	}, allow: []string{owner, admin}},
	"Mutation.resendInvitation": {op: `mutation($id: ID!) { resendInvitation(id: $id) { url } }`, vars: one("id", anInvitation), allow: []string{owner, admin}},
	"Mutation.revokeInvitation": {op: `mutation($id: ID!) { revokeInvitation(id: $id) { id } }`, vars: one("id", anInvitation), allow: []string{owner, admin}},
	"Mutation.acceptInvitation": {op: `mutation($in: AcceptInvitationInput!) { acceptInvitation(input: $in) { teamId } }`, vars: accepts, allow: slices.Concat(browsers(), []string{anonymous})},

	"Mutation.setPlatformRole":  {op: `mutation($id: ID!) { setPlatformRole(input: {userId: $id, role: AUDITOR}) { person { user { platformRole } } } }`, vars: one("id", somebodyID), allow: []string{admin}},
	"Mutation.disableUser":      {op: `mutation($id: ID!) { disableUser(id: $id) { person { state } } }`, vars: one("id", somebodyID), allow: []string{admin}},
	"Mutation.enableUser":       {op: `mutation($id: ID!) { enableUser(id: $id) { person { state } } }`, vars: one("id", aDisabled), allow: []string{admin}},
	"Mutation.createSignInLink": {op: `mutation($id: ID!) { createSignInLink(userId: $id) { url expiresAt } }`, vars: one("id", somebodyID), allow: []string{admin}},
	"Mutation.signOutUser":      {op: `mutation($id: ID!) { signOutUser(input: {userId: $id}) { person { sessions } } }`, vars: one("id", somebodyID), allow: []string{admin}},
	"Mutation.removeTeamMember": {op: `mutation($user: ID!, $team: ID!) { removeTeamMember(input: {teamId: $team, userId: $user}) { team { id } } }`, vars: func(w *world, _ string) map[string]any {
		u := w.somebody()
		testkit.Join(w.t, w.DB, w.Cast.Team, u, authz.RoleMember)
		return map[string]any{"team": w.Cast.Team.ID, "user": u.ID}
	}, allow: []string{owner, admin}},
	"Mutation.departUser": {op: `mutation($id: ID!) { departUser(input: {userId: $id}) { person { state } } }`, vars: one("id", somebodyID), allow: []string{admin}},
	"Mutation.deleteUser": {op: `mutation($id: ID!) { deleteUser(input: {userId: $id}) { person { state } } }`, vars: one("id", somebodyID), allow: []string{admin}},
}

func leaver(w *world, _ string) map[string]any {
	w.volume()
	return map[string]any{"user": w.Cast.Member.ID, "team": w.Cast.Team.ID}
}

func aDisabled(w *world) string {
	u := w.somebody()
	if err := u.Update().SetDisabledAt(time.Now().UTC()).Exec(w.sys); err != nil {
		w.t.Fatal(err)
	}
	return u.ID
}
