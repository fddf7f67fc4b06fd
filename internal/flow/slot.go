package flow

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/slotgroup"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/team"
)

const maxSlots = 1000

// slots are the steps of a flow run that get a slot of a group now. A group that
// was deleted bounds nothing.
func (s *Service) slots(ctx context.Context, tx *ent.Tx, l *loaded, group string, own []engine.Step, now time.Time) ([]string, error) {
	q := tx.SlotGroup.Query().Where(slotgroup.TeamID(l.row.TeamID), slotgroup.Name(group))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	g, err := q.Only(ctx)
	if ent.IsNotFound(err) {
		var out []string
		for _, st := range own {
			if st.State == engine.StepWaitingSlot && groupOf(l, st.Name) == group {
				out = append(out, st.Name)
			}
		}
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", group, err)
	}
	rows, err := tx.Step.Query().Where(step.TeamID(l.row.TeamID), step.Group(group), step.FlowRunIDNEQ(l.row.ID), step.StateNotIn(settledOrWaiting...)).
		WithFlowRun(func(q *ent.FlowRunQuery) { q.Select(flowrun.FieldID, flowrun.FieldPriority) }).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("steps of group %s: %w", group, err)
	}
	var holders []string
	var waiters []engine.Waiter
	for _, r := range rows {
		if engine.StepState(r.State).Holds() {
			holders = append(holders, r.ID)
			continue
		}
		w := engine.Waiter{ID: r.ID, Since: now}
		if r.ReadyAt != nil {
			w.Since = *r.ReadyAt
		}
		if r.Edges.FlowRun != nil {
			w.Priority = r.Edges.FlowRun.Priority
		}
		waiters = append(waiters, w)
	}
	mine := map[string]string{} // names by what stands for their ids
	for _, st := range own {
		if groupOf(l, st.Name) != group {
			continue
		}
		id := "own/" + st.Name
		mine[id] = st.Name
		switch {
		case st.State.Holds():
			holders = append(holders, id)
		case st.State == engine.StepWaitingSlot:
			w := engine.Waiter{ID: id, Since: now, Priority: l.row.Priority + priorityOf(l, st.Name)}
			if st.ReadyAt != nil {
				w.Since = *st.ReadyAt
			}
			waiters = append(waiters, w)
		}
	}
	var out []string
	for _, id := range engine.Slots(g.Slots, holders, waiters) {
		if name := mine[id]; name != "" {
			out = append(out, name)
		}
	}
	return out, nil
}

// settledOrWaiting are the states of steps that neither hold nor want a slot.
var settledOrWaiting = []step.State{
	step.StateWaiting, step.StateSucceeded, step.StateFailed, step.StateTimedOut, step.StateSkipped, step.StateUpstreamFailed, step.StateCancelled,
}

func priorityOf(l *loaded, name string) int {
	for i := range l.def.Tasks {
		if l.def.Tasks[i].Name == name {
			return l.def.Tasks[i].Priority
		}
	}
	return 0
}

// SetGroup makes a concurrency group of a team, or changes its size; 0 slots
// delete it, and then it bounds nothing. Maintainers may.
func (s *Service) SetGroup(ctx context.Context, teamID, name string, slots int) (*ent.SlotGroup, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, teamID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.ManageAny, t.ID); err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	var f fault.Fields
	checkGroupName(&f, "name", name)
	if slots < 0 || slots > maxSlots {
		f.Add("slots", "flow.slots", fault.Args{"value": slots, "limit": maxSlots})
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	var row *ent.SlotGroup
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		old, err := tx.SlotGroup.Query().Where(slotgroup.TeamID(t.ID), slotgroup.Name(name)).Only(ctx)
		if err != nil && !ent.IsNotFound(err) {
			return err
		}
		e := audit.Entry{TeamID: t.ID, Action: "slot-group.set", After: map[string]any{"name": name, "slots": slots}}
		switch {
		case old == nil && slots == 0:
			return nil
		case old == nil:
			row, err = tx.SlotGroup.Create().SetID(ident.New(ident.SlotGroup)).SetTeamID(t.ID).SetName(name).SetSlots(slots).Save(ctx)
		case slots == 0:
			e.ObjectID, e.Before = old.ID, map[string]any{"slots": old.Slots}
			err = tx.SlotGroup.DeleteOne(old).Exec(ctx)
		default:
			e.Before = map[string]any{"slots": old.Slots}
			row, err = tx.SlotGroup.UpdateOne(old).SetSlots(slots).AddVersion(1).Save(ctx)
		}
		if err != nil {
			return err
		}
		if row != nil {
			e.ObjectID = row.ID
		}
		return audit.Record(ctx, tx, e)
	})
	if err != nil {
		return nil, fmt.Errorf("set group %s: %w", name, err)
	}
	if row != nil {
		row = row.Unwrap()
	}
	return row, s.wakeGroup(authz.AsSystem(ctx), t.ID, name)
}

// GroupUse is how many steps hold and want a slot of a group.
func (s *Service) GroupUse(ctx context.Context, teamID, name string) (used, waiting int, err error) {
	states, err := s.DB.Client.Step.Query().Where(step.TeamID(teamID), step.Group(name), step.StateNotIn(settledOrWaiting...)).
		Select(step.FieldState).Strings(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("steps of group %s: %w", name, err)
	}
	for _, st := range states {
		if engine.StepState(st).Holds() {
			used++
		} else {
			waiting++
		}
	}
	return used, waiting, nil
}
