package server_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

const good = "seven boring lamps"

// withPassword gives a person a password, in a browser that is then left.
func withPassword(t *testing.T, s *servertest.Site, u *ent.User) {
	t.Helper()
	s.SignIn(t, u).Get(`mutation($p: String!) { setPassword(input: {password: $p}) { password { changedAt } } }`, map[string]any{"p": good}, nil)
}

func TestSignInByPasswordOverHTTP(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	withPassword(t, s, s.Cast.Member)
	b := s.Stranger(t)
	for _, path := range []string{"/sign-in", "/auth/link"} {
		var out struct{ Code, ID, Message string }
		if res := b.Post(path, map[string]string{"email": s.Cast.Member.Email, "password": "wrong boring lamps"}, &out); res.StatusCode != http.StatusUnauthorized || out.ID != "account.password.wrong" {
			t.Errorf("%s: %s %+v", path, res.Status, out)
		}
	}
	res := b.Post("/sign-in", map[string]string{"email": s.Cast.Member.Email, "password": good}, nil)
	if res.StatusCode != http.StatusNoContent || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s %v", res.Status, res.Header)
	}
	var got struct {
		Viewer *struct{ User struct{ ID string } }
	}
	if b.Get(`{ viewer { user { id } } }`, nil, &got); got.Viewer == nil || got.Viewer.User.ID != s.Cast.Member.ID {
		t.Errorf("signed in as %+v", got.Viewer)
	}
	// The page of the same address is still the page.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if res, body := fetch(t, b.HTTP, request(t, method, s.URL+"/sign-in?next=/runs", "")); res.StatusCode != http.StatusOK || method == http.MethodGet && !strings.Contains(body, "<title>page") {
			t.Errorf("%s /sign-in: %s", method, res.Status)
		}
	}
	if res, _ := fetch(t, b.HTTP, request(t, http.MethodPost, s.URL+"/sign-in", `{"token":"x","email":["a"]}`, "Content-Type", "application/json")); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a list for an address: %s", res.Status)
	}
}

func TestALinkSignsInAtTheSignInAddressToo(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	if res := s.Stranger(t).Post("/sign-in", map[string]string{"token": s.Link(t, s.Cast.Member)}, nil); res.StatusCode != http.StatusNoContent {
		t.Error(res.Status)
	}
}

func TestWhateverIsWrongTheWorkIsTheSame(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	withPassword(t, s, s.Cast.Member)
	queries := map[string]int64{}
	for name, email := range map[string]string{"wrong password": s.Cast.Member.Email, "unknown": "nobody@example.com", "without": s.Cast.Viewer.Email} {
		b := s.Stranger(t)
		before := s.Queries.Load()
		if res := b.Post("/sign-in", map[string]string{"email": email, "password": "wrong boring lamps"}, nil); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", name, res.Status)
		}
		queries[name] = s.Queries.Load() - before
	}
	// The gateway looks around meanwhile: one query more or less is not ours.
	for name, n := range queries {
		if d := n - queries["wrong password"]; d < -3 || d > 3 {
			t.Errorf("%s: %d queries, a wrong password %d", name, n, queries["wrong password"])
		}
	}
}

func TestASignInCannotBeMadeByAnotherSite(t *testing.T) { // login CSRF
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	withPassword(t, s, s.Cast.Member)
	body := `{"email":"` + s.Cast.Member.Email + `","password":"` + good + `"}`
	for name, header := range map[string][]string{
		"another origin":   {"Content-Type", "application/json", "Origin", "https://evil.example"},
		"an app of ours":   {"Content-Type", "application/json", "Origin", strings.Replace(s.URL, "localhost", "jupyterlab--ins-x.localhost", 1)},
		"cross-site":       {"Content-Type", "application/json", "Sec-Fetch-Site", "cross-site"},
		"a subdomain":      {"Content-Type", "application/json", "Sec-Fetch-Site", "same-site"},
		"a form":           {"Content-Type", "text/plain", "Origin", s.URL},
		"a multipart form": {"Content-Type", "multipart/form-data; boundary=x", "Origin", s.URL},
		"an opaque origin": {"Content-Type", "application/json", "Origin", "null"},
	} {
		for _, path := range []string{"/sign-in", "/auth/link"} {
			b := s.Stranger(t)
			res, _ := fetch(t, b.HTTP, request(t, http.MethodPost, s.URL+path, body, header...))
			if res.StatusCode < 400 || len(res.Cookies) != 0 {
				t.Errorf("%s to %s: %s, %d cookies", name, path, res.Status, len(res.Cookies))
			}
		}
	}
	for name, header := range map[string][]string{
		"the page": {"Content-Type", "application/json", "Origin", s.URL, "Sec-Fetch-Site", "same-origin"},
		"typed in": {"Content-Type", "application/json; charset=utf-8", "Sec-Fetch-Site", "none"},
	} {
		if res, text := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/sign-in", body, header...)); res.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s %s", name, res.Status, text)
		}
	}
}

func TestCookiesAreGuardedAndASignInTakesNewOnes(t *testing.T) {
	t.Parallel()
	for address, prefix := range map[string]string{"": "goblinlab", "https://lab.example": "__Host-goblinlab"} {
		s := servertest.Start(t, servertest.Options{Config: func(c *config.Config) {
			if address != "" {
				c.URL = address
			}
		}})
		sign := func(header ...string) (servertest.Reply, map[string]*http.Cookie) {
			h := append([]string{"Content-Type", "application/json"}, header...)
			res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/sign-in", `{"token":"`+s.Link(t, s.Cast.Member)+`"}`, h...))
			out := map[string]*http.Cookie{}
			for _, c := range res.Cookies {
				out[c.Name] = c
			}
			return res, out
		}
		// Fixation: what was planted before is worth nothing afterwards.
		planted := strings.Repeat("p", 43)
		res, got := sign("Cookie", prefix+"="+planted+"; "+prefix+"-browser="+planted)
		if res.StatusCode != http.StatusNoContent || len(got) != 2 {
			t.Fatalf("%s, %v", res.Status, got)
		}
		for name, c := range got {
			if c.Value == planted || len(c.Value) != 43 {
				t.Errorf("%s is %q", name, c.Value)
			}
			if !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.Secure != (address != "") {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if got[prefix].SameSite != http.SameSiteLaxMode || got[prefix+"-browser"].SameSite != http.SameSiteStrictMode {
			t.Errorf("sites of cookies: %v", got)
		}
		if res, body := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/graphql", `{"query":"{ viewer { user { id } } }"}`,
			"Content-Type", "application/json", "Cookie", prefix+"="+planted)); !strings.Contains(body, `"viewer":null`) {
			t.Errorf("the planted cookie: %s %s", res.Status, body)
		}
		// A second sign-in in the same browser ends the first session.
		_, again := sign("Cookie", prefix+"="+got[prefix].Value+"; "+prefix+"-browser="+got[prefix+"-browser"].Value)
		if again[prefix].Value == got[prefix].Value || again[prefix+"-browser"].Value != got[prefix+"-browser"].Value {
			t.Error("the session's cookie is the same, or the browser became another")
		}
		if n := s.DB.Client.Session.Query().CountX(authz.AsSystem(t.Context())); n != 1 {
			t.Errorf("%d sessions", n)
		}
	}
}

// TestTheServerRedirectsNowhere keeps `next` a matter of the page: the server
// answers a sign-in without an address to go on to.
func TestTheServerRedirectsNowhere(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c := s.Stranger(t).HTTP
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/%09/evil.example", "javascript:alert(1)", "/runs"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			res, _ := fetch(t, c, request(t, method, s.URL+"/sign-in?next="+url.QueryEscape(next), `{"token":"`+s.Link(t, s.Cast.Member)+`"}`, "Content-Type", "application/json"))
			if res.Header.Get("Location") != "" || res.StatusCode >= 300 {
				t.Errorf("%s next=%s: %s to %q", method, next, res.Status, res.Header.Get("Location"))
			}
		}
	}
}

func TestNoPasswordReachesAnErrorOrTheAuditLog(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Member)
	var out strings.Builder
	for _, p := range []string{"shrt-s3cret", "password1234", good} {
		a := b.Ask(`mutation($p: String!) { setPassword(input: {password: $p, current: "an0ther-s3cret"}) { password { changedAt } } }`, map[string]any{"p": p})
		for _, e := range a.Errors {
			out.WriteString(e.Message)
			for _, f := range e.Extensions.Fields {
				out.WriteString(f.Message)
			}
		}
	}
	ctx := authz.AsSystem(context.WithoutCancel(t.Context()))
	for _, e := range s.DB.Client.Audit.Query().AllX(ctx) {
		out.WriteString(e.String())
	}
	if text := out.String(); strings.Contains(text, "s3cret") || strings.Contains(text, "password1234") || strings.Contains(text, good) || strings.Contains(text, "argon2id") {
		t.Errorf("a password is shown: %s", text)
	}
}
