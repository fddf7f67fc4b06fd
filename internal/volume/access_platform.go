package volume

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// PlatformAccess is how the platform gets at a volume to keep something of its
// own there, in the volume's team whoever mounts it: who may was asked before.
// What is about to go, or has lost its disk, is refused with the reason.
func (s *Service) PlatformAccess(ctx context.Context, volumeID string) (Access, error) {
	row, err := s.DB.Client.Volume.Query().Where(entvolume.ID(volumeID)).WithTeam().Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return Access{}, fault.Missing("volume", volumeID)
	}
	if err != nil {
		return Access{}, fmt.Errorf("volume %s: %w", volumeID, err)
	}
	if err := there(row); err != nil {
		return Access{}, err
	}
	return Access{Volume: row, Mode: ReadWrite, TeamID: row.TeamID, Namespace: row.Edges.Team.Namespace, Claim: row.ObjectName}, nil
}

// there refuses a volume whose files nobody gets at.
func there(row *ent.Volume) error {
	switch {
	case row.Desired == entvolume.DesiredDeleted:
		return fault.New(fault.FailedPrecondition, "volume.deleting", fault.Args{"name": row.Name})
	case row.Desired == entvolume.DesiredTrashed:
		return fault.New(fault.FailedPrecondition, "volume.trashed", fault.Args{"name": row.Name})
	case row.Phase == entvolume.PhaseLost:
		return fault.New(fault.FailedPrecondition, "volume.lost", fault.Args{"name": row.Name})
	}
	return nil
}
