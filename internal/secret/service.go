package secret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

const maxSecrets = 200 // of one person or team

// Deps are what the service works with.
type Deps struct {
	DB     *db.DB
	Broker event.Publisher
	Kicker outbox.Kicker
	Keys   *Keys
}

// Service keeps secrets and hands them to containers.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// CreateInput describes a new secret: of a team, or without one of the viewer's own.
type CreateInput struct {
	TeamID   *string
	Name     string
	Content  Content
	TeamWide bool // a team's registry: all its pods pull with it
}

// owner is whom a secret belongs to, as it is bound into what is sealed.
func owner(s *ent.Secret) string {
	if s.TeamID != nil {
		return "team:" + *s.TeamID
	}
	return "user:" + deref(s.UserID)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func place(s *ent.Secret) envelope.Place { return envelope.Place{Row: s.ID, Owner: owner(s)} }

func sealed(s *ent.Secret) envelope.Sealed {
	return envelope.Sealed{KeyID: s.MasterKey, Wrapped: s.Wrapped, Values: s.Sealed, Fingerprint: s.Fingerprint}
}

// Create keeps a new secret. What it holds is not given back, here or later.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Secret, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.checkOwner(ctx, v, in.TeamID); err != nil {
		return nil, err
	}
	in.Name = strings.TrimSpace(in.Name)
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	kind, values := in.Content.parse(&f)
	checkWide(&f, kind, in.TeamID, in.TeamWide)
	if err := f.Err(); err != nil {
		return nil, err
	}
	row := &ent.Secret{ID: ident.New(ident.Secret), TeamID: in.TeamID}
	if in.TeamID == nil {
		row.UserID = &v.UserID
	}
	box, err := s.Keys.Ring().Seal(place(row), values)
	if err != nil {
		return nil, noKeys(err)
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		if err := s.inOpenTeam(ctx, tx, row.TeamID); err != nil {
			return err
		}
		if err := checkCount(sys, tx, row); err != nil {
			return err
		}
		row, err = tx.Secret.Create().SetID(row.ID).SetNillableUserID(row.UserID).SetNillableTeamID(row.TeamID).
			SetName(in.Name).SetKind(kind).SetObjectName(ident.ObjectName(in.Name, row.ID)).SetKeys(keysOf(kind, values)).SetTeamWide(in.TeamWide).
			SetMasterKey(box.KeyID).SetWrapped(box.Wrapped).SetSealed(box.Values).SetFingerprint(box.Fingerprint).
			SetCreatedBy(v.UserID).SetChangedBy(v.UserID).Save(sys)
		if ent.IsConstraintError(err) {
			var f fault.Fields
			f.Add("name", "secret.name-taken", fault.Args{"value": in.Name})
			return f.Err()
		}
		if err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "secret.create", After: shown(row)})
	})
	if err != nil {
		return nil, fmt.Errorf("create secret: %w", err)
	}
	s.committed(row)
	return row.Unwrap(), nil
}

// checkOwner wants somebody who may make a secret of that team, or of their own.
func (s *Service) checkOwner(ctx context.Context, v *authz.Viewer, teamID *string) error {
	if teamID == nil {
		return v.CheckOwn()
	}
	if _, err := team.Visible(ctx, s.DB.Client, *teamID); err != nil {
		return err
	}
	return v.Check(authz.Secrets, *teamID)
}

// inOpenTeam refuses what an archived team would be given; a secret of a person's own is of no team.
func (s *Service) inOpenTeam(ctx context.Context, tx *ent.Tx, teamID *string) error {
	if teamID == nil {
		return nil
	}
	t, err := team.Lock(ctx, tx, s.DB, *teamID)
	if err != nil {
		return err
	}
	return team.Open(t)
}

func checkWide(f *fault.Fields, kind spec.SecretKind, teamID *string, wide bool) {
	if wide && (teamID == nil || kind != spec.SecretRegistry) {
		f.Add("teamWide", "secret.team-wide", nil)
	}
}

func checkCount(ctx context.Context, tx *ent.Tx, row *ent.Secret) error {
	q := tx.Secret.Query()
	if row.TeamID != nil {
		q.Where(entsecret.TeamID(*row.TeamID))
	} else {
		q.Where(entsecret.UserID(*row.UserID))
	}
	n, err := q.Count(ctx)
	if err != nil {
		return fmt.Errorf("count secrets: %w", err)
	}
	if n >= maxSecrets {
		return fault.New(fault.ResourceExhausted, "secret.many", fault.Args{"limit": maxSecrets})
	}
	return nil
}

// noKeys tells what an operator must do.
func noKeys(err error) error {
	if errors.Is(err, envelope.ErrNoKeys) {
		return fault.New(fault.FailedPrecondition, "secret.no-keys", nil).Wrap(err)
	}
	return fmt.Errorf("seal secret: %w", err)
}

// ReplaceInput gives a secret new values of the same kind. TeamWide changes if it is not nil.
type ReplaceInput struct {
	ID       string
	Content  Content
	TeamWide *bool
}

// Replace replaces what a secret holds, whole; it counts from the next start of
// what uses it, and what runs with the old values is marked outdated.
func (s *Service) Replace(ctx context.Context, in ReplaceInput) (*ent.Secret, error) {
	v, row, err := s.managed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	kind, values := in.Content.parse(&f)
	if kind != "" && kind != row.Kind {
		f.Add("values", "secret.kind", fault.Args{"kind": "@secret.kind." + string(row.Kind)})
	}
	wide := row.TeamWide
	if in.TeamWide != nil {
		wide = *in.TeamWide
		checkWide(&f, row.Kind, row.TeamID, wide)
	}
	if f.Err() == nil {
		if err := s.checkUses(ctx, &f, row, keysOf(kind, values)); err != nil {
			return nil, err
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	box, err := s.Keys.Ring().Seal(place(row), values)
	if err != nil {
		return nil, noKeys(err)
	}
	var stale []*ent.Instance
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys, before := authz.AsSystem(ctx), shown(row)
		if err := s.inOpenTeam(ctx, tx, row.TeamID); err != nil {
			return err
		}
		row, err = tx.Secret.UpdateOneID(in.ID).SetKeys(keysOf(kind, values)).SetTeamWide(wide).SetMasterKey(box.KeyID).SetWrapped(box.Wrapped).
			SetSealed(box.Values).SetFingerprint(box.Fingerprint).SetChangedBy(v.UserID).SetChangedAt(time.Now().UTC()).AddVersion(1).Save(sys)
		if ent.IsNotFound(err) {
			return fault.Missing("secret", in.ID)
		}
		if err != nil {
			return err
		}
		if stale, err = outdate(sys, tx, row); err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "secret.replace", Before: before, After: shown(row)})
	})
	if err != nil {
		return nil, fmt.Errorf("replace secret %s: %w", in.ID, err)
	}
	s.tell(ctx, stale)
	s.committed(row)
	return row.Unwrap(), nil
}

// Delete deletes a secret. While something uses it, that is told and nothing
// happens, unless inUse says that it is known: then the next start of what uses
// it is refused until it asks for it no more.
func (s *Service) Delete(ctx context.Context, id string, inUse bool) error {
	_, row, err := s.managed(ctx, id)
	if err != nil {
		return err
	}
	var stale []*ent.Instance
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		users, err := Users(sys, tx.Client(), []*ent.Secret{row})
		if err != nil {
			return err
		}
		if list := users[id]; len(list) > 0 && !inUse {
			return fault.New(fault.FailedPrecondition, "secret.in-use", fault.Args{"users": names(list)})
		}
		if stale, err = outdate(sys, tx, row); err != nil {
			return err
		}
		if err := tx.Secret.DeleteOneID(id).Exec(sys); ent.IsNotFound(err) {
			return fault.Missing("secret", id)
		} else if err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "secret.delete", Before: shown(row)})
	})
	if err != nil {
		return fmt.Errorf("delete secret %s: %w", id, err)
	}
	s.tell(ctx, stale)
	s.committed(row)
	return nil
}

// visible is a secret that the viewer may know of.
func (s *Service) visible(ctx context.Context, id string) (*authz.Viewer, *ent.Secret, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.DB.Client.Secret.Query().Where(entsecret.ID(id)).Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err), err == nil && !sees(v, row):
		return nil, nil, fault.Missing("secret", id)
	case err != nil:
		return nil, nil, fmt.Errorf("secret %s: %w", id, err)
	}
	return v, row, nil
}

func sees(v *authz.Viewer, row *ent.Secret) bool {
	if row.TeamID != nil {
		return v.SeesSecrets(*row.TeamID)
	}
	return row.UserID != nil && *row.UserID == v.UserID && !v.Inside()
}

// Manages reports whether the viewer may replace and delete a secret.
func Manages(v *authz.Viewer, row *ent.Secret) bool { return checkManage(v, row) == nil }

func checkManage(v *authz.Viewer, row *ent.Secret) error {
	if row.TeamID != nil {
		return v.Check(authz.Secrets, *row.TeamID)
	}
	return v.CheckOwn()
}

func (s *Service) managed(ctx context.Context, id string) (*authz.Viewer, *ent.Secret, error) {
	v, row, err := s.visible(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return v, row, checkManage(v, row)
}

// Get is a secret that the viewer may know of, without what it holds.
func (s *Service) Get(ctx context.Context, id string) (*ent.Secret, error) {
	_, row, err := s.visible(ctx, id)
	return row, err
}

// List gives the viewer's own secrets and those of their teams, or of one team, by name.
func (s *Service) List(ctx context.Context, teamID *string) ([]*ent.Secret, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams := v.TeamIDs()
	if teamID != nil {
		if _, err := team.Visible(ctx, s.DB.Client, *teamID); err != nil {
			return nil, err
		}
		teams = []string{*teamID}
	}
	if v.Inside() {
		return nil, fault.New(fault.Forbidden, "secret.inside", nil)
	}
	if teamID != nil && !v.SeesSecrets(*teamID) {
		return nil, fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action." + string(authz.UseSecrets)})
	}
	var seen []string
	for _, id := range teams {
		if v.SeesSecrets(id) {
			seen = append(seen, id)
		}
	}
	rows, err := s.DB.Client.Secret.Query().Where(entsecret.Or(entsecret.UserID(v.UserID), entsecret.TeamIDIn(seen...))).
		Order(ent.Asc(entsecret.FieldName, entsecret.FieldID)).Select(shownColumns...).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	return rows, nil
}

// Known are those of the secrets that uses name which the viewer may know of.
func (s *Service) Known(ctx context.Context, uses []spec.SecretUse) ([]*ent.Secret, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, s.DB.Client, uses)
	if err != nil {
		return nil, err
	}
	var out []*ent.Secret
	for _, row := range rows {
		if sees(v, row) {
			out = append(out, row)
		}
	}
	return out, nil
}

// shownColumns are those that may be read out of the service.
var shownColumns = []string{entsecret.FieldID, entsecret.FieldUserID, entsecret.FieldTeamID, entsecret.FieldName, entsecret.FieldKind,
	entsecret.FieldKeys, entsecret.FieldTeamWide, entsecret.FieldFingerprint, entsecret.FieldCreatedBy, entsecret.FieldCreatedAt,
	entsecret.FieldChangedBy, entsecret.FieldChangedAt, entsecret.FieldVersion, entsecret.FieldMasterKey}

// shown is what the audit log keeps of a secret: no value.
func shown(row *ent.Secret) map[string]any {
	keys := make([]string, len(row.Keys))
	for i, k := range row.Keys {
		keys[i] = k.Name
	}
	return map[string]any{"name": row.Name, "kind": string(row.Kind), "keys": keys, "fingerprint": row.Fingerprint, "teamWide": row.TeamWide}
}

// note writes what a change leaves behind, in its transaction. The namespace of
// a team holds its registries' credentials.
func (s *Service) note(ctx context.Context, tx *ent.Tx, row *ent.Secret, e audit.Entry) error {
	e.ObjectID, e.TeamID = row.ID, deref(row.TeamID)
	if err := audit.Record(ctx, tx, e); err != nil {
		return err
	}
	if row.TeamID != nil && row.Kind == spec.SecretRegistry {
		return outbox.Add(ctx, tx, outbox.Team, *row.TeamID)
	}
	return nil
}

// committed has the team's namespace brought up to date.
func (s *Service) committed(row *ent.Secret) {
	if row.TeamID != nil && row.Kind == spec.SecretRegistry {
		s.Kicker.Kick(outbox.Team, *row.TeamID)
	}
}

// CheckKeys says in the log which keys are missing that sealed secrets need.
func (s *Service) CheckKeys(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	ids, err := s.DB.Client.Secret.Query().GroupBy(entsecret.FieldMasterKey).Strings(ctx)
	if err != nil {
		return fmt.Errorf("keys of secrets: %w", err)
	}
	for _, id := range ids {
		row, err := s.DB.Client.Secret.Query().Where(entsecret.MasterKey(id)).First(ctx)
		if ent.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("keys of secrets: %w", err)
		}
		err = s.Keys.Again(func(r envelope.Ring) error { return r.Check(place(row), sealed(row)) })
		switch {
		case errors.Is(err, envelope.ErrNoKeys), errors.As(err, new(envelope.MissingKeyError)):
			slog.ErrorContext(ctx, "secrets cannot be opened: put this key back into secrets.keyfile or secrets.keys", "missing_key", id)
		case err != nil:
			slog.ErrorContext(ctx, "secrets cannot be opened: the configured key is another one than that which sealed them", "wrong_key", id, "secret_id", row.ID)
		}
	}
	return nil
}
