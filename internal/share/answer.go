package share

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Accept accepts an offer: a person into one of their teams, teamID, where it is
// mounted from then on; or those who manage a team for their team. It takes one
// of the team's volumes, and nothing of its storage.
func (s *Service) Accept(ctx context.Context, id, teamID string) (*ent.Share, error) {
	v, row, vol, err := s.party(ctx, id)
	if err != nil {
		return nil, err
	}
	if !answers(v, row) {
		return nil, s.refusal(v, row)
	}
	var f fault.Fields
	switch {
	case row.GranteeKind == entshare.GranteeKindTeam && teamID != "" && teamID != row.TeamID:
		f.Add("teamId", "share.other-team", fault.Args{"grantee": row.Grantee})
	case row.GranteeKind == entshare.GranteeKindTeam:
		teamID = row.TeamID
	case teamID == "":
		f.Add("teamId", "share.which-team", nil)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if _, err := team.Visible(ctx, s.DB.Client, teamID); err != nil {
		return nil, err
	}
	if err := v.Check(authz.Create, teamID); err != nil {
		return nil, err
	}
	done := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		t, err := team.Lock(ctx, tx, s.DB, teamID)
		if err != nil {
			return err
		}
		if err := team.Open(t); err != nil {
			return err
		}
		if row, err = s.lock(ctx, tx, id); err != nil {
			return err
		}
		if done = row.State == entshare.StateAccepted && row.TeamID == teamID; done {
			return nil
		}
		if due := due(row, facts{VolumeGone: vol == nil || vol.Desired != entvolume.DesiredPresent}, s.now()); row.State != entshare.StateOffered || due != nil {
			return fault.New(fault.FailedPrecondition, "share.no-offer", fault.Args{"name": row.VolumeName})
		}
		if teamID != row.FromTeamID {
			if err := s.admit(ctx, tx, t); err != nil {
				return err
			}
		}
		before := shown(row)
		row, err = tx.Share.UpdateOneID(id).SetState(entshare.StateAccepted).SetTeamID(teamID).SetAcceptedBy(v.UserID).SetAcceptedAt(s.now()).
			SetReady(teamID == row.FromTeamID).ClearReason().AddGeneration(1).AddVersion(1).Save(sys)
		if err != nil {
			return fmt.Errorf("save: %w", err)
		}
		return note(ctx, tx, row, "share.accept", "share-accepted", before)
	})
	if err != nil {
		return nil, fmt.Errorf("accept share %s: %w", id, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}

// admit holds one more claim against the team's quota.
func (s *Service) admit(ctx context.Context, tx *ent.Tx, t *ent.Team) error {
	used, err := team.Used(ctx, tx.Client(), t.ID)
	if err != nil {
		return err
	}
	return preflight.Quota(spec.Quota{Volumes: 1}, used, t.Quota)
}

// refusal is for who sees a share and may not answer for its grantee.
func (s *Service) refusal(v *authz.Viewer, sh *ent.Share) error {
	if err := v.CheckOwn(); err != nil {
		return err
	}
	if sh.GranteeKind == entshare.GranteeKindTeam && v.May(authz.Read, sh.TeamID) && sh.TeamID != "" {
		return v.Check(authz.ManageAny, sh.TeamID)
	}
	return fault.New(fault.Forbidden, "share.not-yours", fault.Args{"grantee": sh.Grantee})
}

// Decline declines an offer, or gives a share back. Where something that runs
// mounts it, that must be confirmed.
func (s *Service) Decline(ctx context.Context, id string, confirm bool) (*ent.Share, error) {
	v, row, _, err := s.party(ctx, id)
	if err != nil {
		return nil, err
	}
	if !answers(v, row) {
		return nil, s.refusal(v, row)
	}
	code := codeDeclined
	if row.State == entshare.StateAccepted {
		code = codeGivenBack
	}
	return s.finish(ctx, row, entshare.StateDeclined, &spec.Reason{Code: code}, confirm, "")
}

// Revoke takes a share back: those who manage the volume. Where something that
// runs mounts it, that must be confirmed; after says what becomes of instances.
func (s *Service) Revoke(ctx context.Context, id string, confirm bool, after entshare.After) (*ent.Share, error) {
	v, row, vol, err := s.party(ctx, id)
	if err != nil {
		return nil, err
	}
	if !manages(v, row, vol) {
		return nil, s.notManager(v, row, vol)
	}
	return s.finish(ctx, row, entshare.StateRevoked, &spec.Reason{Code: codeRevoked}, confirm, after)
}

func (s *Service) notManager(v *authz.Viewer, sh *ent.Share, vol *ent.Volume) error {
	if vol == nil {
		return v.Check(authz.ManageAny, sh.FromTeamID)
	}
	return v.CheckManage(vol.TeamID, vol.OwnerID)
}

// finish ends a share that is not over; one that is stays as it is.
func (s *Service) finish(ctx context.Context, sh *ent.Share, state entshare.State, why *spec.Reason, confirm bool, after entshare.After) (*ent.Share, error) {
	row, done := sh, false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if row, err = s.lock(ctx, tx, sh.ID); err != nil {
			return err
		}
		if done = !Open(row); done {
			return nil
		}
		if !confirm {
			live, err := s.live(ctx, tx.Client(), row)
			if err != nil {
				return err
			}
			if err := inUse(row, live); err != nil {
				return err
			}
		}
		row, err = s.over(ctx, tx, row, state, why, after)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("end share %s: %w", sh.ID, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}
