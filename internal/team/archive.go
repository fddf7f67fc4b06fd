package team

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/run"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

// Permissions are what a viewer may do with a team in its present state.
type Permissions struct{ Edit, Transfer, Archive, Restore, Delete, Acknowledge, Retention bool }

// PermissionsOf are what the viewer may do with the team now.
func PermissionsOf(v *authz.Viewer, t *ent.Team) Permissions {
	admin, present := v.May(authz.Platform, t.ID), t.Desired == entteam.DesiredPresent
	return Permissions{
		Edit: admin && present, Transfer: present && v.May(authz.Members, t.ID),
		Archive: admin && present && t.ArchivedAt == nil, Restore: admin && present && t.ArchivedAt != nil,
		Delete: admin && present && t.ArchivedAt != nil, Acknowledge: admin && t.Lost != nil,
		Retention: present && v.May(authz.Retention, t.ID),
	}
}

// managed is a team for an administrator to change.
func (s *Service) managed(ctx context.Context, id string) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	row, err := Visible(ctx, s.DB.Client, id)
	if err != nil {
		return nil, err
	}
	return row, v.Check(authz.Platform, id)
}

// Archive closes a team: nothing of it starts any more, while volumes, logs,
// history and its name stay. What runs is stopped with it if stop is set, and
// refuses it, by name, if not. Administrators only.
func (s *Service) Archive(ctx context.Context, id string, stop bool) (*ent.Team, error) {
	if _, err := s.managed(ctx, id); err != nil {
		return nil, err
	}
	var row *ent.Team
	var woken []wake
	done := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if row, err = Lock(ctx, tx, s.DB, id); err != nil {
			return err
		}
		if done = row.ArchivedAt != nil; done {
			return nil
		}
		if woken, err = s.still(ctx, tx, row, stop); err != nil {
			return err
		}
		row, err = tx.Team.UpdateOneID(id).SetArchivedAt(time.Now().UTC()).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "team.archive", "archived", map[string]any{"archived": false}, map[string]any{"archived": true, "stopped": len(woken)})
	})
	if err != nil {
		return nil, fmt.Errorf("archive team %s: %w", id, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	s.wake(ctx, id, woken)
	return s.committed(ctx, row), nil
}

// Restore opens an archived team again; nothing starts by itself.
func (s *Service) Restore(ctx context.Context, id string) (*ent.Team, error) {
	if _, err := s.managed(ctx, id); err != nil {
		return nil, err
	}
	var row *ent.Team
	done := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if row, err = Lock(ctx, tx, s.DB, id); err != nil {
			return err
		}
		switch {
		case row.Desired == entteam.DesiredDeleted:
			return fault.New(fault.FailedPrecondition, "team.deleting", fault.Args{"name": row.Name})
		case row.ArchivedAt == nil:
			done = true
			return nil
		}
		row, err = tx.Team.UpdateOneID(id).ClearArchivedAt().AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "team.restore", "restored", map[string]any{"archived": true}, map[string]any{"archived": false})
	})
	if err != nil {
		return nil, fmt.Errorf("restore team %s: %w", id, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}

// wake is something to look at after the commit.
type wake struct{ kind, id string }

// still asks everything live of a locked team to stop, or refuses with the list.
func (s *Service) still(ctx context.Context, tx *ent.Tx, t *ent.Team, stop bool) ([]wake, error) {
	live, err := Consumers(authz.AsSystem(ctx), tx.Client(), t.ID)
	if err != nil {
		return nil, err
	}
	live = slices.DeleteFunc(live, func(c Consumer) bool { return c.Ending })
	if len(live) == 0 {
		return nil, nil
	}
	if !stop {
		names := make([]string, len(live))
		for i, c := range live {
			names[i] = c.Name
		}
		return nil, fault.New(fault.FailedPrecondition, "team.live", fault.Args{"count": len(live), "names": first(names)})
	}
	return haltAll(ctx, tx, t, live)
}

func haltAll(ctx context.Context, tx *ent.Tx, t *ent.Team, live []Consumer) ([]wake, error) {
	var out []wake
	for _, c := range live {
		w, err := halt(ctx, tx, t, c)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// Halt asks everything live of one person in a locked team to end, in the
// caller's transaction. After the commit, call done.
func (s *Service) Halt(ctx context.Context, tx *ent.Tx, t *ent.Team, userID string) (done func(), err error) {
	sys := authz.AsSystem(ctx)
	live, err := Consumers(sys, tx.Client(), t.ID)
	if err != nil {
		return nil, err
	}
	woken, err := haltAll(sys, tx, t, slices.DeleteFunc(live, func(c Consumer) bool { return c.Ending || c.OwnerID != userID }))
	if err != nil {
		return nil, err
	}
	return func() { s.wake(ctx, t.ID, woken) }, nil
}

func (s *Service) wake(ctx context.Context, teamID string, woken []wake) {
	for _, w := range woken {
		s.Kicker.Kick(w.kind, w.id)
		s.Broker.Publish(ctx, event.Message{Topic: w.kind, ID: w.id, TeamID: teamID})
	}
}

// halt writes what is wanted; the reconcilers do it.
func halt(ctx context.Context, tx *ent.Tx, t *ent.Team, c Consumer) (wake, error) {
	w, typ := wake{outbox.Instance, c.ID}, "stopping"
	var err error
	if c.Kind == "instance" {
		err = tx.Instance.Update().Where(instance.ID(c.ID), instance.DesiredEQ(instance.DesiredRunning)).
			SetDesired(instance.DesiredStopped).SetState(instance.StateStopping).ClearReason().ClearApps().
			AddGeneration(1).AddVersion(1).Exec(ctx)
	} else {
		w, typ = wake{outbox.Run, c.ID}, "run-stop-asked"
		u := tx.Run.Update().Where(run.ID(c.ID), run.DesiredEQ(run.DesiredRun)).
			SetDesired(run.DesiredStopped).SetState(run.StateStopping).AddGeneration(1).AddVersion(1)
		if v := authz.From(ctx); v != nil && v.UserID != "" {
			u.SetStoppedBy(v.UserID)
		}
		err = u.Exec(ctx)
	}
	if err != nil {
		return w, fmt.Errorf("stop %s: %w", c.ID, err)
	}
	if err := outbox.Add(ctx, tx, w.kind, w.id); err != nil {
		return w, err
	}
	_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: t.ID, SubjectID: c.ID, Source: entevent.SourceUser, Type: typ})
	return w, err
}

const namesShown = 10

// first are the first names of a list, and how many more there are.
func first(names []string) []string {
	if len(names) <= namesShown {
		return names
	}
	return append(slices.Clone(names[:namesShown]), fmt.Sprintf("+%d", len(names)-namesShown))
}

// Delete deletes an archived team of which nothing is left, with its namespace,
// secrets, images, memberships and invitations, which Deletion names; confirmName must be its name, which is free again once the row has gone.
func (s *Service) Delete(ctx context.Context, id, confirmName string) error {
	old, err := s.managed(ctx, id)
	if err != nil {
		return err
	}
	if confirmName != old.Name {
		var f fault.Fields
		f.Add("confirmName", "team.confirm", fault.Args{"name": old.Name})
		return f.Err()
	}
	// What the team has itself is told first: its claims are no strangers as long as it has them.
	if gone, err := deletion(ctx, s.DB.Client, old); err != nil {
		return err
	} else if err := gone.refuse(); err != nil {
		return err
	}
	if err := s.strangers(ctx, old); err != nil {
		return err
	}
	var row *ent.Team
	done := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if row, err = Lock(ctx, tx, s.DB, id); err != nil {
			return err
		}
		if done = row.Desired == entteam.DesiredDeleted; done {
			return nil
		}
		if row.ArchivedAt == nil {
			return fault.New(fault.FailedPrecondition, "team.not-archived", fault.Args{"name": row.Name})
		}
		gone, err := deletion(ctx, tx.Client(), row)
		if err != nil {
			return err
		}
		if err := gone.refuse(); err != nil {
			return err
		}
		row, err = tx.Team.UpdateOneID(id).SetDesired(entteam.DesiredDeleted).AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "team.delete", "deleting", gone.noted(), nil)
	})
	if err != nil {
		return fmt.Errorf("delete team %s: %w", id, err)
	}
	if !done {
		s.committed(ctx, row)
	}
	return nil
}

// Acknowledge notes that somebody has read that the team's namespace was taken
// away. Administrators only.
func (s *Service) Acknowledge(ctx context.Context, id string) (*ent.Team, error) {
	if _, err := s.managed(ctx, id); err != nil {
		return nil, err
	}
	var row *ent.Team
	done := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if row, err = Lock(ctx, tx, s.DB, id); err != nil {
			return err
		}
		if done = row.Lost == nil; done {
			return nil
		}
		before := map[string]any{"lost": row.Lost.Args}
		if row, err = tx.Team.UpdateOneID(id).ClearLost().AddVersion(1).Save(ctx); err != nil {
			return err
		}
		return note(ctx, tx, row, "team.acknowledge", "acknowledged", before, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("acknowledge loss of team %s: %w", id, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}
