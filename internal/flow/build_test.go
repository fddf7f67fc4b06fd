package flow_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/ent/transition"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	runservice "github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// clock is one that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	c.mu.Unlock()
}

type bundle struct {
	url   string // of the database
	db    *db.DB
	cast  testkit.Cast
	kicks *testkit.Kicks
	image *ent.Image
	runs  *runservice.Service
	flows *flow.Service
	clock *clock
	deps  flow.Deps
	sys   context.Context
	own   context.Context // the member's
}

// setup begins at half past one in the night of 29 November 2026, in UTC.
func setup(t testing.TB) bundle {
	t.Helper()
	b := bundle{url: testkit.DatabaseURL(t), kicks: &testkit.Kicks{}, sys: testkit.System(t), clock: &clock{at: time.Date(2026, 11, 29, 1, 30, 0, 0, time.UTC)}}
	var err error
	if b.db, err = db.Open(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	if _, err := b.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.cast = testkit.NewCast(t, b.db)
	b.image = logtest.Image(t, b.db, "img:1")
	broker := event.NewLocal()
	bucket, _ := logtest.Bucket(t)
	c := config.Default()
	volumes := volume.New(volume.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: c})
	b.runs = runservice.New(runservice.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: c,
		Logs: logstore.New(b.db, bucket, broker, 0), Volumes: volumes, Secrets: secrettest.New(t, b.db, broker, b.kicks)})
	executors, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	b.deps = flow.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: c, Runs: b.runs,
		Viewers: account.New(account.Deps{DB: b.db, Broker: broker, Config: c}), Executors: executors, Now: b.clock.now}
	b.flows = flow.New(b.deps)
	b.own = testkit.As(t, b.db, b.cast.Member)
	return b
}

// document is a flow of which extract comes first, then left and right, then load.
func (b bundle) document(head, extract string) string {
	container := `{imageId: ` + b.image.ID + `, command: [sh, -c, "echo ${yyyyMMdd}"], resources: {cpu: "1", memory: 1Gi}}`
	task := func(name, more string) string {
		return "  - name: " + name + "\n    executor: container\n    with: " + container + "\n" + more
	}
	return "apiVersion: goblinlab.io/v1\nkind: Flow\nname: nightly\nspec:\n" + head + "  tasks:\n" +
		task("extract", extract) + task("left", "    needs: [extract]\n") + task("right", "    needs: [extract]\n") + task("load", "    needs: [left, right]\n")
}

func (b bundle) create(t *testing.T, yaml string) *ent.Flow {
	t.Helper()
	f, err := b.flows.Create(b.own, flow.CreateInput{TeamID: b.cast.Team.ID, Definition: flow.Definition{YAML: yaml}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// drive looks at a flow run until nothing is left to do.
func (b bundle) drive(t *testing.T, id string) *ent.FlowRun {
	t.Helper()
	if _, err := (flow.Driver{Service: b.flows}).Reconcile(b.sys, id); err != nil {
		t.Fatal(err)
	}
	return b.flowRun(t, id)
}

func (b bundle) flowRun(t *testing.T, id string) *ent.FlowRun {
	t.Helper()
	r, err := b.db.Client.FlowRun.Get(b.sys, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b bundle) fire(t *testing.T, id string) []*ent.FlowRun {
	t.Helper()
	if _, _, err := b.flows.Fire(b.sys, id); err != nil {
		t.Fatal(err)
	}
	return b.runsOf(t, id)
}

// runsOf are the runs of a flow, oldest first.
func (b bundle) runsOf(t *testing.T, id string) []*ent.FlowRun {
	t.Helper()
	rows, err := b.db.Client.FlowRun.Query().Where(flowrun.FlowID(id)).Order(ent.Asc(flowrun.FieldLogicalTime)).All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// states are the steps of a flow run by name.
func (b bundle) states(t *testing.T, id string) map[string]string {
	t.Helper()
	rows, err := b.db.Client.Step.Query().Where(step.FlowRunID(id)).All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.Name] = string(r.State)
	}
	return out
}

// end has the run of a step end, as its own machine would write it.
func (b bundle) end(t *testing.T, flowRunID, name string, state run.State, outputs string) {
	t.Helper()
	st, err := b.db.Client.Step.Query().Where(step.FlowRunID(flowRunID), step.Name(name)).Only(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	at := b.clock.now()
	err = b.db.Tx(b.sys, func(tx *ent.Tx) error {
		if err := tx.Run.UpdateOneID(st.RunID).SetState(state).SetEndedAt(at).Exec(b.sys); err != nil {
			return err
		}
		return tx.Attempt.Update().Where(attempt.RunID(st.RunID), attempt.Number(1)).
			SetState(attempt.State(map[bool]string{true: "succeeded", false: "failed"}[state == run.StateSucceeded])).SetOutputs(outputs).Exec(b.sys)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// replay holds the transitions of a flow run against its rows: they tell
// everything that happened.
func (b bundle) replay(t *testing.T, id string) {
	t.Helper()
	rows, err := b.db.Client.Transition.Query().Where(transition.FlowRunID(id)).Order(ent.Asc(transition.FieldAt, transition.FieldID)).All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]string{}
	for _, r := range rows {
		if r.Cause == "" || r.At.IsZero() {
			t.Errorf("a transition without cause or time: %+v", r)
		}
		if was, ok := now[r.Step]; ok && was != r.Was {
			t.Errorf("%s %q went from %s, but was %s", id, r.Step, r.Was, was)
		}
		now[r.Step] = r.Becomes
	}
	want := b.states(t, id)
	want[""] = string(b.flowRun(t, id).State)
	for name, state := range want {
		if now[name] != state && !(now[name] == "" && state == "waiting") {
			t.Errorf("%s %q is %s, the transitions say %q", id, name, state, now[name])
		}
	}
}
