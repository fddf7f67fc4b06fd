package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/testkit/idp"
)

// organisation is a platform with a provider, and somebody with an account there.
type organisation struct {
	*servertest.Site
	idp *idp.Provider
}

const password = "hunter2"

func newOrganisation(t *testing.T, edit ...func(*config.Config)) *organisation {
	t.Helper()
	p := idp.Start(t)
	s := servertest.Start(t, servertest.Options{Config: func(c *config.Config) {
		c.OIDC.Issuer, c.OIDC.ClientID, c.OIDC.ClientSecret, c.OIDC.Name = p.Issuer, idp.ClientID, idp.Secret, "Example ID"
		c.OIDC.AutoCreate, c.OIDC.Domains = true, []string{"example.com"}
		for _, e := range edit {
			e(c)
		}
	}})
	p.Register(s.URL)
	p.SetPerson("li", idp.Person{Subject: "sub-li", Password: password, Email: "Li@Example.com", EmailVerified: true, Name: "Li Na"})
	return &organisation{s, p}
}

// visit sends a request and follows nothing.
func visit(t *testing.T, b *servertest.Browser, method, address string, form url.Values) (servertest.Reply, string) {
	t.Helper()
	c := *b.HTTP
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r := request(t, method, address, form.Encode())
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return fetch(t, &c, r)
}

// begin goes to the provider, and gives the address there.
func (o *organisation) begin(t *testing.T, b *servertest.Browser, next string) string {
	t.Helper()
	res, body := visit(t, b, http.MethodGet, o.URL+"/auth/oidc/start?"+url.Values{"next": {next}}.Encode(), nil)
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("start: %s %s", res.Status, body)
	}
	return res.Header.Get("Location")
}

// authenticate types a password at the provider, and gives the way back.
func (o *organisation) authenticate(t *testing.T, b *servertest.Browser, address, login string) string {
	t.Helper()
	form := url.Values(nil)
	for method := http.MethodGet; ; method, form = http.MethodGet, nil {
		if method == http.MethodGet && strings.Contains(address, "/login?id=") {
			_, page := visit(t, b, method, address, nil)
			method, form = http.MethodPost, url.Values{"id": {idp.LoginID(page)}, "login": {login}, "password": {password}}
		}
		res, body := visit(t, b, method, address, form)
		to := res.Header.Get("Location")
		if to == "" {
			t.Fatalf("the provider: %s %s\n%s", address, res.Status, body)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if u, err = u.Parse(to); err != nil {
			t.Fatal(err)
		}
		if address = u.String(); strings.HasPrefix(address, o.URL) {
			return address
		}
	}
}

// back comes back, and gives where the browser is sent.
func (o *organisation) back(t *testing.T, b *servertest.Browser, address string) string {
	t.Helper()
	res, body := visit(t, b, http.MethodGet, address, nil)
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("callback: %s %s", res.Status, body)
	}
	return res.Header.Get("Location")
}

// signIn is the whole way.
func (o *organisation) signIn(t *testing.T, b *servertest.Browser, login string) string {
	t.Helper()
	return o.back(t, b, o.authenticate(t, b, o.begin(t, b, "/"), login))
}

func problem(id string) string { return "/sign-in?" + url.Values{"problem": {id}}.Encode() }

type viewerAnswer struct {
	Viewer *struct {
		User        struct{ ID, Email, DisplayName, PlatformRole string }
		Memberships []struct {
			Role string
			Team struct{ ID string }
		}
	}
}

func viewerOf(b *servertest.Browser) viewerAnswer {
	var v viewerAnswer
	b.Get(`{ viewer { user { id email displayName platformRole } memberships { role team { id } } } }`, nil, &v)
	return v
}

func refusals(o *organisation, t *testing.T) []*ent.Audit {
	t.Helper()
	return o.DB.Client.Audit.Query().Where(audit.Action("user.sign-in-refused")).Order(ent.Asc(audit.FieldID)).AllX(authz.AsSystem(t.Context()))
}

func TestSomebodyNewSignsInThroughTheProvider(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	sys := authz.AsSystem(t.Context())
	b := o.Stranger(t)
	res, _ := visit(t, b, http.MethodGet, o.URL+"/auth/oidc/start?next=%2Fruns%3Fstate%3Dfailed", nil)
	if len(res.Cookies) != 1 {
		t.Fatalf("%d cookies", len(res.Cookies))
	}
	if c := res.Cookies[0]; c.Name != "goblinlab-sign-in" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge != 600 || c.Domain != "" || len(c.Value) < 50 {
		t.Errorf("cookie %+v", c)
	}
	asked, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || len(q.Get("state")) != 43 || len(q.Get("nonce")) != 43 ||
		q.Get("state") == q.Get("nonce") || q.Get("redirect_uri") != o.URL+"/auth/oidc/callback" || !strings.HasPrefix(asked.String(), o.idp.Issuer) {
		t.Errorf("asked %s", asked)
	}
	back := o.authenticate(t, b, asked.String(), "li")
	res, _ = visit(t, b, http.MethodGet, back, nil)
	if res.Header.Get("Location") != "/runs?state=failed" {
		t.Fatalf("sent to %s", res.Header.Get("Location"))
	}
	gone, session := res.Cookies[0], res.Cookies[len(res.Cookies)-1]
	for _, c := range res.Cookies {
		if c.Name == "goblinlab-sign-in" {
			gone = c
		} else if c.Name == "goblinlab" {
			session = c
		}
	}
	if gone.Name != "goblinlab-sign-in" || gone.MaxAge >= 0 || session.Name != "goblinlab" || !session.HttpOnly || session.SameSite != http.SameSiteLaxMode {
		t.Errorf("cookies %v", res.Cookies)
	}
	v := viewerOf(b).Viewer
	if v == nil || v.User.Email != "li@example.com" || v.User.DisplayName != "Li Na" || v.User.PlatformRole != "USER" {
		t.Fatalf("viewer %+v", v)
	}
	for _, action := range []string{"user.create", "identity.link", "user.sign-in"} {
		if e := o.DB.Client.Audit.Query().Where(audit.Action(action), audit.ObjectID(v.User.ID)).OnlyX(sys); e.Address != "127.0.0.1" {
			t.Errorf("%s from %q", action, e.Address)
		}
	}
	// The person is their subject, whatever their address becomes.
	o.idp.SetPerson("li", idp.Person{Subject: "sub-li", Password: password, Email: "na@example.com"})
	again := o.Stranger(t)
	if to := o.signIn(t, again, "li"); to != "/" || viewerOf(again).Viewer.User.ID != v.User.ID {
		t.Errorf("a second time: %s, %+v", to, viewerOf(again).Viewer)
	}
	if idt := o.DB.Client.Identity.Query().OnlyX(sys); idt.Email != "na@example.com" || idt.Subject != "sub-li" || idt.Issuer != o.idp.Issuer {
		t.Errorf("identity %+v", idt)
	}
	if n := o.DB.Client.ProviderTry.Query().CountX(sys); n != 0 {
		t.Errorf("%d tries are left", n)
	}
}

func TestTheWayBackIsForOneBrowserAndOnce(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	sys := authz.AsSystem(t.Context())
	with := func(address, name, value string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, c := range map[string]func(b *servertest.Browser, back string) (*servertest.Browser, string){
		"another state": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			return b, with(back, "state", "x")
		},
		"no state": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			return b, with(back, "state", "")
		},
		"no code": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			return b, with(back, "code", "")
		},
		"another issuer": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			return b, with(back, "iss", "https://evil.example")
		},
		"a stolen address": func(_ *servertest.Browser, back string) (*servertest.Browser, string) { return o.Stranger(t), back },
		"begun anew": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			o.begin(t, b, "/")
			return b, back
		},
		"a browser of a try": func(_ *servertest.Browser, back string) (*servertest.Browser, string) {
			v := o.Stranger(t)
			o.begin(t, v, "/")
			return v, back
		},
		"too late": func(b *servertest.Browser, back string) (*servertest.Browser, string) {
			o.DB.Client.ProviderTry.Update().SetExpiresAt(time.Now().UTC().Add(-time.Second)).ExecX(sys)
			return b, back
		},
	} {
		b := o.Stranger(t)
		b, back := c(b, o.authenticate(t, b, o.begin(t, b, "/"), "li"))
		if to := o.back(t, b, back); to != problem("oidc.state") || viewerOf(b).Viewer != nil {
			t.Errorf("%s: sent to %s as %+v", name, to, viewerOf(b).Viewer)
		}
	}
	if n := o.DB.Client.User.Query().Where(user.Email("li@example.com")).CountX(sys); n != 0 {
		t.Error("somebody was made")
	}
	b := o.Stranger(t)
	back := o.authenticate(t, b, o.begin(t, b, "/"), "li")
	cookies := b.HTTP.Jar.Cookies(request(t, http.MethodGet, o.URL, "").URL)
	if to := o.back(t, b, back); to != "/" {
		t.Fatalf("sent to %s", to)
	}
	thief := o.Stranger(t) // with the address and the cookie, a moment later
	thief.HTTP.Jar.SetCookies(request(t, http.MethodGet, o.URL, "").URL, cookies)
	if to := o.back(t, thief, back); to != problem("oidc.state") || viewerOf(thief).Viewer != nil {
		t.Errorf("a second time: sent to %s", to)
	}
	other := o.Stranger(t) // a code that was used, in a sign-in of its own
	address, err := url.Parse(o.begin(t, other, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if to := o.back(t, other, with(back, "state", address.Query().Get("state"))); to != problem("oidc.refused") || viewerOf(other).Viewer != nil {
		t.Errorf("a used code: sent to %s", to)
	}
	for _, e := range refusals(o, t) {
		if e.After["reason"] == "" || e.After["way"] != "oidc" || e.Address != "127.0.0.1" {
			t.Errorf("entry %+v", e)
		}
		if q, _ := url.Parse(back); strings.Contains(strings.ToLower(e.String()), strings.ToLower(q.Query().Get("code"))) {
			t.Error("a code is in the audit log")
		}
	}
	if n := len(refusals(o, t)); n != 10 {
		t.Errorf("%d refusals were written down", n)
	}
}

func TestACodeOfAnotherSignInIsRefused(t *testing.T) { // injection, and the downgrade of PKCE
	t.Parallel()
	o := newOrganisation(t)
	o.idp.Discovery(func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} })
	victim, attacker := o.Stranger(t), o.Stranger(t)
	for name, cut := range map[string]bool{"with a challenge of its own": false, "without a challenge": true} {
		address, err := url.Parse(o.begin(t, attacker, "/"))
		if err != nil {
			t.Fatal(err)
		}
		q := address.Query()
		if q.Get("code_challenge_method") != "S256" {
			t.Fatalf("the challenge is %q since the provider said so", q.Get("code_challenge_method"))
		}
		if cut {
			q.Del("code_challenge")
			q.Del("code_challenge_method")
			address.RawQuery = q.Encode()
		}
		stolen, err := url.Parse(o.authenticate(t, attacker, address.String(), "li"))
		if err != nil {
			t.Fatal(err)
		}
		own, err := url.Parse(o.begin(t, victim, "/"))
		if err != nil {
			t.Fatal(err)
		}
		bq := stolen.Query()
		bq.Set("state", own.Query().Get("state"))
		stolen.RawQuery = bq.Encode()
		if to := o.back(t, victim, stolen.String()); to != problem("oidc.refused") && to != problem("oidc.untrusted") || viewerOf(victim).Viewer != nil {
			t.Errorf("%s: sent to %s", name, to)
		}
	}
}

func TestWhatAnIDTokenMustProve(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for name, c := range map[string]struct {
		forge func(m map[string]any)
		want  string
	}{
		"as it is":              {func(map[string]any) {}, "/"},
		"lapsed half a minute":  {func(m map[string]any) { m["exp"] = in(-30 * time.Second) }, "/"},
		"another nonce":         {func(m map[string]any) { m["nonce"] = "x" }, problem("oidc.untrusted")},
		"no nonce":              {func(m map[string]any) { delete(m, "nonce") }, problem("oidc.untrusted")},
		"another audience":      {func(m map[string]any) { m["aud"] = []string{"somebody-else"} }, problem("oidc.untrusted")},
		"for another party":     {func(m map[string]any) { m["aud"], m["azp"] = []string{idp.ClientID, "x"}, "x" }, problem("oidc.untrusted")},
		"for two, of nobody":    {func(m map[string]any) { m["aud"] = []string{idp.ClientID, "x"}; delete(m, "azp") }, problem("oidc.untrusted")},
		"another issuer":        {func(m map[string]any) { m["iss"] = "https://evil.example" }, problem("oidc.untrusted")},
		"lapsed":                {func(m map[string]any) { m["exp"] = in(-2 * time.Minute) }, problem("oidc.untrusted")},
		"no end":                {func(m map[string]any) { delete(m, "exp") }, problem("oidc.untrusted")},
		"not valid yet":         {func(m map[string]any) { m["nbf"] = in(time.Hour) }, problem("oidc.untrusted")},
		"no subject":            {func(m map[string]any) { m["sub"] = "" }, problem("oidc.untrusted")},
		"another person's":      {func(m map[string]any) { m["sub"] = "sub-x" }, problem("oidc.untrusted")}, // user info is about li
		"another access token":  {func(m map[string]any) { m["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }, problem("oidc.untrusted")},
		"signed by another key": {func(m map[string]any) { m[idp.BadSignature] = true }, problem("oidc.untrusted")},
	} {
		o.idp.Forge(c.forge)
		b := o.Stranger(t)
		if to := o.signIn(t, b, "li"); to != c.want || (viewerOf(b).Viewer != nil) != (c.want == "/") {
			t.Errorf("%s: sent to %s, want %s", name, to, c.want)
		}
	}
}

func TestWhoComesIn(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	sys := authz.AsSystem(t.Context())
	known, other := o.Cast.Member, o.Cast.Viewer
	disable := func(u *ent.User) func() {
		return func() { u.Update().SetDisabledAt(time.Now().UTC()).ExecX(sys) }
	}
	for _, c := range []struct {
		name  string
		who   idp.Person
		first func()
		want  string // the refusal
		is    string
	}{
		{"an address that is not proven", idp.Person{Subject: "s1", Email: known.Email}, nil, "oidc.unverified", ""},
		{"no address", idp.Person{Subject: "s1", EmailVerified: true}, nil, "oidc.unverified", ""},
		{"no address at all", idp.Person{Subject: "s1", Email: "x <y@example.com>", EmailVerified: true}, nil, "oidc.unverified", ""},
		{"another domain", idp.Person{Subject: "s1", Email: "li@evil.example", EmailVerified: true}, nil, "oidc.stranger", ""},
		{"a domain that ends alike", idp.Person{Subject: "s1", Email: "li@notexample.com", EmailVerified: true}, nil, "oidc.stranger", ""},
		{"a person by the proven address", idp.Person{Subject: "s1", Email: strings.ToUpper(known.Email), EmailVerified: true}, nil, "", known.ID},
		{"the address of somebody who has another identity", idp.Person{Subject: "s2", Email: known.Email, EmailVerified: true}, nil, "oidc.linked", ""},
		{"who was disabled", idp.Person{Subject: "s1", Email: known.Email, EmailVerified: true}, disable(known), "oidc.disabled", ""},
		{"who was disabled before they came", idp.Person{Subject: "s3", Email: other.Email, EmailVerified: true}, disable(other), "oidc.disabled", ""},
	} {
		if c.first != nil {
			c.first()
		}
		c.who.Password = password
		o.idp.SetPerson("x", c.who)
		b, want := o.Stranger(t), "/"
		if c.want != "" {
			want = problem(c.want)
		}
		to := o.signIn(t, b, "x")
		v := viewerOf(b).Viewer
		if to != want || (v != nil) != (c.is != "") || v != nil && v.User.ID != c.is {
			t.Errorf("%s: sent to %s as %+v", c.name, to, v)
		}
		if all := refusals(o, t); c.want != "" && (all[len(all)-1].After["reason"] != c.want || all[len(all)-1].After["subject"] != c.who.Subject) {
			t.Errorf("%s: written down %+v", c.name, all[len(all)-1].After)
		}
	}
	if n := o.DB.Client.Identity.Query().CountX(sys); n != 1 {
		t.Errorf("%d identities, want the one that came in", n)
	}
}

func TestNobodyIsMadeWhereThatIsNotWanted(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t, func(c *config.Config) { c.OIDC.AutoCreate, c.OIDC.Domains = false, nil })
	b := o.Stranger(t)
	if to := o.signIn(t, b, "li"); to != problem("oidc.stranger") || viewerOf(b).Viewer != nil {
		t.Errorf("sent to %s", to)
	}
}

func TestTwoBrowsersOfSomebodyNewAtOnce(t *testing.T) {
	t.Parallel()
	o := newOrganisation(t)
	const browsers = 4
	backs, all := make([]string, browsers), make([]*servertest.Browser, browsers)
	for i := range browsers {
		all[i] = o.Stranger(t)
		backs[i] = o.authenticate(t, all[i], o.begin(t, all[i], "/"), "li")
	}
	var wg sync.WaitGroup
	for i, b := range all {
		wg.Go(func() {
			if to := o.back(t, b, backs[i]); to != "/" {
				t.Errorf("sent to %s", to)
			}
		})
	}
	wg.Wait()
	for _, b := range all[1:] {
		if v := viewerOf(b).Viewer; v == nil || v.User.ID != viewerOf(all[0]).Viewer.User.ID {
			t.Errorf("somebody else: %+v", v)
		}
	}
}
