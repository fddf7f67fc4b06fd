package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/membership"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/testkit/idp"
)

type waysAnswer struct {
	Provider *struct {
		Name  string
		Ready bool
	}
	Problem string
}

func ways(t *testing.T, b *servertest.Browser, s *servertest.Site, query string) waysAnswer {
	t.Helper()
	var out waysAnswer
	b.Do(request(t, http.MethodGet, s.URL+"/auth/ways"+query, ""), &out)
	return out
}

func TestAProviderThatIsDownKeepsNothingDown(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	o.idp.SetDown(true)
	b := o.Stranger(t)
	if w := ways(t, b, o.Site, ""); w.Provider == nil || w.Provider.Name != "Example ID" || w.Provider.Ready {
		t.Errorf("while it is down: %+v", w)
	}
	if to := o.begin(t, b, "/runs"); to != "/sign-in?next=%2Fruns&problem=oidc.unreachable" {
		t.Errorf("sent to %s", to)
	}
	if v := viewerOf(o.SignIn(t, o.Cast.Member)).Viewer; v == nil {
		t.Error("the link does not sign in")
	}
	o.idp.SetDown(false)
	for until := time.Now().Add(20 * time.Second); !ways(t, b, o.Site, "").Provider.Ready; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it is not looked for again")
		}
	}
	back := o.authenticate(t, b, o.begin(t, b, "/"), "li")
	o.idp.SetDown(true)
	if to := o.back(t, b, back); to != problem("oidc.unreachable") || viewerOf(b).Viewer != nil {
		t.Errorf("down in the middle: sent to %s", to)
	}
}

func TestTheProblemIsSaidInTheViewersLanguage(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	b := o.Stranger(t)
	if w := ways(t, b, o.Site, "?problem=oidc.unverified"); !strings.Contains(w.Problem, "verified") {
		t.Errorf("%q", w.Problem)
	}
	b.Language = "zh-CN"
	if w := ways(t, b, o.Site, "?problem=oidc.unverified"); !strings.Contains(w.Problem, "邮箱") {
		t.Errorf("%q", w.Problem)
	}
	for _, bad := range []string{"sign-in", "oidc.<script>", "not-found", "token.many"} { // nothing that others could write here
		if w := ways(t, b, o.Site, "?problem="+url.QueryEscape(bad)); w.Problem != "" {
			t.Errorf("%s: %q", bad, w.Problem)
		}
	}
	s := servertest.Start(t, servertest.Options{})
	if w := ways(t, s.Stranger(t), s, ""); w.Provider != nil {
		t.Errorf("without a provider: %+v", w)
	}
	if res, _ := visit(t, s.Stranger(t), http.MethodGet, s.URL+"/auth/oidc/start", nil); res.Header.Get("Location") != problem("oidc.off") {
		t.Errorf("sent to %s", res.Header.Get("Location"))
	}
	if res, _ := visit(t, s.Stranger(t), http.MethodGet, s.URL+"/auth/oidc/callback?state=x&code=y", nil); res.Header.Get("Location") != problem("oidc.off") {
		t.Errorf("sent to %s", res.Header.Get("Location"))
	}
}

func TestASignInLeadsNowhereElse(t *testing.T) { // open redirect
	t.Parallel()
	o := newOrganisation(t)
	for _, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example", "/\n/evil.example",
		"javascript:alert(1)", "evil.example", "", "/" + strings.Repeat("x", 4096), "http:/evil.example", "///evil.example"} {
		b := o.Stranger(t)
		if to := o.back(t, b, o.authenticate(t, b, o.begin(t, b, next), "li")); to != "/" {
			t.Errorf("%.30q leads to %s", next, to)
		}
	}
	b := o.Stranger(t)
	if to := o.back(t, b, o.authenticate(t, b, o.begin(t, b, "/device?code=BCDF-GHJK"), "li")); to != "/device?code=BCDF-GHJK" {
		t.Errorf("a path of ours leads to %s", to)
	}
}

func TestCancellingIsSaidAsThat(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	b := o.Stranger(t)
	address := o.begin(t, b, "/runs")
	res, _ := visit(t, b, http.MethodGet, address, nil)
	login := res.Header.Get("Location")
	_, page := visit(t, b, http.MethodGet, login, nil)
	res, _ = visit(t, b, http.MethodPost, login, url.Values{"id": {idp.LoginID(page)}, "cancel": {"1"}})
	if to := o.back(t, b, res.Header.Get("Location")); to != "/sign-in?next=%2Fruns&problem=oidc.denied" {
		t.Errorf("sent to %s", to)
	}
}

func TestASessionFromBeforeTheSignInIsWorthNothing(t *testing.T) { // fixation
	t.Parallel()
	o := newOrganisation(t)
	root := request(t, http.MethodGet, o.URL, "").URL
	b, attacker := o.Stranger(t), o.Stranger(t)
	b.HTTP.Jar.SetCookies(root, []*http.Cookie{{Name: "goblinlab", Value: "planted-by-somebody-else", Path: "/"}})
	if to := o.signIn(t, b, "li"); to != "/" {
		t.Fatalf("sent to %s", to)
	}
	attacker.HTTP.Jar.SetCookies(root, []*http.Cookie{{Name: "goblinlab", Value: "planted-by-somebody-else", Path: "/"}})
	if v := viewerOf(attacker).Viewer; v != nil {
		t.Errorf("the planted session is %+v", v)
	}
	// Somebody else's session in the same browser ends with the sign-in.
	member := o.SignIn(t, o.Cast.Member)
	old := member.HTTP.Jar.Cookies(root)
	if to := o.signIn(t, member, "li"); to != "/" || viewerOf(member).Viewer.User.Email != "li@example.com" {
		t.Errorf("sent to %s as %+v", to, viewerOf(member).Viewer)
	}
	attacker.HTTP.Jar.SetCookies(root, old)
	if v := viewerOf(attacker).Viewer; v != nil {
		t.Errorf("the session from before is %+v", v)
	}
}

func TestSigningOutAlsoLeavesTheProvider(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	const op = `mutation { signOut { ok providerUrl } }`
	var out struct{ SignOut struct{ ProviderURL *string } }
	b := o.Stranger(t)
	o.signIn(t, b, "li")
	b.Get(op, nil, &out)
	if out.SignOut.ProviderURL == nil || viewerOf(b).Viewer != nil {
		t.Fatalf("left to %v", out.SignOut.ProviderURL)
	}
	res, body := visit(t, b, http.MethodGet, *out.SignOut.ProviderURL, nil)
	if res.StatusCode != http.StatusFound || res.Header.Get("Location") != o.URL+"/sign-in" {
		t.Errorf("the provider answers %s %s to %s", res.Status, body, res.Header.Get("Location"))
	}
	out.SignOut.ProviderURL = nil
	o.SignIn(t, o.Cast.Member).Get(op, nil, &out)
	if out.SignOut.ProviderURL != nil {
		t.Errorf("who came by a link is sent to %s", *out.SignOut.ProviderURL)
	}
	// Who came by a link after the provider, in the same browser, is not sent there either.
	b = o.Stranger(t)
	o.signIn(t, b, "li")
	b.Redeem(o.Link(t, o.Cast.Member))
	b.Get(op, nil, &out)
	if out.SignOut.ProviderURL != nil {
		t.Errorf("the hint of another person is kept: %s", *out.SignOut.ProviderURL)
	}
}

func TestASessionFromTheProviderHasAnEnd(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t, func(c *config.Config) { c.OIDC.Session = time.Hour })
	sys := authz.AsSystem(t.Context())
	b := o.Stranger(t)
	o.signIn(t, b, "li")
	row := o.DB.Client.Session.Query().OnlyX(sys)
	if left := time.Until(row.ExpiresAt); left > time.Hour || left < 59*time.Minute {
		t.Errorf("it lasts %s", left)
	}
	row.Update().SetUsedAt(time.Now().UTC().Add(-10 * time.Minute)).ExecX(sys)
	if viewerOf(b).Viewer == nil {
		t.Fatal("it ended")
	}
	used := o.DB.Client.Session.Query().OnlyX(sys)
	if used.ExpiresAt.Sub(row.ExpiresAt).Abs() > time.Second || time.Since(used.UsedAt) > time.Minute {
		t.Errorf("used, it lasts until %s (before %s), used at %s", used.ExpiresAt, row.ExpiresAt, used.UsedAt)
	}
}

func (o *organisation) roleOf(t *testing.T, userID, teamID string) string {
	t.Helper()
	m, err := o.DB.Client.Membership.Query().Where(membership.UserID(userID), membership.TeamID(teamID)).Only(authz.AsSystem(t.Context()))
	if ent.IsNotFound(err) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Role) + " " + string(m.Origin)
}

func TestGroupsGiveAndTakeRoles(t *testing.T) {
	t.Parallel()
	var o *organisation
	o = newOrganisation(t, func(c *config.Config) {
		c.OIDC.Platform = []string{"root=administrator", "look=auditor"}
	})
	// The rules name teams that exist by now; the service reads them at each sign-in.
	vision, speech := o.Cast.Team, o.Cast.OtherTeam
	o.Account.Config.OIDC.Teams = []string{"ml=" + vision.Name + ":member", "leads=" + vision.ID + ":owner", "cn=nlp,ou=x=" + speech.Name + ":viewer", "ml=No such team:owner"}
	b := o.Stranger(t)
	come := func(groups []string) *servertest.Browser {
		o.idp.SetPerson("li", idp.Person{Subject: "sub-li", Password: password, Email: "li@example.com", EmailVerified: true, Name: "Li", Groups: groups})
		again := o.Stranger(t)
		if to := o.signIn(t, again, "li"); to != "/" {
			t.Fatalf("%v: sent to %s", groups, to)
		}
		return again
	}
	heard := o.Broker.Subscribe(t.Context(), "team", vision.ID)
	b = come([]string{"ml", "other"})
	id := viewerOf(b).Viewer.User.ID
	for _, c := range []struct {
		groups         []string
		vision, speech string
		platform       string
	}{
		{[]string{"ml", "other"}, "member mapped", "", "USER"},
		{[]string{"ml", "leads", "cn=nlp,ou=x"}, "owner mapped", "viewer mapped", "USER"},
		{[]string{"ml", "look"}, "member mapped", "", "AUDITOR"},
		{[]string{"root", "look"}, "", "", "ADMINISTRATOR"},
		{[]string{"ml"}, "member mapped", "", "USER"},
		{nil, "", "", "USER"},
	} {
		come(c.groups)
		// What changed counts at once, in the browser from before too.
		v := viewerOf(b).Viewer
		if got := o.roleOf(t, id, vision.ID); got != c.vision || v.User.PlatformRole != c.platform {
			t.Errorf("%v: %q and %s, want %q and %s", c.groups, got, v.User.PlatformRole, c.vision, c.platform)
		}
		if got := o.roleOf(t, id, speech.ID); got != c.speech {
			t.Errorf("%v: %q in the other team, want %q", c.groups, got, c.speech)
		}
		if c.vision != "" {
			select {
			case m := <-heard:
				if m.TeamID != vision.ID {
					t.Errorf("heard %+v", m)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("%v: nothing was said of it", c.groups)
			}
		}
	}
	sys := authz.AsSystem(t.Context())
	if e := o.DB.Client.Audit.Query().Where(audit.Action("team.member"), audit.TeamID(vision.ID)).Order(ent.Asc(audit.FieldID)).FirstX(sys); e.After["origin"] != "mapped" || e.After["role"] != "member" || e.ActorID != "" {
		t.Errorf("written down %+v", e)
	}
	if n := o.DB.Client.Audit.Query().Where(audit.Action("user.role"), audit.ObjectID(id)).CountX(sys); n != 3 {
		t.Errorf("%d changes of the platform's role were written down", n)
	}
}

func TestRolesThatPeopleGaveStay(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t, func(c *config.Config) { c.OIDC.Platform = []string{"look=auditor"} })
	team := o.Cast.Team
	o.Account.Config.OIDC.Teams = []string{"ml=" + team.ID + ":viewer"}
	come := func(u *ent.User, groups ...string) {
		o.idp.SetPerson("x", idp.Person{Subject: "sub-" + u.ID, Password: password, Email: u.Email, EmailVerified: true, Groups: groups})
		if to := o.signIn(t, o.Stranger(t), "x"); to != "/" {
			t.Fatalf("sent to %s", to)
		}
	}
	come(o.Cast.Maintainer, "ml")
	come(o.Cast.Maintainer)
	if got := o.roleOf(t, o.Cast.Maintainer.ID, team.ID); got != "maintainer manual" {
		t.Errorf("the maintainer is %q", got)
	}
	come(o.Cast.Admin, "look")
	if u := o.DB.Client.User.GetX(authz.AsSystem(t.Context()), o.Cast.Admin.ID); u.PlatformRole != authz.PlatformAdministrator {
		t.Errorf("the administrator is %s", u.PlatformRole)
	}
	// What a group gave and a person changed is the person's from then on.
	come(o.Cast.Other, "ml")
	if got := o.roleOf(t, o.Cast.Other.ID, team.ID); got != "viewer mapped" {
		t.Fatalf("the other is %q", got)
	}
	o.SignIn(t, o.Cast.Owner).Get(`mutation($team: ID!, $user: ID!) { setTeamMember(input: {teamId: $team, userId: $user, role: MEMBER}) { team { id } } }`,
		map[string]any{"team": team.ID, "user": o.Cast.Other.ID}, nil)
	come(o.Cast.Other)
	if got := o.roleOf(t, o.Cast.Other.ID, team.ID); got != "member manual" {
		t.Errorf("the other is %q", got)
	}
}

// TestWhomAGroupTookOutHandsOver: by the sign-in that tells so; an archived team
// takes nobody, and does not keep them from signing in.
func TestWhomAGroupTookOutHandsOver(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	team, sys := o.Cast.Team, testkit.System(t)
	o.Account.Config.OIDC.Teams = []string{"ml=" + team.ID + ":member"}
	come := func(groups ...string) {
		u := o.Cast.Other
		o.idp.SetPerson("x", idp.Person{Subject: "sub-" + u.ID, Password: password, Email: u.Email, EmailVerified: true, Groups: groups})
		if to := o.signIn(t, o.Stranger(t), "x"); to != "/" {
			t.Fatalf("sent to %s", to)
		}
	}
	team.Update().SetArchivedAt(time.Now().UTC()).ExecX(sys)
	come("ml")
	if got := o.roleOf(t, o.Cast.Other.ID, team.ID); got != "" {
		t.Fatalf("in an archived team the other is %q", got)
	}
	o.DB.Client.Team.UpdateOneID(team.ID).ClearArchivedAt().ExecX(sys)
	come("ml")
	if got := o.roleOf(t, o.Cast.Other.ID, team.ID); got != "member mapped" {
		t.Fatalf("the other is %q", got)
	}
	v := o.DB.Client.Volume.Create().SetTeamID(team.ID).SetOwnerID(o.Cast.Other.ID).SetName("data").SetKind(entvolume.KindData).
		SetObjectName("data-x").SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(sys)
	come()
	if got := o.roleOf(t, o.Cast.Other.ID, team.ID); got != "" {
		t.Errorf("the other is %q", got)
	}
	if got := o.DB.Client.Volume.GetX(sys, v.ID).OwnerID; got != o.Cast.Owner.ID {
		t.Errorf("the volume belongs to %s", got)
	}
}

func TestTheLastWayInStays(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	b := o.Stranger(t)
	o.signIn(t, b, "li")
	var got struct {
		Identities []struct{ ID, Provider, Email string }
	}
	b.Get(`{ identities { id provider email } }`, nil, &got)
	if len(got.Identities) != 1 || got.Identities[0].Provider != "Example ID" || got.Identities[0].Email != "li@example.com" {
		t.Fatalf("%+v", got)
	}
	const op = `mutation($id: ID!) { unlinkIdentity(id: $id) { id } }`
	vars := map[string]any{"id": got.Identities[0].ID}
	if a := b.Ask(op, vars); a.Code() != "FAILED_PRECONDITION" {
		t.Errorf("the last one: %+v", a)
	}
	o.DB.Client.Identity.Create().SetUserID(viewerOf(b).Viewer.User.ID).SetIssuer("https://old.example/x").SetSubject("s").ExecX(testkit.System(t))
	b.Get(op, vars, nil)
	b.Get(`{ identities { id provider email } }`, nil, &got)
	if len(got.Identities) != 1 || got.Identities[0].Provider != "old.example" {
		t.Errorf("left is %+v", got)
	}
	if a := b.Ask(op, vars); a.Code() != "NOT_FOUND" {
		t.Errorf("a second time: %+v", a)
	}
}

func TestTheSecretIsNowhere(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	for _, text := range []string{fmt.Sprint(o.Config), fmt.Sprintf("%+v", o.Config), fmt.Sprintf("%#v", o.Config)} {
		if strings.Contains(text, idp.Secret) {
			t.Errorf("printed: %.200s", text)
		}
	}
}
