package localcluster

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// lookEvery is how often a program is looked for that somebody else started.
const lookEvery = 2 * time.Second

// slowest is the longest pause between two tries to start the program again.
const slowest = 30 * time.Second

// Supervise starts the program again whenever it ends by itself, until ctx does;
// then it ends the one that it started. One that somebody stopped stays so: it
// is used again when somebody starts it.
func Supervise(ctx context.Context, c Config, k *Cluster) {
	defer func() { k.Stop() }()
	for {
		asked, ok := k.await(ctx, c.Dir)
		if !ok {
			return
		}
		if asked {
			slog.Warn("the local Kubernetes was stopped; start it with: goblinlab local up")
			if k, ok = found(ctx, c.Dir); !ok {
				return
			}
			slog.Info("the local Kubernetes is there again", "server", k.Status.Server)
			continue
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

// await waits for the end of the program: whether somebody asked for it, and
// false when ctx ended before. A program that is asked to end removes its status.
func (k *Cluster) await(ctx context.Context, dir string) (asked, ok bool) {
	if k.done != nil {
		select {
		case <-k.done:
			return k.err == nil, ctx.Err() == nil
		case <-ctx.Done():
			return false, false
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, false
		case <-tick.C:
			if _, ok := running(dir); !ok {
				_, err := os.Stat(filepath.Join(dir, "status.json"))
				return errors.Is(err, fs.ErrNotExist), true
			}
		}
	}
}

// found waits until somebody has started the program; false when ctx ended before.
func found(ctx context.Context, dir string) (*Cluster, bool) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return &Cluster{}, false
		case <-tick.C:
			if st, ok := running(dir); ok {
				return &Cluster{Status: st}, true
			}
		}
	}
}
