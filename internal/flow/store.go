package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

// errBehind says that somebody else wrote the flow run since it was read.
var errBehind = errors.New("the flow run has changed meanwhile")

// store writes what the machine says, in the caller's transaction: the run, its
// steps, every change of state with its cause. It names the version it read.
func (s *Service) store(ctx context.Context, tx *ent.Tx, l *loaded, d engine.Decision, now time.Time) error {
	r := d.Run
	up := tx.FlowRun.Update().Where(flowrun.ID(l.row.ID), flowrun.Version(l.row.Version)).AddVersion(1).
		SetObservedGeneration(l.row.Generation).SetState(flowrun.State(r.State)).SetStoppedBy(r.WishedBy).
		SetNillableStartedAt(r.StartedAt).SetNillableLateToldAt(r.LateToldAt)
	if r.Wish == engine.WishRun && l.row.Wish == flowrun.WishCancel { // it goes on
		up.SetWish(flowrun.WishRun)
	}
	if r.Reason != nil {
		up.SetReason(r.Reason)
	} else {
		up.ClearReason()
	}
	if r.EndedAt != nil {
		up.SetEndedAt(*r.EndedAt)
	} else {
		up.ClearEndedAt()
	}
	if d.After > 0 {
		up.SetWakeAt(now.Add(d.After))
	} else {
		up.ClearWakeAt()
	}
	n, err := up.Save(ctx)
	if err != nil {
		return fmt.Errorf("flow run %s: %w", l.row.ID, err)
	}
	if n == 0 {
		return errBehind
	}
	if err := s.storeSteps(ctx, tx, l, d.Steps); err != nil {
		return err
	}
	if err := s.storeTransitions(ctx, tx, l, d, now); err != nil {
		return err
	}
	if r.State == engine.RunSucceeded && l.run.State != engine.RunSucceeded {
		return outbox.Add(ctx, tx, outbox.FlowAfter, l.row.ID)
	}
	return nil
}

func (s *Service) storeSteps(ctx context.Context, tx *ent.Tx, l *loaded, steps []engine.Step) error {
	var made []*ent.StepCreate
	for _, st := range steps {
		outputs := texts(st.Outputs)
		group := ""
		position := 0
		for i, t := range l.def.Tasks {
			if t.Name == st.Name {
				group, position = t.Group, i
			}
		}
		row := l.rows[st.Name]
		if row == nil {
			c := tx.Step.Create().SetID(ident.New(ident.Step)).SetTeamID(l.row.TeamID).SetFlowRunID(l.row.ID).SetName(st.Name).SetPosition(position).
				SetGroup(group).SetState(step.State(st.State)).SetRound(st.Round).SetRunID(st.RunID).SetPolls(st.Polls).SetFailures(st.PollFailures).
				SetNillableNextPollAt(st.NextPoll).SetNillablePollUntil(st.PollUntil).SetNillableReadyAt(st.ReadyAt).
				SetNillableStartedAt(st.StartedAt).SetNillableEndedAt(st.EndedAt)
			if st.Reason != nil {
				c.SetReason(st.Reason)
			}
			if with := l.with[st.Name]; with != nil {
				c.SetWith(with)
			}
			made = append(made, c)
			continue
		}
		up := tx.Step.UpdateOneID(row.ID).AddVersion(1).SetState(step.State(st.State)).SetRound(st.Round).SetRunID(st.RunID).SetPolls(st.Polls).SetFailures(st.PollFailures)
		setOrClear(st.Reason, func() { up.SetReason(st.Reason) }, func() { up.ClearReason() })
		setOrClear(st.NextPoll, func() { up.SetNextPollAt(*st.NextPoll) }, func() { up.ClearNextPollAt() })
		setOrClear(st.PollUntil, func() { up.SetPollUntil(*st.PollUntil) }, func() { up.ClearPollUntil() })
		setOrClear(st.ReadyAt, func() { up.SetReadyAt(*st.ReadyAt) }, func() { up.ClearReadyAt() })
		setOrClear(st.StartedAt, func() { up.SetStartedAt(*st.StartedAt) }, func() { up.ClearStartedAt() })
		setOrClear(st.EndedAt, func() { up.SetEndedAt(*st.EndedAt) }, func() { up.ClearEndedAt() })
		if outputs != nil {
			up.SetOutputs(outputs)
		} else {
			up.ClearOutputs()
		}
		switch with := l.with[st.Name]; {
		case with != nil:
			up.SetWith(with)
		case st.State == engine.StepWaiting:
			up.ClearWith()
		}
		if err := up.Exec(ctx); err != nil {
			return fmt.Errorf("step %s of %s: %w", st.Name, l.row.ID, err)
		}
	}
	if len(made) == 0 {
		return nil
	}
	if err := tx.Step.CreateBulk(made...).Exec(ctx); err != nil {
		return fmt.Errorf("steps of %s: %w", l.row.ID, err)
	}
	return nil
}

func setOrClear[T any](v *T, set, clear func()) {
	if v != nil {
		set()
	} else {
		clear()
	}
}

func (s *Service) storeTransitions(ctx context.Context, tx *ent.Tx, l *loaded, d engine.Decision, now time.Time) error {
	for _, n := range d.Notes { // told in the history, though the state stays
		d.Transitions = append(d.Transitions, engine.Transition{From: string(d.Run.State), To: string(d.Run.State), Cause: engine.Cause(n.ID), Args: n.Args})
	}
	if len(d.Transitions) == 0 {
		return nil
	}
	rounds := map[string]int{}
	for _, st := range l.steps {
		rounds[st.Name] = st.Round
	}
	for _, st := range d.Steps {
		rounds[st.Name] = st.Round
	}
	creates := make([]*ent.TransitionCreate, len(d.Transitions))
	for i, t := range d.Transitions {
		creates[i] = tx.Transition.Create().SetID(ident.New(ident.Transition)).SetTeamID(l.row.TeamID).SetFlowRunID(l.row.ID).SetStep(t.Step).
			SetRound(rounds[t.Step]).SetWas(t.From).SetBecomes(t.To).SetCause(string(t.Cause)).SetActorID(t.Actor).SetAt(now)
		if t.Args != nil {
			creates[i].SetArgs(t.Args)
		}
	}
	if err := tx.Transition.CreateBulk(creates...).Exec(ctx); err != nil {
		return fmt.Errorf("transitions of %s: %w", l.row.ID, err)
	}
	return nil
}

func texts(outputs map[string]any) map[string]string {
	if len(outputs) == 0 {
		return nil
	}
	out := make(map[string]string, len(outputs))
	for k, v := range outputs {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// equal compares what is stored as it is stored.
func equal[T any](a, b T) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
