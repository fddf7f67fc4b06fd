package flow_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/work"
)

// BenchmarkDue fires schedules that are due together and launches their steps,
// without a cluster: what is measured is the database's share of it.
func BenchmarkDue(b *testing.B) {
	for _, quota := range []spec.Quota{{}, {CPUMilli: 1 << 40, MemoryBytes: 1 << 60, Pods: 1 << 40}} {
		for _, n := range []int{100, 400} {
			b.Run(fmt.Sprintf("%d,quota=%v", n, quota.Pods > 0), func(b *testing.B) {
				var took time.Duration
				for range b.N {
					took += due(b, n, quota)
				}
				b.ReportMetric(float64(n*b.N)/took.Seconds(), "launches/s")
			})
		}
	}
}

// due is how long n flows of one team take from their common time to the last
// one's run.
func due(tb testing.TB, n int, quota spec.Quota) time.Duration {
	s := setup(tb)
	s.db.Client.Team.UpdateOneID(s.cast.Team.ID).SetQuota(quota).ExecX(s.sys)
	ids := make([]string, n)
	for i := range ids {
		f, err := s.flows.Create(s.own, flow.CreateInput{TeamID: s.cast.Team.ID, Definition: flow.Definition{YAML: fmt.Sprintf(`
apiVersion: goblinlab.io/v1
kind: Flow
name: due-%d
spec:
  schedule: {cron: "0 2 * * *"}
  tasks:
    - {name: one, executor: container, with: {imageId: %s, command: ["true"], resources: {cpu: 100m, memory: 64Mi}}}
`, i, s.image.ID)}})
		if err != nil {
			tb.Fatal(err)
		}
		ids[i] = f.ID
	}
	s.clock.move(31 * time.Minute)
	q := work.New()
	d := s.deps
	d.Kicker = q
	flows := flow.New(d)
	q.Register(outbox.Flow, flows.Reconcile)
	q.Register(outbox.FlowRun, flow.Driver{Service: flows}.Reconcile)
	q.Register(outbox.FlowAfter, flow.Upstream{Service: flows}.Reconcile)
	ctx, stop := context.WithCancel(s.sys)
	ended := make(chan struct{})
	go func() { q.Run(ctx, 16); close(ended) }()
	fired := make(chan struct{})
	begin := time.Now()
	go func() { flows.RunScheduler(ctx); close(fired) }()
	for have := 0; have < n; time.Sleep(2 * time.Millisecond) {
		have = s.db.Client.Run.Query().Where(run.FlowRunIDNEQ("")).CountX(s.sys)
	}
	took := time.Since(begin)
	stop()
	<-ended
	<-fired
	return took
}
