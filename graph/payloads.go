package graph

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
)

// What a mutation gives back is read again as the viewer, with exactly what was
// selected.

func (r *Resolver) instancePayload(ctx context.Context) func(*ent.Instance, error) (*model.InstancePayload, error) {
	return func(row *ent.Instance, err error) (*model.InstancePayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.instance(ctx, row.ID, selected(ctx)["instance"])
		if err != nil {
			return nil, err
		}
		return &model.InstancePayload{Instance: m}, nil
	}
}

func (r *Resolver) runPayload(ctx context.Context) func(*ent.Run, error) (*model.RunPayload, error) {
	return func(row *ent.Run, err error) (*model.RunPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.run(ctx, row.ID, selected(ctx)["run"])
		if err != nil {
			return nil, err
		}
		return &model.RunPayload{Run: m}, nil
	}
}

func (r *Resolver) teamPayload(ctx context.Context) func(*ent.Team, error) (*model.TeamPayload, error) {
	return func(row *ent.Team, err error) (*model.TeamPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.team(ctx, row.ID, selected(ctx)["team"])
		if err != nil {
			return nil, err
		}
		return &model.TeamPayload{Team: m}, nil
	}
}

// seconds is a duration as the schema writes it; what no duration can hold is
// as long as one can be, which the services refuse.
func seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}
