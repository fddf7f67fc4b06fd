package flow

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/backfill"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/ent/transition"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

func ignoreMissing(err error) error {
	if ent.IsNotFound(err) {
		return nil
	}
	return err
}

// erase removes a flow run that is over and is to be deleted: first its runs
// with their logs, then its rows, so that a crash leaves one that is erased again.
func (s *Service) erase(ctx context.Context, l *loaded) error {
	ids, err := s.DB.Client.Run.Query().Where(run.FlowRunID(l.row.ID)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("runs of flow run %s: %w", l.row.ID, err)
	}
	for _, id := range ids {
		if err := s.Runs.DeleteStep(ctx, id, l.row.StoppedBy); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		return nil // each of them wakes this flow run when it is gone
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := tx.Transition.Delete().Where(transition.FlowRunID(l.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Step.Delete().Where(step.FlowRunID(l.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Event.Delete().Where(event.SubjectID(l.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.FlowRun.Delete().Where(flowrun.ID(l.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if l.flow.DeletedAt == nil {
			return nil
		}
		return outbox.Add(ctx, tx, outbox.Flow, l.flow.ID)
	})
	if err != nil {
		return fmt.Errorf("erase flow run %s: %w", l.row.ID, err)
	}
	if l.flow.DeletedAt != nil {
		s.Kicker.Kick(outbox.Flow, l.flow.ID)
	}
	s.published(ctx, l.row, l.row.Version+1)
	return nil
}

// remove deletes a flow's rows once its runs are gone.
func (s *Service) remove(ctx context.Context, id string) error {
	left, err := s.DB.Client.FlowRun.Query().Where(flowrun.FlowID(id)).Exist(ctx)
	if err != nil || left {
		return err
	}
	var thawing []string
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := tx.Backfill.Delete().Where(backfill.FlowID(id)).Exec(ctx); err != nil {
			return err
		}
		if thawing, err = s.thaw(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.FlowVersion.Delete().Where(flowversion.FlowID(id)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.Flow.Delete().Where(flow.ID(id)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("remove flow %s: %w", id, err)
	}
	for _, id := range thawing {
		s.Kicker.Kick(outbox.CodeSnapshot, id)
	}
	return nil
}
