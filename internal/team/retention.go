package team

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Retention is how long a team keeps what has ended.
type Retention struct {
	Own                 *spec.Retention // nil when it keeps to the platform's
	Effective, Platform *spec.Retention
	MostDays            int // that a team may say; 0 for ever
}

// RetentionOf is how long a team keeps what has ended, by its row.
func (s *Service) RetentionOf(t *ent.Team) *Retention {
	l := s.Config.Now().Limits
	out := &Retention{Own: t.Retention, Platform: platformRetention(l), MostDays: days(l.KeepMost)}
	counts := spec.Effective(t.Retention, *out.Platform, out.MostDays)
	out.Effective = &counts
	return out
}

// platformRetention is what counts where a team says nothing.
func platformRetention(l config.Limits) *spec.Retention {
	p := spec.Effective(nil, spec.Retention{LogDays: days(l.LogKeep), RunDays: days(l.RunKeep)}, days(l.KeepMost))
	return &p
}

// days are whole days; a part of one, which only an operator's own files can
// say, counts as one.
func days(d time.Duration) int {
	const day = 24 * time.Hour
	return int((d + day - 1) / day)
}

// SetRetention says how long a team keeps what has ended; nil for the
// platform's. Owners of the team and administrators.
func (s *Service) SetRetention(ctx context.Context, id string, r *spec.Retention) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	old, err := Visible(ctx, s.DB.Client, id)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Retention, id); err != nil {
		return nil, err
	}
	if old.Desired == entteam.DesiredDeleted {
		return nil, fault.New(fault.FailedPrecondition, "team.deleting", fault.Args{"name": old.Name})
	}
	if r != nil {
		if err := checkRetention(*r, days(s.Config.Now().Limits.KeepMost)); err != nil {
			return nil, err
		}
	}
	var row *ent.Team
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if old, err = Lock(ctx, tx, s.DB, id); err != nil {
			return err
		}
		up := tx.Team.UpdateOneID(id).AddVersion(1)
		if r == nil {
			up.ClearRetention()
		} else {
			up.SetRetention(r)
		}
		if row, err = up.Save(authz.AsSystem(ctx)); err != nil {
			return err
		}
		return note(ctx, tx, row, "team.retention", "retention-set", map[string]any{"retention": old.Retention}, map[string]any{"retention": r})
	})
	if err != nil {
		return nil, fmt.Errorf("retention of team %s: %w", id, err)
	}
	return s.committed(ctx, row), nil
}

// checkRetention notes days that are out of bounds, longer than the most, and a
// log that would outlive its run.
func checkRetention(r spec.Retention, most int) error {
	var f fault.Fields
	limit := spec.MaxRetention
	if most > 0 {
		limit = most
	}
	good := true
	for _, d := range []struct {
		path  string
		value int
	}{{"retention.logDays", r.LogDays}, {"retention.runDays", r.RunDays}} {
		if d.value < 0 || d.value > limit {
			f.Add(d.path, "team.retention-days", fault.Args{"value": d.value, "limit": limit})
			good = false
		}
	}
	if r.RunDays == 0 && most > 0 {
		f.Add("retention.runDays", "team.retention-ever", fault.Args{"limit": limit})
	}
	if good && r.RunDays != 0 && r.LogDays > r.RunDays {
		f.Add("retention.logDays", "team.retention-log", fault.Args{"value": r.LogDays, "limit": r.RunDays})
	}
	return f.Err()
}
