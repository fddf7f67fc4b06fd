package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entgroup "github.com/goblinlab/goblinlab/ent/slotgroup"
	entstep "github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/schedule"
)

const (
	checkedFires   = 10     // that a definition which is looked at is shown with
	previewedTimes = 20     // of an unpausing, and of a backfill
	countedMissed  = 10_000 // where counting stops
	maxGroups      = 1000
)

// definitionOf is what somebody says a flow is.
func definitionOf(data map[string]any, yaml *string) (flow.Definition, error) {
	d := flow.Definition{YAML: deref(yaml)}
	if data != nil {
		b, err := json.Marshal(data)
		if err != nil {
			return d, fmt.Errorf("definition: %w", err)
		}
		d.Spec = b
	}
	return d, nil
}

// parameters are texts by name.
func parameters(in map[string]any) (map[string]string, error) {
	out := make(map[string]string, len(in))
	for k, v := range in {
		s, ok := v.(string)
		if !ok {
			return nil, &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "parameters", ID: "flow.parameters"}}}
		}
		out[k] = s
	}
	return out, nil
}

func (r *Resolver) checkFlow(ctx context.Context, in model.CheckFlowInput) (*model.FlowCheck, error) {
	if _, err := r.team(ctx, in.TeamID, tree{}); err != nil {
		return nil, err
	}
	d, err := definitionOf(in.Spec, in.Yaml)
	if err != nil {
		return nil, err
	}
	p, err := r.Flows.Parse(d)
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	text := d.YAML
	if text == "" && p.Readable {
		text = flow.Print(deref(in.Name), p.Spec)
		if p.Problems, err = r.placed(p.Problems, text); err != nil {
			return nil, err
		}
	}
	out := &model.FlowCheck{Problems: make([]*model.FlowProblem, len(p.Problems)), Yaml: text, Fires: []*model.FlowFire{}}
	for i, x := range p.Problems {
		out.Problems[i] = &model.FlowProblem{Path: x.Path, Line: x.Line, Column: x.Column, Text: lang.Text(l, "fault."+x.ID, x.Args)}
	}
	if !p.Readable {
		return out, nil
	}
	out.Spec = model.RawOf(p.Spec)
	if plan, err := flow.Plan(p.Spec.Schedule); err == nil && plan != nil { // what is wrong with it is among the problems
		out.Fires = model.NewFlowFires(plan.Preview(r.Flows.Now(), checkedFires), l)
	}
	return out, nil
}

// placed gives problems of data the lines where they stand in its document.
func (r *Resolver) placed(problems []definition.Problem, text string) ([]definition.Problem, error) {
	p, err := r.Flows.Parse(flow.Definition{YAML: text})
	if err != nil {
		return nil, err
	}
	for i, x := range problems {
		for _, there := range p.Problems {
			if there.Path == x.Path && there.ID == x.ID {
				problems[i] = there
			}
		}
	}
	return problems, nil
}

func (r *Resolver) previewUnpause(ctx context.Context, id string) (*model.UnpausePreview, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	m, err := r.Flows.PreviewUnpause(ctx, id)
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := &model.UnpausePreview{Missed: int(min(m.Count, countedMissed)), Times: model.NewFlowFires(m.Times(previewedTimes), l)}
	if m.Next != nil {
		out.Next = model.NewFlowFires([]schedule.Fire{*m.Next}, l)[0]
	}
	return out, nil
}

func (r *Resolver) flowFires(ctx context.Context, id string, from *time.Time, first int) ([]*model.FlowFire, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	fires, err := r.Flows.Fires(ctx, id, from, first)
	if err != nil {
		return nil, err
	}
	return model.NewFlowFires(fires, lang.From(ctx)), nil
}

func (r *Resolver) flowSchema(ctx context.Context) (map[string]any, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	return definition.Schema(r.Flows.Executors), nil
}

func backfillInput(in model.BackfillInput) (flow.BackfillInput, error) {
	p, err := parameters(in.Parameters)
	return flow.BackfillInput{FlowID: in.FlowID, From: in.From, To: in.To, Parallel: in.Parallel, NewestFirst: in.NewestFirst,
		OnlyMissing: in.OnlyMissing, Parameters: p}, err
}

func (r *Resolver) previewBackfill(ctx context.Context, in model.BackfillInput) (*model.BackfillPreview, error) {
	b, err := backfillInput(in)
	if err != nil {
		return nil, err
	}
	p, err := r.Flows.PreviewBackfill(ctx, b)
	if err != nil {
		return nil, err
	}
	shown := p.Fires
	if n := len(shown); n > previewedTimes {
		shown = append(append([]schedule.Fire{}, shown[:previewedTimes/2]...), shown[n-previewedTimes/2:]...)
	}
	return &model.BackfillPreview{Count: len(p.Fires), Existing: p.Existing, Times: model.NewFlowFires(shown, lang.From(ctx))}, nil
}

// maxUses of a group are shown.
const maxUses = 100

// wrapGroups adds which steps hold and want a slot: one query for all groups.
func (r *Resolver) wrapGroups(ctx context.Context, rows []*ent.SlotGroup, t tree) ([]*model.SlotGroup, error) {
	type group struct{ team, name string }
	out := make([]*model.SlotGroup, len(rows))
	by := map[group]*model.SlotGroup{}
	for i, x := range rows {
		out[i] = &model.SlotGroup{SlotGroup: x, Uses: []*model.SlotUse{}}
		by[group{x.TeamID, x.Name}] = out[i]
	}
	if len(rows) == 0 || !t.has("used", "waiting", "uses") {
		return out, nil
	}
	steps, err := r.DB.Client.Step.Query().Where(entstep.TeamIDIn(ids(rows, func(x *ent.SlotGroup) string { return x.TeamID })...),
		entstep.GroupIn(ids(rows, func(x *ent.SlotGroup) string { return x.Name })...), entstep.StateIn(slotStates...)).
		Select(entstep.FieldTeamID, entstep.FieldGroup, entstep.FieldState, entstep.FieldName, entstep.FieldFlowRunID, entstep.FieldStartedAt, entstep.FieldReadyAt).
		All(ctx)
	if err != nil {
		return nil, fmt.Errorf("steps of groups: %w", err)
	}
	runs := map[*model.SlotUse]string{}
	for _, s := range steps {
		m := by[group{s.TeamID, s.Group}]
		if m == nil {
			continue
		}
		use := &model.SlotUse{Step: s.Name, State: s.State, Holds: engine.StepState(s.State).Holds(), Since: s.ReadyAt}
		if use.Holds {
			m.Used++
			if s.StartedAt != nil {
				use.Since = s.StartedAt
			}
		} else {
			m.Waiting++
		}
		m.Uses, runs[use] = append(m.Uses, use), s.FlowRunID
	}
	return out, r.addUses(ctx, out, runs, t)
}

// addUses orders the uses of groups and reads the flow runs of those that are shown.
func (r *Resolver) addUses(ctx context.Context, groups []*model.SlotGroup, runs map[*model.SlotUse]string, t tree) error {
	if !t.has("uses") {
		return nil
	}
	var shown []string
	for _, g := range groups {
		slices.SortFunc(g.Uses, func(a, b *model.SlotUse) int {
			switch {
			case a.Holds != b.Holds && a.Holds:
				return -1
			case a.Holds != b.Holds:
				return 1
			}
			return cmp.Or(instantOf(a.Since).Compare(instantOf(b.Since)), cmp.Compare(runs[a], runs[b]), cmp.Compare(a.Step, b.Step))
		})
		g.Uses = g.Uses[:min(len(g.Uses), maxUses)]
		for _, u := range g.Uses {
			shown = append(shown, runs[u])
		}
	}
	byID, err := r.flowRunsByID(ctx, ids(shown, func(id string) string { return id }), merge(t["uses"]["flowRun"], tree{"id": nil}))
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, u := range g.Uses {
			u.FlowRun = byID[runs[u]]
		}
		g.Uses = slices.DeleteFunc(g.Uses, func(u *model.SlotUse) bool { return u.FlowRun == nil }) // gone meanwhile
	}
	return nil
}

// instantOf puts what began never before everything.
func instantOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// slotStates are those in which a step holds a slot, or wants one.
var slotStates = []entstep.State{
	entstep.StateWaitingInputs, entstep.StateWaitingSlot, entstep.StateStarting, entstep.StateRunning, entstep.StateRetrying, entstep.StateStopping,
}

func (r *Resolver) slotGroups(ctx context.Context, teamID string) ([]*model.SlotGroup, error) {
	if _, err := r.team(ctx, teamID, tree{}); err != nil {
		return nil, err
	}
	rows, err := r.DB.Client.SlotGroup.Query().Where(entgroup.TeamID(teamID)).Order(ent.Asc(entgroup.FieldName)).Limit(maxGroups).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("groups of team %s: %w", teamID, err)
	}
	return r.wrapGroups(ctx, rows, selected(ctx))
}

func (r *Resolver) slotGroup(ctx context.Context, id string, t tree) (*model.SlotGroup, error) {
	return one(ctx, "slot-group", id, r.DB.Client.SlotGroup.Query().Where(entgroup.ID(id)).All,
		func(ctx context.Context, rows []*ent.SlotGroup) ([]*model.SlotGroup, error) {
			return r.wrapGroups(ctx, rows, t)
		})
}

func (r *Resolver) setSlotGroup(ctx context.Context, teamID, name string, slots int) (*model.SlotGroupPayload, error) {
	row, err := r.Flows.SetGroup(ctx, teamID, name, slots)
	if err != nil || row == nil {
		return &model.SlotGroupPayload{}, err
	}
	m, err := r.slotGroup(ctx, row.ID, selected(ctx)["group"])
	if err != nil {
		return nil, err
	}
	return &model.SlotGroupPayload{Group: m}, nil
}

func (r *Resolver) flowDraft(ctx context.Context, instanceID, runID *string) (*model.FlowDraft, error) {
	d, err := r.Flows.Draft(ctx, deref(instanceID), deref(runID))
	if err != nil {
		return nil, err
	}
	return &model.FlowDraft{Draft: d, Lang: lang.From(ctx)}, nil
}
