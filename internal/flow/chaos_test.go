package flow_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/work"
)

// lossy is a kicker that loses a part of its kicks, as a queue that is flushed does.
type lossy struct{ q *work.Queue }

// Kick implements outbox.Kicker.
func (l lossy) Kick(kind, id string) {
	if rand.IntN(10) > 0 {
		l.q.Kick(kind, id)
	}
}

// member is one of the processes that fire and drive, until it is killed.
func (b bundle) member(ctx context.Context, wg *sync.WaitGroup) {
	q := work.New()
	d := b.deps
	d.Kicker = lossy{q}
	s := flow.New(d)
	driver := flow.Driver{Service: s}
	q.Register(outbox.Flow, s.Reconcile)
	q.Register(outbox.FlowRun, driver.Reconcile)
	q.Register(outbox.FlowAfter, flow.Upstream{Service: s}.Reconcile)
	wg.Go(func() { q.Run(ctx, 4) })
	wg.Go(func() { s.RunScheduler(ctx) })
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = driver.Sweep(ctx) // the next one finds what a killed one left
			select {
			case <-ctx.Done():
			case <-time.After(3 * time.Second):
			}
		}
	})
}

// cluster ends the runs that were made after a moment, as pods do, one of five
// with a failure.
func (b bundle) cluster(ctx context.Context) {
	for ctx.Err() == nil {
		rows, err := b.db.Client.Run.Query().Where(run.StateEQ(run.StatePending)).All(b.sys)
		for _, r := range rows {
			state := run.StateSucceeded
			if rand.IntN(5) == 0 {
				state = run.StateFailed
			}
			err = b.db.Tx(b.sys, func(tx *ent.Tx) error {
				return tx.Run.UpdateOneID(r.ID).SetState(state).SetEndedAt(b.clock.now()).Exec(b.sys)
			})
		}
		if err != nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// P51, P57, P70, P104: three processes fire and drive; each is killed at random
// again and again, and wake-ups are lost. GOBLINLAB_TEST_CHAOS=500 takes so many
// schedules instead of a few.
func TestChaosFiresOnceAndLosesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	flows, minutes := 10, 6
	if n, err := strconv.Atoi(os.Getenv("GOBLINLAB_TEST_CHAOS")); err == nil {
		flows, minutes = n, 15
	}
	began := b.clock.now().Truncate(time.Minute)
	for i := range flows {
		yaml := fmt.Sprintf("apiVersion: goblinlab.io/v1\nkind: Flow\nname: f%d\nspec:\n  concurrency: allow\n  schedule: {cron: \"* * * * *\", misfire: {policy: all, limit: 100}}\n"+
			"  tasks:\n  - {name: a, executor: container, with: {imageId: %[2]s, command: [a], resources: {cpu: 10m, memory: 16Mi}}}\n"+
			"  - {name: b, executor: container, needs: [a], with: {imageId: %[2]s, command: [b], resources: {cpu: 10m, memory: 16Mi}}}\n", i, b.image.ID)
		b.create(t, yaml)
	}
	ctx, stop := context.WithCancel(b.sys)
	var wg sync.WaitGroup
	wg.Go(func() { b.cluster(ctx) })
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				life, kill := context.WithCancel(ctx)
				var own sync.WaitGroup
				b.member(life, &own)
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(500+rand.IntN(3000)) * time.Millisecond):
				}
				kill()
				own.Wait()
			}
		})
	}
	for range minutes * 60 { // a minute takes a second
		b.clock.move(time.Second)
		time.Sleep(time.Second / 60)
	}
	deadline := time.Now().Add(time.Duration(180+flows*minutes/4) * time.Second)
	for {
		n, err := b.db.Client.FlowRun.Query().Where(flowrun.StateIn(flowrun.StateQueued, flowrun.StateRunning, flowrun.StateStopping)).Count(b.sys)
		all, err2 := b.db.Client.FlowRun.Query().Count(b.sys)
		if err == nil && err2 == nil && n == 0 && all == flows*minutes {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("%d of %d flow runs, %d not over: %v %v", all, flows*minutes, n, err, err2)
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	stop()
	wg.Wait()
	b.judge(t, flows, minutes, began)
}

// judge holds what is there against what should be.
func (b bundle) judge(t *testing.T, flows, minutes int, began time.Time) {
	t.Helper()
	rows, err := b.db.Client.FlowRun.Query().WithSteps().All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range rows {
		seen[r.FlowID+r.LogicalTime.UTC().Format(time.RFC3339)]++
		for _, s := range r.Edges.Steps {
			n, err := b.db.Client.Run.Query().Where(run.FlowRunID(r.ID), run.Step(s.Name)).Count(b.sys)
			want := 1
			if s.State == "upstream_failed" {
				want = 0
			}
			if err != nil || n != want {
				t.Errorf("%s of %s is %s and has %d runs, %v", s.Name, r.ID, s.State, n, err)
			}
		}
	}
	if len(seen) != flows*minutes {
		t.Errorf("%d times fired, not %d, since %s", len(seen), flows*minutes, began)
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("%s fired %d times", what, n)
		}
	}
	for _, r := range rows[:min(10, len(rows))] {
		b.replay(t, r.ID)
	}
}
