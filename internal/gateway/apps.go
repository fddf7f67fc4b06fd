package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// enterPath takes the code; no app has a path like it.
const enterPath = "/_goblinlab/enter"

// Serves reports whether a host is of the form <app>--<instance>.<our host>.
// Everything below our host counts: nothing of ours is served there.
func (g *Gateway) Serves(host string) bool {
	return strings.HasSuffix(strings.ToLower(host), strings.ToLower(g.suffix))
}

// parseHost reads the app and the instance of a host.
func (g *Gateway) parseHost(host string) (app, instanceID string, ok bool) {
	label := strings.TrimSuffix(strings.ToLower(host), strings.ToLower(g.suffix))
	app, instanceID, ok = strings.Cut(label, "--")
	return app, instanceID, ok && validApp(app) && ident.Is(ident.Instance, instanceID)
}

func validApp(app string) bool {
	if app == "" || len(app) > 24 {
		return false
	}
	for i := range len(app) {
		c := app[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0 || i == len(app)-1) {
			return false
		}
	}
	return !strings.Contains(app, "--")
}

// Open makes an address that opens an app once, in a browser, within a minute.
// The owner only.
func (g *Gateway) Open(ctx context.Context, instanceID, app string) (string, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return "", err
	}
	if !validApp(app) {
		return "", fault.New(fault.InvalidArgument, "gateway.app-name", nil)
	}
	d, err := g.admitViewer(ctx, v, instanceID, app)
	if err != nil {
		return "", err
	}
	err = g.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: "instance.open-app", TeamID: d.row.TeamID, ObjectID: instanceID,
			After: map[string]any{"app": app}})
	})
	if err != nil {
		return "", err
	}
	code, err := g.issue(ctx, codes, grant{v.UserID, account.SessionID(ctx), instanceID, app}, codeLife)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: g.site.Scheme, Host: app + "--" + instanceID + g.suffix, Path: enterPath,
		RawQuery: url.Values{"code": {code}}.Encode()}
	return u.String(), nil
}

// ServeHTTP serves the hosts of apps.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	app, instanceID, ok := g.parseHost(r.Host)
	if !ok {
		g.refuse(w, r, "", fault.New(fault.NotFound, "gateway.no-such-host", nil))
		return
	}
	if r.URL.Path == enterPath {
		g.enter(w, r, app, instanceID)
		return
	}
	if !sameOrigin(r) {
		g.refuse(w, r, instanceID, fault.New(fault.Forbidden, "gateway.cross-origin", nil))
		return
	}
	c, err := r.Cookie(g.cookieName())
	if err != nil {
		g.refuse(w, r, instanceID, fault.New(fault.Unauthenticated, "gateway.no-cookie", nil))
		return
	}
	gr, ok, err := g.lookup(r.Context(), c.Value)
	if err != nil {
		g.refuse(w, r, instanceID, fault.New(fault.Unavailable, "gateway.unavailable", nil).Wrap(err))
		return
	}
	if !ok || gr.InstanceID != instanceID || gr.App != app {
		g.refuse(w, r, instanceID, fault.New(fault.Unauthenticated, "gateway.no-cookie", nil))
		return
	}
	d, err := g.doors.get(gr, func() (*door, error) {
		return g.admit(context.WithoutCancel(r.Context()), gr, r.RemoteAddr)
	})
	if err != nil {
		g.refuse(w, r, instanceID, err)
		return
	}
	g.proxy(w, r, gr, d)
}

// enter exchanges a code for a cookie of the app's origin.
func (g *Gateway) enter(w http.ResponseWriter, r *http.Request, app, instanceID string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	gr, ok, err := g.spend(r.Context(), r.URL.Query().Get("code"))
	if err != nil {
		g.refuse(w, r, instanceID, fault.New(fault.Unavailable, "gateway.unavailable", nil).Wrap(err))
		return
	}
	if !ok || gr.InstanceID != instanceID || gr.App != app {
		g.refuse(w, r, instanceID, fault.New(fault.Unauthenticated, "gateway.code", nil))
		return
	}
	if _, err := g.admit(r.Context(), gr, r.RemoteAddr); err != nil {
		g.refuse(w, r, instanceID, err)
		return
	}
	token, err := g.issue(r.Context(), cookies, gr, cookieLife)
	if err != nil {
		g.refuse(w, r, instanceID, fault.New(fault.Unavailable, "gateway.unavailable", nil).Wrap(err))
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookieName(), Value: token, Path: "/", MaxAge: int(cookieLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: g.secure()})
	to := "/"
	if app == appJupyter {
		to = "/lab"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (g *Gateway) secure() bool { return g.site.Scheme == "https" }

func (g *Gateway) cookieName() string {
	if g.secure() {
		return "__Host-goblinlab-app"
	}
	return "goblinlab-app"
}

// ourCookies are never passed on to an app.
func (g *Gateway) ourCookies() []string {
	return []string{g.cookieName(), account.CookieName(g.Config.URL), account.BrowserCookieName(g.Config.URL)}
}

var crossOrigin = http.NewCrossOriginProtection()

// sameOrigin refuses what another origin makes a browser do here: the app's own
// guards are satisfied by the token that we add. Sockets are GETs and have no
// guard of the standard library's.
func sameOrigin(r *http.Request) bool {
	if r.Header.Get("Upgrade") == "" {
		return crossOrigin.Check(r) == nil
	}
	o := r.Header.Get("Origin")
	if o == "" {
		return r.Header.Get("Sec-Fetch-Site") == "" // no browser
	}
	u, err := url.Parse(o)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// secret is the app's own token, read once per start.
func (g *Gateway) secret(ctx context.Context, d *door, up *upstream) (string, error) {
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.token != "" {
		return up.token, nil
	}
	s, err := g.Secrets.LoginSecret(ctx, d.row)
	if err != nil {
		return "", fmt.Errorf("secret of %s: %w", d.row.ID, err)
	}
	up.token = s.Password
	return up.token, nil
}

// broken answers when the app did not.
func (g *Gateway) broken(w http.ResponseWriter, r *http.Request, instanceID string, err error) {
	if cause := context.Cause(r.Context()); cause != nil && denied(cause) {
		err = cause
	} else if errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler) // the browser left
	} else {
		slog.Info("app did not answer", "instance_id", instanceID, "err", err)
		err = fault.New(fault.Unavailable, "gateway.no-answer", nil)
	}
	g.refuse(w, r, instanceID, err)
}
