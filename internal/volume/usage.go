package volume

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volumesample"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	historyKept = 30 * 24 * time.Hour // what the table of samples holds
	maxPoints   = 1000
)

// History is how full a volume was over time, oldest first, thinned to at most
// so many points: of each stretch of time the last sample stands.
func (s *Service) History(ctx context.Context, id string, since *time.Time, points int) ([]spec.VolumeUsage, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	if points < 1 || points > maxPoints {
		var f fault.Fields
		f.Add("points", "volume.points", fault.Args{"value": points, "limit": maxPoints})
		return nil, f.Err()
	}
	row, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	from := now.Add(-historyKept)
	if since != nil && since.After(from) {
		from = since.UTC()
	}
	rows, err := s.DB.Client.VolumeSample.Query().Where(volumesample.VolumeID(row.ID), volumesample.AtGTE(from)).
		Order(ent.Asc(volumesample.FieldAt)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("history of volume %s: %w", id, err)
	}
	list := make([]spec.VolumeUsage, len(rows))
	for i, r := range rows {
		list[i] = spec.VolumeUsage{UsedBytes: r.UsedBytes, CapacityBytes: r.CapacityBytes, InodesUsed: r.InodesUsed, Inodes: r.Inodes,
			At: r.At, Source: spec.UsageSource(r.Source)}
	}
	return thin(list, points), nil
}

// thin keeps of a list in order of time at most so many, the last one of each
// stretch of the same length.
func thin(list []spec.VolumeUsage, points int) []spec.VolumeUsage {
	if len(list) <= points {
		return list
	}
	first, last := list[0].At, list[len(list)-1].At
	stretch := last.Sub(first)/time.Duration(points) + 1
	out := make([]spec.VolumeUsage, 0, points)
	for i := range list {
		if i+1 == len(list) || list[i].At.Sub(first)/stretch != list[i+1].At.Sub(first)/stretch {
			out = append(out, list[i])
		}
	}
	return out
}
