package volume

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// accessShare is Access for the id of a share: for whom it was granted to, in
// the team where it is mounted, through that team's claim.
func (s *Service) accessShare(ctx context.Context, v *authz.Viewer, id string) (Access, error) {
	row, err := s.DB.Client.Share.Query().Where(entshare.ID(id), entshare.UserIDIn("", v.UserID), InForce(time.Now().UTC())).Only(ctx)
	if ent.IsNotFound(err) || err == nil && v.Teams[row.TeamID] == "" {
		return Access{}, fault.Missing("share", id)
	}
	if err != nil {
		return Access{}, fmt.Errorf("load share %s: %w", id, err)
	}
	if v.Inside() {
		return Access{}, v.Check(authz.ManageOwn, row.TeamID)
	}
	person := *v
	person.Scope = "" // what a token narrows is said below, so that it can read
	if err := person.Check(authz.Create, row.TeamID); err != nil {
		return Access{}, err
	}
	found, err := Mounted(ctx, s.DB.Client, row.TeamID, v.UserID, []spec.Mount{{VolumeID: id}})
	if err != nil {
		return Access{}, err
	}
	source := found[id]
	switch {
	case source == nil:
		return Access{}, fault.Missing("share", id)
	case source.Phase == entvolume.PhaseLost:
		return Access{}, fault.New(fault.FailedPrecondition, "volume.lost", fault.Args{"name": source.Name})
	case !row.Ready:
		return Access{}, fault.New(fault.FailedPrecondition, "share.not-ready", fault.Args{"name": source.Name})
	}
	t, err := s.DB.Client.Team.Query().Where(entteam.ID(row.TeamID)).Only(ctx)
	if err != nil {
		return Access{}, fmt.Errorf("team of share %s: %w", id, err)
	}
	a := Access{Volume: source.Volume, Mode: ReadOnly, TeamID: t.ID, Namespace: t.Namespace, Claim: source.Claim()}
	if !source.ReadsOnly() && !v.ReadsOnly() {
		a.Mode = ReadWrite
	}
	return a, nil
}

// grantedWrite reports whether a share within the volume's team lets the viewer
// write what they could only read.
func (s *Service) grantedWrite(ctx context.Context, v *authz.Viewer, row *ent.Volume) (bool, error) {
	ok, err := s.DB.Client.Share.Query().Where(entshare.VolumeID(row.ID), entshare.TeamID(row.TeamID), entshare.ModeEQ(entshare.ModeReadWrite),
		entshare.UserIDIn("", v.UserID), InForce(time.Now().UTC())).Exist(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("shares of volume %s: %w", row.ID, err)
	}
	return ok, nil
}
