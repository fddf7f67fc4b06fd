package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// turnAgain is how soon one that waits for its turn is looked at when no end of
// another wakes it.
const turnAgain = 15 * time.Second

// waitsForTurn reports whether a start was not let in yet: nothing of it is in
// the cluster, and its time to start does not run.
func waitsForTurn(i *ent.Instance) bool {
	return i.Desired == entinstance.DesiredRunning && i.State == entinstance.StatePending && admission.Waits(i.Reason)
}

// turn lets an instance in whose turn it is, or brings up to date what it waits for.
func (s *Service) turn(ctx context.Context, i *ent.Instance) (time.Duration, error) {
	v, err := s.Admission.Promote(ctx, i.TeamID, admission.OfInstance(i), func(tx *ent.Tx) error { return s.letIn(ctx, tx, i) })
	if err != nil {
		return 0, err
	}
	if v.Held {
		s.published(ctx, i.TeamID, i.ID, i.Version+1)
		s.happened(ctx, i.TeamID, i.ID)
		s.Kicker.Kick(outbox.Instance, i.ID)
		return soon, nil
	}
	d := Decision{State: Pending, Reason: v.Reason, Timeline: i.Timeline}
	return turnAgain, s.save(ctx, i, d, nil, done{hostKey: i.HostKey})
}

// letIn begins the timeline anew: the time for a start counts from here.
func (s *Service) letIn(ctx context.Context, tx *ent.Tx, i *ent.Instance) error {
	now := s.now()
	n, err := tx.Instance.Update().Where(entinstance.ID(i.ID), entinstance.Version(i.Version)).AddVersion(1).ClearReason().
		SetTimeline([]spec.Phase{{Name: phaseQueued, Since: now}}).Save(ctx)
	if err != nil {
		return fmt.Errorf("let in %s: %w", i.ID, err)
	}
	if n == 0 {
		return errChanged
	}
	waited := time.Duration(0)
	if len(i.Timeline) > 0 {
		waited = now.Sub(i.Timeline[0].Since).Round(time.Second)
	}
	_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: i.TeamID, SubjectID: i.ID, Source: entevent.SourcePlatform,
		Type: "let-in", Args: map[string]any{"waited": waited.String()}})
	return err
}
