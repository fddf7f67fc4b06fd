package flow

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow/agenda"
)

const (
	rescan   = 15 * time.Second // how often rows are compared with the heap: what another process changed
	watchdog = 60 * time.Second // beyond it a flow that is due and does not fire is told of (P60)
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
