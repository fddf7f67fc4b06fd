package account_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// signedIn is a context of a browser that a person signed in with.
func (b bundle) signedIn(t *testing.T, userID string) (cookie *http.Cookie) {
	t.Helper()
	token, _ := b.linkOf(t, userID)
	w := httptest.NewRecorder()
	ctx, err := b.acc.Load(w, request(t, nil), "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.acc.SignIn(ctx, token, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	return w.Result().Cookies()[0]
}

func request(t *testing.T, cookie *http.Cookie) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", nil)
	r.Header.Set("User-Agent", "Firefox on Linux")
	if cookie != nil {
		r.AddCookie(cookie)
	}
	return r
}

// bearer loads a request with an access token.
func (b bundle) bearer(t *testing.T, token string) (*authz.Viewer, error) {
	t.Helper()
	r := request(t, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	ctx, err := b.acc.Load(httptest.NewRecorder(), r, "192.0.2.7")
	if err != nil {
		return nil, err
	}
	return authz.From(ctx), nil
}

// create makes a token in a signed-in browser.
func (b bundle) create(t *testing.T, cookie *http.Cookie, in account.CreateTokenInput) (*ent.AccessToken, string, error) {
	t.Helper()
	ctx, err := b.acc.Load(httptest.NewRecorder(), request(t, cookie), "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	return b.acc.CreateToken(ctx, in)
}

func TestATokenActsWithinItsScope(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	admin := testkit.User(t, b.db, "ada", authz.PlatformAdministrator)
	cookie := b.signedIn(t, admin.ID)
	for scope, want := range map[authz.TokenScope]struct{ platform, change bool }{
		authz.ScopeRead: {}, authz.ScopeWrite: {change: true}, authz.ScopeAdmin: {platform: true, change: true},
	} {
		row, text, err := b.create(t, cookie, account.CreateTokenInput{Name: string(scope), Scope: scope, Days: 1})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(row.TokenHash, text) || !account.IsToken(text) {
			t.Errorf("kept %q of %q", row.TokenHash, text)
		}
		v, err := b.bearer(t, text)
		if err != nil {
			t.Fatal(err)
		}
		v.Teams = map[string]authz.Role{"team-1": authz.RoleOwner}
		if v.UserID != admin.ID || v.Administrator() != want.platform || v.May(authz.Create, "team-1") != want.change || !v.May(authz.Read, "team-1") {
			t.Errorf("%s: %+v", scope, v)
		}
		if got := v.MayConnect("team-1", admin.ID); got != want.change {
			t.Errorf("%s: may connect: %v", scope, got)
		}
		used := b.db.Client.AccessToken.GetX(b.sys, row.ID)
		if used.UsedAt == nil || used.Address != "192.0.2.7" {
			t.Errorf("%s: its use was not noted: %+v", scope, used)
		}
	}
}

func TestWrongTokensAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	cookie := b.signedIn(t, b.user.ID)
	row, text, err := b.create(t, cookie, account.CreateTokenInput{Name: "cron", Scope: authz.ScopeWrite, Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "x", text[:len(text)-1], text + "a", strings.ToUpper(text), "gbl_" + strings.Repeat("a", 39), row.TokenHash, strings.Repeat("gbl_", 1<<14)} {
		if v, err := b.bearer(t, bad); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%.20q: %+v, %v", bad, v, err)
		}
	}
	r := request(t, cookie)
	r.Header.Set("Authorization", "Basic "+text)
	if _, err := b.acc.Load(httptest.NewRecorder(), r, ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a header of another kind beside a good cookie: %v", err)
	}
	b.user.Update().SetDisabledAt(time.Now().UTC()).ExecX(b.sys)
	if _, err := b.bearer(t, text); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("of a disabled person: %v", err)
	}
	b.user.Update().ClearDisabledAt().ExecX(b.sys)
	if _, err := b.bearer(t, text); err != nil {
		t.Fatal(err)
	}
	b.db.Client.AccessToken.Update().Where(accesstoken.ID(row.ID)).SetExpiresAt(time.Now().UTC()).ExecX(b.sys)
	if _, err := b.bearer(t, text); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a lapsed one: %v", err)
	}
}

func TestWhatANewTokenMustBe(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	cookie := b.signedIn(t, b.user.ID)
	good := account.CreateTokenInput{Name: "cron", Scope: authz.ScopeRead, Days: 365}
	for field, change := range map[string]func(*account.CreateTokenInput){
		"name":  func(in *account.CreateTokenInput) { in.Name = " " },
		"scope": func(in *account.CreateTokenInput) { in.Scope = "all" },
		"days":  func(in *account.CreateTokenInput) { in.Days = 366 },
	} {
		in := good
		change(&in)
		_, _, err := b.create(t, cookie, in)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Path != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, _, err := b.create(t, cookie, account.CreateTokenInput{Name: "a", Scope: authz.ScopeAdmin, Days: 1}); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("an ordinary person's token of the scope admin: %v", err)
	}
	_, text, err := b.create(t, cookie, good)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.create(t, cookie, good); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("a second one of the same name: %v", err)
	}
	r := request(t, cookie) // the token counts, not the cookie beside it
	r.Header.Set("Authorization", "Bearer "+text)
	ctx, err := b.acc.Load(httptest.NewRecorder(), r, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.acc.CreateToken(ctx, account.CreateTokenInput{Name: "child", Scope: authz.ScopeRead, Days: 1}); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a token made a token: %v", err)
	}
	for i := 1; i < 50; i++ {
		if _, _, err := b.create(t, cookie, account.CreateTokenInput{Name: "t" + strings.Repeat("x", i), Scope: authz.ScopeRead, Days: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.create(t, cookie, account.CreateTokenInput{Name: "one more", Scope: authz.ScopeRead, Days: 1}); fault.KindOf(err) != fault.ResourceExhausted {
		t.Errorf("the fifty-first: %v", err)
	}
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	here, there := b.signedIn(t, b.user.ID), b.signedIn(t, b.user.ID)
	stranger := testkit.User(t, b.db, "otto", authz.PlatformUser)
	foreign := b.signedIn(t, stranger.ID)
	load := func(c *http.Cookie) (ctxViewer *authz.Viewer, list []*ent.Session, end func(string) error, others func() error, id string) {
		ctx, err := b.acc.Load(httptest.NewRecorder(), request(t, c), "192.0.2.9")
		if err != nil {
			t.Fatal(err)
		}
		if v := authz.From(ctx); v != nil {
			if list, err = b.acc.Sessions(ctx); err != nil {
				t.Fatal(err)
			}
			ctxViewer = v
		}
		return ctxViewer, list, func(id string) error { return b.acc.EndSession(ctx, id) },
			func() error { return b.acc.EndOtherSessions(ctx) }, account.SessionID(ctx)
	}
	_, list, end, others, mine := load(here)
	if len(list) != 2 || list[0].Agent != "Firefox on Linux" {
		t.Fatalf("sessions: %+v", list)
	}
	_, _, _, _, otto := load(foreign)
	if err := end(otto); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another person's session: %v", err)
	}
	if err := others(); err != nil {
		t.Fatal(err)
	}
	if v, _, _, _, _ := load(there); v != nil {
		t.Error("the other browser is still signed in")
	}
	if v, _, _, _, _ := load(foreign); v == nil {
		t.Error("another person was signed out")
	}
	if err := others(); err != nil {
		t.Errorf("with no others: %v", err)
	}
	if err := end(mine); err != nil {
		t.Fatal(err)
	}
	if v, _, _, _, _ := load(here); v != nil {
		t.Error("an ended session still signs in")
	}
}

func FuzzIsToken(f *testing.F) {
	f.Add("gbl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add("gbl_")
	f.Fuzz(func(t *testing.T, s string) {
		if account.IsToken(s) && (len(s) != 43 || !strings.HasPrefix(s, "gbl_")) {
			t.Errorf("%q has not the form", s)
		}
	})
}
