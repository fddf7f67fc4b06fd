package worker

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/hibiken/asynq"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/outbox"
	"github.com/goblinlab/goblinlab/internal/authz"
)

const (
	outboxEvery  = time.Second
	outboxFresh  = time.Second      // a kick has this long to settle its row
	outboxAgain  = 30 * time.Second // a row still there goes out again: Redis may have been emptied
	outboxBatch  = 500
	taskPrefix   = "reconcile:"
	taskRetries  = 3 // the row is the truth: what fails three times comes again by the sweep
	taskDeadline = time.Minute
)

// outboxLoop hands rows that no kick settled to asynq, which spreads them over
// the processes.
func (w *Worker) outboxLoop(ctx context.Context) {
	client := asynq.NewClientFromRedisClient(w.Redis)
	t := time.NewTicker(outboxEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := w.dispatch(authz.AsSystem(ctx), client, time.Now().UTC()); err != nil && ctx.Err() == nil {
			slog.Warn("outbox not dispatched", "err", err)
		}
	}
}

func (w *Worker) dispatch(ctx context.Context, client *asynq.Client, now time.Time) error {
	rows, err := w.DB.Client.Outbox.Query().Where(
		outbox.DueAtLTE(now.Add(-outboxFresh)),
		outbox.Or(outbox.DispatchedAtIsNil(), outbox.DispatchedAtLT(now.Add(-outboxAgain))),
	).Order(ent.Asc(outbox.FieldID)).Limit(outboxBatch).All(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	var ids []string
	for _, r := range rows {
		task := asynq.NewTask(taskPrefix+r.Kind, []byte(r.ObjectID))
		_, err := client.EnqueueContext(ctx, task, asynq.TaskID(r.ID), asynq.MaxRetry(taskRetries), asynq.Timeout(taskDeadline), asynq.Retention(0))
		if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) { // conflict: it is under way already
			slog.Warn("outbox row not handed over", "kind", r.Kind, "id", r.ObjectID, "err", err)
			w.Queue.Kick(r.Kind, r.ObjectID) // Redis is away: this process does it
			continue
		}
		ids = append(ids, r.ID)
	}
	return w.DB.Tx(ctx, func(tx *ent.Tx) error {
		return tx.Outbox.Update().Where(outbox.IDIn(ids...)).SetDispatchedAt(now).Exec(ctx)
	})
}

// mux routes asynq's tasks into the queue, which does the same object once at a time.
func (w *Worker) mux() asynq.Handler {
	return asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error {
		w.Queue.Kick(strings.TrimPrefix(t.Type(), taskPrefix), string(t.Payload()))
		return nil
	})
}
