package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/devicerequest"
	"github.com/goblinlab/goblinlab/ent/knownbrowser"
	"github.com/goblinlab/goblinlab/ent/loginlink"
	"github.com/goblinlab/goblinlab/ent/providertry"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/signintry"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// How long a link lives: a person's first has to be carried to them.
const (
	firstLink = 24 * time.Hour
	laterLink = 15 * time.Minute
)

const lapsedTokens = 30 * 24 * time.Hour // how long lapsed access tokens are still listed

// newLink is a link as it is shown once.
type newLink struct {
	url     string
	expires time.Time
}

// NewSignInLink makes a link that signs a person in once; it is shown only
// here. The platform and administrators only.
func (s *Service) NewSignInLink(ctx context.Context, userID string) (address string, expires time.Time, err error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	if err := v.Check(authz.Platform, ""); err != nil {
		return "", time.Time{}, err
	}
	sys := authz.AsSystem(ctx)
	known, err := s.DB.Client.User.Query().Where(user.ID(userID), user.DisabledAtIsNil()).Exist(sys)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("user %s: %w", userID, err)
	}
	if !known {
		return "", time.Time{}, fault.Missing("user", userID)
	}
	var l newLink
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		var err error
		if l, err = s.addLink(ctx, tx, userID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "user.sign-in-link", ObjectID: userID})
	})
	return l.url, l.expires, err
}

func (s *Service) addLink(ctx context.Context, tx *ent.Tx, userID string) (newLink, error) {
	sys := authz.AsSystem(ctx)
	cameBefore, err := tx.LoginLink.Query().Where(loginlink.UserID(userID), loginlink.UsedAtNotNil()).Exist(sys)
	if err != nil {
		return newLink{}, fmt.Errorf("links of %s: %w", userID, err)
	}
	life := firstLink
	if cameBefore {
		life = laterLink
	}
	token := Token()
	expires := time.Now().UTC().Add(life).Truncate(time.Second)
	err = tx.LoginLink.Create().SetUserID(userID).SetTokenHash(hash(token)).SetExpiresAt(expires).Exec(sys)
	if err != nil {
		return newLink{}, fmt.Errorf("link for %s: %w", userID, err)
	}
	return newLink{url: s.Config.URL + "/sign-in?" + url.Values{"token": {token}}.Encode(), expires: expires}, nil
}

// Redeem uses a link up and gives whom it signs in. Of several at once one wins.
func (s *Service) Redeem(ctx context.Context, token, address string) (userID string, err error) {
	spent := fault.New(fault.Unauthenticated, "account.link", nil)
	sys := authz.AsSystem(ctx)
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		h, now := hash(token), time.Now().UTC()
		n, err := tx.LoginLink.Update().
			Where(loginlink.TokenHash(h), loginlink.UsedAtIsNil(), loginlink.ExpiresAtGT(now)).
			SetUsedAt(now).Save(sys)
		if err != nil {
			return fmt.Errorf("use a link up: %w", err)
		}
		if n != 1 {
			return spent
		}
		l, err := tx.LoginLink.Query().Where(loginlink.TokenHash(h)).Only(sys)
		if err != nil {
			return fmt.Errorf("read a link: %w", err)
		}
		ok, err := tx.User.Query().Where(user.ID(l.UserID), user.DisabledAtIsNil()).Exist(sys)
		if err != nil {
			return fmt.Errorf("user %s: %w", l.UserID, err)
		}
		if !ok {
			return spent
		}
		userID = l.UserID
		as := authz.With(ctx, &authz.Viewer{UserID: userID, Address: address})
		return audit.Record(as, tx, audit.Entry{Action: "user.sign-in", ObjectID: userID})
	})
	if errors.Is(err, spent) {
		if noted := s.noteRefused(ctx, token, address); noted != nil {
			return "", noted
		}
	}
	if err != nil {
		return "", err
	}
	return userID, nil
}

// noteRefused writes down that a link signed nobody in, and whose it was if it
// was one.
func (s *Service) noteRefused(ctx context.Context, token, address string) error {
	sys := authz.AsSystem(ctx)
	object, why := "sign-in", "unknown"
	switch l, err := s.DB.Client.LoginLink.Query().Where(loginlink.TokenHash(hash(token))).Only(sys); {
	case err == nil && l.UsedAt != nil:
		object, why = l.UserID, "used"
	case err == nil && !l.ExpiresAt.After(time.Now()):
		object, why = l.UserID, "lapsed"
	case err == nil:
		object, why = l.UserID, "disabled"
	case !ent.IsNotFound(err):
		return fmt.Errorf("read a link: %w", err)
	}
	return s.noteStranger(ctx, address, audit.Entry{Action: "user.sign-in-refused", ObjectID: object, After: map[string]any{"link": why}})
}

// NoteLimited writes down that an address tries to sign in too often. Its
// caller calls it now and then only.
func (s *Service) NoteLimited(ctx context.Context, address string) error {
	return s.noteStranger(ctx, address, audit.Entry{Action: "user.sign-in-limited", ObjectID: "sign-in"})
}

// noteStranger writes an entry of somebody whom nobody knows.
func (s *Service) noteStranger(ctx context.Context, address string, e audit.Entry) error {
	as := authz.With(ctx, &authz.Viewer{Address: address})
	return s.DB.Tx(as, func(tx *ent.Tx) error { return audit.Record(as, tx, e) })
}

// Sweep deletes lapsed links and sessions; the platform calls it now and then.
func (s *Service) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	now := time.Now().UTC()
	if _, err := s.DB.Client.LoginLink.Delete().Where(loginlink.ExpiresAtLT(now), loginlink.UsedAtIsNil()).Exec(ctx); err != nil {
		return fmt.Errorf("delete lapsed links: %w", err)
	}
	long := now.Add(-lapsedTokens)
	if _, err := s.DB.Client.AccessToken.Delete().Where(accesstoken.ExpiresAtLT(long)).Exec(ctx); err != nil {
		return fmt.Errorf("delete access tokens that lapsed long ago: %w", err)
	}
	if _, err := s.DB.Client.Session.Delete().Where(session.ExpiresAtLT(now)).Exec(ctx); err != nil {
		return fmt.Errorf("delete lapsed sessions: %w", err)
	}
	if _, err := s.DB.Client.ProviderTry.Delete().Where(providertry.ExpiresAtLT(now)).Exec(ctx); err != nil {
		return fmt.Errorf("delete sign-ins that did not come back: %w", err)
	}
	// Somewhat later, so that a program that waited hears that it waited too long.
	if _, err := s.DB.Client.DeviceRequest.Delete().Where(devicerequest.ExpiresAtLT(now.Add(-DeviceLife))).Exec(ctx); err != nil {
		return fmt.Errorf("delete lapsed device requests: %w", err)
	}
	if _, err := s.DB.Client.KnownBrowser.Delete().Where(knownbrowser.ExpiresAtLT(now)).Exec(ctx); err != nil {
		return fmt.Errorf("forget browsers: %w", err)
	}
	if _, err := s.DB.Client.SignInTry.Delete().Where(signintry.UpdatedAtLT(now.Add(-triesLife))).Exec(ctx); err != nil {
		return fmt.Errorf("forget wrong passwords: %w", err)
	}
	return s.sweepInside(ctx)
}

const tokenText = 43 // characters of Token

// Token makes 32 random bytes as text for an address or a cookie.
func Token() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashToken is what is kept of a token in place of it.
func HashToken(token string) string { return hash(token) }

func hash(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}
