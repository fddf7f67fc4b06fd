package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Remount takes the mounts of a share out of an instance, or, if narrow, makes
// them read-only. Where it runs with them it starts again, if restart is set and
// nothing stands in the way, and is stopped otherwise. It works as the platform,
// and may be asked again: what is done already stays as it is.
func (s *Service) Remount(ctx context.Context, id, shareID string, narrow, restart bool) error {
	sys := authz.AsSystem(ctx)
	var row *ent.Instance
	edited := false
	err := s.DB.Tx(sys, func(tx *ent.Tx) (err error) {
		if row, err = s.lock(sys, tx, id); err != nil {
			return err
		}
		mounts, changed := remounted(row.Spec.Mounts, shareID, narrow)
		if !changed || row.Desired == entinstance.DesiredDeleted {
			return nil
		}
		edited = true
		before, want := shown(row), row.Spec
		want.Mounts = mounts
		if row, err = tx.Instance.UpdateOne(row).SetSpec(want).AddGeneration(1).AddVersion(1).Save(sys); err != nil {
			return err
		}
		happened := "share-unmounted"
		if narrow {
			happened = "share-narrowed"
		}
		return note(sys, tx, row, act{action: "instance.remount", event: happened, before: before, after: shown(row)})
	})
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remount in instance %s: %w", id, err)
	}
	if edited {
		row = s.committed(sys, row)
	}
	if row.StartedSpec == nil || row.Desired != entinstance.DesiredRunning {
		return nil
	}
	if _, stale := remounted(row.StartedSpec.Mounts, shareID, narrow); !stale {
		return nil
	}
	if restart && Started(row) {
		_, err := s.start(sys, id, way{again: true})
		var refused *fault.Error
		if err == nil || !errors.As(err, &refused) {
			return err
		}
	}
	_, err = s.Stop(sys, id)
	return err
}

// remounted are mounts without a share, or with it read-only, and whether that
// is different.
func remounted(in []spec.Mount, shareID string, narrow bool) ([]spec.Mount, bool) {
	out, changed := slices.Clone(in), false
	if narrow {
		for i := range out {
			if out[i].VolumeID == shareID && !out[i].ReadOnly {
				out[i].ReadOnly, changed = true, true
			}
		}
		return out, changed
	}
	out = slices.DeleteFunc(out, func(m spec.Mount) bool { return m.VolumeID == shareID })
	return out, len(out) != len(in)
}
