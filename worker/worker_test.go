package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/lease"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/work"
	"github.com/goblinlab/goblinlab/worker"
)

// ledger is a service that notes what it was asked to look at.
type ledger struct {
	mu    sync.Mutex
	seen  map[string]int
	fail  map[string]int // failures left before it succeeds
	woken chan string
	sweep []string
	queue *work.Queue
}

func newLedger() *ledger {
	return &ledger{seen: map[string]int{}, fail: map[string]int{}, woken: make(chan string, 1000)}
}

func (l *ledger) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	if v := authz.From(ctx); v == nil || !v.System() {
		return 0, errors.New("a handler works as the platform")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[id]++
	if l.fail[id] > 0 {
		l.fail[id]--
		return 0, fmt.Errorf("not this time")
	}
	l.woken <- id
	return 0, nil
}

func (l *ledger) Sweep(context.Context) error {
	for _, id := range l.sweep {
		l.queue.Kick(outbox.Run, id)
	}
	return nil
}

func (l *ledger) wait(t *testing.T, id string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case got := <-l.woken:
			if got == id {
				return
			}
		case <-limit:
			t.Fatalf("%s was never looked at", id)
		}
	}
}

type bundle struct {
	db    *db.DB
	redis *redis.Client
	queue *work.Queue
	led   *ledger
}

// setup runs a worker that ends with the test.
func setup(t *testing.T, prepare func(*bundle)) *bundle {
	t.Helper()
	b := &bundle{db: testkit.DB(t), redis: testkit.Redis(t), queue: work.New(), led: newLedger()}
	b.led.queue = b.queue
	if prepare != nil {
		prepare(b)
	}
	w := worker.New(worker.Deps{
		DB: b.db, Redis: b.redis, Queue: b.queue, Holder: "test",
		Parts: []worker.Part{{Kind: outbox.Run, Reconciler: b.led, Sweeper: b.led}},
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	return b
}

func (b *bundle) row(t *testing.T, id string) {
	t.Helper()
	err := b.db.Tx(t.Context(), func(tx *ent.Tx) error { return outbox.Add(t.Context(), tx, outbox.Run, id) })
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bundle) settled(t *testing.T) {
	t.Helper()
	ctx := testkit.System(t)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		n := b.db.Client.Outbox.Query().CountX(ctx)
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d rows are left in the outbox", n)
		}
	}
}

func TestKickIsServedAndSettled(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.row(t, "run-kicked")
	b.queue.Kick(outbox.Run, "run-kicked")
	b.led.wait(t, "run-kicked")
	b.settled(t)
}

func TestRowIsServedWhenItsKickIsLost(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.row(t, "run-lost")
	b.led.wait(t, "run-lost")
	b.settled(t)
}

func TestRowIsServedWhenRedisIsEmptied(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for i := range 20 {
		b.row(t, fmt.Sprintf("run-%d", i))
		if i%5 == 0 {
			if err := b.redis.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.settled(t)
}

func TestFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, func(b *bundle) { b.led.fail["run-moody"] = 3 })
	b.row(t, "run-moody")
	b.queue.Kick(outbox.Run, "run-moody")
	b.led.wait(t, "run-moody")
	b.settled(t)
	if n := b.led.seen["run-moody"]; n < 4 {
		t.Errorf("looked at %d times, want three failures and a success", n)
	}
}

func TestOtherProcessWakesThisOne(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	r := worker.NewRemote(b.redis)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go r.Run(ctx)
	r.Kick(outbox.Run, "run-remote")
	b.led.wait(t, "run-remote")
}

func TestSweepFindsWhatNothingAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t, func(b *bundle) { b.led.sweep = []string{"run-forgotten"} })
	b.led.wait(t, "run-forgotten")
}

// A leader that was killed holds its lease for a while: who starts in its place
// does not wait for that.
func TestWhoStartsStandsInForADeadLeader(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	b := setup(t, func(b *bundle) {
		if ok, err := lease.Acquire(t.Context(), b.db.Client, "worker", "dead", time.Now()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.led.sweep = []string{"run-left"}
	})
	b.led.wait(t, "run-left")
	if holder, until, err := lease.Holder(t.Context(), b.db.Client, "worker"); holder != "dead" || time.Now().After(until) || err != nil {
		t.Errorf("it waited for the lease, of %q until %s: %s after the start, %v", holder, until, time.Since(begin), err)
	}
}
