package graph

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

var volumeColumns = map[string][]string{
	"name": {entvolume.FieldName}, "kind": {entvolume.FieldKind}, "sizeBytes": {entvolume.FieldSizeBytes},
	"accessMode": {entvolume.FieldAccessMode}, "storageClass": {entvolume.FieldStorageClass}, "phase": {entvolume.FieldPhase},
	"reason": {entvolume.FieldReason, entvolume.FieldNearlyFull, entvolume.FieldUsage}, "claim": {entvolume.FieldObjectName}, "createdAt": {entvolume.FieldCreatedAt},
	"usedBy":      {entvolume.FieldName, entvolume.FieldKind},
	"description": {entvolume.FieldDescription}, "capacityBytes": {entvolume.FieldCapacityBytes}, "adopted": {entvolume.FieldAdopted},
	"trash": {entvolume.FieldDesired, entvolume.FieldTrashedAt, entvolume.FieldPurgeAt}, "usage": {entvolume.FieldUsage},
	"can": {entvolume.FieldDesired, entvolume.FieldPhase, entvolume.FieldStorageClass},
}

var volumeAlways = []string{entvolume.FieldID, entvolume.FieldTeamID, entvolume.FieldOwnerID}

// volumesOf gives the volumes that mounts name, as far as the viewer sees them.
func (r *Resolver) volumesOf(ctx context.Context, mounts []spec.Mount, t tree) (map[string]*model.Volume, error) {
	out := map[string]*model.Volume{}
	if t == nil || len(mounts) == 0 {
		return out, nil
	}
	q := r.DB.Client.Volume.Query().Where(entvolume.IDIn(ids(mounts, func(m spec.Mount) string { return m.VolumeID })...))
	q.Select(t.columns(volumeAlways, volumeColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read volumes: %w", err)
	}
	volumes, err := r.wrapVolumes(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, v := range volumes {
		out[v.ID] = v
	}
	return out, nil
}

func (r *Resolver) wrapVolumes(ctx context.Context, rows []*ent.Volume, t tree) ([]*model.Volume, error) {
	teams, err := r.teamsByID(ctx, ids(rows, func(v *ent.Volume) string { return v.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	owners, err := r.usersByID(ctx, ids(rows, func(v *ent.Volume) string { return v.OwnerID }), t["owner"])
	if err != nil {
		return nil, err
	}
	out, err := r.newVolumes(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		out[i].Team, out[i].Owner = teams[row.TeamID], owners[row.OwnerID]
	}
	if !t.has("usedBy") || len(rows) == 0 {
		return out, nil
	}
	uses, err := r.Volumes.UsedByAll(ctx, rows)
	if err != nil {
		return nil, err
	}
	for _, v := range out {
		v.UsedBy = model.NewVolumeUses(uses[v.ID])
	}
	return out, nil
}

// newVolumes are rows with what the viewer may do with them.
func (r *Resolver) newVolumes(ctx context.Context, rows []*ent.Volume, t tree) ([]*model.Volume, error) {
	l, full := lang.From(ctx), r.Config.Now().Limits.VolumeFull
	out := make([]*model.Volume, len(rows))
	for i, row := range rows {
		out[i] = &model.Volume{Volume: row, Lang: l, Full: full, UsedBy: []*model.VolumeUse{}}
	}
	if !t.has("can") || len(rows) == 0 {
		return out, nil
	}
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	classes, err := r.Volumes.KnownClasses(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range out {
		p := model.VolumePermissions(volume.PermissionsOf(v, m.Volume, classes))
		m.Can = &p
	}
	return out, nil
}

func (r *Resolver) volume(ctx context.Context, id string, t tree) (*model.Volume, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Volume.Query().Where(entvolume.ID(id))
	q.Select(t.columns(volumeAlways, volumeColumns)...)
	return one(ctx, "volume", id, q.All, func(ctx context.Context, rows []*ent.Volume) ([]*model.Volume, error) {
		return r.wrapVolumes(ctx, rows, t)
	})
}

func volumeKey(v *model.Volume) string { return cursor("volumes", v.ID) }

func (r *Resolver) listVolumes(ctx context.Context, first *int, after *string, f *model.VolumeFilter) (*model.VolumeConnection, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "volumes", 1)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Volume.Query()
	if f != nil && f.TeamID != nil {
		q.Where(entvolume.TeamID(*f.TeamID))
	}
	if f != nil && f.Mine != nil && *f.Mine {
		q.Where(entvolume.OwnerID(v.UserID))
	}
	if f != nil && f.InTrash != nil {
		if *f.InTrash {
			q.Where(entvolume.DesiredEQ(entvolume.DesiredTrashed))
		} else {
			q.Where(entvolume.DesiredNEQ(entvolume.DesiredTrashed))
		}
	}
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count volumes: %w", err)
	}
	if w.after != nil {
		q.Where(entvolume.IDLT(w.after[0]))
	}
	q.Order(ent.Desc(entvolume.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(volumeAlways, volumeColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	nodes, err := r.wrapVolumes(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, volumeKey)
	c.TotalCount = total
	return &model.VolumeConnection{Connection: c}, nil
}

// volumePayload reads a volume again as it was asked for.
func (r *Resolver) volumePayload(ctx context.Context, row *ent.Volume, err error) (*model.VolumePayload, error) {
	if err != nil {
		return nil, err
	}
	m, err := r.volume(ctx, row.ID, selected(ctx)["volume"])
	if err != nil {
		return nil, err
	}
	return &model.VolumePayload{Volume: m}, nil
}

func (r *Resolver) previewDeleteVolume(ctx context.Context, id string) (*model.VolumeDeletion, error) {
	d, err := r.Volumes.PreviewDelete(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := r.volume(ctx, id, selected(ctx)["volume"])
	if err != nil {
		return nil, err
	}
	out := &model.VolumeDeletion{Volume: m, UsedBy: model.NewVolumeUses(d.UsedBy), WantedBy: model.NewVolumeUses(d.WantedBy),
		TrashUntil: d.TrashUntil, FreesBytes: d.Volume.SizeBytes}
	if d.Disk != "" {
		out.Disk = &d.Disk
	}
	return out, nil
}

func (r *Resolver) storageClasses(ctx context.Context) ([]*model.StorageClass, error) {
	list, err := r.Volumes.Classes(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.StorageClass, len(list))
	for i := range list {
		c := model.StorageClass(list[i])
		out[i] = &c
	}
	return out, nil
}

func (r *Resolver) unknownClaims(ctx context.Context, teamID string) ([]*model.UnknownClaim, error) {
	list, err := r.Volumes.UnknownClaims(ctx, teamID)
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.UnknownClaim, len(list))
	for i, c := range list {
		out[i] = &model.UnknownClaim{UnknownClaim: c, Lang: l}
	}
	return out, nil
}

func (r *Resolver) usageHistory(ctx context.Context, v *model.Volume, since *time.Time, points int) ([]*model.VolumeUsage, error) {
	list, err := r.Volumes.History(ctx, v.ID, since, points)
	if err != nil {
		return nil, err
	}
	out := make([]*model.VolumeUsage, len(list))
	for i, u := range list {
		out[i] = model.NewVolumeUsage(u, v.Full)
	}
	return out, nil
}
