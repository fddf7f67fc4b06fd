package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/team"
)

const (
	day      = 24 * time.Hour
	batch    = 500             // runs of which a sweep removes logs, and of which it marks rows; flow runs likewise
	idle     = 5 * time.Minute // between two sweeps
	busy     = 10 * time.Second
	lookFrom = time.Minute // after this process began to lead: others have more to do then
)

// Teams says how long a team keeps what has ended.
type Teams interface {
	RetentionOf(t *ent.Team) *team.Retention
}

// Runs removes logs and runs.
type Runs interface {
	RetireLogs(ctx context.Context, teamID string, before time.Time, days, limit int, flowRuns run.FlowRuns) (int, error)
	PurgeLogs(ctx context.Context, limit int) (int, error)
	Expire(ctx context.Context, teamID string, before time.Time, limit int) (int, error)
	Going(ctx context.Context) (int, error)
}

// FlowRuns removes flow runs.
type FlowRuns interface {
	LogsMay(ctx context.Context, ids []string, before time.Time) (map[string]bool, error)
	Expire(ctx context.Context, teamID string, before time.Time, limit int) (int, error)
	Going(ctx context.Context) (int, error)
}

// Deps are what the service works with.
type Deps struct {
	DB    *db.DB
	Teams Teams
	Runs  Runs
	Flows FlowRuns
	Now   func() time.Time // nil for the machine's clock
	Batch int              // 0 for the default
}

// Service removes what teams keep no longer.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Batch == 0 {
		d.Batch = batch
	}
	return &Service{d}
}

// Run sweeps until ctx ends. One process does at a time, to save work: two would
// do the same once.
func (s *Service) Run(ctx context.Context) {
	wait := lookFrom
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		more, err := s.Sweep(ctx)
		if err != nil && ctx.Err() == nil {
			slog.Warn("what is kept no longer was not removed, will be tried again", "err", err)
		}
		if wait = idle; more && err == nil {
			wait = busy
		}
	}
}

// Sweep does a part of what is to be done, and tells whether there is more.
func (s *Service) Sweep(ctx context.Context) (more bool, err error) {
	ctx = authz.AsSystem(ctx)
	teams, err := s.DB.Client.Team.Query().Where(entteam.DesiredEQ(entteam.DesiredPresent)).Order(ent.Asc(entteam.FieldID)).All(ctx)
	if err != nil {
		return false, fmt.Errorf("teams: %w", err)
	}
	now := s.Now().UTC()
	var errs []error
	note := func(n, limit int, err error) {
		more = more || n > 0 && n >= limit
		if err != nil {
			errs = append(errs, err)
		}
	}
	for _, t := range teams {
		r := s.Teams.RetentionOf(t).Effective
		if r.LogDays > 0 {
			n, err := s.Runs.RetireLogs(ctx, t.ID, now.Add(-time.Duration(r.LogDays)*day), r.LogDays, s.Batch, s.Flows.LogsMay)
			note(n, s.Batch, err)
		}
	}
	n, err := s.Runs.PurgeLogs(ctx, s.Batch)
	note(n, s.Batch, err)
	for _, t := range teams {
		r := s.Teams.RetentionOf(t).Effective
		if r.RunDays == 0 {
			continue
		}
		before := now.Add(-time.Duration(r.RunDays) * day)
		for _, what := range []interface {
			Expire(ctx context.Context, teamID string, before time.Time, limit int) (int, error)
			Going(ctx context.Context) (int, error)
		}{s.Flows, s.Runs} {
			going, err := what.Going(ctx)
			room := s.Batch - going
			if err != nil || room <= 0 {
				note(1, 1, err)
				continue
			}
			n, err := what.Expire(ctx, t.ID, before, room)
			note(n, room, err)
		}
	}
	return more, errors.Join(errs...)
}
