package instance

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// bare is an instance as far as names and labels go.
func (s *Service) bare(row *ent.Instance) manifest.Instance {
	ownerID, email := row.OwnerID, row.Edges.Owner.Email
	if Handed(row) { // the template carries whose it is: another owner must not restart a pod
		ownerID, email = row.Inherited.OwnerID, row.Inherited.OwnerEmail
	}
	return manifest.Instance{Object: manifest.Object{
		Namespace: row.Edges.Team.Namespace, Name: row.ObjectName, ID: row.ID, OwnerID: ownerID, TeamID: row.TeamID,
		OwnerEmail: email, Title: row.Name,
		// The template carries it. A row's generation grows with every edit, and
		// an edit must not restart a pod.
		Generation: row.StartNumber,
	}, Start: row.StartNumber, Running: true}
}

// object is what the current start froze, as the manifest builders take it.
func (s *Service) object(ctx context.Context, row *ent.Instance) (manifest.Instance, error) {
	i := s.bare(row)
	want := row.Spec
	if row.StartedSpec != nil {
		want = *row.StartedSpec
	}
	image, err := s.DB.Client.Image.Get(ctx, want.ImageID) // deleted ones too: what uses them goes on
	if err != nil {
		return i, fmt.Errorf("image of instance %s: %w", row.ID, err)
	}
	if s.Images != nil {
		if why := s.Images.Waits(image.Reference); why != nil {
			return i, waitsError{why}
		}
	}
	home, err := volume.FindHome(ctx, s.DB.Client, row.TeamID, row.OwnerID, row.Inherited.Home())
	if ent.IsNotFound(err) {
		return i, waitsError{&spec.Reason{Code: reason.VolumeMissing, Args: map[string]any{"volume": "home"}}}
	}
	if err != nil {
		return i, fmt.Errorf("home of instance %s: %w", row.ID, err)
	}
	if home.Phase == entvolume.PhaseLost {
		return i, waitsError{&spec.Reason{Code: "home-lost"}}
	}
	volumes, err := volume.Mounted(ctx, s.DB.Client, row.TeamID, row.OwnerID, want.Mounts)
	if err != nil {
		return i, err
	}
	var mounts []manifest.Mount
	for _, m := range want.Mounts {
		v, ok := volumes[m.VolumeID]
		if !ok {
			return i, waitsError{&spec.Reason{Code: reason.VolumeMissing, Args: map[string]any{"volume": m.VolumeID}}}
		}
		mounts = append(mounts, manifest.Mount{Claim: v.Claim(), Path: m.Path, SubPath: m.SubPath, ReadOnly: m.ReadOnly || v.ReadsOnly()})
	}
	i.Container = manifest.Container{
		Image: image.Reference, Resources: want.Resources, Overcommit: row.Edges.Team.Overcommit.For(spec.ClassTest),
		Home: home.ObjectName, Mounts: mounts, Env: want.Env,
		TimeZone: s.Config.Now().Defaults.Timezone, PlatformURL: s.Config.PodURL, Scheduling: s.Cluster.Scheduling(),
	}
	if i.PullSecrets, err = s.Secrets.PullNames(ctx, image); err != nil {
		return i, waiting(err)
	}
	i.Class, i.ImageID, i.Ports = spec.ClassTest, want.ImageID, want.Ports
	if i.Probe = manifest.ProbeInit; !image.Development {
		i.Probe = manifest.ProbeNone
	}
	return i, nil
}
