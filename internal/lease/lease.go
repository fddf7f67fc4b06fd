// Package lease lets one process at a time do a thing: a row with a holder, an
// end and a fence that grows with every new holder. Work under a lease must be
// idempotent all the same: a stalled holder learns late that it lost it.
package lease

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/lease"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// TTL is how long a lease outlives a holder that died.
const TTL = 10 * time.Second

// Acquire takes or renews the lease; false when somebody else holds it.
func Acquire(ctx context.Context, c *ent.Client, name, holder string, now time.Time) (bool, error) {
	ctx = authz.AsSystem(ctx)
	now = now.UTC()
	n, err := c.Lease.Update().Where(lease.ID(name), lease.Holder(holder)).SetUntil(now.Add(TTL)).Save(ctx)
	if err != nil {
		return false, fmt.Errorf("renew lease %s: %w", name, err)
	}
	if n == 1 {
		return true, nil
	}
	n, err = c.Lease.Update().Where(lease.ID(name), lease.UntilLT(now)).SetHolder(holder).SetUntil(now.Add(TTL)).AddFence(1).Save(ctx)
	if err != nil {
		return false, fmt.Errorf("take lease %s: %w", name, err)
	}
	if n == 1 {
		return true, nil
	}
	err = c.Lease.Create().SetID(name).SetHolder(holder).SetUntil(now.Add(TTL)).Exec(ctx)
	switch {
	case err == nil:
		return true, nil
	case ent.IsConstraintError(err):
		return false, nil
	default:
		return false, fmt.Errorf("make lease %s: %w", name, err)
	}
}

// Holder is who holds a lease, and until when; a zero time when nobody ever did.
func Holder(ctx context.Context, c *ent.Client, name string) (holder string, until time.Time, err error) {
	l, err := c.Lease.Get(authz.AsSystem(ctx), name)
	if ent.IsNotFound(err) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("lease %s: %w", name, err)
	}
	return l.Holder, l.Until, nil
}

// Release gives the lease up, so that the next holder need not wait.
func Release(ctx context.Context, c *ent.Client, name, holder string) {
	ctx, stop := context.WithTimeout(authz.AsSystem(context.WithoutCancel(ctx)), 2*time.Second)
	defer stop()
	if _, err := c.Lease.Update().Where(lease.ID(name), lease.Holder(holder)).SetUntil(time.Unix(0, 0).UTC()).Save(ctx); err != nil {
		slog.Warn("lease not released", "lease", name, "err", err)
	}
}

// Hold runs f whenever this process has the lease, until ctx ends. f's context
// ends when the lease is lost.
func Hold(ctx context.Context, c *ent.Client, name, holder string, f func(ctx context.Context)) {
	for ctx.Err() == nil {
		ok, err := Acquire(ctx, c, name, holder, time.Now())
		if err != nil && ctx.Err() == nil {
			slog.Warn("lease not asked for", "lease", name, "err", err)
		}
		if ok {
			hold(ctx, c, name, holder, f)
		}
		select {
		case <-ctx.Done():
		case <-time.After(TTL / 5):
		}
	}
}

func hold(ctx context.Context, c *ent.Client, name, holder string, f func(ctx context.Context)) {
	held, lost := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(held)
	}()
	defer func() {
		lost()
		<-done
		Release(ctx, c, name, holder)
	}()
	renewed := time.Now()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-time.After(TTL / 4):
		}
		ok, err := Acquire(ctx, c, name, holder, time.Now())
		switch {
		case ok:
			renewed = time.Now()
		case err == nil, time.Since(renewed) > TTL*3/4:
			slog.Warn("lease lost", "lease", name, "err", err)
			return
		}
	}
}
