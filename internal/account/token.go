package account

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
)

// An access token reads "gbl_", 32 letters and digits that hold 20 random bytes,
// and seven more of their CRC-32: a scanner of leaked secrets knows it by its
// prefix and can tell it from a text that only looks like one.
const (
	tokenPrefix = "gbl_"
	tokenRandom = 32
	tokenCheck  = 7
)

// Limits of access tokens.
const (
	maxTokens    = 50  // of one person
	maxTokenDays = 365 // from its making to its end
	tokenSlack   = time.Minute
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newToken makes the text of an access token.
func newToken() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	body := letters.EncodeToString(b[:])
	return tokenPrefix + body + checksum(body)
}

func checksum(body string) string {
	c := crc32.ChecksumIEEE([]byte(body))
	return letters.EncodeToString([]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)})
}

// IsToken reports whether a text has the form of an access token, its checksum
// included. It tells nothing of whether there is such a token.
func IsToken(text string) bool {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	return ok && len(rest) == tokenRandom+tokenCheck && checksum(rest[:tokenRandom]) == rest[tokenRandom:]
}

// loadToken gives the context the viewer of an "Authorization: Bearer …" header.
func (s *Service) loadToken(ctx context.Context, st *request, header string) (context.Context, error) {
	unknown := fault.New(fault.Unauthenticated, "token.unknown", nil)
	scheme, text, _ := strings.Cut(header, " ")
	if text = strings.TrimSpace(text); !strings.EqualFold(scheme, "Bearer") || !IsToken(text) {
		return nil, unknown
	}
	sys, now := authz.AsSystem(ctx), time.Now().UTC()
	row, err := s.DB.Client.AccessToken.Query().Where(accesstoken.TokenHash(hash(text))).Only(sys)
	switch {
	case ent.IsNotFound(err):
		return nil, unknown
	case err != nil:
		return nil, fmt.Errorf("access token: %w", err)
	case !row.ExpiresAt.After(now):
		return nil, fault.New(fault.Unauthenticated, "token.lapsed", fault.Args{"name": row.Name, "date": row.ExpiresAt.Format(time.DateOnly)})
	}
	v, err := s.Viewer(ctx, row.UserID, st.address)
	if fault.KindOf(err) == fault.Unauthenticated {
		return nil, unknown // the person was disabled meanwhile
	}
	if err != nil {
		return nil, err
	}
	if v, err = s.narrow(sys, v, row); err != nil {
		return nil, err
	}
	st.id, st.expires = row.ID, row.ExpiresAt
	if row.UsedAt == nil || now.Sub(*row.UsedAt) > tokenSlack || row.Address != st.address {
		// Only ever moves a row that is there; that it was used is no reason to fail.
		_ = s.DB.Client.AccessToken.Update().Where(accesstoken.ID(row.ID)).SetUsedAt(now).SetAddress(st.address).Exec(sys)
		s.seen(ctx, row.UserID, now)
	}
	return authz.With(ctx, v), nil
}

// CreateTokenInput describes a new access token.
type CreateTokenInput struct {
	Name  string
	Scope authz.TokenScope
	Days  int // until it lapses
}

// CreateToken makes an access token of the viewer's. Its text is shown only
// here. It takes a browser: a token that leaked makes no others.
func (s *Service) CreateToken(ctx context.Context, in CreateTokenInput) (row *ent.AccessToken, text string, err error) {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return nil, "", err
	}
	in.Name = strings.TrimSpace(in.Name)
	if err := in.check(v); err != nil {
		return nil, "", err
	}
	text = newToken()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		n, err := tx.AccessToken.Query().Where(accesstoken.UserID(v.UserID), accesstoken.SubjectID("")).Count(sys)
		if err != nil {
			return fmt.Errorf("count access tokens: %w", err)
		}
		if n >= maxTokens {
			return fault.New(fault.ResourceExhausted, "token.many", fault.Args{"limit": maxTokens})
		}
		row, err = tx.AccessToken.Create().SetUserID(v.UserID).SetName(in.Name).SetScope(in.Scope).SetTokenHash(hash(text)).
			SetExpiresAt(time.Now().UTC().AddDate(0, 0, in.Days).Truncate(time.Second)).Save(sys)
		if ent.IsConstraintError(err) {
			var f fault.Fields
			f.Add("name", "token.name.taken", fault.Args{"value": in.Name})
			return f.Err()
		}
		if err != nil {
			return fmt.Errorf("create access token: %w", err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "token.create", ObjectID: row.ID, After: map[string]any{
			"name": row.Name, "scope": string(row.Scope), "expiresAt": row.ExpiresAt.Format(time.RFC3339)}})
	})
	if err != nil {
		return nil, "", err
	}
	return row.Unwrap(), text, nil
}

func (in CreateTokenInput) check(v *authz.Viewer) error {
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	switch in.Scope {
	case authz.ScopeRead, authz.ScopeWrite:
	case authz.ScopeAdmin:
		if !v.ReadsAll() {
			f.Add("scope", "token.scope.admin", nil)
		}
	default:
		f.Add("scope", "token.scope", fault.Args{"value": string(in.Scope)})
	}
	if in.Days < 1 || in.Days > maxTokenDays {
		f.Add("days", "token.days", fault.Args{"value": in.Days, "limit": maxTokenDays})
	}
	return f.Err()
}

// Tokens lists the viewer's access tokens, the newest first, lapsed ones too,
// and those that the platform put into their instances and runs.
func (s *Service) Tokens(ctx context.Context) ([]*ent.AccessToken, error) {
	v, err := s.outside(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.AccessToken.Query().Where(accesstoken.UserID(v.UserID)).
		Order(ent.Desc(accesstoken.FieldID)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("access tokens: %w", err)
	}
	return rows, nil
}

// RevokeToken deletes an access token of the viewer's; what listens with it hears no more.
func (s *Service) RevokeToken(ctx context.Context, id string) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		row, err := tx.AccessToken.Query().Where(accesstoken.ID(id), accesstoken.UserID(v.UserID)).Only(sys)
		if ent.IsNotFound(err) {
			return fault.Missing("token", id)
		}
		if err != nil {
			return fmt.Errorf("access token %s: %w", id, err)
		}
		if err := tx.AccessToken.DeleteOne(row).Exec(sys); err != nil {
			return fmt.Errorf("delete access token %s: %w", id, err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "token.revoke", ObjectID: id, Before: map[string]any{"name": row.Name, "scope": string(row.Scope)}})
	})
	if err != nil {
		return err
	}
	s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: id})
	return nil
}

// InBrowser is the viewer of a signed-in browser; a fault for a program.
func (s *Service) InBrowser(ctx context.Context) (*authz.Viewer, error) { return s.inBrowser(ctx) }

// inBrowser is the viewer of a signed-in browser.
func (s *Service) inBrowser(ctx context.Context) (*authz.Viewer, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	_, err = browser(ctx)
	return v, err
}

// clip shortens a text to at most n bytes, at a character's end.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
