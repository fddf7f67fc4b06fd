package follow

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/logstore"
)

const (
	topicRun  = "run"
	scanEvery = 5 * time.Second
)

// Crew ships the logs of all attempts.
type Crew struct {
	Source  Source
	Runtime Runtime
	Logs    *logstore.Store
	Broker  event.Broker
	Drain   time.Duration // after an attempt's end; then what was not read counts as lost

	mu      sync.Mutex
	members map[string]chan struct{} // attempts that are shipped, with their alarm clocks
	wg      sync.WaitGroup
}

// Run ships until ctx ends, and returns when everything it started has ended.
// Who stops and starts it again loses nothing and stores nothing twice.
func (c *Crew) Run(ctx context.Context) {
	defer c.wg.Wait()
	changes := c.Broker.Subscribe(ctx, topicRun, "")
	tick := time.NewTicker(scanEvery)
	defer tick.Stop()
	c.scan(ctx, "")
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-changes:
			if m.ID != "" {
				c.scan(ctx, m.ID)
			}
		case <-tick.C:
			c.scan(ctx, "")
		}
	}
}

// scan starts what is not under way, and wakes what a change may concern.
func (c *Crew) scan(ctx context.Context, runID string) {
	ids, err := c.Source.Unfinished(ctx, runID)
	if err != nil {
		if ctx.Err() == nil {
			slog.Warn("unfinished logs not found", "run_id", runID, "err", err)
		}
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.members == nil {
		c.members = map[string]chan struct{}{}
	}
	for _, id := range ids {
		wake, ok := c.members[id]
		if !ok {
			wake = make(chan struct{}, 1)
			c.members[id] = wake
			c.wg.Go(func() { c.ship(ctx, id, wake) })
			continue
		}
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (c *Crew) ship(ctx context.Context, id string, wake <-chan struct{}) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic while a log was shipped", "attempt_id", id, "panic", p, "stack", string(debug.Stack()))
		}
		c.mu.Lock()
		delete(c.members, id)
		c.mu.Unlock()
	}()
	s := &shipment{Crew: c, id: id, wake: wake}
	s.run(ctx)
}
