package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
)

const sweepEvery = 30 * time.Second

// sweepLoop looks at every part when this process begins to lead, and then
// again and again: whatever a crash or a lost wake-up left is found here.
func (w *Worker) sweepLoop(ctx context.Context) {
	if w.Cache != nil {
		if err := w.Cache.Wait(ctx); err != nil {
			return
		}
	}
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		w.sweep(authz.AsSystem(ctx))
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

func (w *Worker) sweep(ctx context.Context) {
	for _, p := range w.Parts {
		if p.Sweeper == nil {
			continue
		}
		if err := p.Sweeper.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("sweep failed", "kind", p.Kind, "err", err)
		}
	}
}
