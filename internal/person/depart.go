package person

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/departure"
	"github.com/goblinlab/goblinlab/ent/membership"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// DepartInput says how a person leaves the platform. Of teams without an heir
// an owner gets what is there.
type DepartInput struct {
	UserID string
	Plan   spec.Departure
}

// Depart takes a person off the platform: they are disabled at once, then what
// they own is handed over team by team, then they are gone – with Plan.Erase
// also their address and name. It may be called again until it is done, also
// with another plan; what is done stays done. Volumes are never deleted by it.
func (s *Service) Depart(ctx context.Context, in DepartInput) (*ent.User, error) {
	v, err := administrator(ctx)
	if err != nil {
		return nil, err
	}
	if v.UserID == in.UserID {
		return nil, fault.New(fault.FailedPrecondition, "person.self", nil)
	}
	var f fault.Fields
	in.Plan.Instances = fate(&f, "instances", in.Plan.Instances, true)
	in.Plan.Runs = fate(&f, "runs", in.Plan.Runs, false)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := s.complete(ctx, &in); err != nil {
		return nil, err
	}
	if err := s.beginDeparture(ctx, v, in); err != nil {
		return nil, err
	}
	s.step()
	return s.finish(ctx, in.UserID)
}

// complete names an heir for every team where something is to hand over, and
// tells all teams at once for which there is none.
func (s *Service) complete(ctx context.Context, in *DepartInput) error {
	all, err := estates(authz.AsSystem(ctx), s.DB.Client, in.UserID, "")
	if err != nil {
		return err
	}
	var f fault.Fields
	var heirs []spec.Heir
	mentioned := map[string]bool{}
	for _, e := range all {
		mentioned[e.Team.ID] = true
		if e.Empty() {
			continue
		}
		h, err := e.heir(in.Plan.Heir(e.Team.ID))
		if err != nil {
			f.Add("handOver", "person.heir", fault.Args{"team": e.Team.Name})
			continue
		}
		heirs = append(heirs, spec.Heir{TeamID: e.Team.ID, UserID: h.ID})
	}
	for _, h := range in.Plan.Heirs {
		if !mentioned[h.TeamID] {
			f.Add("handOver", "person.not-there", fault.Args{"team": h.TeamID})
		}
	}
	in.Plan.Heirs = heirs
	return f.Err()
}

// beginDeparture disables the person and writes down what is to be done.
func (s *Service) beginDeparture(ctx context.Context, v *authz.Viewer, in DepartInput) error {
	var ended account.Ended
	_, err := s.change(ctx, in.UserID, func(tx *ent.Tx, u *ent.User) (*ent.User, error) {
		sys := authz.AsSystem(ctx)
		n, err := tx.Departure.Update().Where(departure.UserID(u.ID)).SetPlan(in.Plan).SetAskedBy(v.UserID).SetAddress(v.Address).Save(sys)
		if err == nil && n == 0 {
			err = tx.Departure.Create().SetUserID(u.ID).SetPlan(in.Plan).SetAskedBy(v.UserID).SetAddress(v.Address).Exec(sys)
		}
		if err != nil {
			return nil, fmt.Errorf("begin departure of %s: %w", u.ID, err)
		}
		action := "user.depart"
		if in.Plan.Erase {
			action = "user.delete"
		}
		err = audit.Record(ctx, tx, audit.Entry{Action: action, ObjectID: u.ID,
			After: map[string]any{"instances": in.Plan.Instances, "runs": in.Plan.Runs, "handOver": in.Plan.Heirs}})
		if err != nil || u.DisabledAt != nil {
			return u, err
		}
		row, e, err := s.disable(ctx, tx, u)
		ended = e
		return row, err
	})
	if err != nil {
		return err
	}
	s.Account.Tell(ctx, ended)
	return nil
}

// finish goes on with a departure from wherever it is.
func (s *Service) finish(ctx context.Context, userID string) (*ent.User, error) {
	sys := authz.AsSystem(ctx)
	d, err := s.DB.Client.Departure.Query().Where(departure.UserID(userID)).Only(sys)
	if ent.IsNotFound(err) { // somebody else finished it
		return s.DB.Client.User.Get(sys, userID)
	}
	if err != nil {
		return nil, fmt.Errorf("departure of %s: %w", userID, err)
	}
	if err := s.DB.Client.Departure.UpdateOneID(d.ID).Exec(sys); err != nil && !ent.IsNotFound(err) { // touched
		return nil, fmt.Errorf("departure of %s: %w", userID, err)
	}
	for range 3 { // what was made while it went on is handed over, too
		ids, err := teamsOf(sys, s.DB.Client, userID)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if err := s.handOverTeam(ctx, d, id); err != nil {
				return nil, err
			}
			s.step()
		}
		row, left, err := s.gone(ctx, d)
		if err != nil || !left {
			return row, err
		}
	}
	return nil, fault.New(fault.Conflict, "person.busy", nil)
}

// handOverTeam ends a membership of who departs, with everything in the team.
func (s *Service) handOverTeam(ctx context.Context, d *ent.Departure, teamID string) error {
	h := team.HandOver{HeirID: d.Plan.Heir(teamID), Instances: d.Plan.Instances, Runs: d.Plan.Runs, Lenient: true} // of an heir who left meanwhile: the team keeps it
	if d.Plan.Erase {
		h.HomeName = volume.HomeName(FormerMember)
	}
	var row *ent.Team
	var done func()
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		row, done, err = s.Teams.Put(ctx, tx, team.Change{TeamID: teamID, UserID: d.UserID, HandOver: h})
		return err
	})
	if err != nil {
		return fmt.Errorf("hand over in team %s: %w", teamID, err)
	}
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	done()
	return nil
}

// gone ends a departure, unless something is left to hand over.
func (s *Service) gone(ctx context.Context, d *ent.Departure) (row *ent.User, left bool, err error) {
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		u, err := s.lock(ctx, tx, d.UserID)
		if err != nil {
			return err
		}
		if left, err = owns(sys, tx.Client(), u.ID); err != nil || left {
			return err
		}
		if err := s.Account.ForgetWays(ctx, tx, u.ID); err != nil {
			return err
		}
		secrets, err := tx.Secret.Delete().Where(entsecret.UserID(u.ID)).Exec(sys)
		if err != nil {
			return fmt.Errorf("secrets of %s: %w", u.ID, err)
		}
		up := tx.User.UpdateOneID(u.ID).SetPlatformRole(authz.PlatformUser).SetDepartedAt(now())
		if d.Plan.Erase {
			if err := erase(sys, tx, u, up); err != nil {
				return err
			}
		}
		if row, err = up.Save(sys); err != nil {
			return fmt.Errorf("user %s departs: %w", u.ID, err)
		}
		if _, err := tx.Departure.Delete().Where(departure.UserID(u.ID)).Exec(sys); err != nil {
			return fmt.Errorf("end departure of %s: %w", u.ID, err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "user.departed", ObjectID: u.ID, After: map[string]any{"erased": d.Plan.Erase, "secretsDeleted": secrets}})
	})
	if err != nil || left {
		return nil, left, err
	}
	return row.Unwrap(), false, nil
}

// owns reports whether a person still has or is something in a team.
func owns(sys context.Context, c *ent.Client, userID string) (bool, error) {
	member, err := c.Membership.Query().Where(membership.UserID(userID)).Exist(sys)
	if err != nil || member {
		return member, err
	}
	all, err := estates(sys, c, userID, "")
	if err != nil {
		return false, err
	}
	for _, e := range all {
		if !e.Empty() {
			return true, nil
		}
	}
	return false, nil
}

func (s *Service) leaving(sys context.Context, c *ent.Client, userID string) (bool, error) {
	return c.Departure.Query().Where(departure.UserID(userID)).Exist(sys)
}

// notLeaving refuses what would undo a departure in its midst.
func (s *Service) notLeaving(ctx context.Context, tx *ent.Tx, userID string) error {
	began, err := s.leaving(authz.AsSystem(ctx), tx.Client(), userID)
	if err != nil {
		return fmt.Errorf("departure of %s: %w", userID, err)
	}
	if began {
		return fault.New(fault.FailedPrecondition, "person.leaving", nil)
	}
	return nil
}

// resumeAfter is how long a departure may stand still before another process goes on with it.
const resumeAfter = time.Minute

// Sweep goes on with departures whose process ended in their midst, and forgets
// invitations that lapsed long ago.
func (s *Service) Sweep(ctx context.Context) error { return s.sweep(ctx, now().Add(-resumeAfter)) }

func (s *Service) sweep(ctx context.Context, before time.Time) error {
	sys := authz.AsSystem(ctx)
	rows, err := s.DB.Client.Departure.Query().Where(departure.TouchedAtLT(before)).All(sys)
	if err != nil {
		return fmt.Errorf("departures: %w", err)
	}
	var errs []error
	for _, d := range rows {
		// Whoever asked was an administrator then, and what they asked for is written down: it is their act.
		as := authz.With(ctx, &authz.Viewer{UserID: d.AskedBy, Platform: authz.PlatformAdministrator, Address: d.Address})
		if _, err := s.finish(as, d.UserID); err != nil {
			errs = append(errs, err)
			continue
		}
		slog.Info("departure finished that another process had begun", "user_id", d.UserID)
	}
	return errors.Join(append(errs, s.forgetInvitations(sys))...)
}
