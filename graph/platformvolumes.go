package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/platformvolume"
)

func (r *Resolver) platformVolumes(ctx context.Context) ([]*model.PlatformVolume, error) {
	list, err := r.PlatformVolumes.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.PlatformVolume, len(list))
	for i, v := range list {
		out[i] = platformVolume(ctx, v)
	}
	return out, nil
}

// platformVolume is one as the viewer may see it.
func platformVolume(ctx context.Context, v platformvolume.View) *model.PlatformVolume {
	m := &model.PlatformVolume{View: v, Lang: lang.From(ctx)}
	if viewer := authz.From(ctx); viewer != nil && viewer.ReadsAll() {
		m.Source = &model.PlatformVolumeSource{Namespace: v.SourceNamespace, Claim: v.SourceClaim, Made: v.Made, SizeBytes: v.SizeBytes, StorageClass: v.StorageClass}
	}
	return m
}

func (r *Resolver) createPlatformVolume(ctx context.Context, in model.CreatePlatformVolumeInput) (*model.PlatformVolumePayload, error) {
	c := platformvolume.CreateInput{Name: in.Name, Description: in.Description, Path: in.Path, ReadOnly: in.ReadOnly, Size: in.Size, StorageClass: in.StorageClass}
	if in.Claim != nil {
		c.Claim = &platformvolume.Claim{Namespace: in.Claim.Namespace, Name: in.Claim.Name}
	}
	v, err := r.PlatformVolumes.Create(ctx, c)
	if err != nil {
		return nil, err
	}
	return &model.PlatformVolumePayload{PlatformVolume: platformVolume(ctx, v)}, nil
}

func (r *Resolver) updatePlatformVolume(ctx context.Context, in model.UpdatePlatformVolumeInput) (*model.PlatformVolumePayload, error) {
	v, err := r.PlatformVolumes.Update(ctx, platformvolume.UpdateInput{ID: in.ID, Name: in.Name, Description: in.Description,
		Path: in.Path, ReadOnly: in.ReadOnly, Enabled: in.Enabled})
	if err != nil {
		return nil, err
	}
	return &model.PlatformVolumePayload{PlatformVolume: platformVolume(ctx, v)}, nil
}
