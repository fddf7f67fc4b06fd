package app

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/run"
)

// runs gives the run service the shape of a worker's part.
type runs struct {
	*run.Service
	kicker outbox.Kicker
}

func (r runs) Observe(ctx context.Context, e *corev1.Event) error {
	id, err := r.Service.Observe(ctx, e)
	if id != "" {
		r.kicker.Kick(outbox.Run, id)
	}
	return err
}

func (r runs) Sweep(ctx context.Context) error {
	ids, err := r.Service.Sweep(ctx)
	for _, id := range ids {
		r.kicker.Kick(outbox.Run, id)
	}
	return err
}
