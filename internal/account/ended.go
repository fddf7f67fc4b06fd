package account

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/identity"
	"github.com/goblinlab/goblinlab/ent/knownbrowser"
	"github.com/goblinlab/goblinlab/ent/loginlink"
	"github.com/goblinlab/goblinlab/ent/password"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Ended are sessions and access tokens that a transaction ended.
type Ended struct {
	userID           string
	ids              []string
	Sessions, Tokens int
}

// EndEverything ends a person's sessions, links and, if asked, access tokens in
// the caller's transaction. After the commit, call Tell.
func (s *Service) EndEverything(ctx context.Context, tx *ent.Tx, userID string, tokens bool) (Ended, error) {
	sys := authz.AsSystem(ctx)
	out := Ended{userID: userID}
	ids, err := endIn(ctx, tx, userID, func(*ent.Session) bool { return true })
	if err != nil {
		return out, err
	}
	out.ids, out.Sessions = ids, len(ids)
	if _, err := tx.LoginLink.Delete().Where(loginlink.UserID(userID), loginlink.UsedAtIsNil()).Exec(sys); err != nil {
		return out, fmt.Errorf("links of %s: %w", userID, err)
	}
	if !tokens {
		return out, nil
	}
	ids, err = tx.AccessToken.Query().Where(accesstoken.UserID(userID)).IDs(sys)
	if err != nil {
		return out, fmt.Errorf("access tokens of %s: %w", userID, err)
	}
	if _, err := tx.AccessToken.Delete().Where(accesstoken.UserID(userID)).Exec(sys); err != nil {
		return out, fmt.Errorf("end access tokens of %s: %w", userID, err)
	}
	out.ids, out.Tokens = append(out.ids, ids...), len(ids)
	return out, nil
}

// ForgetWays deletes what a person could come in by, and what is known of their browsers.
func (s *Service) ForgetWays(ctx context.Context, tx *ent.Tx, userID string) error {
	sys := authz.AsSystem(ctx)
	for _, err := range []error{
		exec(tx.Password.Delete().Where(password.UserID(userID)).Exec(sys)),
		exec(tx.Identity.Delete().Where(identity.UserID(userID)).Exec(sys)),
		exec(tx.LoginLink.Delete().Where(loginlink.UserID(userID)).Exec(sys)),
		exec(tx.KnownBrowser.Delete().Where(knownbrowser.UserID(userID)).Exec(sys)),
	} {
		if err != nil {
			return fmt.Errorf("ways in of %s: %w", userID, err)
		}
	}
	return nil
}

func exec(_ int, err error) error { return err }

// Tell lets every process know of the end: sockets, apps, terminals and SSH that
// are open with them end, too.
func (s *Service) Tell(ctx context.Context, e Ended) {
	s.told(ctx, append(e.ids, e.userID))
}

// SignOutEverywhere ends another person's sessions, and their access tokens if
// asked. Administrators only.
func (s *Service) SignOutEverywhere(ctx context.Context, userID string, tokens bool) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	if err := v.Check(authz.Platform, ""); err != nil {
		return err
	}
	var ended Ended
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, err := tx.User.Get(authz.AsSystem(ctx), userID)
		if ent.IsNotFound(err) {
			return fault.Missing("user", userID)
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", userID, err)
		}
		if ended, err = s.EndEverything(ctx, tx, userID, tokens); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "session.end", ObjectID: userID,
			After: map[string]any{"ended": ended.Sessions, "tokens": ended.Tokens}})
	})
	if err != nil {
		return err
	}
	s.Tell(ctx, ended)
	return nil
}
