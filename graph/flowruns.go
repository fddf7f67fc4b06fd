package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entbackfill "github.com/goblinlab/goblinlab/ent/backfill"
	entflowrun "github.com/goblinlab/goblinlab/ent/flowrun"
	entversion "github.com/goblinlab/goblinlab/ent/flowversion"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entstep "github.com/goblinlab/goblinlab/ent/step"
	enttransition "github.com/goblinlab/goblinlab/ent/transition"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// maxTransitions of a flow run are given, the oldest.
const maxTransitions = 1000

var flowRunColumns = map[string][]string{
	"cause": {entflowrun.FieldCause}, "actor": {entflowrun.FieldActorID}, "logicalTime": {entflowrun.FieldLogicalTime},
	"localTime": {entflowrun.FieldLogicalTime, entflowrun.FieldTimezone}, "timezone": {entflowrun.FieldTimezone},
	"parameters": {entflowrun.FieldParameters}, "state": {entflowrun.FieldState}, "reason": {entflowrun.FieldReason},
	"createdAt": {entflowrun.FieldCreatedAt}, "startedAt": {entflowrun.FieldStartedAt}, "endedAt": {entflowrun.FieldEndedAt},
	"lateness":  {entflowrun.FieldCause, entflowrun.FieldCreatedAt, entflowrun.FieldLogicalTime},
	"stoppedBy": {entflowrun.FieldStoppedBy}, "backfillId": {entflowrun.FieldBackfillID},
	"can": {entflowrun.FieldState, entflowrun.FieldWish},
}

var flowRunAlways = []string{entflowrun.FieldID, entflowrun.FieldTeamID, entflowrun.FieldOwnerID, entflowrun.FieldFlowID, entflowrun.FieldNumber, entflowrun.FieldVersion}

// wrapFlowRuns adds what was selected to rows.
func (r *Resolver) wrapFlowRuns(ctx context.Context, rows []*ent.FlowRun, t tree) ([]*model.FlowRun, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(x *ent.FlowRun) string { return x.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	var people []string
	for _, x := range rows {
		people = append(people, x.OwnerID, x.ActorID, x.StoppedBy)
	}
	users, err := r.usersByID(ctx, ids(people, func(id string) string { return id }), merge(t["owner"], merge(t["actor"], t["stoppedBy"])))
	if err != nil {
		return nil, err
	}
	flows, err := r.flowsByID(ctx, ids(rows, func(x *ent.FlowRun) string { return x.FlowID }), t["flow"])
	if err != nil {
		return nil, err
	}
	said, err := r.saidBy(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	steps, err := r.stepsOf(ctx, rows, t["steps"])
	if err != nil {
		return nil, err
	}
	transitions, err := r.transitionsOf(ctx, rows, t["transitions"])
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.FlowRun, len(rows))
	for i, x := range rows {
		m := &model.FlowRun{FlowRun: x, Flow: flows[x.FlowID], Team: teams[x.TeamID], Owner: users[x.OwnerID], Actor: users[x.ActorID],
			StoppedBy: users[x.StoppedBy], Says: said[version{x.FlowID, x.Number}], Steps: steps[x.ID], Transitions: transitions[x.ID], Lang: l}
		if m.Steps == nil {
			m.Steps = []*model.Step{}
		}
		if m.Transitions == nil {
			m.Transitions = []*model.Transition{}
		}
		if t.has("can") {
			p := model.FlowRunPermissions(flow.RunPermissionsOf(v, x))
			m.Can = &p
		}
		out[i] = m
	}
	return out, nil
}

// version names one of a flow.
type version struct {
	flowID string
	number int
}

func (r *Resolver) saidBy(ctx context.Context, rows []*ent.FlowRun, t tree) (map[version]*spec.Flow, error) {
	out := map[version]*spec.Flow{}
	if len(rows) == 0 || !t.has("spec") {
		return out, nil
	}
	numbers := make([]int, len(rows))
	for i, x := range rows {
		numbers[i] = x.Number
	}
	said, err := r.DB.Client.FlowVersion.Query().
		Where(entversion.FlowIDIn(ids(rows, func(x *ent.FlowRun) string { return x.FlowID })...), entversion.NumberIn(numbers...)).
		Select(entversion.FieldFlowID, entversion.FieldNumber, entversion.FieldSpec).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("versions of flow runs: %w", err)
	}
	for _, x := range said {
		out[version{x.FlowID, x.Number}] = &x.Spec
	}
	return out, nil
}

// stepsOf gives the steps of flow runs in the order of their definitions.
func (r *Resolver) stepsOf(ctx context.Context, rows []*ent.FlowRun, t tree) (map[string][]*model.Step, error) {
	out := map[string][]*model.Step{}
	if len(rows) == 0 || t == nil {
		return out, nil
	}
	steps, err := r.DB.Client.Step.Query().Where(entstep.FlowRunIDIn(ids(rows, func(x *ent.FlowRun) string { return x.ID })...)).
		Order(ent.Asc(entstep.FieldFlowRunID, entstep.FieldPosition)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("steps of flow runs: %w", err)
	}
	wrapped, err := r.wrapSteps(ctx, steps, t)
	if err != nil {
		return nil, err
	}
	for _, m := range wrapped {
		out[m.FlowRunID] = append(out[m.FlowRunID], m)
	}
	return out, nil
}

// wrapSteps adds the runs that executed steps.
func (r *Resolver) wrapSteps(ctx context.Context, rows []*ent.Step, t tree) ([]*model.Step, error) {
	byID := map[string]*model.Run{}
	byStep := map[[2]string][]*model.Run{}
	if sub := merge(t["run"], t["runs"]); t.has("run", "runs") && len(rows) > 0 {
		q := r.DB.Client.Run.Query().Order(ent.Desc(entrun.FieldID))
		if t.has("runs") {
			q.Where(entrun.FlowRunIDIn(ids(rows, func(x *ent.Step) string { return x.FlowRunID })...))
		} else {
			q.Where(entrun.IDIn(ids(rows, func(x *ent.Step) string { return x.RunID })...))
		}
		q.Select(sub.columns(append([]string{entrun.FieldFlowRunID, entrun.FieldStep, entrun.FieldRound}, runAlways...), runColumns)...)
		found, err := q.All(ctx)
		if err != nil {
			return nil, fmt.Errorf("runs of steps: %w", err)
		}
		runs, err := r.wrapRuns(ctx, found, sub)
		if err != nil {
			return nil, err
		}
		for _, m := range runs {
			byID[m.ID] = m
			at := [2]string{m.FlowRunID, m.Step}
			byStep[at] = append(byStep[at], m)
		}
	}
	l := lang.From(ctx)
	out := make([]*model.Step, len(rows))
	for i, x := range rows {
		out[i] = &model.Step{Step: x, Run: byID[x.RunID], Runs: byStep[[2]string{x.FlowRunID, x.Name}], Lang: l}
		if out[i].Runs == nil {
			out[i].Runs = []*model.Run{}
		}
	}
	return out, nil
}

func (r *Resolver) transitionsOf(ctx context.Context, rows []*ent.FlowRun, t tree) (map[string][]*model.Transition, error) {
	out := map[string][]*model.Transition{}
	if len(rows) == 0 || t == nil {
		return out, nil
	}
	// By time first: within a second, ids of several processes are in no order.
	found, err := r.DB.Client.Transition.Query().Where(newestOf(enttransition.Table, enttransition.FieldFlowRunID, enttransition.FieldID,
		ids(rows, func(x *ent.FlowRun) string { return x.ID }), maxTransitions, false)).Order(ent.Asc(enttransition.FieldAt, enttransition.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("transitions of flow runs: %w", err)
	}
	actors, err := r.usersByID(ctx, ids(found, func(x *ent.Transition) string { return x.ActorID }), t["actor"])
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	for _, x := range found {
		out[x.FlowRunID] = append(out[x.FlowRunID], &model.Transition{Transition: x, Actor: actors[x.ActorID], Lang: l})
	}
	return out, nil
}

// flowRunsByID gives the flow runs that rows of the viewer's name.
func (r *Resolver) flowRunsByID(ctx context.Context, ids []string, t tree) (map[string]*model.FlowRun, error) {
	out := make(map[string]*model.FlowRun, len(ids))
	if len(ids) == 0 || t == nil {
		return out, nil
	}
	q := r.DB.Client.FlowRun.Query().Where(entflowrun.IDIn(ids...))
	q.Select(t.columns(flowRunAlways, flowRunColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read flow runs: %w", err)
	}
	runs, err := r.wrapFlowRuns(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range runs {
		out[m.ID] = m
	}
	return out, nil
}

func (r *Resolver) flowRun(ctx context.Context, id string, t tree) (*model.FlowRun, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.FlowRun.Query().Where(entflowrun.ID(id))
	q.Select(t.columns(flowRunAlways, flowRunColumns)...)
	return one(ctx, "flow-run", id, q.All, func(ctx context.Context, rows []*ent.FlowRun) ([]*model.FlowRun, error) {
		return r.wrapFlowRuns(ctx, rows, t)
	})
}

func (r *Resolver) step(ctx context.Context, id string, t tree) (*model.Step, error) {
	return one(ctx, "node", id, r.DB.Client.Step.Query().Where(entstep.ID(id)).All,
		func(ctx context.Context, rows []*ent.Step) ([]*model.Step, error) { return r.wrapSteps(ctx, rows, t) })
}

func flowRunKey(x *model.FlowRun) string { return cursor("flow-runs", x.ID) }

func (r *Resolver) listFlowRuns(ctx context.Context, first *int, after *string, f *model.FlowRunFilter) (*model.FlowRunConnection, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "flow-runs", 1)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.FlowRun.Query()
	filterFlowRuns(q, v, f)
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count flow runs: %w", err)
	}
	if w.after != nil {
		q.Where(entflowrun.IDLT(w.after[0]))
	}
	q.Order(ent.Desc(entflowrun.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(flowRunAlways, flowRunColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list flow runs: %w", err)
	}
	nodes, err := r.wrapFlowRuns(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, flowRunKey)
	c.TotalCount = total
	return &model.FlowRunConnection{Connection: c}, nil
}

func filterFlowRuns(q *ent.FlowRunQuery, v *authz.Viewer, f *model.FlowRunFilter) {
	if f == nil {
		return
	}
	if f.FlowID != nil {
		q.Where(entflowrun.FlowID(*f.FlowID))
	}
	if f.TeamID != nil {
		q.Where(entflowrun.TeamID(*f.TeamID))
	}
	if f.Mine != nil && *f.Mine {
		q.Where(entflowrun.OwnerID(v.UserID))
	}
	if len(f.States) > 0 {
		q.Where(entflowrun.StateIn(f.States...))
	}
	if len(f.Causes) > 0 {
		q.Where(entflowrun.CauseIn(f.Causes...))
	}
	if f.From != nil {
		q.Where(entflowrun.LogicalTimeGTE(f.From.UTC()))
	}
	if f.To != nil {
		q.Where(entflowrun.LogicalTimeLT(f.To.UTC()))
	}
}

func (r *Resolver) wrapBackfills(ctx context.Context, rows []*ent.Backfill, t tree) ([]*model.Backfill, error) {
	flows, err := r.flowsByID(ctx, ids(rows, func(x *ent.Backfill) string { return x.FlowID }), t["flow"])
	if err != nil {
		return nil, err
	}
	actors, err := r.usersByID(ctx, ids(rows, func(x *ent.Backfill) string { return x.ActorID }), t["actor"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.Backfill, len(rows))
	for i, x := range rows {
		out[i] = &model.Backfill{Backfill: x, Flow: flows[x.FlowID], Actor: actors[x.ActorID]}
	}
	return out, nil
}

func (r *Resolver) backfill(ctx context.Context, id string, t tree) (*model.Backfill, error) {
	return one(ctx, "backfill", id, r.DB.Client.Backfill.Query().Where(entbackfill.ID(id)).All,
		func(ctx context.Context, rows []*ent.Backfill) ([]*model.Backfill, error) {
			return r.wrapBackfills(ctx, rows, t)
		})
}

const maxBackfills = 50

func (r *Resolver) backfills(ctx context.Context, flowID string) ([]*model.Backfill, error) {
	if _, err := r.flow(ctx, flowID, tree{}); err != nil {
		return nil, err
	}
	rows, err := r.DB.Client.Backfill.Query().Where(entbackfill.FlowID(flowID)).Order(ent.Desc(entbackfill.FieldID)).Limit(maxBackfills).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("backfills of flow %s: %w", flowID, err)
	}
	return r.wrapBackfills(ctx, rows, selected(ctx))
}

func (r *Resolver) flowRunPayload(ctx context.Context) func(*ent.FlowRun, error) (*model.FlowRunPayload, error) {
	return func(row *ent.FlowRun, err error) (*model.FlowRunPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.flowRun(ctx, row.ID, selected(ctx)["flowRun"])
		if err != nil {
			return nil, err
		}
		return &model.FlowRunPayload{FlowRun: m}, nil
	}
}

func (r *Resolver) backfillPayload(ctx context.Context) func(*ent.Backfill, error) (*model.BackfillPayload, error) {
	return func(row *ent.Backfill, err error) (*model.BackfillPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.backfill(ctx, row.ID, selected(ctx)["backfill"])
		if err != nil {
			return nil, err
		}
		return &model.BackfillPayload{Backfill: m}, nil
	}
}

// readFlowRun reads a flow run, of one flow if given.
func (r *Resolver) readFlowRun(t tree, flowID *string) read[model.FlowRun] {
	return func(ctx context.Context, id string) (*model.FlowRun, int64, error) {
		m, err := r.flowRun(ctx, id, t)
		if err != nil {
			return nil, 0, err
		}
		if flowID != nil && m.FlowID != *flowID {
			return nil, 0, fault.Missing("flow-run", id)
		}
		return m, m.Version, nil
	}
}
