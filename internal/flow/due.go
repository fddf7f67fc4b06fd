package flow

import (
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
)

const (
	rescan   = 15 * time.Second // how often rows are compared with the heap: what another process changed
	watchdog = 60 * time.Second // beyond it a flow that is due and does not fire is told of (P60)
	stepBack = time.Second      // a clock that went back further has the heap look again
	lanes    = 8                // flows that fire at once
)

// entry is a flow in the heap.
type entry struct {
	id string
	at time.Time
	i  int // its place
}

// due is a heap of the flows' next fires: a cache of rows.
type due struct {
	mu    sync.Mutex
	list  []*entry
	byID  map[string]*entry
	waken chan struct{} // something is due earlier than was thought
}

func newDue() *due { return &due{byID: map[string]*entry{}, waken: make(chan struct{}, 1)} }

func (d *due) Len() int           { return len(d.list) }
func (d *due) Less(a, b int) bool { return d.list[a].at.Before(d.list[b].at) }
func (d *due) Swap(a, b int) {
	d.list[a], d.list[b] = d.list[b], d.list[a]
	d.list[a].i, d.list[b].i = a, b
}

// Push implements heap.Interface.
func (d *due) Push(x any) {
	e := x.(*entry)
	e.i = len(d.list)
	d.list = append(d.list, e)
}

// Pop implements heap.Interface.
func (d *due) Pop() any {
	last := len(d.list) - 1
	e := d.list[last]
	d.list[last] = nil
	d.list = d.list[:last]
	return e
}

// set says when a flow is due; not ok takes it out.
func (d *due) set(id string, at time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.byID[id]
	switch {
	case e == nil && ok:
		e = &entry{id: id, at: at}
		d.byID[id] = e
		heap.Push(d, e)
	case e != nil && !ok:
		heap.Remove(d, e.i)
		delete(d.byID, id)
		return
	case e != nil:
		e.at = at
		heap.Fix(d, e.i)
	default:
		return
	}
	if d.list[0] == e {
		select {
		case d.waken <- struct{}{}:
		default:
		}
	}
}

// take gives the flows that are due now, and when the next one is.
func (d *due) take(now time.Time) (ids []string, next time.Time, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.list) > 0 {
		if e := d.list[0]; e.at.After(now) {
			return ids, e.at, true
		}
		e := heap.Pop(d).(*entry)
		delete(d.byID, e.id)
		ids = append(ids, e.id)
	}
	return ids, time.Time{}, false
}

// only keeps the flows that are in a set.
func (d *due) only(ids map[string]bool) {
	d.mu.Lock()
	var gone []*entry
	for id, e := range d.byID {
		if !ids[id] {
			gone = append(gone, e)
		}
	}
	for _, e := range gone {
		heap.Remove(d, e.i)
		delete(d.byID, e.id)
	}
	d.mu.Unlock()
}

// RunScheduler fires flows until ctx ends. One process does so at a time, under
// the worker's lease, to save work: two would fire everything once, too.
func (s *Service) RunScheduler(ctx context.Context) {
	ctx = authz.AsSystem(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	queue := make(chan string)
	for range lanes {
		wg.Go(func() {
			for id := range queue {
				s.fireOne(ctx, id)
			}
		})
	}
	defer close(queue)
	wg.Go(func() { // what other processes changed
		for m := range s.Broker.Subscribe(ctx, "flow", "") {
			if _, err := s.Reconcile(ctx, m.ID); err != nil && ctx.Err() == nil {
				slog.Warn("a changed schedule is read at the next scan", "flow_id", m.ID, "err", err)
			}
		}
	})
	scanned := time.Time{}
	for ctx.Err() == nil {
		if now := s.now(); now.Sub(scanned) >= rescan || now.Before(scanned.Add(-stepBack)) {
			if err := s.scan(ctx); err != nil && ctx.Err() == nil {
				slog.Warn("schedules not read, will be tried again", "err", err)
			}
			scanned = now
		}
		ids, next, more := s.due.take(s.now())
		for _, id := range ids {
			select {
			case queue <- id:
			case <-ctx.Done():
				return
			}
		}
		if len(ids) > 0 {
			continue
		}
		wait := scanned.Add(rescan).Sub(s.now())
		if more {
			wait = min(wait, next.Sub(s.now()))
		}
		t := time.NewTimer(max(min(wait, time.Second), time.Millisecond)) // a clock that jumps is noticed within a second
		select {
		case <-ctx.Done():
		case <-s.due.waken:
		case <-t.C:
		}
		t.Stop()
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
	s.due.set(id, next, ok)
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
		s.due.set(r.ID, *r.NextFireAt, true)
		if late := now.Sub(*r.NextFireAt); late > watchdog {
			slog.Warn("a flow is overdue", "flow_id", r.ID, "due", r.NextFireAt, "late", late.Round(time.Second).String())
		}
	}
	s.due.only(ids)
	return nil
}

// Reconcile has the heap know what a flow's row says, after it was changed.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.DB.Client.Flow.Query().Where(flow.ID(id)).Select(flow.FieldID, flow.FieldNextFireAt, flow.FieldPaused, flow.FieldDeletedAt).Only(ctx)
	if err != nil {
		s.due.set(id, time.Time{}, false)
		return 0, ignoreMissing(err)
	}
	if row.DeletedAt != nil {
		s.due.set(id, time.Time{}, false)
		return 0, s.remove(ctx, id)
	}
	if row.NextFireAt == nil || row.Paused {
		s.due.set(id, time.Time{}, false)
		return 0, nil
	}
	s.due.set(id, *row.NextFireAt, true)
	return 0, nil
}
