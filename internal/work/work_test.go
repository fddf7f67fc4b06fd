package work_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/goblinlab/goblinlab/internal/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, h work.Handler) *work.Queue {
	t.Helper()
	q := work.New()
	q.Register("thing", h)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.Run(ctx, 8)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return q
}

func TestOneAtATimePerObject(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	busy, calls := map[string]bool{}, map[string]int{}
	q := run(t, func(_ context.Context, id string) (time.Duration, error) {
		mu.Lock()
		if busy[id] {
			t.Errorf("%s is handled twice at once", id)
		}
		busy[id] = true
		calls[id]++
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		busy[id] = false
		mu.Unlock()
		return 0, nil
	})
	for i := range 400 {
		q.Kick("thing", fmt.Sprint(i%4))
		if i%40 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	wait(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(calls) == 4 && q.Len() == 0 })
}

func TestWakeUpDuringWorkIsNotLost(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	inside, leave := make(chan struct{}), make(chan struct{})
	q := run(t, func(context.Context, string) (time.Duration, error) {
		if n.Add(1) == 1 {
			close(inside)
			<-leave
		}
		return 0, nil
	})
	q.Kick("thing", "x")
	<-inside
	q.Kick("thing", "x")
	q.Kick("thing", "x")
	close(leave)
	wait(t, func() bool { return n.Load() == 2 })
	time.Sleep(20 * time.Millisecond)
	if got := n.Load(); got != 2 {
		t.Errorf("handled %d times, want once more for two wake-ups during work", got)
	}
}

func TestPanicIsAFailureThatIsTriedAgain(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	q := run(t, func(context.Context, string) (time.Duration, error) {
		if n.Add(1) < 3 {
			panic("ouch")
		}
		return 0, nil
	})
	q.Kick("thing", "x")
	wait(t, func() bool { return n.Load() == 3 })
}

func TestAskedForAgainLater(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	q := run(t, func(context.Context, string) (time.Duration, error) {
		if n.Add(1) == 1 {
			return 10 * time.Millisecond, nil
		}
		return 0, nil
	})
	q.Kick("thing", "x")
	wait(t, func() bool { return n.Load() == 2 })
}

func wait(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came")
		}
	}
}
