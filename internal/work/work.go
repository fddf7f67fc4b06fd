// Package work runs handlers for objects by id: one at a time per object,
// several objects at once, the same wake-up twice is one run, a failed run is
// tried again with back-off. A wake-up carries nothing but the id; what is to
// be done stands in the rows.
package work

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Handler looks at one object. It asks to be called again with after > 0.
type Handler func(ctx context.Context, id string) (after time.Duration, err error)

// Key names an object of a kind.
type Key struct{ Kind, ID string }

// Queue wakes handlers in this process.
type Queue struct {
	q        workqueue.TypedRateLimitingInterface[Key]
	handlers map[string]Handler
}

// New makes a queue; Register handlers before Run.
func New() *Queue {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[Key](50*time.Millisecond, 30*time.Second)
	waiting := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[Key]{Queue: &turns{}})
	later := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[Key]{Queue: waiting})
	q := workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[Key]{DelayingQueue: later})
	return &Queue{q: q, handlers: map[string]Handler{}}
}

// Register sets the handler of a kind.
func (q *Queue) Register(kind string, h Handler) { q.handlers[kind] = h }

// Kick wakes the handler of an object; it returns at once.
func (q *Queue) Kick(kind, id string) { q.q.Add(Key{kind, id}) }

// After wakes it later.
func (q *Queue) After(kind, id string, d time.Duration) { q.q.AddAfter(Key{kind, id}, d) }

// Len is how many wake-ups wait.
func (q *Queue) Len() int { return q.q.Len() }

// Run serves the queue with n workers until ctx ends, and waits for them.
func (q *Queue) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for q.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	q.q.ShutDown()
	wg.Wait()
}

func (q *Queue) next(ctx context.Context) bool {
	k, down := q.q.Get()
	if down {
		return false
	}
	defer q.q.Done(k)
	after, err := q.call(ctx, k)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		slog.Warn("work failed, will be tried again", "kind", k.Kind, "id", k.ID, "tries", q.q.NumRequeues(k)+1, "err", err)
		q.q.AddRateLimited(k)
	default:
		q.q.Forget(k)
		if after > 0 {
			q.q.AddAfter(k, after)
		}
	}
	return true
}

// call bounds the handler's time and turns a panic into an error.
func (q *Queue) call(ctx context.Context, k Key) (after time.Duration, err error) {
	h, ok := q.handlers[k.Kind]
	if !ok {
		return 0, fmt.Errorf("no handler for %q", k.Kind)
	}
	ctx, stop := context.WithTimeout(context.WithValue(ctx, wholeKey{}, ctx), time.Minute)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return h(ctx, k.ID)
}
