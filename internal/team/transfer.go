package team

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
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
// that there is never none. An owner hands over their own role, to a member of
// the team; an administrator anybody's, to anybody. Who keeps only the right to
// look hands over what they own there, too.
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
	var row *ent.Team
	var done func()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		row, done, err = s.transfer(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("transfer team %s: %w", in.TeamID, err)
	}
	row = s.committed(ctx, row)
	done()
	return row, nil
}

func (s *Service) transfer(ctx context.Context, tx *ent.Tx, in TransferInput) (*ent.Team, func(), error) {
	none := func(err error) (*ent.Team, func(), error) { return nil, nil, err }
	if _, err := Lock(ctx, tx, s.DB, in.TeamID); err != nil {
		return none(err)
	}
	if err := s.known(ctx, tx, in.TeamID, in.UserID); err != nil {
		return none(err)
	}
	sys := authz.AsSystem(ctx)
	from, err := tx.Membership.Query().Where(membership.TeamID(in.TeamID), membership.UserID(in.From)).Only(sys)
	switch {
	case ent.IsNotFound(err), err == nil && from.Role != authz.RoleOwner:
		return none(fault.New(fault.FailedPrecondition, "team.transfer-no-owner", nil))
	case err != nil:
		return none(err)
	}
	before := map[string]any{"owner": in.From}
	to, err := tx.Membership.Query().Where(membership.TeamID(in.TeamID), membership.UserID(in.UserID)).Only(sys)
	if err != nil && !ent.IsNotFound(err) {
		return none(err)
	}
	if to != nil {
		before["role"] = to.Role
	}
	owner := authz.RoleOwner
	if _, _, err := s.Put(ctx, tx, Change{TeamID: in.TeamID, UserID: in.UserID, Role: &owner}); err != nil {
		return none(err)
	}
	row, done, err := s.Put(ctx, tx, Change{TeamID: in.TeamID, UserID: in.From, Role: &in.Keep, HandOver: HandOver{HeirID: in.UserID}})
	if err != nil {
		return none(err)
	}
	after := map[string]any{"owner": in.UserID, "keeps": in.Keep}
	return row, done, note(ctx, tx, row, "team.transfer", "transferred", before, after)
}
