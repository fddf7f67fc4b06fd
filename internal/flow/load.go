package flow

import (
	"context"
	"encoding/json"
	"fmt"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// loaded is a flow run with everything that its machine needs.
type loaded struct {
	row    *ent.FlowRun
	flow   *ent.Flow
	def    spec.Flow
	rows   map[string]*ent.Step // by name
	run    engine.Run
	steps  []engine.Step
	others []engine.RunBrief
	seen   engine.Observed
	// chosen are the ids of runs that steps name and that are not made yet.
	chosen map[string]string
	// frozen are the snapshots of the version's code, by what the tasks say.
	frozen map[codeKey]*ent.CodeSnapshot
	// with is what the executor of a step is told, macros expanded.
	with map[string]json.RawMessage
}

// live are the states of flow runs that are not over.
var live = []flowrun.State{flowrun.StateQueued, flowrun.StateRunning, flowrun.StateStopping}

// load reads a flow run under its lock; nil when it is gone. Where whether it may
// start or go on depends on the flow's other runs, the flow's row is locked
// before, so that two of them are asked one after the other (P57).
func (s *Service) load(ctx context.Context, tx *ent.Tx, id string, others bool) (*loaded, error) {
	brief, err := tx.FlowRun.Query().Where(flowrun.ID(id)).Select(flowrun.FieldFlowID, flowrun.FieldState).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("flow run %s: %w", id, err)
	}
	l := &loaded{chosen: map[string]string{}, with: map[string]json.RawMessage{}, rows: map[string]*ent.Step{}}
	fq := tx.Flow.Query().Where(flow.ID(brief.FlowID))
	rq := tx.FlowRun.Query().Where(flowrun.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		if others = others || brief.State == flowrun.StateQueued; others {
			fq.ForUpdate()
		}
		rq.ForUpdate()
	}
	if l.flow, err = fq.Only(ctx); err != nil {
		return nil, fmt.Errorf("flow %s: %w", brief.FlowID, err)
	}
	if l.row, err = rq.Only(ctx); err != nil {
		return nil, fmt.Errorf("flow run %s: %w", id, err)
	}
	ver, err := tx.FlowVersion.Query().Where(flowversion.FlowID(l.flow.ID), flowversion.Number(l.row.Number)).Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("version %d of flow %s: %w", l.row.Number, l.flow.ID, err)
	}
	l.def = ver.Spec
	if l.frozen, err = s.snapshots(ctx, tx, ver); err != nil {
		return nil, err
	}
	l.run = runOf(l.row)
	rows, err := tx.Step.Query().Where(step.FlowRunID(id)).Order(ent.Asc(step.FieldPosition)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("steps of %s: %w", id, err)
	}
	for _, r := range rows {
		l.rows[r.Name] = r
		l.steps = append(l.steps, stepOf(r))
	}
	if others || l.row.State == flowrun.StateQueued {
		if err := s.loadOthers(ctx, tx, l); err != nil {
			return nil, err
		}
	}
	if err := s.loadRuns(ctx, tx, l); err != nil {
		return nil, err
	}
	l.seen.Others = l.others
	l.seen.Expand = s.expander(l)
	return l, nil
}

func (s *Service) loadOthers(ctx context.Context, tx *ent.Tx, l *loaded) error {
	rows, err := tx.FlowRun.Query().Where(flowrun.FlowID(l.flow.ID), flowrun.IDNEQ(l.row.ID), flowrun.StateIn(live...)).All(ctx)
	if err != nil {
		return fmt.Errorf("other runs of flow %s: %w", l.flow.ID, err)
	}
	for _, r := range rows {
		b := runOf(r).Brief(&l.def)
		b.Priority = r.Priority
		l.others = append(l.others, b)
	}
	return nil
}

// loadRuns reads what became of the runs of the steps.
func (s *Service) loadRuns(ctx context.Context, tx *ent.Tx, l *loaded) error {
	var ids []string
	for _, st := range l.steps {
		if st.Lives() {
			ids = append(ids, st.RunID)
		}
	}
	l.seen.Runs = make(map[string]engine.RunSeen, len(ids))
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Run.Query().Where(run.IDIn(ids...)).WithAttempts(func(q *ent.AttemptQuery) {
		q.Where(attempt.StateEQ(attempt.StateSucceeded))
	}).All(ctx)
	if err != nil {
		return fmt.Errorf("runs of %s: %w", l.row.ID, err)
	}
	for _, r := range rows {
		l.seen.Runs[r.ID] = seenOf(r)
	}
	for i := range l.steps {
		st := &l.steps[i]
		if _, there := l.seen.Runs[st.RunID]; there || !st.Lives() {
			continue
		}
		if st.State == engine.StepStarting { // named, and not made yet
			l.chosen[st.Name], st.RunID = st.RunID, ""
			continue
		}
		l.seen.Runs[st.RunID] = engine.RunSeen{State: engine.ProgressGone}
	}
	return nil
}

func seenOf(r *ent.Run) engine.RunSeen {
	out := engine.RunSeen{State: engine.Progress(r.State), Reason: r.Reason, EndedAt: r.EndedAt}
	if r.StoppedBy != nil {
		out.Actor = *r.StoppedBy
	}
	if r.State != run.StateSucceeded {
		return out
	}
	for _, a := range r.Edges.Attempts {
		outputs, err := executor.ParseOutputs(a.Outputs)
		if err != nil { // the program wrote something else: it has no outputs, and whoever asks for one hears so
			continue
		}
		out.Outputs = make(map[string]any, len(outputs))
		for k, v := range outputs {
			out.Outputs[k] = v
		}
	}
	return out
}

func runOf(r *ent.FlowRun) engine.Run {
	out := engine.Run{
		ID: r.ID, State: engine.RunState(r.State), Wish: engine.WishRun, WishedBy: r.StoppedBy, Scheduled: r.Cause == flowrun.CauseSchedule,
		LogicalAt: r.LogicalTime, DueAt: r.CreatedAt, Reason: r.Reason, StartedAt: r.StartedAt, EndedAt: r.EndedAt, LateToldAt: r.LateToldAt,
	}
	if r.Wish != flowrun.WishRun {
		out.Wish = engine.WishCancel
	}
	if out.Scheduled {
		out.DueAt = r.LogicalTime
	}
	return out
}

func stepOf(r *ent.Step) engine.Step {
	out := engine.Step{
		Name: r.Name, State: engine.StepState(r.State), Reason: r.Reason, Round: r.Round, RunID: r.RunID, ReadyAt: r.ReadyAt, StartedAt: r.StartedAt,
		EndedAt: r.EndedAt, NextPoll: r.NextPollAt, PollUntil: r.PollUntil, Polls: r.Polls, PollFailures: r.Failures,
	}
	if r.Outputs != nil {
		out.Outputs = make(map[string]any, len(r.Outputs))
		for k, v := range r.Outputs {
			out.Outputs[k] = v
		}
	}
	return out
}
