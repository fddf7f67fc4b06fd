package worker

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/lease"
	"github.com/goblinlab/goblinlab/internal/work"
)

// Reconciler brings one object of a service in step with what is wanted.
type Reconciler interface {
	Reconcile(ctx context.Context, id string) (after time.Duration, err error)
}

// Watcher learns from the cluster.
type Watcher interface {
	// OnChange names the object that a change of the cluster concerns.
	OnChange(c kube.Change) (id string, ok bool)
	// Observe keeps a cluster's event about one of its objects.
	Observe(ctx context.Context, e *corev1.Event) error
}

// Sweeper finds what a crash or a lost wake-up left: rows behind, objects without rows.
type Sweeper interface {
	// Sweep wakes the objects that must be looked at again and removes orphans of the cluster.
	Sweep(ctx context.Context) error
}

// Part is one service as the worker sees it; Watcher and Sweeper are optional.
type Part struct {
	Kind string // of package outbox
	Reconciler
	Watcher Watcher
	Sweeper Sweeper
}

// Deps of a worker.
type Deps struct {
	DB      *db.DB
	Redis   redis.UniversalClient
	Queue   *work.Queue
	Cache   *kube.Cache
	Changes <-chan kube.Change // of Cache
	Parts   []Part
	// Leading runs while this process leads, beside the sweeps: log shipping.
	Leading func(ctx context.Context)
	Holder  string // this process, unique
	Workers int    // objects at once; 16 when 0
}

// Worker does the work of a process with the role "work".
type Worker struct {
	Deps
	mu     sync.RWMutex
	leader bool

	standing atomic.Bool // for a leader that may be dead
}

// leaseName is the lease under which one process leads.
const leaseName = "worker"

// New registers the handlers in the queue.
func New(d Deps) *Worker {
	if d.Workers == 0 {
		d.Workers = 16
	}
	w := &Worker{Deps: d}
	w.standing.Store(true)
	for _, p := range d.Parts {
		d.Queue.Register(p.Kind, w.handler(p))
	}
	return w
}

// Run works until ctx ends and everything it started has ended.
func (w *Worker) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	srv := w.asynqServer()
	if err := srv.Start(w.mux()); err != nil {
		return err
	}
	defer srv.Shutdown()
	wg.Go(func() { w.Queue.Run(ctx, w.Workers) })
	wg.Go(func() { Receive(ctx, w.Redis, w.Queue) })
	wg.Go(func() { w.observe(ctx) })
	wg.Go(func() { w.standIn(ctx) })
	wg.Go(func() { lease.Hold(ctx, w.DB.Client, leaseName, w.Holder, w.lead) })
	<-ctx.Done()
	return nil
}

// lead runs while this process holds the lease.
func (w *Worker) lead(ctx context.Context) {
	slog.Info("leading", "holder", w.Holder)
	w.setLeader(true)
	defer w.setLeader(false)
	var wg sync.WaitGroup
	defer wg.Wait()
	if w.Leading != nil {
		wg.Go(func() { w.Leading(ctx) })
	}
	wg.Go(func() { w.sweepLoop(ctx) })
	wg.Go(func() { w.outboxLoop(ctx) })
	<-ctx.Done()
}

func (w *Worker) setLeader(v bool) {
	w.mu.Lock()
	w.leader = v
	w.mu.Unlock()
}

// Leader reports whether this process leads.
func (w *Worker) Leader() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.leader
}

func (w *Worker) asynqServer() *asynq.Server {
	return asynq.NewServerFromRedisClient(w.Redis, asynq.Config{
		Concurrency:     8,
		ShutdownTimeout: 5 * time.Second,
		Logger:          asynqLog{},
		LogLevel:        asynq.WarnLevel,
	})
}

// asynqLog sends asynq's own log through slog.
type asynqLog struct{}

func (asynqLog) Debug(args ...any) { slog.Debug("asynq", "msg", args) }
func (asynqLog) Info(args ...any)  { slog.Info("asynq", "msg", args) }
func (asynqLog) Warn(args ...any)  { slog.Warn("asynq", "msg", args) }
func (asynqLog) Error(args ...any) { slog.Error("asynq", "msg", args) }
func (asynqLog) Fatal(args ...any) { slog.Error("asynq, fatal", "msg", args) }
