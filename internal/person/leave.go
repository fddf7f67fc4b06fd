package person

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
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
	var done func()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, done, err = s.leave(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s leaves team %s: %w", in.UserID, in.TeamID, err)
	}
	row = row.Unwrap()
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	done()
	return row, nil
}

func (s *Service) leave(ctx context.Context, tx *ent.Tx, in LeaveInput) (*ent.Team, func(), error) {
	t, err := team.Lock(ctx, tx, s.DB, in.TeamID)
	if err != nil {
		return nil, nil, err
	}
	e, err := estate(authz.AsSystem(ctx), tx.Client(), t, in.UserID)
	if err != nil {
		return nil, nil, err
	}
	if e.Role == nil && e.Empty() { // who is elsewhere is as unknown here as nobody, and as soon told so
		return nil, nil, fault.Missing("user", in.UserID)
	}
	return s.Teams.Put(ctx, tx, team.Change{TeamID: in.TeamID, UserID: in.UserID,
		HandOver: team.HandOver{HeirID: in.HeirID, Instances: in.Instances, Runs: in.Runs}})
}

// SetRole gives a member of a team another role. Who only looks from then on
// hands over what they own there, as one who leaves does.
func (s *Service) SetRole(ctx context.Context, in LeaveInput, role authz.Role) (*ent.Team, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	return s.Teams.SetMember(ctx, team.Change{TeamID: in.TeamID, UserID: in.UserID, Role: &role,
		HandOver: team.HandOver{HeirID: in.HeirID, Instances: in.Instances, Runs: in.Runs}})
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

var _ team.Estates = (*Service)(nil)

// HandOver gives everything that a person owns in a team to their heir; see
// team.Put, which calls it. Volumes go first: they are what must not be lost, and
// a home is what instances and runs keep.
func (s *Service) HandOver(ctx context.Context, tx *ent.Tx, t *ent.Team, userID string, h team.HandOver) (done func(), err error) {
	sys := authz.AsSystem(ctx)
	if _, err := tx.Invitation.Update().Where(invitation.TeamID(t.ID), invitation.InviterID(userID), open()).SetRevokedAt(now()).Save(sys); err != nil {
		return nil, fmt.Errorf("revoke invitations: %w", err)
	}
	e, err := estate(sys, tx.Client(), t, userID)
	if err != nil {
		return nil, err
	}
	if e.Empty() {
		return func() {}, nil
	}
	heir, err := e.heir(h.HeirID)
	if err != nil && h.Lenient {
		heir, err = e.heir("")
	}
	if err != nil {
		if h.Forced && fault.KindOf(err) == fault.FailedPrecondition {
			slog.WarnContext(ctx, "nobody in a team takes what a former member owns there; it was asked to end", "team_id", t.ID, "user_id", userID)
			return s.Teams.Halt(ctx, tx, t, userID)
		}
		return nil, err
	}
	if h.HomeName == "" {
		u, err := tx.User.Get(sys, userID)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", userID, err)
		}
		h.HomeName = volume.HomeName(u.DisplayName)
	}
	tell, err := s.give(ctx, tx, e, heir, h)
	if err != nil {
		return nil, err
	}
	if err := giveFlows(sys, tx, t.ID, userID, heir.ID); err != nil {
		return nil, err
	}
	if err := tx.Task.Update().Where(task.TeamID(t.ID), task.OwnerID(userID)).SetOwnerID(heir.ID).Exec(sys); err != nil {
		return nil, fmt.Errorf("hand tasks over: %w", err)
	}
	done = func() {
		for _, f := range tell {
			f()
		}
	}
	return done, audit.Record(ctx, tx, audit.Entry{Action: "user.hand-over", TeamID: t.ID, ObjectID: userID, After: map[string]any{
		"to": heir.ID, "instances": len(e.Instances), "runs": len(e.Runs), "tasks": e.Tasks, "flows": e.Flows, "volumes": len(e.Volumes)}})
}

// give hands over volumes, instances and runs, and gives what to call after the commit.
func (s *Service) give(ctx context.Context, tx *ent.Tx, e *Estate, heir *ent.User, h team.HandOver) (done []func(), err error) {
	add := func(f func(), err error) error {
		done = append(done, f)
		return err
	}
	homeID := ""
	for _, v := range e.Volumes {
		if v.Kind == entvolume.KindHome {
			homeID = v.ID
		}
		if err := add(s.Volumes.HandOver(ctx, tx, v.ID, heir.ID, h.HomeName)); err != nil {
			return nil, err
		}
	}
	for _, i := range e.Instances {
		if err := add(s.Instances.HandOver(ctx, tx, i.ID, heir.ID, homeID, orKeep(h.Instances))); err != nil {
			return nil, err
		}
	}
	for _, r := range e.Runs {
		if err := add(s.Runs.HandOver(ctx, tx, r.ID, heir.ID, homeID, orKeep(h.Runs))); err != nil {
			return nil, err
		}
	}
	return done, nil
}

func orKeep(f spec.Fate) spec.Fate { return cmp.Or(f, spec.FateKeep) }

// giveFlows has somebody's flows, and what runs of them, run as the heir from now on.
func giveFlows(ctx context.Context, tx *ent.Tx, teamID, userID, heirID string) error {
	if err := tx.Flow.Update().Where(flow.TeamID(teamID), flow.OwnerID(userID)).SetOwnerID(heirID).AddVersion(1).Exec(ctx); err != nil {
		return fmt.Errorf("flows of %s: %w", userID, err)
	}
	err := tx.FlowRun.Update().Where(flowrun.TeamID(teamID), flowrun.OwnerID(userID)).SetOwnerID(heirID).AddVersion(1).Exec(ctx)
	if err != nil {
		return fmt.Errorf("flow runs of %s: %w", userID, err)
	}
	return nil
}
