package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/backfill"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/ent/predicate"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/executor/check"
	"github.com/goblinlab/goblinlab/internal/flow/keep"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// expiry is one look at the old flow runs of a team.
type expiry struct {
	s      *Service
	teamID string
	before time.Time
	bounds *keep.Bounds
	last   map[string]keep.Last // by flow
}

// old is what holds for a flow run that may be too old; it holds no more once
// somebody runs it again.
func (e *expiry) old() []predicate.FlowRun {
	return []predicate.FlowRun{flowrun.TeamID(e.teamID), flowrun.EndedAtLT(e.before), flowrun.LogicalTimeLT(e.before), flowrun.StateIn(over...), flowrun.WishNEQ(flowrun.WishDelete)}
}

// may are the rows that may go.
func (e *expiry) may(ctx context.Context, rows []*ent.FlowRun) ([]*ent.FlowRun, error) {
	if e.bounds == nil {
		flows, err := e.s.looks(ctx)
		if err != nil {
			return nil, err
		}
		b := keep.Of(flows)
		e.bounds = &b
	}
	var out []*ent.FlowRun
	for _, r := range rows {
		l, err := e.s.lastOf(ctx, e.last, r.FlowID)
		if err != nil {
			return nil, err
		}
		if e.bounds.May(keep.Run{ID: r.ID, FlowID: r.FlowID, Time: r.LogicalTime, Upstream: r.Cause == flowrun.CauseUpstream}, l) {
			out = append(out, r)
		}
	}
	return out, nil
}

// mark says of flow runs that they go, in one transaction with what keeps flows
// before them from firing the same logical times again: the keys that were
// unique go with the rows.
func (e *expiry) mark(ctx context.Context, rows []*ent.FlowRun) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	settled := map[string]time.Time{}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
		if r.Cause == flowrun.CauseUpstream && r.LogicalTime.After(settled[r.FlowID]) {
			settled[r.FlowID] = r.LogicalTime
		}
	}
	n := 0
	err := e.s.DB.Tx(ctx, func(tx *ent.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(settled)) { // in order, so that two do not wait for each other
			at := settled[id]
			err := tx.Flow.Update().Where(flow.ID(id), flow.Or(flow.SettledUntilIsNil(), flow.SettledUntilLT(at))).SetSettledUntil(at).Exec(ctx)
			if err != nil {
				return err
			}
		}
		var err error
		if n, err = tx.FlowRun.Update().Where(append(e.old(), flowrun.IDIn(ids...))...).SetWish(flowrun.WishDelete).AddGeneration(1).AddVersion(1).Save(ctx); err != nil {
			return err
		}
		for _, id := range ids {
			if err := outbox.Add(ctx, tx, outbox.FlowRun, id); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, audit.Entry{TeamID: e.teamID, ObjectID: e.teamID, Action: "flow-run.expire", After: map[string]any{"count": n, "endedBefore": e.before}})
	})
	if err != nil {
		return 0, fmt.Errorf("flow runs of team %s that are kept no longer: %w", e.teamID, err)
	}
	for _, id := range ids {
		e.s.Kicker.Kick(outbox.FlowRun, id)
	}
	return n, nil
}

// lastOf are the runs of a flow that stay, whatever their age.
func (s *Service) lastOf(ctx context.Context, known map[string]keep.Last, flowID string) (keep.Last, error) {
	if l, ok := known[flowID]; ok {
		return l, nil
	}
	var l keep.Last
	c := s.DB.Client.FlowRun
	succeeded := flowrun.StateEQ(flowrun.StateSucceeded)
	for _, q := range []struct {
		to   *string
		rows *ent.FlowRunQuery
	}{
		{&l.Run, c.Query().Where(flowrun.FlowID(flowID)).Order(ent.Desc(flowrun.FieldID))},
		{&l.Success, c.Query().Where(flowrun.FlowID(flowID), succeeded).Order(ent.Desc(flowrun.FieldID))},
		{&l.Newest, c.Query().Where(flowrun.FlowID(flowID), succeeded).Order(ent.Desc(flowrun.FieldLogicalTime, flowrun.FieldID))},
	} {
		id, err := q.rows.FirstID(ctx)
		if ignoreMissing(err) != nil {
			return l, fmt.Errorf("last runs of flow %s: %w", flowID, err)
		}
		*q.to = id
	}
	known[flowID] = l
	return l, nil
}

// LogsMay tells which flow runs have ended before a time, so that the logs of
// their runs may go, and are not among those that stay whatever their age. One
// that is gone is among them.
func (s *Service) LogsMay(ctx context.Context, ids []string, before time.Time) (map[string]bool, error) {
	rows, err := s.DB.Client.FlowRun.Query().Where(flowrun.IDIn(ids...)).Select(flowrun.FieldID, flowrun.FieldFlowID, flowrun.FieldState, flowrun.FieldEndedAt).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("flow runs of runs: %w", err)
	}
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	known := map[string]keep.Last{}
	for _, r := range rows {
		l, err := s.lastOf(ctx, known, r.FlowID)
		if err != nil {
			return nil, err
		}
		out[r.ID] = Over(r.State) && r.EndedAt != nil && r.EndedAt.Before(before) && !l.Holds(r.ID)
	}
	return out, nil
}

// looks are all flows that there are, with how far each looks back.
func (s *Service) looks(ctx context.Context) ([]keep.Flow, error) {
	rows, err := s.DB.Client.Flow.Query().Where(flow.DeletedAtIsNil()).Select(flow.FieldID, flow.FieldSchedule, flow.FieldCursor, flow.FieldLatest).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	alive, numbers, err := s.alive(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]keep.Flow, len(rows))
	at := make(map[string]*keep.Flow, len(rows))
	for i, r := range rows {
		out[i] = keep.Flow{ID: r.ID, After: r.Schedule.After}
		if t, ok := alive[r.ID]; ok {
			out[i].Alive = &t
		}
		if p, err := Plan(r.Schedule); err == nil && p != nil {
			if next, ok := p.Next(r.Cursor); ok {
				out[i].Next = &next
			}
		}
		at[r.ID] = &out[i]
		numbers[r.ID] = append(numbers[r.ID], r.Latest)
	}
	for page := range slices.Chunk(rows, retainPage) {
		ids := make([]string, len(page))
		for i, r := range page {
			ids[i] = r.ID
		}
		versions, err := s.DB.Client.FlowVersion.Query().Where(flowversion.FlowIDIn(ids...), flowversion.NumberIn(distinct(numbers, ids)...)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("versions of flows: %w", err)
		}
		for _, v := range versions {
			if slices.Contains(numbers[v.FlowID], v.Number) {
				at[v.FlowID].Looks = append(at[v.FlowID].Looks, looksOf(v.Spec)...)
			}
		}
	}
	return out, nil
}

func distinct(numbers map[string][]int, ids []string) []int {
	var out []int
	for _, id := range ids {
		out = append(out, numbers[id]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// alive are the earliest logical times, by flow, of runs that live and of running
// backfills, and the numbers of their versions.
func (s *Service) alive(ctx context.Context) (map[string]time.Time, map[string][]int, error) {
	out, numbers := map[string]time.Time{}, map[string][]int{}
	take := func(id string, at time.Time, number int) {
		if was, ok := out[id]; !ok || at.Before(was) {
			out[id] = at
		}
		if !slices.Contains(numbers[id], number) {
			numbers[id] = append(numbers[id], number)
		}
	}
	runs, err := s.DB.Client.FlowRun.Query().Where(flowrun.StateIn(live...)).Select(flowrun.FieldFlowID, flowrun.FieldLogicalTime, flowrun.FieldNumber).All(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("living flow runs: %w", err)
	}
	for _, r := range runs {
		take(r.FlowID, r.LogicalTime, r.Number)
	}
	fills, err := s.DB.Client.Backfill.Query().Where(backfill.StateEQ(backfill.StateRunning)).All(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("running backfills: %w", err)
	}
	for _, b := range fills {
		for _, second := range b.Times[min(b.Started, len(b.Times)):] {
			take(b.FlowID, time.Unix(second, 0).UTC(), b.Number)
		}
	}
	return out, numbers, nil
}

// looksOf are a definition's checks of other flows.
func looksOf(f spec.Flow) []keep.Look {
	zone, err := time.LoadLocation(zone(f.Schedule))
	if err != nil {
		zone = time.UTC
	}
	var out []keep.Look
	for _, t := range f.Tasks {
		if t.Executor != (check.Check{}).Name() {
			continue
		}
		if id, back := check.LooksAt(t.With, zone); id != "" {
			out = append(out, keep.Look{FlowID: id, Back: back})
		}
	}
	return out
}

// settled holds a flow's row and reports whether a logical time of it may not be
// fired by flows before it any more, since runs of that time or a later one were
// removed.
func (s *Service) settled(ctx context.Context, tx *ent.Tx, id string, at time.Time) (bool, error) {
	q := tx.Flow.Query().Where(flow.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(ctx)
	if err != nil {
		return false, err
	}
	return row.SettledUntil != nil && !at.After(*row.SettledUntil), nil
}
