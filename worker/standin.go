package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lease"
)

const standInLook = 500 * time.Millisecond

// standIn does what the leader does at the cluster's changes and at its first
// sweep, from this process's start until it leads or has seen another process
// renew the lease. A leader that was killed holds the lease for a while yet, and
// whoever starts in its place would leave everything as it is for so long. Two
// that act at once do everything once: handlers are idempotent.
func (w *Worker) standIn(ctx context.Context) {
	defer w.standing.Store(false)
	if w.Cache != nil {
		if err := w.Cache.Wait(ctx); err != nil {
			return
		}
	}
	if !w.Leader() { // else it sweeps anyway
		w.sweep(authz.AsSystem(ctx))
	}
	var first time.Time
	for ctx.Err() == nil && !w.Leader() {
		holder, until, err := lease.Holder(ctx, w.DB.Client, leaseName)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				slog.Warn("it is not known who leads", "err", err)
			}
		case first.IsZero():
			first = until
		case holder != w.Deps.Holder && until.After(first):
			return // somebody is alive
		}
		select {
		case <-ctx.Done():
		case <-time.After(standInLook):
		}
	}
}
