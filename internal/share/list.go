package share

import (
	"context"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Get is a share of which the viewer is a party.
func (s *Service) Get(ctx context.Context, id string) (*ent.Share, error) {
	_, row, _, err := s.party(ctx, id)
	return row, err
}

// Known are those of some shares of which the viewer is a party.
func (s *Service) Known(ctx context.Context, ids []string) ([]*ent.Share, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.Share.Query().Where(entshare.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("shares: %w", err)
	}
	behind := make([]string, len(rows))
	for i, r := range rows {
		behind[i] = r.VolumeID
	}
	volumes, err := s.DB.Client.Volume.Query().Where(entvolume.IDIn(behind...)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("volumes of shares: %w", err)
	}
	byID := map[string]*ent.Volume{}
	for _, vol := range volumes {
		byID[vol.ID] = vol
	}
	return slices.DeleteFunc(rows, func(r *ent.Share) bool { return !Sees(v, r, byID[r.VolumeID]) }), nil
}

// Query finds the shares for the viewer and their teams, or those that they may
// change, who sees everything all of them.
func (s *Service) Query(ctx context.Context, incoming bool) (*ent.ShareQuery, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	q := s.DB.Client.Share.Query()
	if incoming {
		return q.Where(entshare.Or(entshare.UserID(v.UserID),
			entshare.And(entshare.GranteeKindEQ(entshare.GranteeKindTeam), entshare.TeamIDIn(v.TeamIDs()...)))), nil
	}
	if v.ReadsAll() {
		return q, nil
	}
	var managed []string
	if !v.Inside() {
		for _, id := range v.TeamIDs() {
			if person(v).May(authz.ManageAny, id) {
				managed = append(managed, id)
			}
		}
	}
	own, err := s.DB.Client.Volume.Query().Where(entvolume.OwnerID(v.UserID), entvolume.TeamIDIn(v.TeamIDs()...)).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("own volumes: %w", err)
	}
	if v.Inside() {
		own = nil
	}
	return q.Where(entshare.Or(entshare.FromTeamIDIn(managed...), entshare.VolumeIDIn(own...), entshare.GrantedBy(v.UserID))), nil
}
