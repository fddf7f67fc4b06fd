package admission

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/capacity"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Reconcile mends the reservation of one consumer.
func (s *Service) Reconcile(ctx context.Context, consumer string) (time.Duration, error) {
	return 0, s.mend(authz.AsSystem(ctx), consumer)
}

// Sweep notes what GPUs there are, mends reservations that say something else
// than the rows of their consumers, and wakes those who wait.
func (s *Service) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	if err := s.note(ctx); err != nil {
		return err
	}
	live, err := s.live(ctx)
	if err != nil {
		return err
	}
	rows, err := s.DB.Client.Reservation.Query().Order(ent.Asc(reservation.FieldSince, reservation.FieldID)).All(ctx)
	if err != nil {
		return fmt.Errorf("reservations: %w", err)
	}
	for _, r := range rows {
		if r.Kind == reservation.KindOther && (r.Until == nil || r.Until.After(time.Now())) {
			continue
		}
		if !live[r.ConsumerID] {
			if err := s.mend(ctx, r.ConsumerID); err != nil {
				return err
			}
		} else if r.State == reservation.StateWaiting && s.Kicker != nil {
			s.kick(r)
		}
		delete(live, r.ConsumerID)
	}
	missing := make([]string, 0, len(live))
	for id := range live {
		missing = append(missing, id)
	}
	slices.Sort(missing)
	for _, id := range missing {
		if err := s.mend(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// note keeps what GPUs there are for processes that see no cluster yet.
func (s *Service) note(ctx context.Context) error {
	if s.Capacity == nil {
		return nil
	}
	g, err := s.Capacity.GPUs(ctx)
	if err != nil || !g.Known {
		return err
	}
	old, err := s.DB.Client.Capacity.Get(ctx, row)
	if err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	if old.ObservedAt != nil && slices.Equal(old.Nodes, g.Nodes) {
		return nil
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		return tx.Capacity.Update().Where(capacity.ID(row)).SetNodes(g.Nodes).SetObservedAt(time.Now().UTC()).Exec(ctx)
	})
	if err != nil {
		return fmt.Errorf("note capacity: %w", err)
	}
	return nil
}

// live are the ids of all instances and runs that hold or wait.
func (s *Service) live(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	instances, err := s.DB.Client.Instance.Query().Where(team.LiveInstance()).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("live instances: %w", err)
	}
	runs, err := s.DB.Client.Run.Query().Where(team.HoldingRun()).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("live runs: %w", err)
	}
	for _, id := range append(instances, runs...) {
		out[id] = true
	}
	return out, nil
}

// mend makes a consumer's reservation say what its row says. What it decides it
// decides under the locks of an admission: the rows that a sweep listed may
// have changed since.
func (s *Service) mend(ctx context.Context, consumer string) error {
	teamID, err := s.teamOf(ctx, consumer)
	if err != nil || teamID == "" {
		return err
	}
	freed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if err := s.lockShared(ctx, tx); err != nil {
			return err
		}
		t, err := team.Lock(ctx, tx, s.DB, teamID)
		if err != nil && fault.KindOf(err) != fault.NotFound { // without a team nothing of it is live
			return err
		}
		own, err := tx.Reservation.Query().Where(reservation.ConsumerID(consumer)).Only(ctx)
		if err != nil && !ent.IsNotFound(err) {
			return err
		}
		r, live, err := consumerOf(ctx, tx, consumer)
		if own != nil && own.Kind == reservation.KindOther {
			if live = own.Until == nil || own.Until.After(time.Now()); live {
				return err
			}
		}
		switch {
		case err != nil:
			return err
		case own != nil && !live:
			slog.Warn("reservation of what is gone released", "consumer", consumer, "gpu", own.Gpu)
			freed, err = s.Release(ctx, tx, consumer)
			return err
		case own == nil && live:
			slog.Warn("reservation of what is live was missing", "consumer", consumer, "gpu", r.GPU)
			return s.write(ctx, tx, t, nil, r, reservation.StateHeld)
		case own != nil && live && own.State == reservation.StateHeld:
			return s.write(ctx, tx, t, own, r, own.State)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("mend reservation of %s: %w", consumer, err)
	}
	if freed {
		s.Freed(ctx)
	}
	return nil
}

// teamOf is the team of a consumer or of its reservation; empty for neither.
func (s *Service) teamOf(ctx context.Context, consumer string) (string, error) {
	c := s.DB.Client
	for _, look := range []func() (string, error){
		func() (string, error) {
			return c.Reservation.Query().Where(reservation.ConsumerID(consumer)).Select(reservation.FieldTeamID).String(ctx)
		},
		func() (string, error) {
			return c.Instance.Query().Where(instance.ID(consumer)).Select(instance.FieldTeamID).String(ctx)
		},
		func() (string, error) {
			return c.Run.Query().Where(run.ID(consumer)).Select(run.FieldTeamID).String(ctx)
		},
	} {
		id, err := look()
		if err == nil || !ent.IsNotFound(err) {
			return id, err
		}
	}
	return "", nil
}

// consumerOf reads what an instance or a run needs, and whether it is live.
func consumerOf(ctx context.Context, tx *ent.Tx, id string) (Request, bool, error) {
	i, err := tx.Instance.Query().Where(instance.ID(id), team.LiveInstance()).Only(ctx)
	if err == nil {
		return OfInstance(i), true, nil
	}
	if !ent.IsNotFound(err) {
		return Request{}, false, err
	}
	r, err := tx.Run.Query().Where(run.ID(id), team.HoldingRun()).WithTask().Only(ctx)
	switch {
	case ent.IsNotFound(err), err == nil && r.Edges.Task == nil:
		return Request{}, false, nil
	case err != nil:
		return Request{}, false, err
	}
	return OfRun(r, r.Edges.Task.Spec), true, nil
}

// OfInstance is the request of an instance's latest start.
func OfInstance(i *ent.Instance) Request {
	s := i.Spec
	if i.StartedSpec != nil {
		s = *i.StartedSpec
	}
	return Request{Consumer: i.ID, Kind: reservation.KindInstance, OwnerID: i.OwnerID, Name: i.Name, Resources: s.Resources, Class: spec.ClassTest}
}

// OfRun is the request of a run's next attempt.
func OfRun(r *ent.Run, t spec.Task) Request {
	return Request{Consumer: r.ID, Kind: reservation.KindRun, OwnerID: r.OwnerID, Name: r.Name, Resources: t.Resources, Class: t.Class}
}
