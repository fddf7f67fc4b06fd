package localcluster

import (
	"context"
	"log/slog"
	"time"
)

// lookEvery is how often a program is looked for that somebody else started.
const lookEvery = 2 * time.Second

// slowest is the longest pause between two tries to start the program again.
const slowest = 30 * time.Second

// Supervise starts the program again whenever it ends, until ctx does; then it
// ends the one that it started.
func Supervise(ctx context.Context, c Config, k *Cluster) {
	defer func() { k.Stop() }()
	for {
		if !k.await(ctx, c.Dir) {
			return
		}
		slog.Error("the local Kubernetes ended by itself; it is started again", "err", k.err)
		for pause := time.Second; ; pause = min(2*pause, slowest) {
			next, err := Start(ctx, c)
			if err == nil {
				k = next
				slog.Info("the local Kubernetes is there again", "server", k.Status.Server)
				break
			}
			if ctx.Err() == nil {
				slog.Error("the local Kubernetes did not start", "err", err, "again_in", pause)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

// await returns true when the program has ended, false when ctx has.
func (k *Cluster) await(ctx context.Context, dir string) bool {
	if k.done != nil {
		select {
		case <-k.done:
			return ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if _, ok := running(dir); !ok {
				return true
			}
		}
	}
}
