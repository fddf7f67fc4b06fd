package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/schedule"
)

// firing is why flow runs are made.
type firing struct {
	cause      flowrun.Cause
	owner      string // as whom the tasks run
	actor      string // who asked; empty for the schedule
	number     int    // of the version; 0 for the one that counts
	backfill   string
	parameters map[string]string
}

// key makes runs unique: one for each cause and logical time.
func (f firing) key(id string, at time.Time) string {
	switch f.cause {
	case flowrun.CauseManual:
		return "m:" + id
	case flowrun.CauseBackfill:
		return "b:" + f.backfill + ":" + at.UTC().Format(time.RFC3339)
	case flowrun.CauseUpstream:
		return "u:" + at.UTC().Format(time.RFC3339Nano)
	}
	return "s:" + at.UTC().Format(time.RFC3339)
}

// insert makes the rows of flow runs: that is the firing. A run whose key is
// there already is left as it is, and is not among those returned.
func (s *Service) insert(ctx context.Context, tx *ent.Tx, row *ent.Flow, times []time.Time, f firing) ([]*ent.FlowRun, error) {
	if len(times) == 0 {
		return nil, nil
	}
	number := f.number
	if number == 0 {
		number = row.Latest
	}
	ver, err := tx.FlowVersion.Query().Where(flowversion.FlowID(row.ID), flowversion.Number(number)).Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("version %d of flow %s: %w", number, row.ID, err)
	}
	ids := make([]string, len(times))
	keys := make([]string, len(times))
	for i, at := range times {
		ids[i] = ident.New(ident.FlowRun)
		keys[i] = f.key(ids[i], at)
	}
	there, err := tx.FlowRun.Query().Where(flowrun.FlowID(row.ID), flowrun.FireKeyIn(keys...)).Select(flowrun.FieldFireKey).Strings(ctx)
	if err != nil {
		return nil, fmt.Errorf("runs of flow %s: %w", row.ID, err)
	}
	have := make(map[string]bool, len(there))
	for _, k := range there {
		have[k] = true
	}
	now := s.now()
	var creates []*ent.FlowRunCreate
	var first []*ent.TransitionCreate
	for i, at := range times {
		if have[keys[i]] {
			continue
		}
		c := tx.FlowRun.Create().SetID(ids[i]).SetTeamID(row.TeamID).SetFlowID(row.ID).SetNumber(number).SetOwnerID(f.owner).
			SetFireKey(keys[i]).SetCause(f.cause).SetActorID(f.actor).SetBackfillID(f.backfill).SetLogicalTime(at.UTC()).
			SetTimezone(zone(ver.Spec.Schedule)).SetPriority(ver.Spec.Priority).SetCreatedAt(now)
		if len(f.parameters) > 0 {
			c.SetParameters(f.parameters)
		}
		creates = append(creates, c)
		first = append(first, tx.Transition.Create().SetID(ident.New(ident.Transition)).SetTeamID(row.TeamID).SetFlowRunID(ids[i]).
			SetBecomes(flowrun.StateQueued.String()).SetCause("fired-"+f.cause.String()).SetActorID(f.actor).SetAt(now))
	}
	if len(creates) == 0 {
		return nil, nil
	}
	rows, err := tx.FlowRun.CreateBulk(creates...).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("make runs of flow %s: %w", row.ID, err)
	}
	if err := tx.Transition.CreateBulk(first...).Exec(ctx); err != nil {
		return nil, fmt.Errorf("transitions: %w", err)
	}
	for _, r := range rows {
		if err := outbox.Add(ctx, tx, outbox.FlowRun, r.ID); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// fired tells others after the commit.
func (s *Service) fired(ctx context.Context, rows []*ent.FlowRun) {
	for _, r := range rows {
		s.Kicker.Kick(outbox.FlowRun, r.ID)
		s.Broker.Publish(ctx, event.Message{Topic: "flow-run", ID: r.ID, TeamID: r.TeamID, Version: r.Version})
	}
}

// Fire starts what is due of a flow, and gives when it is due next. To call it
// twice, early or late, from two processes, fires everything once: the cursor is
// moved in the transaction that inserts the runs, and only if the row is as it was read.
func (s *Service) Fire(ctx context.Context, id string) (next time.Time, ok bool, err error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Flow.Query().Where(flow.ID(id), flow.DeletedAtIsNil(), flow.Paused(false), flow.HasTeamWith(team.ArchivedAtIsNil())).Only(ctx)
	if ent.IsNotFound(err) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("flow %s: %w", id, err)
	}
	p, err := Plan(row.Schedule)
	if err != nil || p == nil {
		return time.Time{}, false, err
	}
	now := s.now()
	d := schedule.Due(p, row.Cursor, now, misfireOf(row.Schedule.Misfire), row.Schedule.StartDeadline.Std())
	if len(d.Fire) == 0 && d.Skipped == 0 && equalTime(row.NextFireAt, d.Next, d.HasNext) {
		return d.Next, d.HasNext, nil
	}
	var rows []*ent.FlowRun
	moved := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		up := tx.Flow.Update().Where(flow.ID(id), flow.Version(row.Version)).SetCursor(d.Cursor).AddVersion(1)
		if d.HasNext {
			up.SetNextFireAt(d.Next)
		} else {
			up.ClearNextFireAt()
		}
		n, err := up.Save(ctx)
		if err != nil {
			return err
		}
		if moved = n == 1; !moved { // somebody else fired, or changed it
			return nil
		}
		rows, err = s.insert(ctx, tx, row, d.Fire, firing{cause: flowrun.CauseSchedule, owner: row.OwnerID})
		if err != nil {
			return err
		}
		return s.tellMissed(ctx, tx, row, d, now)
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("fire flow %s: %w", id, err)
	}
	if !moved {
		return now.Add(time.Second), true, nil
	}
	s.fired(ctx, rows)
	s.Broker.Publish(ctx, event.Message{Topic: "flow", ID: row.ID, TeamID: row.TeamID, Version: row.Version + 1})
	if d.Skipped > 0 {
		s.Broker.Publish(ctx, event.Message{Topic: "event", ID: row.ID, TeamID: row.TeamID})
	}
	return d.Next, d.HasNext, nil
}

func equalTime(have *time.Time, want time.Time, ok bool) bool {
	if have == nil || !ok {
		return have == nil && !ok
	}
	return have.Equal(want)
}
