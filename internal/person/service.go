package person

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Deps are what the service works with.
type Deps struct {
	DB        *db.DB
	Broker    event.Publisher
	Config    config.Config
	Account   *account.Service
	Teams     *team.Service
	Instances *instance.Service
	Runs      *run.Service
	Volumes   *volume.Service
}

// Service keeps people.
type Service struct {
	Deps

	step func() // between the transactions of a departure, for tests
}

// New makes a Service.
func New(d Deps) *Service { return &Service{Deps: d, step: func() {}} }

// administrator is the viewer if they administer the platform.
func administrator(ctx context.Context) (*authz.Viewer, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	return v, v.Check(authz.Platform, "")
}

// lock reads a person and holds the row until the transaction ends.
func (s *Service) lock(ctx context.Context, tx *ent.Tx, id string) (*ent.User, error) {
	q := tx.User.Query().Where(user.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err), err == nil && row.ErasedAt != nil:
		return nil, fault.Missing("user", id)
	case err != nil:
		return nil, fmt.Errorf("lock user %s: %w", id, err)
	}
	return row, nil
}

// another refuses a change after which nobody would administer the platform. It
// holds the rows of all administrators, so that two cannot both take the other's role.
func (s *Service) another(ctx context.Context, tx *ent.Tx, than string) error {
	q := tx.User.Query().Where(user.PlatformRoleEQ(authz.PlatformAdministrator), user.DisabledAtIsNil()).Order(ent.Asc(user.FieldID))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	rows, err := q.All(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("administrators: %w", err)
	}
	for _, u := range rows {
		if u.ID != than {
			return nil
		}
	}
	return fault.New(fault.FailedPrecondition, "person.last-administrator", nil)
}

// SetPlatformRole changes what a person may do on the whole platform. Administrators only.
func (s *Service) SetPlatformRole(ctx context.Context, id string, role authz.PlatformRole) (*ent.User, error) {
	if _, err := administrator(ctx); err != nil {
		return nil, err
	}
	switch role {
	case authz.PlatformUser, authz.PlatformAuditor, authz.PlatformAdministrator:
	default:
		var f fault.Fields
		f.Add("role", "account.role", nil)
		return nil, f.Err()
	}
	return s.change(ctx, id, func(tx *ent.Tx, u *ent.User) (*ent.User, error) {
		if u.PlatformRole == role {
			return u, nil
		}
		if u.DepartedAt != nil {
			return nil, fault.New(fault.FailedPrecondition, "person.departed", nil)
		}
		row, err := tx.User.UpdateOneID(id).SetPlatformRole(role).SetPlatformRoleOrigin(authz.Manual).Save(authz.AsSystem(ctx))
		if err != nil {
			return nil, fmt.Errorf("role of %s: %w", id, err)
		}
		return row, audit.Record(ctx, tx, audit.Entry{Action: "user.role", ObjectID: id,
			Before: map[string]any{"platformRole": string(u.PlatformRole)}, After: map[string]any{"platformRole": string(role)}})
	})
}

// change changes a person, in a transaction that holds the administrators first
// if the person is one: rows are always locked in this order.
func (s *Service) change(ctx context.Context, id string, do func(tx *ent.Tx, u *ent.User) (*ent.User, error)) (*ent.User, error) {
	var row *ent.User
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		u, err := tx.User.Get(authz.AsSystem(ctx), id)
		if ent.IsNotFound(err) {
			return fault.Missing("user", id)
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", id, err)
		}
		var last error
		if u.PlatformRole == authz.PlatformAdministrator && u.DisabledAt == nil {
			if last = s.another(ctx, tx, id); last != nil && fault.KindOf(last) != fault.FailedPrecondition {
				return last
			}
		}
		if u, err = s.lock(ctx, tx, id); err != nil {
			return err
		}
		if row, err = do(tx, u); err != nil {
			return err
		}
		if u.PlatformRole == authz.PlatformAdministrator && u.DisabledAt == nil &&
			(row.PlatformRole != authz.PlatformAdministrator || row.DisabledAt != nil) {
			return last
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Subscriptions read their viewers again with the next message; open ones learn of it at once.
	s.Broker.Publish(ctx, event.Message{Topic: account.Topic, ID: id})
	return row.Unwrap(), nil
}

// Disable keeps a person from everything at once: sessions, access tokens and
// all that is open with them end. Administrators only.
func (s *Service) Disable(ctx context.Context, id string) (*ent.User, error) {
	v, err := administrator(ctx)
	if err != nil {
		return nil, err
	}
	if v.UserID == id {
		return nil, fault.New(fault.FailedPrecondition, "person.self", nil)
	}
	var ended account.Ended
	row, err := s.change(ctx, id, func(tx *ent.Tx, u *ent.User) (*ent.User, error) {
		if u.DisabledAt != nil {
			return u, nil
		}
		row, e, err := s.disable(ctx, tx, u)
		ended = e
		return row, err
	})
	if err != nil {
		return nil, err
	}
	s.Account.Tell(ctx, ended)
	return row, nil
}

func (s *Service) disable(ctx context.Context, tx *ent.Tx, u *ent.User) (*ent.User, account.Ended, error) {
	ended, err := s.Account.EndEverything(ctx, tx, u.ID, true)
	if err != nil {
		return nil, ended, err
	}
	row, err := tx.User.UpdateOneID(u.ID).SetDisabledAt(now()).Save(authz.AsSystem(ctx))
	if err != nil {
		return nil, ended, fmt.Errorf("disable %s: %w", u.ID, err)
	}
	return row, ended, audit.Record(ctx, tx, audit.Entry{Action: "user.disable", ObjectID: u.ID,
		After: map[string]any{"sessionsEnded": ended.Sessions, "tokensEnded": ended.Tokens}})
}

// Enable lets a person in again, also one who had departed: with what they are
// given anew. Administrators only.
func (s *Service) Enable(ctx context.Context, id string) (*ent.User, error) {
	if _, err := administrator(ctx); err != nil {
		return nil, err
	}
	return s.change(ctx, id, func(tx *ent.Tx, u *ent.User) (*ent.User, error) {
		if u.DisabledAt == nil {
			return u, nil
		}
		if err := s.notLeaving(ctx, tx, id); err != nil {
			return nil, err
		}
		row, err := tx.User.UpdateOneID(id).ClearDisabledAt().ClearDepartedAt().Save(authz.AsSystem(ctx))
		if err != nil {
			return nil, fmt.Errorf("enable %s: %w", id, err)
		}
		return row, audit.Record(ctx, tx, audit.Entry{Action: "user.enable", ObjectID: id})
	})
}
