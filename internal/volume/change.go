package volume

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Permissions are what a viewer may do with a volume in its present state.
type Permissions struct{ Edit, Expand, Trash, Restore, Delete bool }

// PermissionsOf are what the viewer may do with the volume now; classes are
// those of the cluster, nil when they are not known.
func PermissionsOf(v *authz.Viewer, row *ent.Volume, classes []Class) Permissions {
	if !v.MayManage(row.TeamID, row.OwnerID) || row.Desired == entvolume.DesiredDeleted {
		return Permissions{}
	}
	present := row.Desired == entvolume.DesiredPresent
	return Permissions{
		Edit: true, Trash: present, Restore: !present, Delete: true,
		Expand: present && row.Phase == entvolume.PhaseBound && expandable(classes, row.StorageClass) != no,
	}
}

// managed is a volume for the viewer to change.
func (s *Service) managed(ctx context.Context, id string) (*ent.Volume, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	row, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	return row, v.CheckManage(row.TeamID, row.OwnerID)
}

// locked reads a volume of a locked team again, for its row to be changed.
func (s *Service) locked(ctx context.Context, tx *ent.Tx, row *ent.Volume) (*ent.Team, *ent.Volume, error) {
	t, err := team.Lock(ctx, tx, s.DB, row.TeamID)
	if err != nil {
		return nil, nil, err
	}
	q := tx.Volume.Query().Where(entvolume.ID(row.ID))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	now, err := q.Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, fault.Missing("volume", row.ID)
	}
	return t, now, err
}

// UpdateInput changes what a volume is called and said to be for; nil leaves as it is.
type UpdateInput struct {
	ID                string
	Name, Description *string
}

const maxDescription = 2000 // characters

// Update changes how a volume is shown. Its claim keeps its name (P26).
func (s *Service) Update(ctx context.Context, in UpdateInput) (*ent.Volume, error) {
	row, err := s.managed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	if in.Name != nil {
		preflight.CheckName(&f, "name", *in.Name)
	}
	if in.Description != nil {
		checkDescription(&f, "description", *in.Description)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, old, err := s.locked(ctx, tx, row)
		if err != nil {
			return err
		}
		if row = old; old.Desired == entvolume.DesiredDeleted {
			return fault.New(fault.FailedPrecondition, "volume.deleting", fault.Args{"name": old.Name})
		}
		before, after := map[string]any{}, map[string]any{}
		u := tx.Volume.UpdateOneID(old.ID).AddVersion(1)
		if in.Name != nil && *in.Name != old.Name {
			u.SetName(*in.Name).AddGeneration(1) // its claim carries the name as an annotation
			before["name"], after["name"] = old.Name, *in.Name
		}
		if in.Description != nil && *in.Description != old.Description {
			u.SetDescription(*in.Description)
			before["description"], after["description"] = old.Description, *in.Description
		}
		if changed = len(after) > 0; !changed {
			return nil
		}
		if row, err = u.Save(ctx); err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.update", "edited", before, after)
	})
	if err != nil {
		return nil, fmt.Errorf("update volume %s: %w", in.ID, err)
	}
	if !changed {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// Expand makes a volume larger. One whose expansion is not done yet may be
// taken back as far as its disk has not grown.
func (s *Service) Expand(ctx context.Context, id, size string) (*ent.Volume, error) {
	row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	bytes := quantity.AddSize(&f, "size", size, quantity.Limits{Min: minBytes, Max: s.Config.Now().Limits.VolumeBytes})
	if err := f.Err(); err != nil {
		return nil, err
	}
	classes, err := s.KnownClasses(ctx)
	if err != nil {
		return nil, err
	}
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		t, old, err := s.locked(ctx, tx, row)
		if err != nil {
			return err
		}
		row = old
		if err := team.Open(t); err != nil {
			return err
		}
		if err := mayExpand(old, bytes, classes); err != nil {
			return err
		}
		if changed = bytes != old.SizeBytes; !changed {
			return nil
		}
		if more := bytes - old.SizeBytes; more > 0 {
			if err := s.admit(ctx, tx, t, old.OwnerID, spec.Quota{StorageBytes: more}); err != nil {
				return err
			}
		}
		if row, err = tx.Volume.UpdateOneID(old.ID).SetSizeBytes(bytes).AddGeneration(1).AddVersion(1).Save(ctx); err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.expand", "expanding", map[string]any{"sizeBytes": old.SizeBytes}, map[string]any{"sizeBytes": bytes})
	})
	if err != nil {
		return nil, fmt.Errorf("expand volume %s: %w", id, err)
	}
	if !changed {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// mayExpand says why a volume cannot have a size. A disk never shrinks; what
// was asked for and not given yet can be asked for less.
func mayExpand(v *ent.Volume, bytes int64, classes []Class) error {
	switch {
	case v.Desired == entvolume.DesiredTrashed:
		return fault.New(fault.FailedPrecondition, "volume.trashed", fault.Args{"name": v.Name})
	case v.Desired == entvolume.DesiredDeleted:
		return fault.New(fault.FailedPrecondition, "volume.deleting", fault.Args{"name": v.Name})
	case v.Phase == entvolume.PhaseLost:
		return fault.New(fault.FailedPrecondition, "volume.lost", fault.Args{"name": v.Name})
	case v.Phase != entvolume.PhaseBound:
		return fault.New(fault.FailedPrecondition, "volume.not-bound", fault.Args{"name": v.Name})
	}
	if expandable(classes, v.StorageClass) == no && bytes > v.SizeBytes {
		return fault.New(fault.FailedPrecondition, "volume.not-expandable", fault.Args{"name": v.Name, "class": className(classes, v.StorageClass)})
	}
	least := v.SizeBytes
	if v.CapacityBytes > 0 {
		least = min(least, v.CapacityBytes)
	}
	if bytes < least {
		var f fault.Fields
		f.Add("size", "volume.smaller", fault.Args{"value": quantity.Memory(bytes), "least": quantity.Memory(least)})
		return f.Err()
	}
	return nil
}
