package graph_test

import (
	"strings"
	"testing"
	"time"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/ident"
)

func TestWhatDidNotComeAlongIsSaidInTheViewersLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.failedFlowRun()
	run := w.DB.Client.Step.Query().Where(step.FlowRunID(r.ID), step.Name("extract")).OnlyX(w.sys).RunID
	b := w.SignIn(t, w.Cast.Owner)
	b.Language = "zh-CN"
	var got struct {
		InstancePreset struct {
			Command, CommandVariable string
			Env                      []struct{ Name, Value string }
			Notes                    []struct{ Code, Text string }
		}
		FlowDraft struct {
			Yaml string
			Spec struct {
				Tasks []struct{ Name, Executor string }
			}
			Notes []struct{ Code, Text string }
		}
	}
	b.Get(`query($id: ID!) { instancePreset(runId: $id) { command commandVariable env { name value } notes { code text } } flowDraft(runId: $id) { yaml spec notes { code text } } }`,
		map[string]any{"id": run}, &got)
	p := got.InstancePreset
	if n := len(p.Env); n == 0 || p.Env[n-1].Name != p.CommandVariable || p.Env[n-1].Value != p.Command || !strings.Contains(p.Command, "GOBLINLAB_LOGICAL_TIME=") {
		t.Errorf("the command: %+v", p)
	}
	home := false
	for _, n := range p.Notes {
		home = home || n.Code == "own-home" && strings.Contains(n.Text, "主目录")
	}
	if !home {
		t.Errorf("notes: %+v", p.Notes)
	}
	d := got.FlowDraft
	if len(d.Spec.Tasks) != 1 || d.Spec.Tasks[0].Executor != "container" || !strings.Contains(d.Yaml, "kind: Flow") || len(d.Notes) != 2 || d.Notes[1].Code != "expanded" {
		t.Errorf("the draft: %+v", d)
	}
}

func TestAGroupTellsWhoHoldsItsSlotsAndWhoWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.slotGroup()
	name := w.DB.Client.SlotGroup.GetX(w.sys, id).Name
	now := time.Now().UTC().Truncate(time.Second)
	at := func(r, s string, state step.State, ready time.Time) {
		w.DB.Client.Step.Update().Where(step.FlowRunID(r), step.Name(s)).SetGroup(name).SetState(state).SetReadyAt(ready).ExecX(w.sys)
	}
	one, two, over := w.failedFlowRun(), w.failedFlowRun(), w.failedFlowRun()
	at(one.ID, "extract", step.StateWaitingSlot, now)
	at(one.ID, "load", step.StateWaitingSlot, now.Add(-time.Minute))
	at(two.ID, "extract", step.StateRunning, now)
	at(over.ID, "extract", step.StateSucceeded, now)
	b := w.SignIn(t, w.Cast.Viewer)
	var got struct {
		SlotGroups []struct {
			Used, Waiting int
			Uses          []struct {
				Step, State string
				Holds       bool
				Since       time.Time
				FlowRun     struct {
					ID   string
					Flow struct{ Name string }
				}
			}
		}
	}
	b.Get(`query($team: ID!) { slotGroups(teamId: $team) { used waiting uses { step state holds since flowRun { id flow { name } } } } }`, map[string]any{"team": w.Cast.Team.ID}, &got)
	g := got.SlotGroups[0]
	if len(got.SlotGroups) != 1 || g.Used != 1 || g.Waiting != 2 || len(g.Uses) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct{ run, step string }{{two.ID, "extract"}, {one.ID, "load"}, {one.ID, "extract"}} {
		if u := g.Uses[i]; u.FlowRun.ID != want.run || u.Step != want.step || u.Holds != (i == 0) || u.FlowRun.Flow.Name == "" || u.Since.IsZero() {
			t.Errorf("%d is %+v, not %+v", i, u, want)
		}
	}
}

func TestAFlowTellsWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.flow()
	w.DB.Client.Event.Create().SetID(ident.New(ident.Event)).SetTeamID(f.TeamID).SetSubjectID(f.ID).SetAt(time.Now().UTC()).SetSeverity(entevent.SeverityWarning).
		SetSource(entevent.SourcePlatform).SetType("flow-missed").SetArgs(map[string]any{"count": 3, "from": "2026-11-01T00:00:00Z", "to": "2026-11-03T00:00:00Z"}).ExecX(w.sys)
	b := w.SignIn(t, w.Cast.Viewer)
	var got struct {
		Flow struct {
			Events struct {
				Nodes []struct{ Type, Message string }
			}
		}
	}
	b.Get(`query($id: ID!) { flow(id: $id) { events(first: 5) { nodes { type message } } } }`, map[string]any{"id": f.ID}, &got)
	if n := got.Flow.Events.Nodes; len(n) != 1 || n[0].Type != "flow-missed" || !strings.HasPrefix(n[0].Message, "3 logical times from") {
		t.Errorf("%+v", n)
	}
}
