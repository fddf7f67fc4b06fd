package person

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const good = "seven boring lamps"

// browser is a context of a request of a browser's; of a signed-in one with a person.
func (l *lab) browser(u *ent.User) context.Context {
	l.t.Helper()
	var cookies []*http.Cookie
	load := func() (context.Context, *httptest.ResponseRecorder) {
		r := httptest.NewRequestWithContext(l.t.Context(), http.MethodPost, "/", nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		ctx, err := l.Account.Load(w, r, "192.0.2.9")
		if err != nil {
			l.t.Fatal(err)
		}
		return ctx, w
	}
	ctx, w := load()
	if u == nil {
		return ctx
	}
	link, _, err := l.Account.NewSignInLink(l.sys, u.ID)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.Account.SignIn(ctx, tokenOf(l.t, link), ""); err != nil {
		l.t.Fatal(err)
	}
	res := w.Result()
	_ = res.Body.Close()
	cookies = res.Cookies()
	ctx, _ = load()
	return ctx
}

func tokenOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("token")
}

// invited is the token of a new invitation by the team's owner.
func (l *lab) invited(email string, role authz.Role) (*ent.Invitation, string) {
	l.t.Helper()
	i, link, err := l.Invite(l.browser(l.Owner), InviteInput{TeamID: l.Team.ID, Email: email, Role: role, Message: "Welcome"})
	if err != nil {
		l.t.Fatal(err)
	}
	if !strings.HasPrefix(link, "http://localhost/invitation?token=") || strings.Contains(i.TokenHash, tokenOf(l.t, link)) {
		l.t.Fatalf("link %s", link)
	}
	return i, tokenOf(l.t, link)
}

func (l *lab) accept(u *ent.User, token string) error {
	_, err := l.Accept(l.browser(u), AcceptInput{Token: token})
	return err
}

func (l *lab) join(token, name, pass string) error {
	_, err := l.Accept(l.browser(nil), AcceptInput{Token: token, DisplayName: name, Password: pass})
	return err
}

func TestAnInvitationLetsWhoItIsForIn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, token := l.invited(" "+strings.ToUpper(l.Other.Email), authz.RoleMaintainer)
	o, err := l.Look(l.browser(l.Other), token)
	if err != nil || o == nil || !o.Mine || !o.Known || o.Team != l.Team.Name || o.Inviter != l.Owner.DisplayName || o.Message != "Welcome" || o.Role != authz.RoleMaintainer {
		t.Fatalf("offer %+v, %v", o, err)
	}
	wants(t, l.accept(l.Viewer, token), "invitation.other")
	wants(t, l.join(token, "Otto", good), "invitation.sign-in")
	if err := l.accept(l.Other, token); err != nil {
		t.Fatal(err)
	}
	if got := l.role(l.Team, l.Other); got != authz.RoleMaintainer {
		t.Errorf("the role is %q", got)
	}
	wants(t, l.accept(l.Other, token), "invitation.void")
	if o, err := l.Look(t.Context(), token); o != nil || err != nil {
		t.Errorf("a used link offers %+v, %v", o, err)
	}
	for _, action := range []string{"invitation.create", "invitation.accept", "team.member"} {
		if l.audits(action) != 1 {
			t.Errorf("%d entries of %s", l.audits(action), action)
		}
	}
}

func TestSomebodyNewGetsAnAccountByAnInvitation(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	i, token := l.invited("nina@example.com", authz.RoleMember)
	wants(t, l.join(token, " ", good), "displayName preflight.name.empty")
	wants(t, l.join(token, "Nina", "short"), "password account.password.length")
	wants(t, l.join(token, "Nina", "nina@example.com"), "password account.password.about")
	ctx := l.browser(nil)
	if _, err := l.Accept(ctx, AcceptInput{Token: token, DisplayName: " Nina ", Password: good}); err != nil {
		t.Fatal(err)
	}
	u := l.db.Client.User.Query().Where(user.Email("nina@example.com")).OnlyX(l.sys)
	if u.DisplayName != "Nina" || u.PlatformRole != authz.PlatformUser || l.role(l.Team, u) != authz.RoleMember {
		t.Errorf("made %+v", u)
	}
	if s := l.db.Client.Session.Query().AllX(l.sys); s[len(s)-1].UserID != u.ID && s[0].UserID != u.ID {
		t.Error("nobody is signed in")
	}
	if err := l.Account.SignInWithPassword(l.browser(nil), u.Email, good, "192.0.2.9"); err != nil {
		t.Error(err)
	}
	if got := l.db.Client.Invitation.GetX(l.sys, i.ID); got.AcceptedBy == nil || *got.AcceptedBy != u.ID {
		t.Errorf("accepted by %v", got.AcceptedBy)
	}
}

func TestOnlyExistingPeopleAreLetInWhereItIsSoConfigured(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Config.Accounts.Invitations = config.Existing
	_, token := l.invited("nina@example.com", authz.RoleMember)
	if o, err := l.Look(t.Context(), token); err != nil || !o.Closed || o.Known {
		t.Errorf("offer %+v, %v", o, err)
	}
	wants(t, l.join(token, "Nina", good), "invitation.closed")
	_, token = l.invited(l.Other.Email, authz.RoleMember)
	if err := l.accept(l.Other, token); err != nil {
		t.Error(err)
	}
}

func TestBadInvitationsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	owner := l.browser(l.Owner)
	ask := func(in InviteInput) error {
		in.TeamID = l.Team.ID
		_, _, err := l.Invite(owner, in)
		return err
	}
	wants(t, ask(InviteInput{Email: "Nina <nina@example.com>", Role: authz.RoleMember}), "email account.email")
	wants(t, ask(InviteInput{Email: "nina@example.com", Role: "king"}), "role team.role")
	wants(t, ask(InviteInput{Email: "nina@example.com", Role: authz.RoleMember, Message: strings.Repeat("长", 501)}), "message invitation.message")
	wants(t, ask(InviteInput{Email: l.Member.Email, Role: authz.RoleMember}), "email invitation.member")
	if err := ask(InviteInput{Email: "nina@example.com", Role: authz.RoleMember}); err != nil {
		t.Fatal(err)
	}
	wants(t, ask(InviteInput{Email: "NINA@example.com", Role: authz.RoleMember}), "email invitation.open")
	// A token, even the owner's own, invites nobody.
	_, _, err := l.Invite(l.as(l.Owner), InviteInput{TeamID: l.Team.ID, Email: "x@example.com", Role: authz.RoleMember})
	wants(t, err, "sign-in")
}

func TestAnInvitationIsSentAgainAndRevoked(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	i, first := l.invited(l.Other.Email, authz.RoleMember)
	l.db.Client.Invitation.UpdateOneID(i.ID).SetExpiresAt(time.Now().UTC().Add(time.Minute)).ExecX(l.sys)
	row, link, err := l.Resend(l.browser(l.Admin), i.ID)
	if err != nil || time.Until(row.ExpiresAt) < 6*24*time.Hour {
		t.Fatalf("%+v, %v", row, err)
	}
	wants(t, l.accept(l.Other, first), "invitation.void")
	if open, err := l.Invitations(l.as(l.Owner), l.Team.ID); err != nil || len(open) != 1 || open[0].InviterID != l.Admin.ID {
		t.Errorf("open %+v, %v", open, err)
	}
	if err := l.Revoke(l.browser(l.Owner), i.ID); err != nil {
		t.Fatal(err)
	}
	wants(t, l.accept(l.Other, tokenOf(t, link)), "invitation.void")
	wants(t, l.Revoke(l.browser(l.Owner), i.ID), "invitation.over")
	_, _, err = l.Resend(l.browser(l.Owner), i.ID)
	wants(t, err, "invitation.over")
	if open, _ := l.Invitations(l.as(l.Owner), l.Team.ID); len(open) != 0 {
		t.Errorf("%d are open", len(open))
	}
	i, late := l.invited(l.Other.Email, authz.RoleMember)
	l.db.Client.Invitation.UpdateOneID(i.ID).SetExpiresAt(time.Now().UTC()).ExecX(l.sys)
	wants(t, l.accept(l.Other, late), "invitation.void")
	l.db.Client.Invitation.UpdateOneID(i.ID).SetExpiresAt(time.Now().UTC().Add(-inviteKept - time.Hour)).ExecX(l.sys)
	if err := l.Sweep(t.Context()); err != nil || l.db.Client.Invitation.Query().CountX(l.sys) != 1 {
		t.Errorf("%d are kept, %v", l.db.Client.Invitation.Query().CountX(l.sys), err)
	}
}

func TestAnInvitationFallsWithTheRightOfWhoMadeIt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(l *lab){
		"demoted":  func(l *lab) { l.setRole(l.Owner, authz.RoleMaintainer) },
		"left":     func(l *lab) { l.setRole(l.Owner, "") },
		"disabled": func(l *lab) { l.Owner.Update().SetDisabledAt(time.Now().UTC()).ExecX(l.sys) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			i, token := l.invited(l.Other.Email, authz.RoleMember)
			lose(l)
			if o, err := l.Look(t.Context(), token); o != nil || err != nil {
				t.Errorf("it offers %+v, %v", o, err)
			}
			wants(t, l.accept(l.Other, token), "invitation.void")
			// Somebody who may sends it again on their own right.
			_, link, err := l.Resend(l.browser(l.Admin), i.ID)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.accept(l.Other, tokenOf(t, link)); err != nil {
				t.Error(err)
			}
		})
	}
}

// setRole changes a role in the rows alone.
func (l *lab) setRole(u *ent.User, r authz.Role) {
	if r == "" {
		l.db.Client.Membership.Delete().Where(membership.TeamID(l.Team.ID), membership.UserID(u.ID)).ExecX(l.sys)
		return
	}
	l.db.Client.Membership.Update().Where(membership.TeamID(l.Team.ID), membership.UserID(u.ID)).SetRole(r).ExecX(l.sys)
}

func TestWhoIsAMemberMeanwhileStaysAsTheyAre(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, token := l.invited(l.Other.Email, authz.RoleOwner)
	testkit.Join(t, l.db, l.Team, l.Other, authz.RoleViewer)
	if err := l.accept(l.Other, token); err != nil {
		t.Fatal(err)
	}
	if got := l.role(l.Team, l.Other); got != authz.RoleViewer {
		t.Errorf("the role became %q", got)
	}
}

func TestTheRoleIsTheOneAtTheMomentOfAcceptance(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	i, token := l.invited(l.Other.Email, authz.RoleOwner)
	l.db.Client.Invitation.UpdateOneID(i.ID).SetRole(authz.RoleViewer).ExecX(l.sys)
	if err := l.accept(l.Other, token); err != nil {
		t.Fatal(err)
	}
	if got := l.role(l.Team, l.Other); got != authz.RoleViewer {
		t.Errorf("the role is %q", got)
	}
}

func TestATeamThatIsGoneInvitesNobody(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, token := l.invited(l.Other.Email, authz.RoleMember)
	ctx := l.browser(l.Other)
	l.db.Client.Membership.Delete().Where(membership.TeamID(l.Team.ID)).ExecX(l.sys)
	l.db.Client.Invitation.Delete().ExecX(l.sys)
	l.db.Client.Team.DeleteOneID(l.Team.ID).ExecX(l.sys)
	_, err := l.Accept(ctx, AcceptInput{Token: token})
	wants(t, err, "invitation.void")
}

func TestOfTwoAcceptancesOneCountsAndRevokingMeanwhileIsEitherOr(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	// Somebody new accepts in two browsers at once: one account, one membership.
	_, token := l.invited("nina@example.com", authz.RoleMember)
	results := make(chan error, 4)
	var wg sync.WaitGroup
	for range cap(results) {
		ctx := l.browser(nil)
		wg.Go(func() {
			_, err := l.Accept(ctx, AcceptInput{Token: token, DisplayName: "Nina", Password: good})
			results <- err
		})
	}
	wg.Wait()
	close(results)
	won := 0
	for err := range results {
		switch id(err) {
		case "":
			won++
		case "invitation.void", "invitation.sign-in":
		default:
			t.Error(err)
		}
	}
	if n := l.db.Client.User.Query().Where(user.Email("nina@example.com")).CountX(l.sys); won != 1 || n != 1 {
		t.Errorf("%d won, %d accounts", won, n)
	}
	// Accepting and revoking at once: if accepting won there is a membership, if revoking did there is none.
	for range 8 {
		i, token := l.invited(l.Other.Email, authz.RoleMember)
		him, her := l.browser(l.Other), l.browser(l.Owner)
		var accepted, revoked error
		wg.Go(func() { _, accepted = l.Accept(him, AcceptInput{Token: token}) })
		wg.Go(func() { revoked = l.Revoke(her, i.ID) })
		wg.Wait()
		row := l.db.Client.Invitation.GetX(l.sys, i.ID)
		member := l.role(l.Team, l.Other) != ""
		if (accepted == nil) == (revoked == nil) || member != (accepted == nil) || (row.AcceptedAt != nil) == (row.RevokedAt != nil) {
			t.Errorf("accepted %v, revoked %v, member %v", accepted, revoked, member)
		}
		l.setRole(l.Other, "")
	}
}

func TestWhoMayInvite(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	i, _ := l.invited("nina@example.com", authz.RoleMember)
	for who, c := range map[string]struct {
		u            *ent.User
		invite, list string
	}{
		"owner": {l.Owner, "", ""}, "administrator": {l.Admin, "", ""}, "auditor": {l.Auditor, "forbidden", ""}, "maintainer": {l.Maintainer, "forbidden", "forbidden"},
		"member": {l.Member, "forbidden", "forbidden"}, "viewer": {l.Viewer, "forbidden", "forbidden"}, "another team's owner": {l.Other, "not-found", "not-found"},
	} {
		_, _, err := l.Invite(l.browser(c.u), InviteInput{TeamID: l.Team.ID, Email: strings.ReplaceAll(strings.ReplaceAll(who, " ", ""), "'", "") + "@example.com", Role: authz.RoleMember})
		if id(err) != c.invite {
			t.Errorf("%s invites: %v", who, err)
		}
		_, err = l.Invitations(l.as(c.u), l.Team.ID)
		if id(err) != c.list {
			t.Errorf("%s lists: %v", who, err)
		}
		if c.invite != "" {
			if err := l.Revoke(l.browser(c.u), i.ID); err == nil {
				t.Errorf("%s revokes", who)
			}
		}
	}
}
