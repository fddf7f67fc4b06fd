package run

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	broker "github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// RunNow checks everything at once, then makes a task and its run.
func (s *Service) RunNow(ctx context.Context, in Input) (*ent.Run, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, in.TeamID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Run, in.TeamID); err != nil {
		return nil, err
	}
	var f fault.Fields
	task := in.parse(&f)
	if err := s.check(ctx, &f, v, t, in.Name, task); err != nil {
		return nil, err
	}
	return s.make(ctx, v, t, order{id: ident.New(ident.Run), task: task, action: "run.create", atOnce: in.AtOnce}, func(ctx context.Context, tx *ent.Tx) (*ent.Task, error) {
		return tx.Task.Create().SetTeamID(t.ID).SetOwnerID(v.UserID).SetName(in.Name).SetImageID(task.ImageID).SetSpec(task).Save(ctx)
	})
}

// Rerun runs the task of a run again, as a run of the viewer's own: with the
// viewer's home, and only with what the viewer may mount.
func (s *Service) Rerun(ctx context.Context, id string) (*ent.Run, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	old, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Run, old.TeamID); err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, old.TeamID)
	if err != nil {
		return nil, err
	}
	task, err := s.DB.Client.Task.Get(ctx, old.TaskID)
	if err != nil {
		return nil, fmt.Errorf("task of run %s: %w", id, err)
	}
	var f fault.Fields
	if err := s.check(ctx, &f, v, t, task.Name, task.Spec); err != nil {
		return nil, err
	}
	return s.make(ctx, v, t, order{id: ident.New(ident.Run), task: ofItself(task.Spec), action: "run.rerun"}, func(ctx context.Context, tx *ent.Tx) (*ent.Task, error) {
		return tx.Task.Get(ctx, task.ID) // it may have gone with its last run
	})
}

// ofItself is a task without the flow that it was part of: run again, it is a
// run by itself.
func ofItself(t spec.Task) spec.Task {
	t.Flow = nil
	return t
}

// order is a run that is asked for.
type order struct {
	id     string
	task   spec.Task
	action string // of the audit log; empty where what asked has an entry of its own
	atOnce bool
	step   Step                                        // of a flow run; zero for a run by itself
	guard  func(ctx context.Context, tx *ent.Tx) error // asked first in the transaction; nil for nothing
}

func (s *Service) make(ctx context.Context, v *authz.Viewer, t *ent.Team, o order, taskRow func(context.Context, *ent.Tx) (*ent.Task, error)) (*ent.Run, error) {
	task := o.task
	nodes, err := s.shapes(ctx)
	if err != nil {
		return nil, err
	}
	var row *ent.Run
	var home *ent.Volume
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if o.guard != nil {
			if err := o.guard(ctx, tx); err != nil {
				return err
			}
		}
		if t, err = s.Admission.Lock(ctx, tx, t.ID, task.Resources.GPU > 0); err != nil {
			return err
		}
		if home, err = s.Volumes.EnsureHome(ctx, tx, t, v.UserID); err != nil {
			return err
		}
		if err := s.checkAccess(ctx, tx, t, v.UserID, home, task, len(nodes) == 1); err != nil {
			return err
		}
		tr, err := taskRow(ctx, tx)
		if err != nil {
			return fmt.Errorf("task: %w", err)
		}
		row, err = tx.Run.Create().SetID(o.id).SetTeamID(t.ID).SetOwnerID(v.UserID).SetTaskID(tr.ID).SetName(tr.Name).
			SetFlowRunID(o.step.FlowRunID).SetStep(o.step.Name).SetRound(o.step.Round).Save(ctx)
		if err != nil {
			return fmt.Errorf("run: %w", err)
		}
		if row, err = s.enter(ctx, tx, t, row, o); err != nil {
			return err
		}
		if err := newAttempt(ctx, tx, row, 1, row.CreatedAt); err != nil { // the first look at the run makes its Job at once
			return fmt.Errorf("attempt: %w", err)
		}
		return note(ctx, tx, row, audit.Entry{Action: o.action, After: map[string]any{
			"name": row.Name, "taskId": tr.ID, "imageId": task.ImageID, "class": task.Class, "resources": task.Resources, "secrets": task.Secrets,
		}}, "run-created")
	})
	if err != nil {
		return nil, fmt.Errorf("make run: %w", err)
	}
	if home != nil && home.ObservedGeneration < home.Generation {
		s.Kicker.Kick(outbox.Volume, home.ID)
	}
	row = row.Unwrap()
	s.committed(ctx, row, true)
	return row, nil
}

// Stop asks a run to end. It is legal in every state (P7) and says who asked;
// to ask again, or for what has ended, changes nothing.
func (s *Service) Stop(ctx context.Context, id string) (*ent.Run, error) {
	return s.want(ctx, id, run.DesiredStopped)
}

// Delete removes a run with its logs; one that runs is stopped first. The row
// goes once nothing of the run is left.
func (s *Service) Delete(ctx context.Context, id string) error {
	_, err := s.want(ctx, id, run.DesiredDeleted)
	return err
}

func (s *Service) want(ctx context.Context, id string, desired run.Desired) (*ent.Run, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	old, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := v.CheckManageRun(old.TeamID, old.OwnerID); err != nil {
		return nil, err
	}
	var row *ent.Run
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		changed, err = s.wish(ctx, tx, v, old, desired)
		if err != nil {
			return err
		}
		row, err = tx.Run.Get(ctx, id)
		return err
	})
	if ent.IsNotFound(err) { // gone meanwhile
		return nil, fault.Missing("run", id)
	}
	if err != nil {
		return nil, fmt.Errorf("%s run %s: %w", desired, id, err)
	}
	row = row.Unwrap()
	if changed {
		s.committed(ctx, row, true)
	}
	return row, nil
}

// wish writes what is wanted of a run; false when it is wanted already.
func (s *Service) wish(ctx context.Context, tx *ent.Tx, v *authz.Viewer, old *ent.Run, desired run.Desired) (bool, error) {
	live := run.StateIn(run.StatePending, run.StateRunning, run.StateRetrying, run.StateStopping)
	up := tx.Run.Update().Where(run.ID(old.ID))
	action, typ := "run.stop", "run-stop-asked"
	if desired == run.DesiredStopped {
		up.Where(run.DesiredEQ(run.DesiredRun), live).SetState(run.StateStopping)
	} else {
		action, typ = "run.delete", "run-delete-asked"
		up.Where(run.DesiredNEQ(run.DesiredDeleted))
	}
	up.SetDesired(desired).AddGeneration(1).AddVersion(1)
	n, err := up.Save(ctx)
	if err != nil || n == 0 {
		return false, err
	}
	if v.UserID != "" { // the first one who asked counts
		err := tx.Run.Update().Where(run.ID(old.ID), run.StoppedByIsNil(), live).SetStoppedBy(v.UserID).Exec(ctx)
		if err != nil {
			return false, err
		}
	}
	if desired == run.DesiredDeleted {
		if err := tx.Run.Update().Where(run.ID(old.ID), live).SetState(run.StateStopping).Exec(ctx); err != nil {
			return false, err
		}
	}
	if desired == run.DesiredDeleted && v.UserID == "" { // with its flow run, of which there is a trace
		return true, outbox.Add(ctx, tx, outbox.Run, old.ID)
	}
	return true, note(ctx, tx, old, audit.Entry{Action: action,
		Before: map[string]any{"state": old.State, "desired": old.Desired}, After: map[string]any{"desired": desired}}, typ)
}

func (s *Service) visible(ctx context.Context, id string) (*ent.Run, error) {
	row, err := s.DB.Client.Run.Query().Where(run.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("run", id)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	return row, nil
}

// note writes what a person's change leaves behind, in its transaction.
func note(ctx context.Context, tx *ent.Tx, r *ent.Run, e audit.Entry, typ string) error {
	if err := outbox.Add(ctx, tx, outbox.Run, r.ID); err != nil {
		return err
	}
	e.TeamID, e.ObjectID = r.TeamID, r.ID
	if e.Action != "" {
		if err := audit.Record(ctx, tx, e); err != nil {
			return err
		}
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: r.TeamID, SubjectID: r.ID, Source: event.SourceUser, Type: typ})
	return err
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, r *ent.Run, told bool) {
	s.Kicker.Kick(outbox.Run, r.ID)
	s.published(ctx, r, told)
}

func (s *Service) published(ctx context.Context, r *ent.Run, told bool) {
	s.Broker.Publish(ctx, broker.Message{Topic: "run", ID: r.ID, TeamID: r.TeamID, Version: r.Version})
	if told {
		s.Broker.Publish(ctx, broker.Message{Topic: "event", ID: r.ID, TeamID: r.TeamID})
	}
}
