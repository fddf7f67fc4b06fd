package graph_test

import (
	"maps"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/slotgroup"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func init() { maps.Copy(access, accessFlows) }

func newFlows(t testing.TB, d graph.Deps) *flow.Service {
	t.Helper()
	executors, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return flow.New(flow.Deps{DB: d.DB, Broker: d.Broker, Kicker: &testkit.Kicks{}, Config: d.Config, Runs: d.Runs, Viewers: d.Account, Executors: executors})
}

// document is a flow of two steps, which fires at two in the night.
func (w *world) document(name string) string {
	img := w.image(nil).ID
	task := "    executor: container\n    with: {imageId: " + img + ", command: [sh, -c, \"echo ${yyyyMMdd}\"], resources: {cpu: 100m, memory: 64Mi}}\n"
	return "apiVersion: goblinlab.io/v1\nkind: Flow\nname: " + name + "\nspec:\n  description: Loads what came.\n  tags: [load]\n" +
		"  parameters:\n  - name: day\n    default: today\n  schedule: {cron: \"0 2 * * *\", timezone: Europe/Berlin}\n  tasks:\n" +
		"  - name: extract\n" + task + "  - name: load\n" + task + "    needs: [extract]\n"
}

func (w *world) flowOf(t *ent.Team, u *ent.User) *ent.Flow {
	w.t.Helper()
	return must[*ent.Flow](w)(w.flows.Create(testkit.As(w.t, w.DB, u), flow.CreateInput{TeamID: t.ID, Definition: flow.Definition{YAML: w.document("nightly " + xid.New().String())}}))
}

// flow is one of the member's.
func (w *world) flow() *ent.Flow { return w.flowOf(w.Cast.Team, w.Cast.Member) }

func (w *world) flowRun() *ent.FlowRun {
	w.t.Helper()
	return must[*ent.FlowRun](w)(w.flows.Run(testkit.As(w.t, w.DB, w.Cast.Member), flow.RunInput{FlowID: w.flow().ID, Parameters: map[string]string{"day": "\"yesterday\""}}))
}

// failedFlowRun is one of which the first step failed, and the second gave up.
func (w *world) failedFlowRun() *ent.FlowRun {
	w.t.Helper()
	r, now := w.flowRun(), time.Now().UTC()
	if _, err := (flow.Driver{Service: w.flows}).Reconcile(w.sys, r.ID); err != nil {
		w.t.Fatal(err)
	}
	c := w.DB.Client
	c.Run.Update().Where(run.FlowRunID(r.ID)).SetState(run.StateFailed).SetEndedAt(now).ExecX(w.sys)
	c.Step.Update().Where(step.FlowRunID(r.ID), step.Name("extract")).SetState(step.StateFailed).SetOutputs(map[string]string{"rows": "3"}).SetEndedAt(now).ExecX(w.sys)
	c.Step.Update().Where(step.FlowRunID(r.ID), step.Name("load")).SetState(step.StateUpstreamFailed).SetEndedAt(now).ExecX(w.sys)
	return c.FlowRun.UpdateOneID(r.ID).SetState(flowrun.StateFailed).SetEndedAt(now).
		SetReason(&spec.Reason{Code: "flow-step-failed", Args: map[string]any{"step": "extract", "count": 1}}).SaveX(w.sys)
}

func (w *world) slotGroup() string {
	w.t.Helper()
	return must[*ent.SlotGroup](w)(w.flows.SetGroup(testkit.As(w.t, w.DB, w.Cast.Owner), w.Cast.Team.ID, "g"+xid.New().String(), 2)).ID
}

func aFlow(w *world) string          { return w.flow().ID }
func aFlowRun(w *world) string       { return w.flowRun().ID }
func aFailedFlowRun(w *world) string { return w.failedFlowRun().ID }

func aBackfill(w *world) string {
	w.t.Helper()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return must[*ent.Backfill](w)(w.flows.StartBackfill(testkit.As(w.t, w.DB, w.Cast.Member),
		flow.BackfillInput{FlowID: w.flow().ID, From: from, To: from.AddDate(0, 0, 3), Parallel: 1})).ID
}

func aDocument(w *world, _ string) map[string]any {
	return map[string]any{"team": w.Cast.Team.ID, "yaml": w.document("nightly " + xid.New().String())}
}

func says(topic string) func(*world, map[string]any) {
	return func(w *world, v map[string]any) {
		w.Broker.Publish(w.sys, event.Message{Topic: topic, ID: v["id"].(string), TeamID: w.Cast.Team.ID, Version: 1 << 40})
	}
}

const january = `from: "2026-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z"`

var accessFlows = map[string]accessCase{
	"Query.flow": {op: `query($id: ID!) { flow(id: $id) { id tags events { nodes { message } } version { number yaml } versions { number } lastRuns { id } can { edit } } }`, vars: one("id", aFlow), allow: team, empty: isNull},
	"Query.flows": {op: `query($team: ID!) { flows(filter: {teamId: $team, tag: "load"}) { nodes { id description } } }`, vars: with(teamVar, func(w *world) { w.flow() }),
		allow: team, empty: noNodes},
	"Query.checkFlow":      {op: `query($team: ID!, $yaml: String!) { checkFlow(input: {teamId: $team, yaml: $yaml}) { problems { text } fires { local } } }`, vars: aDocument, allow: team},
	"Query.flowFires":      {op: `query($id: ID!) { flowFires(id: $id) { at local note } }`, vars: one("id", aFlow), allow: team},
	"Query.previewUnpause": {op: `query($id: ID!) { previewUnpause(id: $id) { missed times { at } next { local } } }`, vars: one("id", aFlow), allow: team},
	"Query.slotGroups":     {op: `query($team: ID!) { slotGroups(teamId: $team) { name slots used waiting uses { step state holds since flowRun { id } } } }`, vars: with(teamVar, func(w *world) { w.slotGroup() }), allow: team},
	"Query.flowDraft":      {op: `query($id: ID!) { flowDraft(runId: $id) { teamId name spec yaml notes { text } } }`, vars: one("id", aRun), allow: makers},
	"Query.flowSchema":     {op: `{ flowSchema }`, vars: none, allow: signedIn()},
	"Query.flowRun":        {op: `query($id: ID!) { flowRun(id: $id) { id steps { name } can { stop } } }`, vars: one("id", aFlowRun), allow: team, empty: isNull},
	"Query.flowRuns": {op: `query($team: ID!) { flowRuns(filter: {teamId: $team}) { nodes { id } } }`, vars: with(teamVar, func(w *world) { w.flowRun() }),
		allow: team, empty: noNodes},
	"Query.previewBackfill": {op: `query($id: ID!) { previewBackfill(input: {flowId: $id, ` + january + `}) { count existing times { local } } }`, vars: one("id", aFlow), allow: runners},
	"Query.backfills": {op: `query($id: ID!) { backfills(flowId: $id) { id total } }`, vars: one("id", func(w *world) string {
		return w.DB.Client.Backfill.GetX(w.sys, aBackfill(w)).FlowID
	}), allow: team},

	"Mutation.createFlow": {op: `mutation($team: ID!, $yaml: String!) { createFlow(input: {teamId: $team, yaml: $yaml}) { flow { id owner { id } } } }`, vars: aDocument, allow: makers},
	"Mutation.saveFlow": {op: `mutation($id: ID!, $yaml: String!) { saveFlow(input: {id: $id, yaml: $yaml, base: 1}) { flow { latest } } }`, vars: func(w *world, who string) map[string]any {
		v := aDocument(w, who)
		return map[string]any{"id": aFlow(w), "yaml": v["yaml"]}
	}, allow: managers},
	"Mutation.restoreFlowVersion": {op: `mutation($id: ID!) { restoreFlowVersion(id: $id, number: 1) { flow { latest } } }`, vars: one("id", func(w *world) string {
		f := w.flow()
		return must[*ent.Flow](w)(w.flows.Save(testkit.As(w.t, w.DB, w.Cast.Member), flow.SaveInput{ID: f.ID, Base: 1, Definition: flow.Definition{YAML: w.document("other")}})).ID
	}), allow: managers},
	"Mutation.renameFlow": {op: `mutation($id: ID!, $name: String!) { renameFlow(id: $id, name: $name) { flow { name } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"id": aFlow(w), "name": "renamed " + xid.New().String()}
	}, allow: managers},
	"Mutation.transferFlow": {op: `mutation($id: ID!, $user: ID!) { transferFlow(id: $id, userId: $user) { flow { owner { id } } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"id": aFlow(w), "user": w.Cast.Maintainer.ID}
	}, allow: managers},
	"Mutation.pauseFlow": {op: `mutation($id: ID!) { pauseFlow(id: $id) { flow { paused } } }`, vars: one("id", aFlow), allow: managers},
	"Mutation.unpauseFlow": {op: `mutation($id: ID!) { unpauseFlow(id: $id) { flow { paused nextFireAt } } }`, vars: one("id", func(w *world) string {
		return must[*ent.Flow](w)(w.flow().Update().SetPaused(true).Save(w.sys)).ID
	}), allow: managers},
	"Mutation.deleteFlow": {op: `mutation($id: ID!, $name: String!) { deleteFlow(id: $id, name: $name) { id } }`, vars: func(w *world, _ string) map[string]any {
		f := w.flow()
		return map[string]any{"id": f.ID, "name": f.Name}
	}, allow: managers},
	"Mutation.setSlotGroup": {op: `mutation($team: ID!, $name: String!) { setSlotGroup(teamId: $team, name: $name, slots: 3) { group { name slots } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"team": w.Cast.Team.ID, "name": w.DB.Client.SlotGroup.Query().Where(slotgroup.ID(w.slotGroup())).OnlyX(w.sys).Name}
	}, allow: []string{owner, maintainer, admin}},

	// A program inside of an instance reads flows, and changes nothing of them.
	"Mutation.runFlow":       {op: `mutation($id: ID!) { runFlow(input: {flowId: $id, parameters: {day: "today"}}) { flowRun { id cause localTime parameters } } }`, vars: one("id", aFlow), allow: makers},
	"Mutation.stopFlowRun":   {op: `mutation($id: ID!) { stopFlowRun(id: $id) { flowRun { id } } }`, vars: one("id", aFlowRun), allow: makers},
	"Mutation.deleteFlowRun": {op: `mutation($id: ID!) { deleteFlowRun(id: $id) { id } }`, vars: one("id", aFlowRun), allow: makers},
	"Mutation.rerunFlowRun":  {op: `mutation($id: ID!) { rerunFlowRun(input: {id: $id}) { flowRun { state } } }`, vars: one("id", aFailedFlowRun), allow: makers},
	"Mutation.markStep":      {op: `mutation($id: ID!) { markStep(flowRunId: $id, step: "extract", as: SUCCEEDED) { flowRun { state } } }`, vars: one("id", aFailedFlowRun), allow: makers},
	"Mutation.startBackfill": {op: `mutation($id: ID!) { startBackfill(input: {flowId: $id, ` + january + `}) { backfill { id total state } } }`, vars: one("id", aFlow), allow: makers},
	"Mutation.cancelBackfill": {op: `mutation($id: ID!) { cancelBackfill(id: $id, stopRuns: true) { backfill { state } } }`, vars: one("id", aBackfill),
		allow: makers},

	"Subscription.flowsChanged":    {op: `subscription { flowsChanged { id } }`, vars: one("id", aFlow), allow: team, after: says("flow")},
	"Subscription.flowRunChanged":  {op: `subscription($id: ID!) { flowRunChanged(id: $id) { id } }`, vars: one("id", aFlowRun), allow: team},
	"Subscription.flowRunsChanged": {op: `subscription { flowRunsChanged { id } }`, vars: one("id", aFlowRun), allow: team, after: says("flow-run")},
}
