package share

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// ChangeInput changes what is not nil.
type ChangeInput struct {
	ID      string
	Mode    *entshare.Mode
	EndsAt  *time.Time
	Endless bool // it has no end any more
	Restart bool // what could write is restarted, or stopped if it is a run
}

// Change changes the mode and the end of a share: those who manage the volume.
// What runs keeps its mode until it starts again; what could write what becomes
// read-only is restarted, which must be confirmed.
func (s *Service) Change(ctx context.Context, in ChangeInput) (*ent.Share, error) {
	v, row, vol, err := s.party(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !manages(v, row, vol) {
		return nil, s.notManager(v, row, vol)
	}
	var f fault.Fields
	s.checkEnd(&f, in.EndsAt)
	if in.EndsAt != nil && in.Endless {
		f.Add("endless", "share.endless", nil)
	}
	if in.Mode != nil && entshare.ModeValidator(*in.Mode) != nil {
		f.Add("mode", "share.mode", fault.Args{"value": string(*in.Mode)})
	}
	if in.Mode != nil && *in.Mode == entshare.ModeReadOnly && row.TeamID == row.FromTeamID {
		f.Add("mode", "share.reads-already", fault.Args{"name": row.VolumeName})
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.lock(ctx, tx, in.ID); err != nil {
			return err
		}
		if !Open(row) {
			return fault.New(fault.FailedPrecondition, "share.over", fault.Args{"name": row.VolumeName})
		}
		row, changed, err = s.change(ctx, tx, row, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("change share %s: %w", in.ID, err)
	}
	if !changed {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}

func (s *Service) change(ctx context.Context, tx *ent.Tx, row *ent.Share, in ChangeInput) (*ent.Share, bool, error) {
	before := shown(row)
	u, changed := tx.Share.UpdateOneID(row.ID).AddGeneration(1).AddVersion(1), false
	switch {
	case in.Endless && row.EndsAt != nil:
		u.ClearEndsAt()
		changed = true
	case in.EndsAt != nil && (row.EndsAt == nil || !row.EndsAt.Equal(*in.EndsAt)):
		u.SetEndsAt(in.EndsAt.UTC())
		changed = true
	}
	if in.Mode != nil && *in.Mode != row.Mode {
		if *in.Mode == entshare.ModeReadOnly && !in.Restart {
			live, err := s.live(ctx, tx.Client(), row)
			if err != nil {
				return nil, false, err
			}
			if err := inUse(row, writers(live)); err != nil {
				return nil, false, err
			}
		}
		u.SetMode(*in.Mode)
		if across(row) && row.State == entshare.StateAccepted {
			u.SetReady(false) // until the pair of the new mode is there
		}
		changed = true
	}
	if !changed {
		return row, false, nil
	}
	row, err := u.Save(authz.AsSystem(ctx))
	if err != nil {
		return nil, false, fmt.Errorf("save: %w", err)
	}
	return row, true, note(ctx, tx, row, "share.change", "share-changed", before)
}
