package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Rename gives a flow another name.
func (s *Service) Rename(ctx context.Context, id, name string) (*ent.Flow, error) {
	_, row, err := s.manager(ctx, id)
	if err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	var f fault.Fields
	if preflight.CheckName(&f, "name", name); f.Err() != nil {
		return nil, f.Err()
	}
	return s.change(ctx, row, "flow.rename", map[string]any{"name": row.Name}, map[string]any{"name": name}, func(up *ent.FlowUpdateOne) error {
		up.SetName(name).SetNameKey(nameKey(row.TeamID, name))
		return nil
	})
}

// Transfer gives a flow to another member of its team, as whom it runs then.
func (s *Service) Transfer(ctx context.Context, id, userID string) (*ent.Flow, error) {
	_, row, err := s.manager(ctx, id)
	if err != nil {
		return nil, err
	}
	there, err := s.DB.Client.Membership.Query().Where(membership.TeamID(row.TeamID), membership.UserID(userID)).Exist(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("member %s: %w", userID, err)
	}
	if !there {
		return nil, &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "userId", ID: "flow.not-member", Args: fault.Args{"value": userID}}}}
	}
	return s.change(ctx, row, "flow.transfer", map[string]any{"ownerId": row.OwnerID}, map[string]any{"ownerId": userID}, func(up *ent.FlowUpdateOne) error {
		up.SetOwnerID(userID)
		return nil
	})
}

// Pause keeps a flow from firing. Runs that are there go on.
func (s *Service) Pause(ctx context.Context, id string) (*ent.Flow, error) {
	_, row, err := s.manager(ctx, id)
	if err != nil || row.Paused {
		return row, err
	}
	return s.change(ctx, row, "flow.pause", nil, nil, func(up *ent.FlowUpdateOne) error {
		up.SetPaused(true).ClearNextFireAt()
		return nil
	})
}

// stopFiring pauses a flow for the platform, which says why.
func (s *Service) stopFiring(ctx context.Context, row *ent.Flow, why *spec.Reason) error {
	changed := 0
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		changed, err = tx.Flow.Update().Where(flow.ID(row.ID), flow.Paused(false), flow.OwnerID(row.OwnerID)).
			SetPaused(true).SetPausedWhy(why).ClearNextFireAt().AddVersion(1).Save(ctx)
		if err != nil || changed == 0 {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "flow.pause", After: map[string]any{"reason": why.Code}})
	})
	if err != nil {
		return fmt.Errorf("pause flow %s: %w", row.ID, err)
	}
	if changed > 0 {
		s.Kicker.Kick(outbox.Flow, row.ID)
		s.Broker.Publish(ctx, event.Message{Topic: "flow", ID: row.ID, TeamID: row.TeamID, Version: row.Version + 1})
	}
	return nil
}

// Unpause lets a flow fire again. Of what passed meanwhile it starts the newest
// catchUp logical times, oldest first, and no other (P62).
func (s *Service) Unpause(ctx context.Context, id string, catchUp int) (*ent.Flow, error) {
	v, row, err := s.manager(ctx, id)
	if err != nil || !row.Paused {
		return row, err
	}
	t, err := team.Visible(ctx, s.DB.Client, row.TeamID)
	if err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	missed, err := s.PreviewUnpause(ctx, id)
	if err != nil {
		return nil, err
	}
	if most := min(missed.Count, maxCatchUp); catchUp < 0 || int64(catchUp) > most {
		return nil, &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "catchUp", ID: "flow.catch-up", Args: fault.Args{"value": catchUp, "limit": most}}}}
	}
	now := s.now()
	var fired []*ent.FlowRun
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Flow.Update().Where(flow.ID(id), flow.Paused(true), flow.Version(row.Version)).SetPaused(false).ClearPausedWhy().
			SetCursor(later(row.Cursor, now)).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "flow.changed", nil)
		}
		if fired, err = s.insert(ctx, tx, row, missed.newest(catchUp), firing{cause: flowrun.CauseSchedule, owner: row.OwnerID}); err != nil {
			return err
		}
		up := tx.Flow.UpdateOneID(id)
		if err := s.setNext(up, row.Schedule, false); err != nil {
			return err
		}
		if row, err = up.Save(ctx); err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "flow.unpause", After: map[string]any{"catchUp": catchUp, "missed": missed.Count, "by": v.UserID}})
	})
	if err != nil {
		return nil, fmt.Errorf("unpause flow %s: %w", id, err)
	}
	s.fired(ctx, fired)
	return s.committed(ctx, row), nil
}

// Delete asks to type the flow's name, stops what runs, and removes the flow
// with its runs and their logs.
func (s *Service) Delete(ctx context.Context, id, name string) error {
	_, row, err := s.manager(ctx, id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(name) != row.Name {
		return &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "name", ID: "flow.confirm", Args: fault.Args{"value": name, "name": row.Name}}}}
	}
	var live []string
	now := s.now()
	_, err = s.changeWith(ctx, row, "flow.delete", map[string]any{"name": row.Name}, nil, func(ctx context.Context, tx *ent.Tx, up *ent.FlowUpdateOne) error {
		up.SetDeletedAt(now).SetPaused(true).ClearNextFireAt().ClearNameKey()
		if live, err = tx.FlowRun.Query().Where(flowrun.FlowID(id)).IDs(ctx); err != nil {
			return err
		}
		return tx.FlowRun.Update().Where(flowrun.FlowID(id)).SetWish(flowrun.WishDelete).AddGeneration(1).AddVersion(1).Exec(ctx)
	})
	if err != nil {
		return err
	}
	for _, id := range live {
		s.Kicker.Kick(outbox.FlowRun, id)
	}
	return nil
}

func (s *Service) change(ctx context.Context, row *ent.Flow, action string, before, after map[string]any, f func(*ent.FlowUpdateOne) error) (*ent.Flow, error) {
	return s.changeWith(ctx, row, action, before, after, func(_ context.Context, _ *ent.Tx, up *ent.FlowUpdateOne) error { return f(up) })
}

func (s *Service) changeWith(ctx context.Context, row *ent.Flow, action string, before, after map[string]any,
	f func(context.Context, *ent.Tx, *ent.FlowUpdateOne) error,
) (*ent.Flow, error) {
	name := row.Name
	if n, ok := after["name"].(string); ok {
		name = n
	}
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		up := tx.Flow.UpdateOneID(row.ID).AddVersion(1)
		err := f(ctx, tx, up)
		if err != nil {
			return err
		}
		if row, err = up.Save(ctx); err != nil {
			return s.taken(err, name)
		}
		return s.note(ctx, tx, row, audit.Entry{Action: action, Before: before, After: after})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", action, err)
	}
	return s.committed(ctx, row), nil
}
