package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/providertry"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/openid"
)

// TryLife is how long somebody may take at the provider.
const TryLife = 10 * time.Minute

const maxNext = 2048 // bytes of a path to go to after the sign-in

// ProviderCallback is the path that the provider sends browsers back to.
const ProviderCallback = "/auth/oidc/callback"

// newProvider makes the provider of a configuration, nil without one.
func newProvider(c config.Config) *openid.Provider {
	if !c.OIDC.Enabled() {
		return nil
	}
	return openid.New(openid.Config{
		Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret.Reveal(), Scopes: c.OIDC.Scopes,
		RedirectURL: c.URL + ProviderCallback, AfterLogout: c.URL + "/sign-in",
		EmailClaim: c.OIDC.EmailClaim, NameClaim: c.OIDC.NameClaim, GroupsClaim: c.OIDC.GroupsClaim,
	})
}

// ProviderWay is the way in through the provider.
type ProviderWay struct {
	Name  string
	Ready bool // it answered a moment ago
}

// ProviderWay tells of the provider, nil without one.
func (s *Service) ProviderWay(ctx context.Context) *ProviderWay {
	if s.provider == nil {
		return nil
	}
	err := s.provider.Ready(ctx)
	if err != nil {
		slog.WarnContext(ctx, "OpenID provider does not answer", "issuer", s.Config.OIDC.Issuer, "err", err)
	}
	return &ProviderWay{Name: s.Config.OIDC.Name, Ready: err == nil}
}

var errState = fault.New(fault.Unauthenticated, "oidc.state", nil)

// BeginProvider begins a sign-in at the provider: where the browser goes to, and
// the secret that it must bring back. next is a path of the page for afterwards.
func (s *Service) BeginProvider(ctx context.Context, next string) (address, secret string, err error) {
	if s.provider == nil {
		return "", "", fault.New(fault.NotFound, "oidc.off", nil)
	}
	t := openid.NewTry()
	address, err = s.provider.AuthURL(ctx, t)
	if err != nil {
		return "", "", s.providerFault(ctx, err)
	}
	err = s.DB.Client.ProviderTry.Create().SetStateHash(hash(t.State())).SetNext(LocalPath(next)).
		SetExpiresAt(time.Now().UTC().Add(TryLife)).Exec(authz.AsSystem(ctx))
	if err != nil {
		return "", "", fmt.Errorf("begin a sign-in: %w", err)
	}
	return address, t.Secret(), nil
}

// LocalPath is a path of this page's own, "/" for what leads anywhere else.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	// A backslash is a slash to browsers, and a tab or a line's end is nothing at all.
	bad := func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }
	if err != nil || len(next) > maxNext || strings.ContainsFunc(next, bad) || u.Scheme != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") {
		return "/"
	}
	return next
}

// FinishProvider ends a sign-in that came back from the provider with q, in the
// browser that holds the secret. next is where to go on, also after a refusal.
func (s *Service) FinishProvider(ctx context.Context, q url.Values, secret, address string) (next string, err error) {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return "/", errors.New("account: sign-in outside of a request")
	}
	if s.provider == nil {
		return "/", fault.New(fault.NotFound, "oidc.off", nil)
	}
	t := openid.OpenTry(secret)
	next, who, err := s.comeBack(ctx, t, q)
	if err != nil {
		return next, s.refuse(ctx, address, who, "", err)
	}
	userID, changed, err := s.admit(ctx, who, address)
	if err != nil {
		return next, s.refuse(ctx, address, who, userID, err)
	}
	for _, tell := range changed {
		tell()
	}
	return next, s.enter(ctx, st, userID, WayProvider, &who)
}

// comeBack uses the try up and asks the provider who came.
func (s *Service) comeBack(ctx context.Context, t openid.Try, q url.Values) (next string, who openid.Person, err error) {
	next = "/"
	if !t.Is(q.Get("state")) {
		return next, who, errState
	}
	if next, err = s.useTry(ctx, t.State()); err != nil {
		return next, who, err
	}
	// RFC 9207: another provider's answer is none, whatever it holds.
	if iss := q.Get("iss"); iss != "" && iss != s.Config.OIDC.Issuer {
		return next, who, errState
	}
	switch code := q.Get("error"); {
	case code == "access_denied":
		return next, who, fault.New(fault.Unauthenticated, "oidc.denied", nil)
	case code != "":
		slog.WarnContext(ctx, "OpenID provider refused a sign-in", "code", clip(code, 64), "description", clip(q.Get("error_description"), 400))
		return next, who, fault.New(fault.Unauthenticated, "oidc.refused", nil)
	case q.Get("code") == "":
		return next, who, errState
	}
	who, err = s.provider.Redeem(ctx, t, q.Get("code"))
	if err != nil {
		return next, who, s.providerFault(ctx, err)
	}
	return next, who, nil
}

// useTry deletes a try and gives its path. Of several at once one wins.
func (s *Service) useTry(ctx context.Context, state string) (next string, err error) {
	next = "/"
	sys := authz.AsSystem(ctx)
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, err := tx.ProviderTry.Query().Where(providertry.StateHash(hash(state))).Only(sys)
		if ent.IsNotFound(err) {
			return errState
		}
		if err != nil {
			return fmt.Errorf("read a sign-in: %w", err)
		}
		n, err := tx.ProviderTry.Delete().Where(providertry.ID(row.ID), providertry.ExpiresAtGT(time.Now().UTC())).Exec(sys)
		if err != nil {
			return fmt.Errorf("use a sign-in up: %w", err)
		}
		if n != 1 {
			return errState
		}
		next = row.Next
		return nil
	})
	return next, err
}

// providerFault says in words what the log knows in detail.
func (s *Service) providerFault(ctx context.Context, err error) error {
	slog.WarnContext(ctx, "sign-in at the OpenID provider failed", "issuer", s.Config.OIDC.Issuer, "err", err)
	switch {
	case errors.Is(err, openid.ErrUnreachable):
		return fault.New(fault.Unavailable, "oidc.unreachable", nil).Wrap(err)
	case errors.Is(err, openid.ErrRefused):
		return fault.New(fault.Unauthenticated, "oidc.refused", nil).Wrap(err)
	}
	return fault.New(fault.Unauthenticated, "oidc.untrusted", nil).Wrap(err)
}

// refuse writes a refusal down and gives it back. What was our own fault is none.
func (s *Service) refuse(ctx context.Context, address string, who openid.Person, userID string, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind == fault.Internal {
		return err
	}
	after := map[string]any{"way": "oidc", "reason": f.ID}
	if who.Subject != "" {
		after["issuer"], after["subject"], after["email"] = who.Issuer, who.Subject, clip(who.Email, maxEmail)
	}
	as := authz.With(ctx, &authz.Viewer{UserID: userID, Address: address})
	failed := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(as, tx, audit.Entry{Action: "user.sign-in-refused", ObjectID: userID, After: after})
	})
	if failed != nil {
		return failed
	}
	return err
}

// Leave signs the viewer out; then is where the browser also leaves the
// provider that it came through, empty for none.
func (s *Service) Leave(ctx context.Context) (then string, err error) {
	if _, err := browser(ctx); err != nil {
		return "", err
	}
	hint := s.sessions.scs.GetString(ctx, keyHint)
	if err := s.SignOut(ctx); err != nil {
		return "", err
	}
	if hint == "" || s.provider == nil {
		return "", nil
	}
	return s.provider.LogoutURL(ctx, hint), nil
}
