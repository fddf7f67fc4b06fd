package run

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Step is the step of a flow run that a run executes.
type Step struct {
	FlowRunID string
	Name      string
	Round     int // from 1; grows each time the step is run again
}

// Launch is a run that executes a step of a flow.
type Launch struct {
	ID     string // chosen before, so that to launch twice makes one run
	TeamID string
	Name   string
	Task   spec.Task
	Step   Step
	// Guard is asked in the transaction that makes the run, before anything
	// else: its error, as that the step is to be stopped, is Launch's.
	Guard func(ctx context.Context, tx *ent.Tx) error
}

// Launch makes a run for a step as the viewer, who is the flow run's owner: with
// that person's home, mounts and secrets, and refused like a run of that
// person's own. A run that is there already is success.
func (s *Service) Launch(ctx context.Context, l Launch) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	if _, err := s.visible(ctx, l.ID); err == nil || fault.KindOf(err) != fault.NotFound {
		return err
	}
	if err := v.Check(authz.Run, l.TeamID); err != nil {
		return err
	}
	t, err := team.Visible(ctx, s.DB.Client, l.TeamID)
	if err != nil {
		return err
	}
	var f fault.Fields
	if err := s.check(ctx, &f, v, t, l.Name, l.Task); err != nil {
		return err
	}
	_, err = s.make(ctx, v, t, order{id: l.ID, task: l.Task, step: l.Step, guard: l.Guard}, func(ctx context.Context, tx *ent.Tx) (*ent.Task, error) {
		return tx.Task.Create().SetTeamID(t.ID).SetOwnerID(v.UserID).SetName(l.Name).SetImageID(l.Task.ImageID).SetSpec(l.Task).Save(ctx)
	})
	if ent.IsConstraintError(err) { // somebody else launched it meanwhile
		_, err = s.visible(ctx, l.ID)
	}
	return err
}

// StopStep asks the run of a step to end, for a person or, with an empty actor,
// for the platform.
func (s *Service) StopStep(ctx context.Context, id, actorID string) error {
	return s.wishStep(ctx, id, actorID, run.DesiredStopped)
}

func (s *Service) wishStep(ctx context.Context, id, actorID string, desired run.Desired) error {
	row, err := s.visible(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		changed, err = s.wish(ctx, tx, &authz.Viewer{UserID: actorID}, row, desired)
		if err != nil {
			return err
		}
		row, err = tx.Run.Get(ctx, id)
		return err
	})
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s run %s: %w", desired, id, err)
	}
	if changed {
		s.committed(ctx, row.Unwrap(), true)
	}
	return nil
}

// wakeFlow has the flow run looked at of which a run executes a step.
func (s *Service) wakeFlow(r *ent.Run) {
	if r.FlowRunID != "" {
		s.Kicker.Kick(outbox.FlowRun, r.FlowRunID)
	}
}

// jitter is a number between -part and part that is the same for the same run
// and failure: a decision that is made twice is the same twice.
func jitter(part float64, id string, failures int) float64 {
	if part <= 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id + "/" + strconv.Itoa(failures)))
	const steps = 1 << 16
	return part * (2*float64(h.Sum64()%steps)/steps - 1)
}

// DeleteStep removes the run of a step with its logs, for a person or, with an
// empty actor, for the platform; one that runs is stopped first.
func (s *Service) DeleteStep(ctx context.Context, id, actorID string) error {
	return s.wishStep(ctx, id, actorID, run.DesiredDeleted)
}

// CheckTask notes what a task of the viewer's could not use, or is out of bounds:
// what RunNow would refuse, but for its name and whether it fits the cluster now.
func (s *Service) CheckTask(ctx context.Context, f *fault.Fields, v *authz.Viewer, t *ent.Team, task spec.Task) error {
	preflight.CheckTask(f, "", task, s.limits())
	if err := s.checkImage(ctx, f, t.ID, task.ImageID); err != nil {
		return err
	}
	if err := s.checkMounts(ctx, f, t.ID, task); err != nil {
		return err
	}
	return s.checkSecrets(ctx, f, v, t.ID, task)
}
