package flow

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/backfill"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/schedule"
	"github.com/goblinlab/goblinlab/internal/team"
)

const (
	maxBackfill = 10_000 // logical times of one backfill
	maxParallel = 50
)

// BackfillInput is a range of logical times to be run afterwards.
type BackfillInput struct {
	FlowID      string
	From, To    time.Time // the first logical time, inclusive; the end, exclusive
	Parallel    int
	NewestFirst bool
	OnlyMissing bool // without those that have a run that succeeded
	Parameters  map[string]string
}

// BackfillPlan is what a backfill would run, in its order.
type BackfillPlan struct {
	Fires    []schedule.Fire
	Existing int // how many of them have a run already
}

// PreviewBackfill is a backfill's dry run.
func (s *Service) PreviewBackfill(ctx context.Context, in BackfillInput) (BackfillPlan, error) {
	_, _, p, err := s.planBackfill(ctx, in)
	return p, err
}

func (s *Service) planBackfill(ctx context.Context, in BackfillInput) (*authz.Viewer, *ent.Flow, BackfillPlan, error) {
	var out BackfillPlan
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, out, err
	}
	row, err := s.visible(ctx, in.FlowID)
	if err != nil {
		return nil, nil, out, err
	}
	if err := v.Check(authz.Run, row.TeamID); err != nil {
		return nil, nil, out, err
	}
	ver, err := s.Version(ctx, row.ID, row.Latest)
	if err != nil {
		return nil, nil, out, err
	}
	p, err := Plan(row.Schedule)
	if err != nil {
		return nil, nil, out, err
	}
	var f fault.Fields
	CheckParameters(&f, ver.Spec, in.Parameters)
	if p == nil {
		f.Add("flowId", "flow.backfill-manual", fault.Args{"name": row.Name})
	}
	if in.Parallel < 1 || in.Parallel > maxParallel {
		f.Add("parallel", "flow.parallel", fault.Args{"value": in.Parallel, "limit": maxParallel})
	}
	if !in.From.Before(in.To) {
		f.Add("to", "flow.range", fault.Args{"from": in.From.UTC().Format(time.RFC3339), "to": in.To.UTC().Format(time.RFC3339)})
	}
	if err := f.Err(); err != nil {
		return nil, nil, out, err
	}
	if n := p.Count(in.From, in.To); n == 0 || n > maxBackfill {
		id := "flow.backfill-many"
		if n == 0 {
			id = "flow.backfill-none"
		}
		f.Add("from", id, fault.Args{"value": n, "limit": maxBackfill})
		return nil, nil, out, f.Err()
	}
	times, _ := p.Between(in.From, in.To.Add(-time.Nanosecond), maxBackfill)
	have, err := s.logicalTimes(ctx, row.ID, in.From, in.To)
	if err != nil {
		return nil, nil, out, err
	}
	for _, at := range times {
		state, there := have[at.Unix()]
		if there && in.OnlyMissing && state {
			continue
		}
		if there {
			out.Existing++
		}
		out.Fires = append(out.Fires, p.Preview(at.Add(-time.Second), 1)...)
	}
	if in.NewestFirst {
		slices.Reverse(out.Fires)
	}
	return v, row, out, nil
}

// logicalTimes are the logical times with runs, by seconds since 1970, and
// whether one of these runs succeeded.
func (s *Service) logicalTimes(ctx context.Context, flowID string, from, to time.Time) (map[int64]bool, error) {
	rows, err := s.DB.Client.FlowRun.Query().Where(flowrun.FlowID(flowID), flowrun.LogicalTimeGTE(from.UTC()), flowrun.LogicalTimeLT(to.UTC()),
		flowrun.StateNEQ(flowrun.StateSkipped)).Select(flowrun.FieldLogicalTime, flowrun.FieldState).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("runs of flow %s: %w", flowID, err)
	}
	out := make(map[int64]bool, len(rows))
	for _, r := range rows {
		at := r.LogicalTime.Unix()
		out[at] = out[at] || r.State == flowrun.StateSucceeded
	}
	return out, nil
}

// StartBackfill runs a range of logical times afterwards, as the viewer.
func (s *Service) StartBackfill(ctx context.Context, in BackfillInput) (*ent.Backfill, error) {
	v, row, p, err := s.planBackfill(ctx, in)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, row.TeamID)
	if err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	if len(p.Fires) == 0 {
		return nil, &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "onlyMissing", ID: "flow.backfill-done", Args: nil}}}
	}
	times := make([]int64, len(p.Fires))
	for i, f := range p.Fires {
		times[i] = f.Time.Unix()
	}
	var b *ent.Backfill
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		c := tx.Backfill.Create().SetID(ident.New(ident.Backfill)).SetTeamID(row.TeamID).SetFlowID(row.ID).SetNumber(row.Latest).SetActorID(v.UserID).
			SetTimes(times).SetParallel(in.Parallel)
		if len(in.Parameters) > 0 {
			c.SetParameters(in.Parameters)
		}
		if b, err = c.Save(ctx); err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "flow.backfill", After: map[string]any{"backfillId": b.ID, "from": in.From, "to": in.To, "count": len(times), "parallel": in.Parallel}})
	})
	if err != nil {
		return nil, fmt.Errorf("backfill of flow %s: %w", row.ID, err)
	}
	return b.Unwrap(), s.advanceBackfills(authz.AsSystem(ctx), row.ID)
}

// CancelBackfill starts no more of a backfill, and stops what runs of it if told to.
func (s *Service) CancelBackfill(ctx context.Context, id string, stop bool) (*ent.Backfill, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	b, err := s.DB.Client.Backfill.Query().Where(backfill.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("backfill", id)
	}
	if err != nil {
		return nil, fmt.Errorf("backfill %s: %w", id, err)
	}
	if err := v.CheckManageRun(b.TeamID, b.ActorID); err != nil {
		return nil, err
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Backfill.Update().Where(backfill.ID(id), backfill.StateEQ(backfill.StateRunning)).SetState(backfill.StateCancelled).
			SetEndedAt(s.now()).AddVersion(1).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{TeamID: b.TeamID, ObjectID: b.FlowID, Action: "flow.backfill-cancel", After: map[string]any{"backfillId": id, "stop": stop}})
	})
	if err != nil {
		return nil, fmt.Errorf("cancel backfill %s: %w", id, err)
	}
	if stop {
		rows, err := s.DB.Client.FlowRun.Query().Where(flowrun.BackfillID(id), flowrun.StateIn(live...)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("runs of backfill %s: %w", id, err)
		}
		for _, r := range rows {
			if _, err := s.wish(ctx, v, r, flowrun.WishCancel, "flow-run.stop"); err != nil {
				return nil, err
			}
		}
	}
	return s.DB.Client.Backfill.Get(ctx, id)
}

func (s *Service) advanceBackfills(ctx context.Context, flowID string) error {
	ids, err := s.DB.Client.Backfill.Query().Where(backfill.FlowID(flowID), backfill.StateEQ(backfill.StateRunning)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("backfills of flow %s: %w", flowID, err)
	}
	for _, id := range ids {
		if err := s.advance(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweepBackfills(ctx context.Context) error {
	ids, err := s.DB.Client.Backfill.Query().Where(backfill.StateEQ(backfill.StateRunning)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("backfills: %w", err)
	}
	for _, id := range ids {
		if err := s.advance(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// advance makes the next runs of a backfill, as many as it may have at once. The
// version that was read is named, and keys are unique: two that advance it make
// each run once.
func (s *Service) advance(ctx context.Context, id string) error {
	var rows []*ent.FlowRun
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		b, err := tx.Backfill.Get(ctx, id)
		if err != nil {
			return ignoreMissing(err)
		}
		if b.State != backfill.StateRunning {
			return nil
		}
		row, err := tx.Flow.Query().Where(flow.ID(b.FlowID)).Only(ctx)
		if err != nil {
			return err
		}
		alive, err := tx.FlowRun.Query().Where(flowrun.BackfillID(id), flowrun.StateIn(live...)).Count(ctx)
		if err != nil {
			return err
		}
		n := min(b.Parallel-alive, len(b.Times)-b.Started)
		over := b.Started == len(b.Times) && alive == 0 || row.DeletedAt != nil
		if n <= 0 && !over {
			return nil
		}
		up := tx.Backfill.Update().Where(backfill.ID(id), backfill.Version(b.Version)).AddVersion(1)
		if over {
			up.SetState(backfill.StateDone).SetEndedAt(s.now())
		} else {
			up.SetStarted(b.Started + n)
		}
		moved, err := up.Save(ctx)
		if err != nil || moved == 0 || over {
			return err
		}
		times := make([]time.Time, n)
		for i := range times {
			times[i] = time.Unix(b.Times[b.Started+i], 0).UTC()
		}
		rows, err = s.insert(ctx, tx, row, times, firing{cause: flowrun.CauseBackfill, owner: b.ActorID, actor: b.ActorID, number: b.Number, backfill: id, parameters: b.Parameters})
		return err
	})
	if err != nil {
		return fmt.Errorf("advance backfill %s: %w", id, err)
	}
	s.fired(ctx, rows)
	return nil
}
