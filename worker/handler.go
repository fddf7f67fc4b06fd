package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/outbox"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/work"
)

// handler reconciles one object and settles the outbox rows that asked for it
// before it began.
func (w *Worker) handler(p Part) work.Handler {
	return func(ctx context.Context, id string) (time.Duration, error) {
		ctx = authz.AsSystem(ctx)
		began := time.Now().UTC()
		after, err := p.Reconcile(ctx, id)
		if err != nil {
			return 0, fmt.Errorf("reconcile %s: %w", id, err)
		}
		if err := w.settle(ctx, p.Kind, id, began); err != nil {
			slog.Warn("outbox not settled; the sweep does", "kind", p.Kind, "id", id, "err", err)
		}
		return after, nil
	}
}

func (w *Worker) settle(ctx context.Context, kind, id string, before time.Time) error {
	some, err := w.DB.Client.Outbox.Query().Where(outbox.ObjectID(id), outbox.CreatedAtLTE(before)).Exist(ctx)
	if err != nil || !some {
		return err
	}
	return w.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, err := tx.Outbox.Delete().Where(outbox.Kind(kind), outbox.ObjectID(id), outbox.CreatedAtLTE(before)).Exec(ctx)
		return err
	})
}
