package worker

import (
	"context"
	"log/slog"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/kube"
)

// observe turns changes of the cluster into wake-ups and kept events. The
// leader alone acts on them, or who stands in for it, so that a change is handled
// once; what comes while nobody leads is found by the sweep.
func (w *Worker) observe(ctx context.Context) {
	events := make(chan *corev1.Event, 8192)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-events:
				w.keep(authz.AsSystem(ctx), e)
			}
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-w.Changes:
			if !w.Leader() && !w.standing.Load() {
				continue
			}
			if c.Event != nil {
				select {
				case events <- c.Event:
				default: // a flood: the cluster repeats itself soon enough
				}
				continue
			}
			w.wake(c)
		}
	}
}

func (w *Worker) wake(c kube.Change) {
	for _, p := range w.Parts {
		if p.Watcher == nil {
			continue
		}
		if id, ok := p.Watcher.OnChange(c); ok {
			w.Queue.Kick(p.Kind, id)
		}
	}
}

// keep stores an event with the object it is about, and looks at that object again.
func (w *Worker) keep(ctx context.Context, e *corev1.Event) {
	for _, p := range w.Parts {
		if p.Watcher == nil {
			continue
		}
		if err := p.Watcher.Observe(ctx, e); err != nil && ctx.Err() == nil {
			slog.Warn("event not kept", "kind", p.Kind, "err", err)
		}
	}
	w.wake(kube.Change{Kind: "Event", Event: e})
}
