package worker

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/internal/outbox"
)

const wakeList = "goblinlab:wake"

// Remote kicks workers in other processes through a Redis list: one of them
// gets each wake-up, at once. A failure costs the time until the outbox sweep.
type Remote struct {
	client redis.UniversalClient
	queue  chan string
}

var _ outbox.Kicker = (*Remote)(nil)

// NewRemote makes a kicker whose Run must be running.
func NewRemote(client redis.UniversalClient) *Remote {
	return &Remote{client: client, queue: make(chan string, 4096)}
}

// Kick implements outbox.Kicker.
func (r *Remote) Kick(kind, id string) {
	select {
	case r.queue <- kind + " " + id:
	default: // the outbox sweep finds the row
	}
}

// Run sends kicks until ctx ends.
func (r *Remote) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case v := <-r.queue:
			send, stop := context.WithTimeout(ctx, 2*time.Second)
			if err := r.client.LPush(send, wakeList, v).Err(); err != nil && ctx.Err() == nil {
				slog.Warn("wake-up not sent; the outbox sweep does it", "wake", v, "err", err)
			}
			stop()
		}
	}
}

// Receive takes other processes' kicks into a queue until ctx ends.
func Receive(ctx context.Context, client redis.UniversalClient, queue outbox.Kicker) {
	for ctx.Err() == nil {
		got, err := client.BRPop(ctx, 2*time.Second, wakeList).Result()
		switch {
		case errors.Is(err, redis.Nil), ctx.Err() != nil:
		case err != nil:
			slog.Warn("wake-ups not received", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		case len(got) == 2:
			if kind, id, ok := strings.Cut(got[1], " "); ok {
				queue.Kick(kind, id)
			}
		}
	}
}
