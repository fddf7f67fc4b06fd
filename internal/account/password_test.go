package account

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/knownbrowser"
	"github.com/goblinlab/goblinlab/ent/password"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const good = "seven boring lamps"

type lab struct {
	t    *testing.T
	db   *db.DB
	acc  *Service
	user *ent.User
	sys  context.Context
}

func newLab(t *testing.T) *lab {
	t.Helper()
	d := testkit.DB(t)
	return &lab{t, d, New(Deps{DB: d, Broker: event.NewLocal(), Config: config.Config{URL: "http://localhost"}}),
		testkit.User(t, d, "meng", authz.PlatformUser), authz.AsSystem(t.Context())}
}

// jar is a browser that keeps its cookies.
type jar struct {
	l       *lab
	cookies map[string]*http.Cookie
	from    string
}

func (l *lab) browser() *jar { return &jar{l, map[string]*http.Cookie{}, "192.0.2.1"} }

// visit does one request.
func (j *jar) visit(do func(ctx context.Context) error) error {
	j.l.t.Helper()
	r := httptest.NewRequestWithContext(j.l.t.Context(), http.MethodPost, "/", nil)
	for _, c := range j.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	ctx, err := j.l.acc.Load(w, r, j.from)
	if err != nil {
		j.l.t.Fatal(err)
	}
	err = do(ctx)
	res := w.Result()
	_ = res.Body.Close()
	for _, c := range res.Cookies() {
		j.cookies[c.Name] = c
	}
	return err
}

func (j *jar) link(u *ent.User) {
	j.l.t.Helper()
	address, _, err := j.l.acc.NewSignInLink(j.l.sys, u.ID)
	if err != nil {
		j.l.t.Fatal(err)
	}
	_, token, _ := strings.Cut(address, "token=")
	if err := j.visit(func(ctx context.Context) error { return j.l.acc.SignIn(ctx, token, j.from) }); err != nil {
		j.l.t.Fatal(err)
	}
}

func (j *jar) password(email, pass string) error {
	return j.visit(func(ctx context.Context) error { return j.l.acc.SignInWithPassword(ctx, email, pass, j.from) })
}

func (j *jar) set(current, next string) error {
	return j.visit(func(ctx context.Context) error { return j.l.acc.SetPassword(ctx, current, next) })
}

func (j *jar) viewer() (v *authz.Viewer) {
	_ = j.visit(func(ctx context.Context) error { v = authz.From(ctx); return nil })
	return v
}

// old makes a browser's session older than a fresh link.
func (l *lab) old(t *testing.T) {
	t.Helper()
	if _, err := l.db.SQL.ExecContext(l.sys, "UPDATE sessions SET created_at = created_at"); err != nil {
		t.Fatal(err)
	}
	rows := l.db.Client.Session.Query().AllX(l.sys)
	for _, r := range rows {
		l.db.Client.Session.DeleteOne(r).ExecX(l.sys)
		l.db.Client.Session.Create().SetID(r.ID).SetUserID(r.UserID).SetData(r.Data).SetExpiresAt(r.ExpiresAt).
			SetWay(r.Way).SetCreatedAt(time.Now().UTC().Add(-freshLink - time.Second)).ExecX(l.sys)
	}
}

func ids(err error) []string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	out := []string{f.ID}
	for _, x := range f.Fields {
		out = append(out, x.Path+" "+x.ID)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

func wants(t *testing.T, err error, want string) {
	t.Helper()
	if got := ids(err); len(got) != 1 || got[0] != want {
		t.Errorf("%v (%v), want %s", got, err, want)
	}
}

func TestAPasswordSignsInAndIsKeptAsArgon2id(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	b := l.browser()
	b.link(l.user)
	if err := b.set("", good); err != nil {
		t.Fatal(err)
	}
	row := l.db.Client.Password.Query().OnlyX(l.sys)
	if !strings.HasPrefix(row.Hash, "$argon2id$v=19$m=32768,t=2,p=1$") || strings.Contains(row.Hash, good) {
		t.Errorf("kept %q", row.Hash)
	}
	c := l.browser()
	if err := c.password(" "+strings.ToUpper(l.user.Email), good); err != nil {
		t.Fatal(err)
	}
	if v := c.viewer(); v == nil || v.UserID != l.user.ID {
		t.Errorf("signed in as %+v", v)
	}
	if got := l.db.Client.Session.Query().Where(session.Way("password")).CountX(l.sys); got != 1 {
		t.Errorf("%d sessions by password", got)
	}
	if u := l.db.Client.User.GetX(l.sys, l.user.ID); u.SeenAt == nil {
		t.Error("nobody was seen")
	}
	k := c.cookies["goblinlab-browser"]
	if k == nil || !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.MaxAge < 100*24*3600 {
		t.Errorf("cookie of a known browser: %+v", k)
	}
}

func TestOneTextTypedInTwoWaysIsOnePassword(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	b := l.browser()
	b.link(l.user)
	composed, apart := "dépêche-moi été", "de\u0301pe\u0302che-moi e\u0301te\u0301"
	if err := b.set("", apart); err != nil {
		t.Fatal(err)
	}
	if err := l.browser().password(l.user.Email, composed); err != nil {
		t.Error(err)
	}
}

func TestPasswordsThatAreTriedFirstAreRefused(t *testing.T) {
	t.Parallel()
	for pass, want := range map[string]string{
		"elevenchars":                                "p account.password.length",
		strings.Repeat("ab", 200):                    "p account.password.length",
		"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301": "p account.password.length", // six characters, however they are typed
		"meng.li@example.com":                        "p account.password.about",
		"MENG.LI@EXAMPLE.com":                        "p account.password.about",
		"Mengmeng Li2026!":                           "p account.password.about",
		"Password1234":                               "p account.password.common",
		"aaaaaaaaaaaa":                               "p account.password.common",
		"abcabcabcabcabc":                            "p account.password.common",
		"qwertyuiop[]":                               "p account.password.common",
		"0987654321-=":                               "",
		"lkjihgfedcba":                               "p account.password.common",
		"seven\x00boring lamps":                      "p account.password.control",
		good:                                         "",
		"一二三四五六七八九十天地":                               "",
		strings.Repeat("abcdefgh1", 28):              "",
	} {
		var f fault.Fields
		CheckPassword(&f, "p", pass, "meng.li@example.com", "Mengmeng Li")
		got := ids(f.Err())
		if len(got) == 0 {
			got = []string{""}
		}
		if got[0] != want {
			t.Errorf("%.20q: %q, want %q", pass, got[0], want)
		}
	}
}

func TestWhateverIsWrongTheAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	b := l.browser()
	b.link(l.user)
	if err := b.set("", good); err != nil {
		t.Fatal(err)
	}
	disabled := testkit.User(t, l.db, "dora", authz.PlatformUser)
	d := l.browser()
	d.link(disabled)
	if err := d.set("", good); err != nil {
		t.Fatal(err)
	}
	disabled.Update().SetDisabledAt(time.Now().UTC()).ExecX(l.sys)
	without := testkit.User(t, l.db, "wu", authz.PlatformUser)
	cases := map[string][2]string{
		"unknown address": {"nobody@example.com", good}, "wrong password": {l.user.Email, "wrong boring lamps"},
		"disabled": {disabled.Email, good}, "no password": {without.Email, good},
	}
	var answers []string
	for name, c := range cases {
		before := l.acc.hasher.done.Load()
		err := l.browser().password(c[0], c[1])
		answers = append(answers, err.Error())
		if n := l.acc.hasher.done.Load() - before; n != 1 { // which is nearly all of the time that it takes
			t.Errorf("%s: %d hashes", name, n)
		}
	}
	slices.Sort(answers)
	if len(slices.Compact(answers)) != 1 {
		t.Errorf("answers differ: %v", answers)
	}
}

func TestAHashOfOtherParametersIsMadeAnew(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	weak, err := argon2id.CreateHash(good, &argon2id.Params{Memory: 8 << 10, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	l.db.Client.Password.Create().SetUserID(l.user.ID).SetHash(weak).SetChangedAt(time.Now().UTC()).ExecX(l.sys)
	if err := l.browser().password(l.user.Email, "wrong boring lamps"); err == nil {
		t.Fatal("let in")
	}
	if got := l.db.Client.Password.Query().OnlyX(l.sys).Hash; got != weak {
		t.Error("a wrong password changed the hash")
	}
	if err := l.browser().password(l.user.Email, good); err != nil {
		t.Fatal(err)
	}
	if got := l.db.Client.Password.Query().OnlyX(l.sys).Hash; !strings.Contains(got, "m=32768,t=2") {
		t.Errorf("kept %q", got)
	}
	if err := l.browser().password(l.user.Email, good); err != nil {
		t.Error(err)
	}
}

func TestAChangeTakesTheCurrentPasswordOrAFreshLink(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	b := l.browser()
	b.link(l.user)
	if err := b.set("", good); err != nil {
		t.Fatal(err)
	}
	if err := b.set("", good+" 2"); err != nil {
		t.Errorf("by a link just now: %v", err)
	}
	l.old(t)
	wants(t, b.set("", good+" 3"), "current account.password.current")
	for range 5 {
		wants(t, b.set("wrong", good+" 3"), "current account.password.not-current")
	}
	l.hold(t)
	wants(t, b.set(good+" 2", good+" 3"), "account.locked")
	l.db.Client.SignInTry.Update().SetUntil(time.Now().UTC()).ExecX(l.sys)
	if err := b.set(good+" 2", good+" 3"); err != nil {
		t.Error(err)
	}
	wants(t, b.visit(func(ctx context.Context) error { return l.acc.RemovePassword(ctx, good+" 3") }), "account.password.only")
	if n := l.db.Client.Password.Query().Where(password.UserID(l.user.ID)).CountX(l.sys); n != 1 {
		t.Error("the only way in is gone")
	}
	// A session that came by the password proves nothing.
	c := l.browser()
	if err := c.password(l.user.Email, good+" 3"); err != nil {
		t.Fatal(err)
	}
	wants(t, c.set("", good+" 4"), "current account.password.current")
}

func TestAChangeEndsOtherSessionsAndForgetsOtherBrowsers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	here, there := l.browser(), l.browser()
	here.link(l.user)
	there.link(l.user)
	ended := make(chan struct{})
	_ = there.visit(func(ctx context.Context) error {
		follow, stop := l.acc.Follow(ctx)
		t.Cleanup(stop)
		context.AfterFunc(follow, func() { close(ended) })
		return nil
	})
	if err := here.set("", good); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("what was open in the other browser goes on")
	}
	if there.viewer() != nil || here.viewer() == nil {
		t.Error("the wrong sessions ended")
	}
	if n := l.db.Client.KnownBrowser.Query().Where(knownbrowser.UserID(l.user.ID)).CountX(l.sys); n != 1 {
		t.Errorf("%d browsers are known", n)
	}
}

func TestAnEndOfWhichNoMessageCameIsFound(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	b, other := l.browser(), l.browser()
	b.link(l.user)
	other.link(l.user)
	follow := func(j *jar) (ended chan struct{}) {
		ended = make(chan struct{})
		_ = j.visit(func(ctx context.Context) error {
			f, stop := l.acc.Follow(ctx)
			t.Cleanup(stop)
			context.AfterFunc(f, func() { close(ended) })
			return nil
		})
		return ended
	}
	gone, stays := follow(b), follow(other)
	id := sessionID(b.cookies["goblinlab"].Value)
	l.db.Client.Session.DeleteOneID(id).ExecX(l.sys) // another process did it, and its message was lost
	if err := l.acc.EndLapsed(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("it goes on")
	}
	select {
	case <-stays:
		t.Error("a session that lasts was ended")
	default:
	}
}

func TestForgottenThingsAreSweptAway(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	long := time.Now().UTC().Add(-triesLife - time.Hour)
	l.db.Client.SignInTry.Create().SetID("account:old").SetUntil(long).SetUpdatedAt(long).ExecX(l.sys)
	l.db.Client.SignInTry.Create().SetID("account:new").SetUntil(long).ExecX(l.sys)
	l.db.Client.KnownBrowser.Create().SetID("old").SetCookieHash("old").SetUserID(l.user.ID).SetExpiresAt(long).ExecX(l.sys)
	if err := l.acc.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids := l.db.Client.SignInTry.Query().IDsX(l.sys); len(ids) != 1 || ids[0] != "account:new" || l.db.Client.KnownBrowser.Query().CountX(l.sys) != 0 {
		t.Errorf("left %v", ids)
	}
}
