package instance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Update changes an instance; what concerns its pod counts from the next start.
func (s *Service) Update(ctx context.Context, in UpdateInput) (*ent.Instance, error) {
	v, old, err := s.managed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, old.TeamID)
	if err != nil {
		return nil, err
	}
	name, want, err := s.change(ctx, v, t, old, in)
	if err != nil {
		return nil, err
	}
	var row *ent.Instance
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.lock(ctx, tx, in.ID); err != nil {
			return err
		}
		switch {
		case row.Desired == entinstance.DesiredDeleted:
			return fault.New(fault.FailedPrecondition, "instance.deleting", nil)
		case row.Generation != old.Generation:
			return fault.New(fault.Conflict, "instance.changed", nil)
		}
		before := shown(row)
		row, err = tx.Instance.UpdateOne(row).SetName(name).SetImageID(want.ImageID).SetSpec(want).
			AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, act{action: "instance.update", event: "updated", before: before, after: shown(row)})
	})
	if err != nil {
		return nil, fmt.Errorf("update instance %s: %w", in.ID, err)
	}
	return s.committed(ctx, row), nil
}

// change checks an edit, everything at once, and gives the new name and spec.
func (s *Service) change(ctx context.Context, v *authz.Viewer, t *ent.Team, old *ent.Instance, in UpdateInput) (string, spec.Instance, error) {
	var f fault.Fields
	name, want := old.Name, old.Spec
	if in.Name != nil {
		name = *in.Name
		preflight.CheckName(&f, "name", name)
	}
	if in.ImageID != nil {
		want.ImageID = *in.ImageID
	}
	if in.Mounts != nil {
		want.Mounts = in.Mounts
	}
	if in.Ports != nil {
		want.Ports = in.Ports
	}
	if in.Env != nil {
		want.Env = in.Env
	}
	if in.Secrets != nil {
		want.Secrets = in.Secrets
	}
	if in.Resources != nil {
		want.Resources = s.parse(&f, *in.Resources)
	}
	preflight.CheckInstance(&f, want, s.limits())
	if want.ImageID != old.Spec.ImageID {
		if err := s.checkImage(ctx, &f, t.ID, want.ImageID); err != nil {
			return "", want, err
		}
	}
	if in.Mounts != nil {
		if err := s.checkNewMounts(ctx, &f, old, want.Mounts); err != nil {
			return "", want, err
		}
	}
	if err := s.checkSecrets(ctx, &f, v, consumer(old), want, old.Spec.Secrets); err != nil {
		return "", want, err
	}
	if err := s.checkStranger(ctx, v, old, want); err != nil {
		return "", want, err
	}
	if in.Resources != nil {
		if err := s.checkFit(ctx, &f, t, want.Resources); err != nil {
			return "", want, err
		}
	}
	if err := f.Err(); err != nil {
		return "", want, err
	}
	return name, want, s.admit(ctx, s.DB.Client, applicant{self: old.ID, team: t, spec: want})
}

// checkNewMounts checks the mounts that an edit adds; who edits another
// person's instance may leave what its owner mounted.
func (s *Service) checkNewMounts(ctx context.Context, f *fault.Fields, old *ent.Instance, mounts []spec.Mount) error {
	var all fault.Fields
	if _, err := volume.CheckMounts(ctx, s.DB.Client, &all, "", old.TeamID, mounts); err != nil {
		return err
	}
	var wrong *fault.Error
	if !errors.As(all.Err(), &wrong) {
		return nil
	}
	for _, field := range wrong.Fields {
		var i int
		if _, err := fmt.Sscanf(field.Path, "mounts[%d]", &i); err == nil && field.ID != "volume.missing" && // a share to its owner looks missing to everybody else
			slices.ContainsFunc(old.Spec.Mounts, func(m spec.Mount) bool {
				return m.VolumeID == mounts[i].VolumeID && m.ReadOnly == mounts[i].ReadOnly
			}) {
			continue
		}
		f.Add(field.Path, field.ID, field.Args)
	}
	return nil
}

// RestartToApply reports whether the instance was edited since its start, or a
// secret that it was given has changed.
func RestartToApply(i *ent.Instance) bool {
	return Started(i) && i.StartedSpec != nil && (i.Outdated || !equal(i.Spec, *i.StartedSpec))
}

// equal takes an empty list for none.
func equal(a, b spec.Instance) bool {
	for _, s := range []*spec.Instance{&a, &b} {
		s.Mounts = append([]spec.Mount(nil), s.Mounts...)
		s.Ports = append([]spec.Port(nil), s.Ports...)
		s.Env = append([]spec.EnvVar(nil), s.Env...)
		s.Secrets = append([]spec.SecretUse(nil), s.Secrets...)
	}
	return reflect.DeepEqual(a, b)
}

// Permissions are what a viewer may do with an instance in its present state.
type Permissions struct{ Start, Stop, Restart, Move, Edit, Delete, Connect bool }

// PermissionsOf are what the viewer may do with the instance now.
func PermissionsOf(v *authz.Viewer, i *ent.Instance) Permissions {
	manage := v != nil && v.MayManage(i.TeamID, i.OwnerID) && i.Desired != entinstance.DesiredDeleted
	wanted := i.Desired == entinstance.DesiredRunning
	return Permissions{
		Start: manage && !Started(i), Stop: manage && wanted, Restart: manage && wanted, Move: manage && OnLostNode(i),
		Edit: manage, Delete: manage,
		Connect: v != nil && v.MayConnect(i.TeamID, i.OwnerID) && Started(i) && i.State != entinstance.StatePending,
	}
}

// Permissions is PermissionsOf.
func (s *Service) Permissions(v *authz.Viewer, i *ent.Instance) Permissions {
	return PermissionsOf(v, i)
}
