package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	entuser "github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// node reads any object by its global id, as the viewer; nil when there is none
// or they may not see it.
func (r *Resolver) node(ctx context.Context, id string, t tree) (model.Node, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	kind, ok := ident.Kind(id)
	if !ok {
		return nil, nil
	}
	switch kind {
	case ident.User:
		return nodeOrNull(r.user(ctx, id, t))
	case ident.Team:
		return nodeOrNull(r.team(ctx, id, t))
	case ident.Image:
		return nodeOrNull(r.image(ctx, id, t))
	case ident.Volume:
		return nodeOrNull(r.volume(ctx, id, t))
	case ident.Share:
		return nodeOrNull(r.share(ctx, id, t))
	case ident.Instance:
		return nodeOrNull(r.instance(ctx, id, t))
	case ident.Task:
		return nodeOrNull(r.task(ctx, id, t))
	case ident.Run:
		return nodeOrNull(r.run(ctx, id, t))
	case ident.Attempt:
		return nodeOrNull(r.attempt(ctx, id, t))
	case ident.Event:
		return nodeOrNull(r.event(ctx, id, t))
	case ident.Flow:
		return nodeOrNull(r.flow(ctx, id, t))
	case ident.FlowVersion:
		return nodeOrNull(r.flowVersion(ctx, id, t))
	case ident.FlowRun:
		return nodeOrNull(r.flowRun(ctx, id, t))
	case ident.Step:
		return nodeOrNull(r.step(ctx, id, t))
	case ident.Backfill:
		return nodeOrNull(r.backfill(ctx, id, t))
	case ident.SlotGroup:
		return nodeOrNull(r.slotGroup(ctx, id, t))
	}
	return nil, nil
}

// nodeOrNull is orNull for an interface, which must be nil itself.
func nodeOrNull[M any, P interface {
	*M
	model.Node
}](m P, err error) (model.Node, error) {
	out, err := orNull((*M)(m), err)
	if err != nil || out == nil {
		return nil, err
	}
	return P(out), nil
}

func (r *Resolver) user(ctx context.Context, id string, t tree) (*model.User, error) {
	q := r.DB.Client.User.Query().Where(entuser.ID(id))
	q.Select(t.columns([]string{entuser.FieldID}, userColumns)...)
	return one(ctx, "user", id, q.All, func(_ context.Context, rows []*ent.User) ([]*model.User, error) {
		return []*model.User{{User: rows[0]}}, nil
	})
}
