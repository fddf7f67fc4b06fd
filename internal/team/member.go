package team

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entuser "github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// HandOver says what becomes of what somebody owns in a team in which they make
// nothing any more. Without an heir an owner of the team gets it.
type HandOver struct {
	HeirID          string
	Instances, Runs spec.Fate // empty to keep them going
	HomeName        string    // what their home is called then; empty for one with their name
	// Lenient takes an owner for an heir who is none any more.
	Lenient bool
	// Forced does not refuse for want of an heir: then everything stays theirs,
	// what runs is asked to end, and an administrator may hand it over later.
	Forced bool
}

// Estates hands over what people own in teams; *person.Service does.
type Estates interface {
	// HandOver does it in the transaction, which holds the team's row; done is to be called after the commit.
	HandOver(ctx context.Context, tx *ent.Tx, t *ent.Team, userID string, h HandOver) (done func(), err error)
}

// Change is what becomes of a membership.
type Change struct {
	TeamID, UserID string
	Role           *authz.Role  // nil ends it
	Origin         authz.Origin // empty for what a person decides
	HandOver       HandOver     // for who is no member any more, or only looks
}

// SetMember gives a person another role in a team, or ends their membership
// (nil). Owners of the team and administrators; whoever is not in the team yet is
// let in by administrators only: owners invite, and the person says yes. Only an
// administrator may leave a team without owners.
func (s *Service) SetMember(ctx context.Context, c Change) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := Visible(ctx, s.DB.Client, c.TeamID); err != nil {
		return nil, err
	}
	if err := v.Check(authz.Members, c.TeamID); err != nil {
		return nil, err
	}
	if c.Role != nil && !KnownRole(*c.Role) {
		var f fault.Fields
		f.Add("role", "team.role", fault.Args{"value": string(*c.Role)})
		return nil, f.Err()
	}
	var row *ent.Team
	var done func()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := Lock(ctx, tx, s.DB, c.TeamID); err != nil {
			return err
		}
		if c.Role != nil {
			if err := s.known(ctx, tx, c.TeamID, c.UserID); err != nil {
				return err
			}
		}
		row, done, err = s.Put(ctx, tx, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("member %s of team %s: %w", c.UserID, c.TeamID, err)
	}
	row = row.Unwrap()
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	done()
	return row, nil
}

// known wants a person whom the viewer may give a role in a team without asking
// them: one who is in it, and for an administrator anybody. Somebody who is
// elsewhere is as unknown to an owner as nobody.
func (s *Service) known(ctx context.Context, tx *ent.Tx, teamID, userID string) error {
	q := tx.User.Query().Where(entuser.ID(userID), entuser.DisabledAtIsNil())
	admin := authz.From(ctx).Administrator()
	if !admin {
		q.Where(entuser.HasMembershipsWith(membership.TeamID(teamID)))
	}
	ok, err := q.Exist(authz.AsSystem(ctx))
	switch {
	case err != nil:
		return fmt.Errorf("look for user %s: %w", userID, err)
	case !ok && admin:
		return fault.Missing("user", userID)
	case !ok:
		var f fault.Fields
		f.Add("userId", "team.stranger", nil)
		return f.Err()
	}
	return nil
}

// KnownRole reports whether a word is a role of a team.
func KnownRole(r authz.Role) bool {
	switch r {
	case authz.RoleViewer, authz.RoleMember, authz.RoleMaintainer, authz.RoleOwner:
		return true
	}
	return false
}

// Put is the one way in which a membership begins, changes and ends, in the
// caller's transaction: whoever is no member any more, or only looks from now on,
// owns nothing there, so what they own is handed over with it. It is for the
// caller to check that the viewer may, and to call done after the commit.
func (s *Service) Put(ctx context.Context, tx *ent.Tx, c Change) (row *ent.Team, done func(), err error) {
	done = func() {}
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, done, err
	}
	t, err := Lock(ctx, tx, s.DB, c.TeamID)
	if err != nil {
		return nil, done, err
	}
	sys := authz.AsSystem(ctx)
	old, err := tx.Membership.Query().Where(membership.TeamID(c.TeamID), membership.UserID(c.UserID)).Only(sys)
	if err != nil && !ent.IsNotFound(err) {
		return nil, done, err
	}
	if old == nil && c.Role != nil {
		if err := Open(t); err != nil {
			return nil, done, err
		}
	}
	if s.Estates != nil && (c.Role == nil || *c.Role == authz.RoleViewer) {
		if done, err = s.Estates.HandOver(ctx, tx, t, c.UserID, c.HandOver); err != nil {
			return nil, func() {}, err
		}
	}
	before, after, err := write(sys, tx, old, c)
	if err != nil {
		return nil, done, err
	}
	if old != nil && old.Role == authz.RoleOwner && c.Origin != authz.Mapped && !v.Administrator() {
		owners, err := tx.Membership.Query().Where(membership.TeamID(c.TeamID), membership.RoleEQ(authz.RoleOwner)).Count(sys)
		if err != nil {
			return nil, done, err
		}
		if owners == 0 {
			return nil, done, fault.New(fault.FailedPrecondition, "team.last-owner", nil)
		}
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: "team.member", TeamID: c.TeamID, ObjectID: c.TeamID, Before: before, After: after}); err != nil {
		return nil, done, err
	}
	// The row is the platform's: an owner changes who is in it, not what it says.
	row, err = tx.Team.UpdateOneID(c.TeamID).AddVersion(1).Save(sys)
	return row, done, err
}

// write writes the membership, and gives what the audit log keeps of it.
func write(sys context.Context, tx *ent.Tx, old *ent.Membership, c Change) (before, after map[string]any, err error) {
	before, after = map[string]any{"user": c.UserID}, map[string]any{"user": c.UserID}
	origin := authz.Manual
	if c.Origin != "" {
		origin = c.Origin
		after["origin"] = string(origin)
	}
	if old != nil {
		before["role"] = old.Role
	}
	if c.Role != nil {
		after["role"] = *c.Role
	}
	switch {
	case c.Role == nil && old != nil:
		err = tx.Membership.DeleteOneID(old.ID).Exec(sys)
	case c.Role == nil:
	case old == nil:
		err = tx.Membership.Create().SetTeamID(c.TeamID).SetUserID(c.UserID).SetRole(*c.Role).SetOrigin(origin).Exec(sys)
	default:
		err = tx.Membership.UpdateOneID(old.ID).SetRole(*c.Role).SetOrigin(origin).Exec(sys)
	}
	return before, after, err
}
