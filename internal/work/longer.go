package work

import (
	"context"
	"time"
)

type wholeKey struct{}

// Longer gives a handler another time than the minute that all have: for the few
// that copy something. Like the other it ends when the queue does. A handler that
// takes it holds one of the queue's workers, so it bounds how many do.
func Longer(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	whole, ok := ctx.Value(wholeKey{}).(context.Context)
	if !ok { // not called by a queue: its caller's time counts
		return context.WithTimeout(ctx, d)
	}
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
	stop := context.AfterFunc(whole, cancel)
	return out, func() {
		stop()
		cancel()
	}
}
