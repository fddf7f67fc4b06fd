package team

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entuser "github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// TransferInput hands a team over from one owner to another person.
type TransferInput struct {
	TeamID, UserID string
	From           string     // the owner who hands over; empty for the viewer
	Keep           authz.Role // what the one who hands over is afterwards
}

// Transfer makes another person an owner instead of one, in one transaction, so
// that there is never none. An owner hands over their own role; an
// administrator anybody's.
func (s *Service) Transfer(ctx context.Context, in TransferInput) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := Visible(ctx, s.DB.Client, in.TeamID); err != nil {
		return nil, err
	}
	if err := v.Check(authz.Members, in.TeamID); err != nil {
		return nil, err
	}
	if in.From == "" {
		in.From = v.UserID
	}
	if in.From != v.UserID {
		if err := v.Check(authz.Platform, in.TeamID); err != nil {
			return nil, err
		}
	}
	var f fault.Fields
	if in.UserID == in.From {
		f.Add("userId", "team.transfer-self", nil)
	}
	if !KnownRole(in.Keep) || in.Keep == authz.RoleOwner {
		f.Add("keep", "team.transfer-keep", fault.Args{"value": string(in.Keep)})
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	ok, err := s.DB.Client.User.Query().Where(entuser.ID(in.UserID), entuser.DisabledAtIsNil()).Exist(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("look for user %s: %w", in.UserID, err)
	}
	if !ok {
		return nil, fault.Missing("user", in.UserID)
	}
	var row *ent.Team
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		row, err = s.transfer(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("transfer team %s: %w", in.TeamID, err)
	}
	return s.committed(ctx, row), nil
}

func (s *Service) transfer(ctx context.Context, tx *ent.Tx, in TransferInput) (*ent.Team, error) {
	if _, err := Lock(ctx, tx, s.DB, in.TeamID); err != nil {
		return nil, err
	}
	sys := authz.AsSystem(ctx)
	from, err := tx.Membership.Query().Where(membership.TeamID(in.TeamID), membership.UserID(in.From)).Only(sys)
	switch {
	case ent.IsNotFound(err), err == nil && from.Role != authz.RoleOwner:
		return nil, fault.New(fault.FailedPrecondition, "team.transfer-no-owner", nil)
	case err != nil:
		return nil, err
	}
	before := map[string]any{"owner": in.From}
	to, err := tx.Membership.Query().Where(membership.TeamID(in.TeamID), membership.UserID(in.UserID)).Only(sys)
	switch {
	case ent.IsNotFound(err):
		err = tx.Membership.Create().SetTeamID(in.TeamID).SetUserID(in.UserID).SetRole(authz.RoleOwner).Exec(sys)
	case err == nil:
		before["role"] = to.Role
		err = tx.Membership.UpdateOneID(to.ID).SetRole(authz.RoleOwner).Exec(sys)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.Membership.UpdateOneID(from.ID).SetRole(in.Keep).Exec(sys); err != nil {
		return nil, err
	}
	row, err := tx.Team.UpdateOneID(in.TeamID).AddVersion(1).Save(sys)
	if err != nil {
		return nil, err
	}
	after := map[string]any{"owner": in.UserID, "keeps": in.Keep}
	return row, note(ctx, tx, row, "team.transfer", "transferred", before, after)
}
