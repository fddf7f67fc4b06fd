//go:build cluster

package flow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gocloud.dev/blob"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	runservice "github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
)

// lab runs everything that flows need in this process, against a real cluster.
type lab struct {
	t      testing.TB
	kube   *kube.Client
	db     *db.DB
	bucket *blob.Bucket
	broker *event.Local
	cast   testkit.Cast
	image  *ent.Image
	ctx    context.Context // of the platform
	member context.Context
	runs   *runservice.Service
	flows  *flow.Service
	logs   *logstore.Store
	vols   *volume.Service
	files  *courier.Service
	stop   func()
}

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{t: t, kube: testkit.Cluster(t), db: testkit.DB(t), broker: event.NewLocal(), ctx: testkit.System(t)}
	l.bucket, _ = logtest.Bucket(t)
	l.cast = testkit.NewCast(t, l.db)
	l.member = testkit.As(t, l.db, l.cast.Member)
	l.image = logtest.Image(t, l.db, testkit.ImageMini)
	t.Cleanup(func() {
		_ = l.kube.CoreV1().Namespaces().Delete(context.Background(), l.cast.Team.Namespace, metav1.DeleteOptions{})
	})
	l.start()
	t.Cleanup(func() { l.stop() })
	eventually(t, time.Minute, "the team's namespace", func() error {
		_, err := l.kube.CoreV1().ServiceAccounts(l.cast.Team.Namespace).Get(l.ctx, manifest.ServiceAccount, metav1.GetOptions{})
		return err
	})
	return l
}

// start is what a process of the platform does; stop ends it, wherever it is.
func (l *lab) start() {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.ctx)
	q := work.New()
	changes := make(chan kube.Change, 10_000)
	cache, err := kube.NewCache(l.kube, func(c kube.Change) { changes <- c })
	if err != nil {
		l.t.Fatal(err)
	}
	cfg := config.Default()
	secrets := secrettest.New(l.t, l.db, l.broker, q)
	accounts := account.New(account.Deps{DB: l.db, Broker: l.broker, Config: cfg})
	l.logs = logstore.New(l.db, l.bucket, l.broker, cfg.Limits.LogBytes)
	cl := cluster.New(cluster.Deps{DB: l.db, Kube: l.kube, Cache: cache, Config: cfg})
	teams := team.New(team.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	volumes := volume.New(volume.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	l.runs = runservice.New(runservice.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg, Logs: l.logs,
		Secrets: secrets, Tokens: accounts, Images: image.New(image.Deps{DB: l.db}), Volumes: volumes, Cluster: cl,
		Tuning: runservice.Tuning{Backoff: time.Second, Grace: 4 * time.Second}})
	executors, err := builtin.New(builtin.Parts{Flows: flow.States{Client: l.db.Client}})
	if err != nil {
		l.t.Fatal(err)
	}
	l.vols = volumes
	l.files = courier.New(courier.Deps{DB: l.db, Volumes: volumes, Kube: l.kube, Cache: cache, Reacher: &kube.Reacher{Client: l.kube},
		Image: func() string { return testkit.ImageFiles }, Wait: time.Minute})
	l.flows = flow.New(flow.Deps{DB: l.db, Broker: l.broker, Kicker: q, Config: cfg, Runs: l.runs, Viewers: accounts, Executors: executors,
		Code: agents{volumes, l.files}})
	driver, freezer := flow.Driver{Service: l.flows}, flow.Freezer{Service: l.flows}
	q.Register(outbox.Team, teams.Reconcile)
	q.Register(outbox.Volume, volumes.Reconcile)
	q.Register(outbox.Run, l.runs.Reconcile)
	q.Register(outbox.Flow, l.flows.Reconcile)
	q.Register(outbox.FlowRun, driver.Reconcile)
	q.Register(outbox.CodeSnapshot, freezer.Reconcile)
	q.Register(outbox.FlowAfter, flow.Upstream{Service: l.flows}.Reconcile)
	var wg sync.WaitGroup
	wg.Go(func() { cache.Run(ctx) })
	if err := cache.Wait(ctx); err != nil {
		l.t.Fatal(err)
	}
	if err := cl.EnsureObjects(ctx); err != nil {
		l.t.Fatal(err)
	}
	wg.Go(func() { q.Run(ctx, 8) })
	wg.Go(func() { l.runs.ShipLogs(ctx) })
	wg.Go(func() { l.flows.RunScheduler(ctx) })
	wg.Go(func() { l.watch(ctx, q, changes) })
	q.Kick(outbox.Team, l.cast.Team.ID)
	if err := l.runs.Sweep(ctx); err != nil {
		l.t.Fatal(err)
	}
	if err := errors.Join(driver.Sweep(ctx), freezer.Sweep(ctx)); err != nil {
		l.t.Fatal(err)
	}
	l.stop = func() {
		cancel()
		wg.Wait()
	}
}

func (l *lab) watch(ctx context.Context, q *work.Queue, changes <-chan kube.Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			if c.Event != nil {
				if err := l.runs.Observe(ctx, c.Event); err != nil && ctx.Err() == nil {
					l.t.Error(err)
				}
			} else if id, ok := l.runs.OnChange(c); ok {
				q.Kick(outbox.Run, id)
			}
		}
	}
}

func eventually(t testing.TB, within time.Duration, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s: %v", what, within, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (l *lab) create(t testing.TB, tasks string) *ent.Flow {
	t.Helper()
	yaml := "apiVersion: goblinlab.io/v1\nkind: Flow\nname: " + strings.ToLower(t.Name()) + "\nspec:\n" + strings.ReplaceAll(tasks, "IMAGE", l.image.ID)
	f, err := l.flows.Create(l.member, flow.CreateInput{TeamID: l.cast.Team.ID, Definition: flow.Definition{YAML: yaml}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (l *lab) over(t testing.TB, id string, within time.Duration) *ent.FlowRun {
	t.Helper()
	var r *ent.FlowRun
	eventually(t, within, "the end of the flow run", func() (err error) {
		if r, err = l.db.Client.FlowRun.Query().Where(flowrun.ID(id)).WithSteps(func(q *ent.StepQuery) { q.Order(ent.Asc(step.FieldPosition)) }).Only(l.ctx); err != nil {
			return err
		}
		if !flow.Over(r.State) {
			return fmt.Errorf("it is %s: %v", r.State, shown(r))
		}
		return nil
	})
	return r
}

func shown(r *ent.FlowRun) (out []string) {
	for _, s := range r.Edges.Steps {
		out = append(out, fmt.Sprintf("%s %s %+v", s.Name, s.State, s.Reason))
	}
	return out
}

// attempts are those of a step's runs, with their logs.
func (l *lab) attempts(t testing.TB, flowRunID, name string) (rows []*ent.Attempt, logs []string) {
	t.Helper()
	rows, err := l.db.Client.Attempt.Query().Where(attempt.HasRunWith(run.FlowRunID(flowRunID), run.Step(name))).Order(ent.Asc(attempt.FieldNumber)).All(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range rows {
		eventually(t, time.Minute, "the log is complete", func() error {
			w, err := l.logs.Window(l.member, a.ID, logstore.Query{Last: 1})
			if err == nil && !w.Complete {
				err = fmt.Errorf("not yet")
			}
			return err
		})
		var b bytes.Buffer
		if err := l.logs.WriteTo(l.member, a.ID, &b, logstore.Form{}); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, b.String())
	}
	return rows, logs
}

const small = `, resources: {cpu: 100m, memory: 64Mi}}`

// A flow retries, hands outputs on and keeps every log (P77, P78).
func TestAFlowRunsInTheCluster(t *testing.T) {
	l := newLab(t)
	f := l.create(t, `  parameters: [{name: who, default: world}]
  tasks:
  - name: extract
    executor: container
    retry: {count: 1, wait: 1s}
    with: {imageId: IMAGE, command: [sh, -c, 'test $GOBLINLAB_ATTEMPT = 2 || { echo first try; exit 3; }; echo "{\"rows\": 7}" > $GOBLINLAB_OUTPUTS; echo done']`+small+`
  - name: load
    executor: container
    needs: [extract]
    with: {imageId: IMAGE, command: [sh, -c, 'echo hello ${param.who} ${tasks.extract.outputs.rows} $$GOBLINLAB_FLOW_ID']`+small+`
  - name: alarm
    executor: container
    needs: [load]
    trigger: any-failed
    with: {imageId: IMAGE, command: [echo, never]`+small+`
`)
	r, err := l.flows.Run(l.member, flow.RunInput{FlowID: f.ID, Parameters: map[string]string{"who": "you"}})
	if err != nil {
		t.Fatal(err)
	}
	done := l.over(t, r.ID, 2*time.Minute)
	if done.State != flowrun.StateSucceeded {
		t.Fatalf("it is %s: %v", done.State, shown(done))
	}
	rows, logs := l.attempts(t, r.ID, "extract")
	if len(rows) != 2 || !strings.Contains(logs[0], "first try") || !strings.Contains(logs[1], "done") {
		t.Errorf("extract has %d attempts: %q", len(rows), logs)
	}
	if _, logs = l.attempts(t, r.ID, "load"); len(logs) != 1 || !strings.Contains(logs[0], "hello you 7 "+f.ID) {
		t.Errorf("load says %q", logs)
	}
	if s := done.Edges.Steps[2]; s.State != step.StateSkipped {
		t.Errorf("the alarm is %s", s.State)
	}
}

// P69: the platform may end at any moment. Nothing runs twice, nothing is lost.
func TestP69AFlowSurvivesEnds(t *testing.T) {
	l := newLab(t)
	f := l.create(t, `  concurrency: allow
  tasks:
  - {name: a, executor: container, with: {imageId: IMAGE, command: [sh, -c, 'echo a; sleep 2']`+small+`}
  - {name: b, executor: container, needs: [a], with: {imageId: IMAGE, command: [sh, -c, 'echo b; sleep 1']`+small+`}
  - {name: c, executor: container, needs: [a], with: {imageId: IMAGE, command: [sh, -c, 'echo c; sleep 2']`+small+`}
  - {name: d, executor: container, needs: [b, c], with: {imageId: IMAGE, command: [echo, d]`+small+`}
`)
	r, err := l.flows.Run(l.member, flow.RunInput{FlowID: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		time.Sleep(time.Duration(300+i*450) * time.Millisecond)
		l.stop()
		l.start()
	}
	done := l.over(t, r.ID, 2*time.Minute)
	if done.State != flowrun.StateSucceeded {
		t.Fatalf("it is %s: %v", done.State, shown(done))
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		rows, logs := l.attempts(t, r.ID, name)
		if len(rows) != 1 || strings.Count(logs[0], name+"\n") != 1 {
			t.Errorf("%s has %d attempts: %q", name, len(rows), logs)
		}
	}
}

// A schedule fires by itself, each logical time once.
func TestAScheduleFiresByItself(t *testing.T) {
	l := newLab(t)
	f := l.create(t, `  concurrency: allow
  schedule: {every: 2s}
  tasks:
  - {name: tick, executor: container, with: {imageId: IMAGE, command: [echo, '${HHmmss}']`+small+`}
`)
	eventually(t, time.Minute, "three fires", func() error {
		n, err := l.db.Client.FlowRun.Query().Where(flowrun.FlowID(f.ID)).Count(l.ctx)
		if err == nil && n < 3 {
			err = fmt.Errorf("%d so far", n)
		}
		return err
	})
	if _, err := l.flows.Pause(l.member, f.ID); err != nil {
		t.Fatal(err)
	}
	rows, err := l.db.Client.FlowRun.Query().Where(flowrun.FlowID(f.ID)).Order(ent.Asc(flowrun.FieldLogicalTime)).All(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if late := r.CreatedAt.Sub(r.LogicalTime); late < 0 || late > time.Minute {
			t.Errorf("%s fired %s late", r.LogicalTime, late)
		}
		if i > 0 && r.LogicalTime.Sub(rows[i-1].LogicalTime) != 2*time.Second {
			t.Errorf("%s follows %s", r.LogicalTime, rows[i-1].LogicalTime)
		}
		if done := l.over(t, r.ID, 2*time.Minute); done.State != flowrun.StateSucceeded {
			t.Errorf("%s is %s: %v", r.LogicalTime, done.State, shown(done))
		}
	}
}
