package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// many makes flows with some runs and versions each, and gives their ids.
func (w *world) manyFlows(t *testing.T, n int) []string {
	t.Helper()
	own := testkit.As(t, w.DB, w.Cast.Member)
	var out []string
	for i := range n {
		f := w.flow()
		for range i%3 + 1 {
			if _, err := w.flows.Run(own, flow.RunInput{FlowID: f.ID}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.flows.Save(own, flow.SaveInput{ID: f.ID, Base: 1, Definition: flow.Definition{YAML: strings.Replace(w.document("x"), "Loads", "Reloads", 1)}}); err != nil {
			t.Fatal(err)
		}
		out = append(out, f.ID)
	}
	return out
}

func TestListsOfFlowsCostAConstantNumberOfQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.manyFlows(t, 12)
	b := w.SignIn(t, w.Cast.Member)
	const flows = `query($n: Int) { list: flows(first: $n) { nodes { id name description tags team { name } owner { displayName } schedule { kind text timezone }
		version { yaml author { displayName } changes { path } } first: version(number: 1) { number } versions(first: 2) { number }
		lastRuns(last: 2) { id state } other: lastRuns(last: 1) { id } can { edit } } } }`
	const runs = `query($n: Int) { list: flowRuns(first: $n) { nodes { id flow { name } team { name } owner { displayName } actor { displayName } spec localTime parameters reason { text }
		steps { name state run { name } runs { id } } transitions { text actor { displayName } } can { stop } } } }`
	for name, q := range map[string]string{"flows": flows, "runs": runs} {
		once := func(n int) int64 {
			before := w.Queries.Load()
			var got struct {
				List struct{ Nodes []json.RawMessage }
			}
			b.Get(q, map[string]any{"n": n}, &got)
			if len(got.List.Nodes) != n {
				t.Fatalf("%s: %d nodes, want %d", name, len(got.List.Nodes), n)
			}
			return w.Queries.Load() - before
		}
		// On a slow machine one of them may renew the session, too.
		cost := func(n int) int64 { return min(once(n), once(n), once(n)) }
		if few, many := cost(2), cost(12); few != many || many > 14 {
			t.Errorf("%s: 2 cost %d queries, 12 cost %d", name, few, many)
		}
	}
}

func TestAFlowTellsItsNewestRunsAndVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.manyFlows(t, 4)
	var got struct {
		Flows struct {
			Nodes []struct {
				ID, Name, Description string
				Tags                  []string
				Version, First        struct {
					Number  int
					Changes []struct {
						Path, Kind    string
						Before, After any
					}
				}
				None     *struct{ Number int }
				Versions []struct{ Number int }
				Two, One []struct{ ID string }
			}
		}
	}
	b := w.SignIn(t, w.Cast.Member)
	b.Get(`{ flows { nodes { id name description tags version { number changes { path kind before after } } first: version(number: 1) { number } none: version(number: 7) { number }
		versions { number } two: lastRuns(last: 2) { id } one: lastRuns(last: 1) { id } } } }`, nil, &got)
	if len(got.Flows.Nodes) != 4 {
		t.Fatalf("%+v", got)
	}
	for i, f := range got.Flows.Nodes {
		if i > 0 && got.Flows.Nodes[i-1].Name >= f.Name {
			t.Errorf("%s stands after %s", f.Name, got.Flows.Nodes[i-1].Name)
		}
		if !strings.HasPrefix(f.Description, "Reloads") || fmt.Sprint(f.Tags) != "[load]" || f.Version.Number != 2 || f.First.Number != 1 || f.None != nil ||
			len(f.Versions) != 2 || f.Versions[0].Number != 2 {
			t.Errorf("%+v", f)
		}
		if len(f.One) != 1 || len(f.Two) == 0 || f.Two[len(f.Two)-1].ID != f.One[0].ID || len(f.Two) == 2 && f.Two[0].ID >= f.Two[1].ID {
			t.Errorf("runs %v, the last %v", f.Two, f.One)
		}
		if c := f.Version.Changes; len(c) == 0 || c[0].Path != "description" || c[0].Kind != "CHANGED" || c[0].Before != "Loads what came." {
			t.Errorf("changes %+v", c)
		}
	}
	for _, bad := range []string{"lastRuns(last: 51)", "lastRuns(last: 0)", "versions(first: 201)"} {
		if a := b.Ask(`{ flows { nodes { id `+bad+` { id } } } }`, nil); a.Code() != "INVALID_ARGUMENT" {
			t.Errorf("%s: %s", bad, a.Code())
		}
	}
	if a := b.Ask(`{ flows { nodes { version { changes(from: 9) { path } } } } }`, nil); a.Code() != "NOT_FOUND" {
		t.Errorf("changes from a version that is not there: %s", a.Code())
	}
	for filter, want := range map[string]int{`tag: "load"`: 4, `tag: "loa"`: 0, `search: "NIGHT"`: 4, `search: "x y"`: 0, `mine: true`: 4, `paused: true`: 0} {
		var n struct{ Flows conn }
		if b.Get(`{ flows(filter: {`+filter+`}) { nodes { id } totalCount } }`, nil, &n); len(n.Flows.Nodes) != want || n.Flows.TotalCount != want {
			t.Errorf("%s: %+v", filter, n.Flows)
		}
	}
	for _, size := range []int{1, 3} {
		if ids := walk(t, b, "flows", "", size); len(ids) != 4 {
			t.Errorf("flows by %d: %v", size, ids)
		}
		if ids := walk(t, b, "flowRuns", "", size); len(ids) != 7 {
			t.Errorf("flow runs by %d: %v", size, ids)
		}
	}
}

func TestADefinitionIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	type check struct {
		CheckFlow struct {
			Problems []struct {
				Path, Text string
				Line       int
			}
			Spec  map[string]any
			Yaml  string
			Fires []struct{ At, Local, Note string }
		}
	}
	const op = `query($team: ID!, $yaml: String, $spec: JSON) { checkFlow(input: {teamId: $team, yaml: $yaml, spec: $spec}) { problems { path line text } spec yaml fires { at local note } } }`
	var good, again, bad, broken check
	b.Get(op, map[string]any{"team": w.Cast.Team.ID, "yaml": w.document("nightly")}, &good)
	c := good.CheckFlow
	if len(c.Problems) != 0 || c.Spec["description"] != "Loads what came." || len(c.Fires) != 10 || !strings.Contains(c.Fires[0].Local, "T02:00:00+0") {
		t.Errorf("%+v", c)
	}
	b.Get(op, map[string]any{"team": w.Cast.Team.ID, "spec": c.Spec}, &again)
	if len(again.CheckFlow.Problems) != 0 || fmt.Sprint(again.CheckFlow.Spec) != fmt.Sprint(c.Spec) {
		t.Errorf("as data: %+v", again.CheckFlow)
	}
	b.Language = "zh-CN"
	b.Get(op, map[string]any{"team": w.Cast.Team.ID, "yaml": strings.ReplaceAll(w.document("nightly"), "needs: [extract]", "needs: [extrct]")}, &bad)
	if p := bad.CheckFlow.Problems; len(p) != 1 || p[0].Path != "tasks[1].needs[0]" || p[0].Line == 0 || !strings.Contains(p[0].Text, "extrct") || !strings.ContainsAny(p[0].Text, "任务没有") {
		t.Errorf("%+v", p)
	}
	b.Get(op, map[string]any{"team": w.Cast.Team.ID, "yaml": "a: [b"}, &broken)
	if c := broken.CheckFlow; len(c.Problems) == 0 || c.Spec != nil || c.Yaml != "a: [b" || len(c.Fires) != 0 {
		t.Errorf("%+v", c)
	}
	if a := b.Ask(op, map[string]any{"team": w.Cast.Team.ID}); a.Code() != "INVALID_ARGUMENT" {
		t.Errorf("no definition: %s", a.Code())
	}
}

func TestParametersAreAnObjectOfTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	id := w.flow().ID
	for _, p := range []string{`{day: 3}`, `{day: null}`, `{day: ["a"]}`, `{day: {a: "b"}}`} {
		a := b.Ask(`mutation($id: ID!) { runFlow(input: {flowId: $id, parameters: `+p+`}) { flowRun { id } } }`, map[string]any{"id": id})
		if a.Code() != "INVALID_ARGUMENT" || !strings.Contains(a.Errors[0].Message, "are texts") {
			t.Errorf("%s: %+v", p, a.Errors)
		}
	}
	if a := b.Ask(`mutation($id: ID!) { runFlow(input: {flowId: $id, parameters: "day"}) { flowRun { id } } }`, map[string]any{"id": id}); a.Code() != "INVALID_ARGUMENT" {
		t.Errorf("no object: %+v", a.Errors)
	}
}

func TestAFlowRunTellsWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.failedFlowRun()
	b := w.SignIn(t, w.Cast.Member)
	var got struct {
		FlowRun struct {
			LocalTime, State, Cause string
			Lateness                *float64
			Parameters              map[string]string
			Spec                    struct{ Description string }
			Reason                  struct{ Text string }
			Steps                   []struct {
				Name, State string
				Outputs     map[string]string
				With        map[string]any
				Run         *struct {
					Step    string
					FlowRun struct{ ID string }
				}
				Runs []struct{ ID string }
			}
			Transitions []struct{ Step, Becomes, Text string }
		}
	}
	b.Get(`query($id: ID!) { flowRun(id: $id) { localTime state cause lateness parameters spec reason { text } steps { name state outputs with run { step flowRun { id } } runs { id } }
		transitions { step becomes text } } }`, map[string]any{"id": r.ID}, &got)
	g := got.FlowRun
	at, err := time.Parse(time.RFC3339, g.LocalTime)
	if err != nil || !at.Equal(r.LogicalTime.Truncate(time.Second)) || strings.HasSuffix(g.LocalTime, "Z") {
		t.Errorf("local time %s of %s: %v", g.LocalTime, r.LogicalTime, err)
	}
	if g.State != "FAILED" || g.Cause != "MANUAL" || g.Lateness != nil || g.Parameters["day"] != `"yesterday"` || g.Spec.Description == "" || !strings.Contains(g.Reason.Text, "extract") {
		t.Errorf("%+v", g)
	}
	if len(g.Steps) != 2 || g.Steps[0].Name != "extract" || g.Steps[0].Outputs["rows"] != "3" || len(g.Steps[0].With) == 0 || g.Steps[1].With != nil {
		t.Fatalf("%+v", g.Steps)
	}
	if x := g.Steps[0].Run; x == nil || x.Step != "extract" || x.FlowRun.ID != r.ID || len(g.Steps[0].Runs) != 1 || g.Steps[1].Run != nil {
		t.Errorf("%+v", g.Steps)
	}
	if len(g.Transitions) == 0 {
		t.Error("no transitions")
	}
	for _, x := range g.Transitions {
		if x.Becomes == "" || x.Text == "" || strings.HasPrefix(x.Text, "cause.") {
			t.Errorf("%+v", x)
		}
	}
	alone := w.run().ID
	for filter, want := range map[string][]string{`alone: true`: {alone}, `flowRunId: "` + r.ID + `"`: {g.Steps[0].Runs[0].ID}, `flowRunId: ""`: nil} {
		if ids := walk(t, b, "runs", ", filter: {"+filter+"}", 5); fmt.Sprint(ids) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", filter, ids, want)
		}
	}
}

func TestChangesOfOneFlowsRunsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, another := w.flowRun(), w.flowRun()
	s := w.SignIn(t, w.Cast.Viewer).Socket()
	before := w.Broker.Subscribers()
	s.Subscribe("1", `subscription($id: ID!) { flowRunsChanged(flowId: $id) { id flow { lastRuns(last: 1) { id } } } }`, map[string]any{"id": mine.FlowID})
	eventually(t, "the subscription", func() bool { return w.Broker.Subscribers() > before })
	own := testkit.As(t, w.DB, w.Cast.Member)
	for _, id := range []string{another.ID, mine.ID} {
		if _, err := w.flows.Stop(own, id); err != nil {
			t.Fatal(err)
		}
	}
	f := s.Next()
	if f.Type != "next" || strings.Count(string(f.Payload), mine.ID) != 2 || strings.Contains(string(f.Payload), another.ID) {
		t.Errorf("%s %s", f.Type, f.Payload)
	}
	s.Subscribe("2", `subscription { flowRunsChanged(flowId: "flw-00000000000000000000") { id } }`, nil)
	if f := s.Next(); !strings.Contains(string(f.Payload), "NOT_FOUND") {
		t.Errorf("of no flow: %s %s", f.Type, f.Payload)
	}
}

// P60: the page learns from the API that something does not fire.
func TestP60AnOverdueFlowSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.flow()
	b := w.SignIn(t, w.Cast.Member)
	says := func() string {
		t.Helper()
		var got struct {
			Flow struct {
				Overdue *struct{ Code, Text, Advice string }
			}
		}
		b.Get(`query($id: ID!) { flow(id: $id) { overdue { code text advice } } }`, map[string]any{"id": f.ID}, &got)
		if got.Flow.Overdue == nil {
			return ""
		}
		if got.Flow.Overdue.Text == "" || got.Flow.Overdue.Advice == "" {
			t.Errorf("without words: %+v", got.Flow.Overdue)
		}
		return got.Flow.Overdue.Code
	}
	up := w.DB.Client.Flow.UpdateOneID(f.ID).SetPaused(false)
	up.SetNextFireAt(time.Now().Add(-2 * time.Minute)).ExecX(testkit.System(t))
	if got := says(); got != "flow-overdue" {
		t.Errorf("it says %q", got)
	}
	w.DB.Client.Flow.UpdateOneID(f.ID).SetNextFireAt(time.Now().Add(time.Minute)).ExecX(testkit.System(t))
	if got := says(); got != "" {
		t.Errorf("before its time it says %q", got)
	}
}
