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
)

// SetMember gives a person a role in a team, or takes it (nil) without a look at
// what they own there: person.Leave hands that over. Owners of the team and
// administrators; only an administrator may leave a team without owners.
func (s *Service) SetMember(ctx context.Context, teamID, userID string, role *authz.Role) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := Visible(ctx, s.DB.Client, teamID); err != nil {
		return nil, err
	}
	if err := v.Check(authz.Members, teamID); err != nil {
		return nil, err
	}
	if role != nil && !KnownRole(*role) {
		var f fault.Fields
		f.Add("role", "team.role", fault.Args{"value": string(*role)})
		return nil, f.Err()
	}
	// A person who shares no team with the viewer yet is found by id alone.
	ok, err := s.DB.Client.User.Query().Where(entuser.ID(userID), entuser.DisabledAtIsNil()).Exist(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("look for user %s: %w", userID, err)
	}
	if !ok {
		return nil, fault.Missing("user", userID)
	}
	var row *ent.Team
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, err = s.Put(ctx, tx, teamID, userID, role)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("member %s of team %s: %w", userID, teamID, err)
	}
	row = row.Unwrap()
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	return row, nil
}

// KnownRole reports whether a word is a role of a team.
func KnownRole(r authz.Role) bool {
	switch r {
	case authz.RoleViewer, authz.RoleMember, authz.RoleMaintainer, authz.RoleOwner:
		return true
	}
	return false
}

// Put gives a person a role in a team, or takes it (nil), in the caller's
// transaction. It is for the caller to check that the viewer may.
func (s *Service) Put(ctx context.Context, tx *ent.Tx, teamID, userID string, role *authz.Role) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := Lock(ctx, tx, s.DB, teamID); err != nil {
		return nil, err
	}
	sys := authz.AsSystem(ctx)
	old, err := tx.Membership.Query().Where(membership.TeamID(teamID), membership.UserID(userID)).Only(sys)
	if err != nil && !ent.IsNotFound(err) {
		return nil, err
	}
	before, after := map[string]any{"user": userID}, map[string]any{"user": userID}
	if old != nil {
		before["role"] = old.Role
	}
	switch {
	case role == nil && old != nil:
		err = tx.Membership.DeleteOneID(old.ID).Exec(sys)
	case role == nil:
		err = nil
	case old == nil:
		after["role"] = *role
		err = tx.Membership.Create().SetTeamID(teamID).SetUserID(userID).SetRole(*role).Exec(sys)
	default:
		after["role"] = *role
		err = tx.Membership.UpdateOneID(old.ID).SetRole(*role).SetOrigin(authz.Manual).Exec(sys)
	}
	if err != nil {
		return nil, err
	}
	if old != nil && old.Role == authz.RoleOwner && !v.Administrator() {
		owners, err := tx.Membership.Query().Where(membership.TeamID(teamID), membership.RoleEQ(authz.RoleOwner)).Count(sys)
		if err != nil {
			return nil, err
		}
		if owners == 0 {
			return nil, fault.New(fault.FailedPrecondition, "team.last-owner", nil)
		}
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: "team.member", TeamID: teamID, ObjectID: teamID, Before: before, After: after}); err != nil {
		return nil, err
	}
	// The row is the platform's: an owner changes who is in it, not what it says.
	return tx.Team.UpdateOneID(teamID).AddVersion(1).Save(sys)
}
