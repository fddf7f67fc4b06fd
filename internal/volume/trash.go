package volume

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Trash puts a volume where it can be restored from until its time is over. Its
// claim stays, and counts; nothing can mount it. What is ending may still have it.
func (s *Service) Trash(ctx context.Context, id string) (*ent.Volume, error) {
	row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, old, err := s.locked(ctx, tx, row)
		if err != nil {
			return err
		}
		switch row = old; old.Desired {
		case entvolume.DesiredTrashed: // asked for already
			return nil
		case entvolume.DesiredDeleted:
			return fault.New(fault.FailedPrecondition, "volume.deleting", fault.Args{"name": old.Name})
		case entvolume.DesiredPresent:
		}
		if err := s.unused(ctx, tx, old, false); err != nil {
			return err
		}
		changed = true
		at := time.Now().UTC()
		until := at.Add(s.Config.Now().Limits.TrashKeep)
		row, err = tx.Volume.UpdateOneID(old.ID).SetDesired(entvolume.DesiredTrashed).SetTrashedAt(at).SetPurgeAt(until).
			AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.trash", "trashed", nil, map[string]any{"name": old.Name, "until": until})
	})
	if err != nil {
		return nil, fmt.Errorf("trash volume %s: %w", id, err)
	}
	if !changed {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// Restore takes a volume out of the trash. It counted all the while, so no
// quota can refuse it.
func (s *Service) Restore(ctx context.Context, id string) (*ent.Volume, error) {
	row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, old, err := s.locked(ctx, tx, row)
		if err != nil {
			return err
		}
		switch row = old; old.Desired {
		case entvolume.DesiredPresent:
			return nil
		case entvolume.DesiredDeleted:
			return fault.New(fault.FailedPrecondition, "volume.too-late", fault.Args{"name": old.Name})
		case entvolume.DesiredTrashed:
		}
		changed = true
		row, err = tx.Volume.UpdateOneID(old.ID).SetDesired(entvolume.DesiredPresent).ClearTrashedAt().ClearPurgeAt().
			AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.restore", "restored", nil, map[string]any{"name": old.Name})
	})
	if err != nil {
		return nil, fmt.Errorf("restore volume %s: %w", id, err)
	}
	if !changed {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// Delete deletes a volume and its data; confirmName must be its name. It is
// refused while something mounts the volume, and says what (P20). The row goes
// once the claim is gone.
func (s *Service) Delete(ctx context.Context, id, confirmName string) error {
	row, err := s.managed(ctx, id)
	if err != nil {
		return err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, old, err := s.locked(ctx, tx, row)
		if err != nil {
			return err
		}
		if row = old; confirmName != old.Name {
			var f fault.Fields
			f.Add("confirmName", "volume.confirm", fault.Args{"name": old.Name})
			return f.Err()
		}
		if old.Desired == entvolume.DesiredDeleted { // asked for already
			return nil
		}
		if err := s.unused(ctx, tx, old, true); err != nil {
			return err
		}
		changed = true
		if row, err = doom(ctx, tx, old); err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.delete", "deleting", shown(old), nil)
	})
	if err != nil {
		return fmt.Errorf("delete volume %s: %w", id, err)
	}
	if changed {
		s.committed(ctx, row.Unwrap())
	}
	return nil
}

func doom(ctx context.Context, tx *ent.Tx, v *ent.Volume) (*ent.Volume, error) {
	return tx.Volume.UpdateOneID(v.ID).SetDesired(entvolume.DesiredDeleted).SetPhase(entvolume.PhaseDeleting).ClearReason().
		AddGeneration(1).AddVersion(1).Save(ctx)
}

// purge deletes a volume whose time in the trash is over.
func (s *Service) purge(sys context.Context, v *ent.Volume, now time.Time) error {
	done := false
	var row *ent.Volume
	err := s.DB.Tx(sys, func(tx *ent.Tx) error {
		_, old, err := s.locked(sys, tx, v)
		if err != nil {
			return err
		}
		if old.Desired != entvolume.DesiredTrashed || old.PurgeAt == nil || old.PurgeAt.After(now) {
			return nil // restored meanwhile
		}
		if err := s.unused(sys, tx, old, true); err != nil {
			return err
		}
		done = true
		if row, err = doom(sys, tx, old); err != nil {
			return err
		}
		return noteAs(sys, tx, row, platform, "volume.purge", "purged", shown(old), nil)
	})
	if err != nil {
		return fmt.Errorf("purge volume %s: %w", v.ID, err)
	}
	if done {
		s.committed(sys, row.Unwrap())
	}
	return nil
}

// unused refuses while something live mounts a volume; what is ending counts
// when ending is set.
func (s *Service) unused(ctx context.Context, tx *ent.Tx, v *ent.Volume, ending bool) error {
	uses, err := usedBy(authz.AsSystem(ctx), tx.Client(), v)
	if err != nil {
		return err
	}
	var held []string
	for _, u := range uses {
		if ending || !u.Ending {
			held = append(held, u.Name)
		}
	}
	if len(held) == 0 {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "volume.in-use", fault.Args{"name": v.Name, "holders": held})
}

// Deletion is what the deletion of a volume would mean.
type Deletion struct {
	Volume     *ent.Volume
	UsedBy     []Use // live ones
	WantedBy   []Use // stopped instances
	TrashUntil time.Time
	Disk       DiskFate // empty when the cluster does not say
}

// PreviewDelete tells what the deletion of a volume would mean, to those who may do it.
func (s *Service) PreviewDelete(ctx context.Context, id string) (*Deletion, error) {
	row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	sys := authz.AsSystem(ctx)
	d := &Deletion{Volume: row, TrashUntil: time.Now().UTC().Add(s.Config.Now().Limits.TrashKeep)}
	if row.PurgeAt != nil {
		d.TrashUntil = *row.PurgeAt
	}
	if d.UsedBy, err = usedBy(sys, s.DB.Client, row); err != nil {
		return nil, err
	}
	stopped, err := s.DB.Client.Instance.Query().Where(entinstance.TeamID(row.TeamID), entinstance.Not(team.LiveInstance())).All(sys)
	if err != nil {
		return nil, fmt.Errorf("stopped instances: %w", err)
	}
	var waiting []team.Consumer
	for _, i := range stopped {
		waiting = append(waiting, team.Consumer{ID: i.ID, Name: i.Name, OwnerID: i.OwnerID, Kind: "instance", Mounts: i.Spec.Mounts,
			Home: i.Inherited.Home() == "", HomeID: i.Inherited.Home()})
	}
	d.WantedBy = uses(waiting, row, nil)
	d.Disk = s.diskFate(ctx, row)
	return d, nil
}
