package setting

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/ent/userlimit"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/mail"
)

const maxInstances = 1000

// InstancesOf is how many instances a person may own in a team: their own limit
// if they have one, the platform's otherwise.
func InstancesOf(ctx context.Context, c *ent.Client, cfg config.Config, userID string) (int, error) {
	row, err := c.UserLimit.Query().Where(userlimit.ID(userID)).Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err):
		return cfg.Now().Limits.InstancesPerUser, nil
	case err != nil:
		return 0, fmt.Errorf("limit of %s: %w", userID, err)
	}
	return row.Instances, nil
}

// UserLimits are the people with a limit of their own. Administrators and auditors.
func (s *Service) UserLimits(ctx context.Context) ([]*ent.UserLimit, error) {
	if err := readers(ctx); err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.UserLimit.Query().Order(ent.Desc(userlimit.FieldCreatedAt), ent.Asc(userlimit.FieldID)).Limit(maxInstances).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("limits of people: %w", err)
	}
	return rows, nil
}

// SetUserLimit gives a person a limit of their own, or takes it (nil).
// Instances that are there stay. Administrators only.
func (s *Service) SetUserLimit(ctx context.Context, userID string, instances *int) error {
	if err := administrators(ctx); err != nil {
		return err
	}
	if instances != nil && (*instances < 0 || *instances > maxInstances) {
		var f fault.Fields
		f.Add("instances", "setting.count", fault.Args{"name": "@setting.limits.instancesperuser.name", "value": *instances, "min": 0, "max": maxInstances})
		return f.Err()
	}
	sys := authz.AsSystem(ctx)
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		known, err := tx.User.Query().Where(user.ID(userID)).Exist(sys)
		if err != nil {
			return fmt.Errorf("user %s: %w", userID, err)
		}
		if !known {
			return fault.Missing("user", userID)
		}
		before, after := map[string]any{}, map[string]any{}
		old, err := tx.UserLimit.Query().Where(userlimit.ID(userID)).Only(sys)
		if err != nil && !ent.IsNotFound(err) {
			return fmt.Errorf("limit of %s: %w", userID, err)
		}
		if old != nil {
			before["instances"] = old.Instances
		}
		switch {
		case instances == nil && old != nil:
			err = tx.UserLimit.DeleteOne(old).Exec(sys)
		case instances == nil:
			err = nil
		case old != nil:
			err = tx.UserLimit.UpdateOne(old).SetInstances(*instances).Exec(sys)
		default:
			err = tx.UserLimit.Create().SetID(userID).SetInstances(*instances).Exec(sys)
		}
		if err != nil {
			return fmt.Errorf("keep the limit of %s: %w", userID, err)
		}
		if instances != nil {
			after["instances"] = *instances
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "user.limit", ObjectID: userID, Before: before, After: after})
	})
}

// TestMail sends a message with the settings as they are, and fails as the mail
// server did. Administrators only.
func (s *Service) TestMail(ctx context.Context, to string, m mail.Message) error {
	if err := administrators(ctx); err != nil {
		return err
	}
	m.To = to
	if f := mailbox(to); f != "" {
		var bad fault.Fields
		bad.Add("to", f, fault.Args{"name": "@setting.mail.to", "value": clip(to)})
		return bad.Err()
	}
	server := s.Live.Now().Mail                  // as it is now, not as the process was started
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error { // also of what fails: it reached out all the same
		return audit.Record(ctx, tx, audit.Entry{Action: "setting.test-mail", ObjectID: "mail.host",
			After: map[string]any{"host": server.Host, "to": to}})
	})
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, server, m)
}
