package flow

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow/agenda"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	rescan   = 15 * time.Second // how often rows are compared with the heap: what another process changed
	watchdog = 60 * time.Second // beyond it a flow that is due and does not fire says so (P60)
	lanes    = 8                // flows that fire at once
)

// RunScheduler fires flows until ctx ends. One process does so at a time, under
// the worker's lease, to save work: two would fire everything once, too.
func (s *Service) RunScheduler(ctx context.Context) {
	ctx = authz.AsSystem(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { // what other processes changed
		for m := range s.Broker.Subscribe(ctx, "flow", "") {
			if _, err := s.Reconcile(ctx, m.ID); err != nil && ctx.Err() == nil {
				slog.Warn("a changed schedule is read at the next scan", "flow_id", m.ID, "err", err)
			}
		}
	})
	s.due.Run(ctx, agenda.Loop{Now: s.now, Lanes: lanes, Every: rescan, Look: s.look, Fire: s.fireOne})
}

// look reads all rows; what fails is read again soon enough.
func (s *Service) look(ctx context.Context) {
	if err := s.scan(ctx); err != nil && ctx.Err() == nil {
		slog.Warn("schedules not read, will be tried again", "err", err)
	}
}

func (s *Service) fireOne(ctx context.Context, id string) {
	next, ok, err := s.Fire(ctx, id)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		slog.Warn("flow not fired, will be tried again", "flow_id", id, "err", err)
		next, ok = s.now().Add(5*time.Second), true
	}
	s.set(id, next, ok)
}

// set says when a flow is due; not ok takes it out.
func (s *Service) set(id string, at time.Time, ok bool) {
	if ok {
		s.due.Set(id, at)
		return
	}
	s.due.Drop(id)
}

// scan compares the heap with the rows, and tells of flows that are due for long.
func (s *Service) scan(ctx context.Context) error {
	rows, err := s.DB.Client.Flow.Query().Where(flow.NextFireAtNotNil(), flow.Paused(false), flow.DeletedAtIsNil(), flow.HasTeamWith(team.ArchivedAtIsNil())).
		Select(flow.FieldID, flow.FieldNextFireAt).All(ctx)
	if err != nil {
		return fmt.Errorf("flows that fire: %w", err)
	}
	now := s.now()
	ids := make(map[string]bool, len(rows))
	for _, r := range rows {
		ids[r.ID] = true
		s.due.Set(r.ID, *r.NextFireAt)
		if late := now.Sub(*r.NextFireAt); late > watchdog {
			slog.Warn("a flow is overdue", "flow_id", r.ID, "due", r.NextFireAt, "late", late.Round(time.Second).String())
		}
	}
	s.due.Keep(ids)
	return nil
}

// Overdue says which of the flows should have fired more than a minute ago and
// have not, by id. Rows and the clock tell it, no scheduler needs to live for it;
// an archived team's flows rest.
func (s *Service) Overdue(ctx context.Context, rows []*ent.Flow) (map[string]*spec.Reason, error) {
	out := map[string]*spec.Reason{}
	var teams []string
	for _, row := range rows {
		if why := overdue(row, s.now()); why != nil {
			out[row.ID] = why
			teams = append(teams, row.TeamID)
		}
	}
	if len(out) == 0 {
		return out, nil
	}
	resting, err := s.DB.Client.Team.Query().Where(team.IDIn(teams...), team.ArchivedAtNotNil()).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("archived teams: %w", err)
	}
	for _, row := range rows {
		if slices.Contains(resting, row.TeamID) {
			delete(out, row.ID)
		}
	}
	return out, nil
}

func overdue(row *ent.Flow, now time.Time) *spec.Reason {
	if row.Paused || row.NextFireAt == nil || row.DeletedAt != nil || now.Sub(*row.NextFireAt) <= watchdog {
		return nil
	}
	zone, err := time.LoadLocation(row.Schedule.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return &spec.Reason{Code: "flow-overdue", Args: map[string]any{
		"due": row.NextFireAt.In(zone).Format("2006-01-02 15:04:05 MST"), "late": now.Sub(*row.NextFireAt).Round(time.Second).String(),
	}}
}

// Reconcile has the heap know what a flow's row says, after it was changed.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.DB.Client.Flow.Query().Where(flow.ID(id)).Select(flow.FieldID, flow.FieldNextFireAt, flow.FieldPaused, flow.FieldDeletedAt).Only(ctx)
	if err != nil {
		s.due.Drop(id)
		return 0, ignoreMissing(err)
	}
	if row.DeletedAt != nil {
		s.due.Drop(id)
		return 0, s.remove(ctx, id)
	}
	if row.NextFireAt == nil || row.Paused {
		s.due.Drop(id)
		return 0, nil
	}
	s.due.Set(id, *row.NextFireAt)
	return 0, nil
}
