package server

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/httprate"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// Tries a minute, of one address. An office has one address.
const (
	providerMinute = 60
	waysMinute     = 120
)

// providerRoutes are the way in through the OpenID provider. They are
// navigations of a browser: answers lead on, and say nothing themselves.
func (s *server) providerRoutes(r chi.Router) {
	r.With(s.limit(waysMinute)).Get("/auth/ways", s.ways)
	tries := s.limit(providerMinute)
	r.With(tries).Get("/auth/oidc/start", s.beginProvider)
	r.With(tries).Get(account.ProviderCallback, s.finishProvider)
}

// limit counts requests by address.
func (s *server) limit(minute int) func(http.Handler) http.Handler {
	return httprate.LimitBy(minute, time.Minute,
		func(r *http.Request) (string, error) { return s.address(r), nil }, httprate.WithLimitHandler(s.tooMany))
}

// ways tells the sign-in page, before anybody is signed in, how people come in
// here, and says in words what went wrong on the way back (?problem=oidc.state).
func (s *server) ways(w http.ResponseWriter, r *http.Request) {
	type provider struct {
		Name  string `json:"name"`
		Ready bool   `json:"ready"`
	}
	var out struct {
		Provider *provider `json:"provider"`
		Problem  string    `json:"problem,omitempty"`
	}
	if p := s.Account.ProviderWay(r.Context()); p != nil {
		out.Provider = &provider{p.Name, p.Ready}
	}
	if id := r.URL.Query().Get("problem"); strings.HasPrefix(id, "oidc.") && lang.Has("fault."+id) {
		out.Problem = lang.Text(lang.From(r.Context()), "fault."+id, nil)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(out)
}

// tryCookie carries a sign-in's secret to the provider and back. Lax: the way
// back is a navigation from another site.
func (s *server) tryCookie(secret string, life time.Duration) *http.Cookie {
	c := &http.Cookie{Name: "goblinlab-sign-in", Value: secret, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if strings.HasPrefix(s.Config.URL, "https://") {
		c.Name, c.Secure = "__Host-"+c.Name, true
	}
	if life == 0 {
		c.MaxAge = -1
	}
	return c
}

func (s *server) beginProvider(w http.ResponseWriter, r *http.Request) {
	next := account.LocalPath(r.URL.Query().Get("next"))
	address, secret, err := s.Account.BeginProvider(r.Context(), next)
	if err != nil {
		s.problem(w, r, next, err)
		return
	}
	http.SetCookie(w, s.tryCookie(secret, account.TryLife))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

func (s *server) finishProvider(w http.ResponseWriter, r *http.Request) {
	secret := ""
	if c, err := r.Cookie(s.tryCookie("", 0).Name); err == nil {
		secret = c.Value
	}
	next, err := s.Account.FinishProvider(r.Context(), r.URL.Query(), secret, s.address(r))
	http.SetCookie(w, s.tryCookie("", 0))
	if err != nil {
		s.problem(w, r, next, err)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// problem leads back to the sign-in page, which asks for the words. What is no
// fault to show is logged like every other.
func (s *server) problem(w http.ResponseWriter, r *http.Request, next string, err error) {
	f := fault.Of(err)
	if f == nil || !strings.HasPrefix(f.ID, "oidc.") {
		fail(w, r, err)
		return
	}
	q := url.Values{"problem": {f.ID}}
	if next != "/" {
		q.Set("next", next)
	}
	http.Redirect(w, r, "/sign-in?"+q.Encode(), http.StatusSeeOther)
}
