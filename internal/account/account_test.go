package account_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/loginlink"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

type bundle struct {
	db   *db.DB
	acc  *account.Service
	user *ent.User
	sys  context.Context
}

func setup(t *testing.T, address string) bundle {
	t.Helper()
	d := testkit.DB(t)
	return bundle{d, account.New(account.Deps{DB: d, Broker: event.NewLocal(), Config: config.Config{URL: address}}),
		testkit.User(t, d, "meng", authz.PlatformUser), authz.AsSystem(t.Context())}
}

func (b bundle) link(t *testing.T) (token string, expires time.Time) {
	t.Helper()
	return b.linkOf(t, b.user.ID)
}

func (b bundle) linkOf(t *testing.T, userID string) (token string, expires time.Time) {
	t.Helper()
	link, expires, err := b.acc.NewSignInLink(b.sys, userID)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil || u.Path != "/sign-in" {
		t.Fatalf("link %s: %v", link, err)
	}
	return u.Query().Get("token"), expires
}

func TestALinkSignsInOnceWhoeverIsFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	token, _ := b.link(t)
	const tries = 16
	won := make(chan string, tries)
	var wg sync.WaitGroup
	for range tries {
		wg.Go(func() {
			id, err := b.acc.Redeem(t.Context(), token, "192.0.2.1")
			switch {
			case err == nil:
				won <- id
			case fault.KindOf(err) != fault.Unauthenticated:
				t.Errorf("refused with %v", err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || <-won != b.user.ID {
		t.Errorf("%d redeemed the link", len(won)+1)
	}
	if n := b.db.Client.Audit.Query().Where(audit.Action("user.sign-in"), audit.ActorID(b.user.ID), audit.Address("192.0.2.1")).CountX(b.sys); n != 1 {
		t.Errorf("%d sign-ins were written down", n)
	}
}

func TestLinksLapseAndKeepOnlyAHash(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	token, expires := b.link(t)
	if left := time.Until(expires); left < 23*time.Hour || left > 24*time.Hour {
		t.Errorf("a person's first link lasts %s", left)
	}
	row := b.db.Client.LoginLink.Query().OnlyX(b.sys)
	if strings.Contains(row.TokenHash, token) || len(row.TokenHash) != 64 {
		t.Errorf("kept %q of token %q", row.TokenHash, token)
	}
	b.db.Client.LoginLink.Update().SetExpiresAt(time.Now().UTC().Add(-time.Second)).ExecX(b.sys)
	if _, err := b.acc.Redeem(t.Context(), token, ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a lapsed link: %v", err)
	}
	for _, bad := range []string{"", "x", token[:len(token)-1], row.TokenHash, strings.Repeat("A", 1<<16)} {
		if _, err := b.acc.Redeem(t.Context(), bad, ""); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("a wrong token: %v", err)
		}
	}
	second, _ := b.link(t)
	if _, err := b.acc.Redeem(t.Context(), second, ""); err != nil {
		t.Fatal(err)
	}
	if _, expires := b.link(t); time.Until(expires) > 15*time.Minute {
		t.Errorf("a later link lasts until %s", expires)
	}
	if err := b.acc.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.db.Client.LoginLink.Query().Where(loginlink.UsedAtIsNil()).CountX(b.sys); n != 1 {
		t.Errorf("%d unused links are left after the sweep, want the one that has not lapsed", n)
	}
}

func TestADisabledPersonDoesNotComeIn(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	token, _ := b.link(t)
	b.user.Update().SetDisabledAt(time.Now().UTC()).ExecX(b.sys)
	if _, err := b.acc.Redeem(t.Context(), token, ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("redeem: %v", err)
	}
	if _, err := b.acc.Viewer(t.Context(), b.user.ID, ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("viewer: %v", err)
	}
	if _, _, err := b.acc.NewSignInLink(b.sys, b.user.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("link: %v", err)
	}
}

func TestTheFirstAdministratorIsMadeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	var wg sync.WaitGroup
	ids := make(chan string, 8)
	made := make(chan bool, 8)
	for range 8 {
		wg.Go(func() {
			u, created, err := b.acc.EnsureAdministrator(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			ids <- u.ID
			if created {
				made <- true
			}
		})
	}
	wg.Wait()
	close(ids)
	first := <-ids
	for id := range ids {
		if id != first {
			t.Errorf("two administrators: %s and %s", first, id)
		}
	}
	if len(made) != 1 {
		t.Errorf("made %d times", len(made))
	}
}

func TestCreateUserTellsEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	admin := testkit.As(t, b.db, testkit.User(t, b.db, "ada", authz.PlatformAdministrator))
	create := func(email, name string, role authz.PlatformRole) error {
		_, _, _, err := b.acc.CreateUser(admin, account.CreateUserInput{Email: email, DisplayName: name, PlatformRole: role})
		return err
	}
	var f *fault.Error
	if err := create("Li <li@example.com>", " ", "king"); !errors.As(err, &f) || len(f.Fields) != 3 {
		t.Errorf("%v", err)
	}
	if err := create(" Li@Example.com ", "Li", authz.PlatformUser); err != nil {
		t.Fatal(err)
	}
	if err := create("li@example.COM", "Li again", authz.PlatformUser); !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Path != "email" {
		t.Errorf("a taken address: %v", err)
	}
}

// visit sends one request through Load, with cookies, and gives what came back.
func (b bundle) visit(t *testing.T, cookies []*http.Cookie, do func(ctx context.Context)) []*http.Cookie {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	ctx, err := b.acc.Load(w, r, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	do(ctx)
	res := w.Result()
	_ = res.Body.Close()
	return res.Cookies()
}

func TestSignInTakesANewTokenAndKeepsAHash(t *testing.T) {
	t.Parallel()
	for address, name := range map[string]string{"http://localhost:8080": "goblinlab", "https://lab.example": "__Host-goblinlab"} {
		b := setup(t, address)
		token, _ := b.link(t)
		planted := []*http.Cookie{{Name: name, Value: "planted-by-somebody-else"}}
		got := b.visit(t, planted, func(ctx context.Context) {
			if err := b.acc.SignIn(ctx, token, "192.0.2.1"); err != nil {
				t.Fatal(err)
			}
		})
		if len(got) != 2 { // the session's, and the one by which the browser is known
			t.Fatalf("%d cookies", len(got))
		}
		c := got[0]
		if c.Name != name || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" || c.Path != "/" || c.Secure != strings.HasPrefix(address, "https") {
			t.Errorf("cookie %+v", c)
		}
		if c.Value == planted[0].Value || len(c.Value) < 43 {
			t.Errorf("the planted token lives: %q", c.Value)
		}
		if row := b.db.Client.Session.Query().OnlyX(b.sys); strings.Contains(row.ID, c.Value) || strings.Contains(string(row.Data), c.Value) {
			t.Error("the token itself is kept")
		}
		// A second sign-in in the same browser ends the first session's token (fixation).
		again, _ := b.link(t)
		second := b.visit(t, got, func(ctx context.Context) {
			if v := authz.From(ctx); v == nil || v.UserID != b.user.ID {
				t.Fatalf("viewer %+v", v)
			}
			if err := b.acc.SignIn(ctx, again, ""); err != nil {
				t.Fatal(err)
			}
		})
		b.visit(t, got, func(ctx context.Context) {
			if authz.From(ctx) != nil {
				t.Error("the token from before the sign-in still works")
			}
		})
		b.visit(t, second, func(ctx context.Context) {
			if authz.From(ctx) == nil {
				t.Error("the new token does not work")
			}
		})
	}
}

func TestASessionSlidesAndEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://localhost")
	token, _ := b.link(t)
	cookies := b.visit(t, nil, func(ctx context.Context) {
		if err := b.acc.SignIn(ctx, token, ""); err != nil {
			t.Fatal(err)
		}
	})
	if again := b.visit(t, cookies, func(context.Context) {}); len(again) != 0 {
		t.Error("a fresh session is written anew")
	}
	soon := time.Now().UTC().Add(time.Hour)
	b.db.Client.Session.Update().SetExpiresAt(soon).ExecX(b.sys)
	if again := b.visit(t, cookies, func(context.Context) {}); len(again) != 1 || again[0].Value != cookies[0].Value {
		t.Errorf("a session near its end does not slide: %v", again)
	}
	if row := b.db.Client.Session.Query().OnlyX(b.sys); time.Until(row.ExpiresAt) < 13*24*time.Hour {
		t.Errorf("it ends at %s", row.ExpiresAt)
	}
	b.visit(t, cookies, func(ctx context.Context) {
		follow, stop := b.acc.Follow(ctx)
		defer stop()
		if err := b.acc.SignOut(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-follow.Done():
		case <-time.After(5 * time.Second):
			t.Error("what follows the session goes on")
		}
	})
	b.visit(t, cookies, func(ctx context.Context) {
		if authz.From(ctx) != nil {
			t.Error("a session that was ended still works")
		}
	})
	if n := b.db.Client.Session.Query().Where(session.ExpiresAtGT(time.Now().UTC())).CountX(b.sys); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}
