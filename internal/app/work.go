package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/retention"
	"github.com/goblinlab/goblinlab/worker"
)

func (a *App) work(ctx context.Context) error {
	w := worker.New(worker.Deps{
		DB: a.DB, Redis: a.Redis, Queue: a.Queue, Cache: a.Cache, Changes: a.changes, Holder: a.holder,
		Parts: []worker.Part{
			{Kind: outbox.Team, Reconciler: a.Teams, Watcher: a.Teams, Sweeper: a.Teams},
			{Kind: outbox.Reservation, Reconciler: a.Admission, Sweeper: a.Admission},
			{Kind: outbox.Volume, Reconciler: a.Volumes, Watcher: a.Volumes, Sweeper: a.Volumes},
			{Kind: outbox.Share, Reconciler: a.Shares, Watcher: a.Shares, Sweeper: a.Shares},
			{Kind: outbox.PlatformVolume, Reconciler: a.PlatformVolumes, Watcher: a.PlatformVolumes, Sweeper: a.PlatformVolumes},
			{Kind: outbox.Instance, Reconciler: a.Instances, Watcher: a.Instances, Sweeper: a.Instances},
			{Kind: outbox.Run, Reconciler: a.Runs, Watcher: a.Runs, Sweeper: a.Runs},
			{Kind: outbox.Flow, Reconciler: a.Flows},
			{Kind: outbox.FlowRun, Reconciler: flow.Driver{Service: a.Flows}, Sweeper: flow.Driver{Service: a.Flows}},
			{Kind: outbox.CodeSnapshot, Reconciler: flow.Freezer{Service: a.Flows}, Sweeper: flow.Freezer{Service: a.Flows}},
			{Kind: outbox.FlowAfter, Reconciler: flow.Upstream{Service: a.Flows}},
		},
		Leading: a.lead,
	})
	return w.Run(ctx)
}

// lead is what one process does beside the sweeps.
func (a *App) lead(ctx context.Context) {
	ctx = authz.AsSystem(ctx)
	for ctx.Err() == nil {
		err := a.Cluster.EnsureObjects(ctx)
		if err == nil {
			break
		}
		slog.Warn("objects of the cluster not made; tried again", "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { a.forget(ctx) })
	wg.Go(func() { a.Volumes.SampleUsage(ctx) })
	wg.Go(func() { a.Flows.RunScheduler(ctx) })
	wg.Go(func() { retention.New(retention.Deps{DB: a.DB, Teams: a.Teams, Runs: a.Runs, Flows: a.Flows}).Run(ctx) })
	a.Runs.ShipLogs(ctx)
	wg.Wait()
}

const forgetEvery = time.Hour

// forget deletes what lapsed or is kept no longer, now and then.
func (a *App) forget(ctx context.Context) {
	for {
		if err := errors.Join(a.Accounts.Sweep(ctx), a.Audit.Sweep(ctx), a.People.Sweep(ctx)); err != nil && ctx.Err() == nil {
			slog.Warn("what lapsed was not deleted", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(forgetEvery):
		}
	}
}
