package account

import (
	"context"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/identity"
	"github.com/goblinlab/goblinlab/ent/password"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/openid"
	"github.com/goblinlab/goblinlab/internal/preflight"
)

// admit gives the person whom the provider named, with what their groups give
// them; changed is what to call about that after the commit. userID is known also of some who are refused.
//
//	identity known ───────────────▶ its person
//	unknown, address not proven ──▶ refused
//	          address known ──────▶ linked, unless that person has another identity there
//	          address new ────────▶ made, if configured for its domain
func (s *Service) admit(ctx context.Context, who openid.Person, address string) (userID string, changed []func(), err error) {
	as := authz.With(ctx, &authz.Viewer{Address: address})
	for range 2 { // two browsers of one new person at once: the second try finds what the first made
		err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
			changed = nil
			u, err := s.person(as, tx, who)
			if u != nil {
				userID = u.ID
			}
			if err != nil {
				return err
			}
			if changed, err = s.applyGroups(as, tx, u, who.Groups); err != nil {
				return err
			}
			return audit.Record(authz.With(ctx, &authz.Viewer{UserID: u.ID, Address: address}), tx,
				audit.Entry{Action: "user.sign-in", ObjectID: u.ID, After: map[string]any{"way": "oidc", "issuer": who.Issuer}})
		})
		if !ent.IsConstraintError(err) {
			break
		}
	}
	if err != nil {
		return userID, nil, err
	}
	return userID, changed, nil
}

func (s *Service) person(ctx context.Context, tx *ent.Tx, who openid.Person) (*ent.User, error) {
	sys := authz.AsSystem(ctx)
	email := strings.ToLower(who.Email)
	idt, err := tx.Identity.Query().Where(identity.Issuer(who.Issuer), identity.Subject(who.Subject)).Only(sys)
	switch {
	case ent.IsNotFound(err):
		return s.newIdentity(ctx, tx, who, email)
	case err != nil:
		return nil, fmt.Errorf("identity: %w", err)
	}
	u, err := tx.User.Get(sys, idt.UserID)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", idt.UserID, err)
	}
	if u.DisabledAt != nil {
		return u, fault.New(fault.Unauthenticated, "oidc.disabled", nil)
	}
	up := tx.Identity.UpdateOne(idt).SetUsedAt(time.Now().UTC())
	if len(email) <= maxEmail {
		up.SetEmail(email)
	}
	if err := up.Exec(sys); err != nil {
		return u, fmt.Errorf("identity %s: %w", idt.ID, err)
	}
	return u, nil
}

// newIdentity links an identity that was never here to its person, or to a new one.
func (s *Service) newIdentity(ctx context.Context, tx *ent.Tx, who openid.Person, email string) (*ent.User, error) {
	sys := authz.AsSystem(ctx)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > maxEmail || !who.EmailVerified {
		return nil, fault.New(fault.Unauthenticated, "oidc.unverified", nil)
	}
	u, err := tx.User.Query().Where(user.Email(email)).Only(sys)
	switch {
	case ent.IsNotFound(err) && !s.Config.OIDC.Admits(email):
		return nil, fault.New(fault.Unauthenticated, "oidc.stranger", nil)
	case ent.IsNotFound(err):
		if u, err = s.newPerson(ctx, tx, who, email); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, fmt.Errorf("user by address: %w", err)
	case u.DisabledAt != nil:
		return u, fault.New(fault.Unauthenticated, "oidc.disabled", nil)
	}
	taken, err := tx.Identity.Query().Where(identity.UserID(u.ID), identity.Issuer(who.Issuer)).Exist(sys)
	if err != nil {
		return u, fmt.Errorf("identities of %s: %w", u.ID, err)
	}
	if taken {
		return u, fault.New(fault.Unauthenticated, "oidc.linked", nil)
	}
	idt, err := tx.Identity.Create().SetUserID(u.ID).SetIssuer(who.Issuer).SetSubject(who.Subject).SetEmail(email).Save(sys)
	if err != nil {
		return u, fmt.Errorf("link identity: %w", err)
	}
	return u, audit.Record(ctx, tx, audit.Entry{Action: "identity.link", ObjectID: u.ID, After: map[string]any{
		"identity": idt.ID, "issuer": who.Issuer, "subject": who.Subject, "email": email}})
}

func (s *Service) newPerson(ctx context.Context, tx *ent.Tx, who openid.Person, email string) (*ent.User, error) {
	var f fault.Fields
	if preflight.CheckName(&f, "displayName", who.Name); f.Err() != nil {
		name, _, _ := strings.Cut(email, "@")
		who.Name = clip(name, preflight.MaxName)
	}
	u, err := tx.User.Create().SetEmail(email).SetDisplayName(who.Name).Save(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("create user: %w", err)
	}
	return u, audit.Record(ctx, tx, audit.Entry{Action: "user.create", ObjectID: u.ID, After: map[string]any{
		"email": u.Email, "displayName": u.DisplayName, "platformRole": string(u.PlatformRole), "way": "oidc"}})
}

// Identities lists the viewer's identities with providers, the oldest first.
func (s *Service) Identities(ctx context.Context) ([]*ent.Identity, error) {
	v, err := s.outside(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.Identity.Query().Where(identity.UserID(v.UserID)).Order(ent.Asc(identity.FieldID)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("identities: %w", err)
	}
	return rows, nil
}

// ProviderName is what people call an issuer.
func (s *Service) ProviderName(issuer string) string {
	if issuer == s.Config.OIDC.Issuer {
		return s.Config.OIDC.Name
	}
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return issuer
}

// Unlink forgets one of the viewer's identities, unless nothing else lets them in.
func (s *Service) Unlink(ctx context.Context, id string) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		if err := s.hold(sys, tx, v.UserID); err != nil {
			return err
		}
		row, err := tx.Identity.Query().Where(identity.ID(id), identity.UserID(v.UserID)).Only(sys)
		if ent.IsNotFound(err) {
			return fault.Missing("identity", id)
		}
		if err != nil {
			return fmt.Errorf("identity %s: %w", id, err)
		}
		others, err := s.comesInWithout(ctx, tx, row)
		if err != nil {
			return err
		}
		if !others {
			return fault.New(fault.FailedPrecondition, "identity.last", nil)
		}
		if err := tx.Identity.DeleteOne(row).Exec(sys); err != nil {
			return fmt.Errorf("unlink identity %s: %w", id, err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "identity.unlink", ObjectID: v.UserID, Before: map[string]any{
			"identity": row.ID, "issuer": row.Issuer, "subject": row.Subject, "email": row.Email}})
	})
}

// hold keeps a person's row until the transaction ends, so that two who each
// take one way in away do not leave none.
func (s *Service) hold(ctx context.Context, tx *ent.Tx, userID string) error {
	q := tx.User.Query().Where(user.ID(userID))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	if _, err := q.Only(ctx); err != nil {
		return fmt.Errorf("lock user %s: %w", userID, err)
	}
	return nil
}

// comesInWithout reports whether a person has a way in beside an identity.
func (s *Service) comesInWithout(ctx context.Context, tx *ent.Tx, without *ent.Identity) (bool, error) {
	more, err := tx.Identity.Query().Where(identity.UserID(without.UserID), identity.IDNEQ(without.ID)).Exist(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("identities of %s: %w", without.UserID, err)
	}
	if more {
		return true, nil
	}
	has, err := tx.Password.Query().Where(password.UserID(without.UserID)).Exist(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("password of %s: %w", without.UserID, err)
	}
	return has, nil
}
