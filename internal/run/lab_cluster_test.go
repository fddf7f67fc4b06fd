//go:build cluster

package run_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gocloud.dev/blob"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
)

// lab runs everything that runs need in this process, against a real cluster.
type lab struct {
	t       testing.TB
	kube    *kube.Client
	db      *db.DB
	bucket  *blob.Bucket
	broker  *event.Local
	cast    testkit.Cast
	image   *ent.Image
	ctx     context.Context // of the platform
	member  context.Context
	images  *image.Service
	secrets *secret.Service
	runs    *run.Service
	logs    *logstore.Store
	stop    func()
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
	l.images = image.New(image.Deps{DB: l.db})
	l.secrets = secrettest.New(t, l.db, l.broker, &testkit.Kicks{})
	l.start()
	t.Cleanup(func() { l.stop() })
	eventually(t, time.Minute, "the team's namespace", func() error {
		_, err := l.kube.CoreV1().ServiceAccounts(l.cast.Team.Namespace).Get(l.ctx, manifest.ServiceAccount, metav1.GetOptions{})
		return err
	})
	return l
}

// start is what a process of the platform does; stop ends it as SIGTERM would.
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
	l.logs = logstore.New(l.db, l.bucket, l.broker, cfg.Limits.LogBytes)
	cl := cluster.New(cluster.Deps{DB: l.db, Kube: l.kube, Cache: cache, Config: cfg})
	teams := team.New(team.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	volumes := volume.New(volume.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	l.runs = run.New(run.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg, Logs: l.logs,
		Secrets: l.secrets, Tokens: account.New(account.Deps{DB: l.db, Broker: l.broker, Config: cfg}),
		Images: l.images, Volumes: volumes, Cluster: cl, Tuning: run.Tuning{Backoff: time.Second, Grace: 4 * time.Second}})
	q.Register(outbox.Team, teams.Reconcile)
	q.Register(outbox.Volume, volumes.Reconcile)
	q.Register(outbox.Run, l.runs.Reconcile)
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
	wg.Go(func() {
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
	})
	q.Kick(outbox.Team, l.cast.Team.ID)
	if err := l.runs.Sweep(ctx); err != nil {
		l.t.Fatal(err)
	}
	l.stop = func() {
		cancel()
		wg.Wait()
	}
}

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

func (l *lab) input(command []string) run.Input {
	return run.Input{TeamID: l.cast.Team.ID, Name: "train", ImageID: l.image.ID, Command: command,
		Resources: run.Resources{CPU: "100m", Memory: "64Mi"}}
}

func (l *lab) run(t testing.TB, in run.Input) *ent.Run {
	t.Helper()
	r, err := l.runs.RunNow(l.member, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *lab) get(t testing.TB, id string) *ent.Run {
	t.Helper()
	r, err := l.db.Client.Run.Query().Where(entrun.ID(id)).WithAttempts(func(q *ent.AttemptQuery) { q.Order(ent.Asc(attempt.FieldNumber)) }).Only(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *lab) until(t testing.TB, id string, within time.Duration, what string, ok func(*ent.Run) bool) *ent.Run {
	t.Helper()
	var r *ent.Run
	eventually(t, within, what, func() error {
		if r = l.get(t, id); ok(r) {
			return nil
		}
		return fmt.Errorf("%s", show(r))
	})
	return r
}

func show(r *ent.Run) string {
	s := fmt.Sprintf("run %s %+v", r.State, r.Reason)
	for _, a := range r.Edges.Attempts {
		s += fmt.Sprintf("; attempt %d %s %+v log %v", a.Number, a.State, a.Reason, a.LogComplete)
	}
	return s
}

func running(r *ent.Run) bool { return r.State == entrun.StateRunning }
func over(r *ent.Run) bool    { return run.Over(r.State) }

// logged is an attempt's whole log, once it is complete.
func (l *lab) logged(t testing.TB, a *ent.Attempt) string {
	t.Helper()
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
	return b.String()
}

// wrote waits until a pod's program has written a text: the node has it, whether or not the platform has.
func (l *lab) wrote(t testing.TB, p corev1.Pod, text string) {
	t.Helper()
	eventually(t, 30*time.Second, "the program says "+text, func() error {
		b, err := l.kube.CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{}).DoRaw(l.ctx)
		if err == nil && !bytes.Contains(b, []byte(text)) {
			err = fmt.Errorf("it said %q", b)
		}
		return err
	})
}

// gone waits until nothing of a run is left in the cluster.
func (l *lab) gone(t testing.TB, id string) {
	t.Helper()
	opts := metav1.ListOptions{LabelSelector: manifest.LabelRunID + "=" + id}
	eventually(t, time.Minute, "nothing of the run is left", func() error {
		jobs, err := l.kube.BatchV1().Jobs(l.cast.Team.Namespace).List(l.ctx, opts)
		if err != nil {
			return err
		}
		if p := l.pods(t, id); len(jobs.Items) > 0 || len(p) > 0 {
			return fmt.Errorf("%d jobs and %d pods", len(jobs.Items), len(p))
		}
		return nil
	})
}

func (l *lab) pods(t testing.TB, id string) []corev1.Pod {
	t.Helper()
	p, err := l.kube.CoreV1().Pods(l.cast.Team.Namespace).List(l.ctx, metav1.ListOptions{LabelSelector: manifest.LabelRunID + "=" + id})
	if err != nil {
		t.Fatal(err)
	}
	return p.Items
}

func (l *lab) events(t testing.TB, id string) []string {
	t.Helper()
	rows, err := l.db.Client.Event.Query().All(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		if r.SubjectID == id {
			out = append(out, r.Type)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func eventually(t testing.TB, within time.Duration, what string, ok func() error) {
	t.Helper()
	end := time.Now().Add(within)
	for {
		err := ok()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not after %s: %v", what, within, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func code(r *ent.Run) string {
	if r.Reason == nil {
		return ""
	}
	return r.Reason.Code
}

func lacks(t testing.TB, log string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(log, w) {
			t.Errorf("the log lacks %q:\n%.3000s", w, log)
		}
	}
}
