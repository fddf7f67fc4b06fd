package person

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/predicate"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/task"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// live holds for runs that go on.
func live() predicate.Run {
	return entrun.StateIn(entrun.StatePending, entrun.StateRunning, entrun.StateRetrying, entrun.StateStopping)
}

// LeaveInput says how a person leaves a team. Without an heir the team keeps
// what they own, in the hands of an owner.
type LeaveInput struct {
	TeamID, UserID  string
	HeirID          string
	Instances, Runs spec.Fate // empty to keep them going
}

func (in *LeaveInput) check() error {
	var f fault.Fields
	in.Instances = fate(&f, "instances", in.Instances, true)
	in.Runs = fate(&f, "runs", in.Runs, false)
	return f.Err()
}

func fate(f *fault.Fields, path string, v spec.Fate, deletable bool) spec.Fate {
	switch v {
	case "":
		return spec.FateKeep
	case spec.FateKeep, spec.FateStop:
	case spec.FateDelete:
		if !deletable {
			f.Add(path, "person.fate", fault.Args{"value": string(v)})
		}
	default:
		f.Add(path, "person.fate", fault.Args{"value": string(v)})
	}
	return v
}

// Leave ends a membership and hands over what the person owns in the team, in
// one transaction. Owners of the team, administrators, and the person.
func (s *Service) Leave(ctx context.Context, in LeaveInput) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := team.Visible(ctx, s.DB.Client, in.TeamID); err != nil {
		return nil, err
	}
	if v.UserID != in.UserID || v.ReadsOnly() || v.Inside() {
		if err := v.Check(authz.Members, in.TeamID); err != nil {
			return nil, err
		}
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	var row *ent.Team
	var done []func()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, done, err = s.leave(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s leaves team %s: %w", in.UserID, in.TeamID, err)
	}
	row = row.Unwrap()
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	for _, tell := range done {
		tell()
	}
	return row, nil
}

func (s *Service) leave(ctx context.Context, tx *ent.Tx, in LeaveInput) (*ent.Team, []func(), error) {
	t, err := team.Lock(ctx, tx, s.DB, in.TeamID)
	if err != nil {
		return nil, nil, err
	}
	sys := authz.AsSystem(ctx)
	e, err := estate(sys, tx.Client(), t, in.UserID)
	if err != nil {
		return nil, nil, err
	}
	if e.Role == nil && e.Empty() { // who is elsewhere is as unknown here as nobody, and as soon told so
		return nil, nil, fault.Missing("user", in.UserID)
	}
	u, err := tx.User.Get(sys, in.UserID)
	if err != nil {
		return nil, nil, fmt.Errorf("user %s: %w", in.UserID, err)
	}
	done, err := s.handOver(ctx, tx, u, e, in, volume.HomeName(u.DisplayName))
	if err != nil {
		return nil, nil, err
	}
	row, err := s.Teams.Put(ctx, tx, in.TeamID, in.UserID, nil)
	return row, done, err
}

// heir is who gets an estate: who was named, if they may have it; else an owner of the team.
func (e *Estate) heir(named string) (*ent.User, error) {
	if named == "" {
		if h := e.Heir(); h != nil {
			return h, nil
		}
		return nil, fault.New(fault.FailedPrecondition, "person.no-heir", fault.Args{"team": e.Team.Name})
	}
	for _, h := range e.Heirs {
		if h.ID == named {
			return h, nil
		}
	}
	var f fault.Fields
	f.Add("toUserId", "person.heir", fault.Args{"team": e.Team.Name})
	return nil, f.Err()
}

// handOver gives everything of an estate to its heir. Volumes go first: they
// are what must not be lost, and a home is what instances and runs keep.
func (s *Service) handOver(ctx context.Context, tx *ent.Tx, u *ent.User, e *Estate, in LeaveInput, homeName string) (done []func(), err error) {
	sys := authz.AsSystem(ctx)
	if _, err := tx.Invitation.Update().Where(invitation.TeamID(e.Team.ID), invitation.InviterID(u.ID), open()).SetRevokedAt(now()).Save(sys); err != nil {
		return nil, fmt.Errorf("revoke invitations: %w", err)
	}
	if e.Empty() {
		return nil, nil
	}
	heir, err := e.heir(in.HeirID)
	if err != nil {
		return nil, err
	}
	add := func(f func(), err error) error {
		done = append(done, f)
		return err
	}
	homeID := ""
	for _, v := range e.Volumes {
		if v.Kind == entvolume.KindHome {
			homeID = v.ID
		}
		if err := add(s.Volumes.HandOver(ctx, tx, v.ID, heir.ID, homeName)); err != nil {
			return nil, err
		}
	}
	for _, i := range e.Instances {
		if err := add(s.Instances.HandOver(ctx, tx, i.ID, heir.ID, homeID, in.Instances)); err != nil {
			return nil, err
		}
	}
	for _, r := range e.Runs {
		if err := add(s.Runs.HandOver(ctx, tx, r.ID, heir.ID, homeID, in.Runs)); err != nil {
			return nil, err
		}
	}
	if err := tx.Task.Update().Where(task.TeamID(e.Team.ID), task.OwnerID(u.ID)).SetOwnerID(heir.ID).Exec(sys); err != nil {
		return nil, fmt.Errorf("hand tasks over: %w", err)
	}
	return done, audit.Record(ctx, tx, audit.Entry{Action: "user.hand-over", TeamID: e.Team.ID, ObjectID: u.ID, After: map[string]any{
		"to": heir.ID, "instances": len(e.Instances), "runs": len(e.Runs), "tasks": e.Tasks, "volumes": len(e.Volumes)}})
}
