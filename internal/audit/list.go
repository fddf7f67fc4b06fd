package audit

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/predicate"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Deps are what the service works with.
type Deps struct {
	DB *db.DB
	// Keep says how long entries are kept, 0 for ever; nil for ever.
	Keep func() time.Duration
}

// Service reads the audit log, and forgets what is too old.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// Filter narrows the log; empty fields let everything pass.
type Filter struct {
	TeamID   string
	ActorID  string
	ObjectID string
	Action   string     // the whole of it, or up to a dot, as "instance"
	Since    *time.Time // from then on
	Until    *time.Time // before then
}

func (f Filter) where() []predicate.Audit {
	var out []predicate.Audit
	if f.TeamID != "" {
		out = append(out, audit.TeamID(f.TeamID))
	}
	if f.ActorID != "" {
		out = append(out, audit.ActorID(f.ActorID))
	}
	if f.ObjectID != "" {
		out = append(out, audit.ObjectID(f.ObjectID))
	}
	if f.Action != "" {
		out = append(out, audit.Or(audit.Action(f.Action), audit.ActionHasPrefix(f.Action+".")))
	}
	if f.Since != nil {
		out = append(out, audit.AtGTE(f.Since.UTC()))
	}
	if f.Until != nil {
		out = append(out, audit.AtLT(f.Until.UTC()))
	}
	return out
}

const maxFilter = 64 // bytes of an id or an action

func (f Filter) check() error {
	var out fault.Fields
	for path, v := range map[string]string{"teamId": f.TeamID, "actorId": f.ActorID, "objectId": f.ObjectID, "action": f.Action} {
		if len(v) > maxFilter {
			out.Add("filter."+path, "audit.filter", fault.Args{"limit": maxFilter})
		}
	}
	if f.Since != nil && f.Until != nil && !f.Since.Before(*f.Until) {
		out.Add("filter.until", "audit.until", nil)
	}
	return out.Err()
}

// May reports whether the viewer reads any part of the log: administrators and
// auditors the whole, a team's owners what was done in it.
func May(v *authz.Viewer) bool { return v.ReadsAll() || len(v.OwnTeamIDs()) > 0 }

// List gives at most limit entries that the viewer may see, the newest first,
// older than the entry with the id before if that is not empty.
func (s *Service) List(ctx context.Context, f Filter, before string, limit int) ([]*ent.Audit, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if !May(v) {
		return nil, fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action.audit"})
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	q := s.DB.Client.Audit.Query().Where(f.where()...)
	if before != "" {
		q.Where(audit.IDLT(before))
	}
	rows, err := q.Order(ent.Desc(audit.FieldID)).Limit(limit).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return rows, nil
}

const batch = 500 // rows

// Walk gives every entry of a filter, the newest first, without holding them all.
func (s *Service) Walk(ctx context.Context, f Filter, each func([]*ent.Audit) error) error {
	before := ""
	for {
		rows, err := s.List(ctx, f, before, batch)
		if err != nil {
			return err
		}
		if err := each(rows); err != nil {
			return err
		}
		if len(rows) < batch {
			return nil
		}
		before = rows[len(rows)-1].ID
	}
}

// Sweep deletes entries that are kept no longer.
func (s *Service) Sweep(ctx context.Context) error {
	if s.Keep == nil || s.Keep() <= 0 {
		return nil
	}
	before := time.Now().UTC().Add(-s.Keep())
	var err error
	if s.DB.Dialect == dialect.Postgres {
		err = s.sweepGuarded(ctx, before)
	} else {
		_, err = s.DB.Client.Audit.Delete().Where(audit.AtLT(before)).Exec(authz.AsSystem(ctx))
	}
	if err != nil {
		return fmt.Errorf("delete old entries of the audit log: %w", err)
	}
	return nil
}

// sweepGuarded says to PostgreSQL that this transaction is retention: a trigger
// refuses every other deletion (internal/db/gen/postgres.sql).
func (s *Service) sweepGuarded(ctx context.Context, before time.Time) error {
	tx, err := s.DB.SQL.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "SELECT set_config('goblinlab.retention', 'on', true)"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM audit WHERE at < $1", before); err != nil {
		return err
	}
	return tx.Commit()
}
