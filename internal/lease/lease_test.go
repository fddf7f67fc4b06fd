package lease_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/lease"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	now := time.Now()
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ok, err := lease.Acquire(t.Context(), d.Client, "l", fmt.Sprint(i), now)
			if err != nil {
				t.Error(err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d holders, want 1", won.Load())
	}
}

func TestDeadHolderIsFollowed(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	now := time.Now()
	steps := []struct {
		holder string
		at     time.Time
		want   bool
	}{
		{"a", now, true},
		{"b", now.Add(lease.TTL / 2), false},
		{"a", now.Add(lease.TTL / 2), true},
		{"b", now.Add(lease.TTL + time.Second), false}, // a renewed it
		{"b", now.Add(2 * lease.TTL), true},
		{"a", now.Add(2*lease.TTL + time.Second), false},
	}
	for i, s := range steps {
		if got, err := lease.Acquire(t.Context(), d.Client, "l", s.holder, s.at); err != nil || got != s.want {
			t.Errorf("step %d: %s holds it %v, %v; want %v", i, s.holder, got, err, s.want)
		}
	}
	if l := d.Client.Lease.GetX(testkit.System(t), "l"); l.Fence != 2 {
		t.Errorf("fence %d after two holders, want 2", l.Fence)
	}
}

func TestReleasedLeaseIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	held := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		lease.Hold(ctx, d.Client, "l", "a", func(ctx context.Context) {
			close(held)
			<-ctx.Done()
		})
	}()
	<-held
	stop()
	<-done
	if ok, err := lease.Acquire(t.Context(), d.Client, "l", "b", time.Now()); !ok || err != nil {
		t.Errorf("a released lease is not taken: %v, %v", ok, err)
	}
}
