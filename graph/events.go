package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
)

func eventKey(e *model.Event) string { return cursor("events", e.ID) }

// listEvents gives what happened to an object, newest first.
func (r *Resolver) listEvents(ctx context.Context, subjectID string, first *int, after *string) (*model.EventConnection, error) {
	w, err := newWindow(first, after, "events", 1)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Event.Query().Where(entevent.SubjectID(subjectID))
	if w.after != nil {
		q.Where(entevent.IDLT(w.after[0]))
	}
	rows, err := q.Order(ent.Desc(entevent.FieldID)).Limit(w.limit + 1).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list events of %s: %w", subjectID, err)
	}
	nodes, err := r.wrapEvents(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	return &model.EventConnection{Connection: connect(w, nodes, eventKey)}, nil
}

func (r *Resolver) wrapEvents(ctx context.Context, rows []*ent.Event, t tree) ([]*model.Event, error) {
	var actors map[string]*model.User
	if t.has("actor") {
		var err error
		if actors, err = r.usersByID(ctx, ids(rows, func(e *ent.Event) string { return deref(e.ActorID) }), t["actor"]); err != nil {
			return nil, err
		}
	}
	l := lang.From(ctx)
	out := make([]*model.Event, len(rows))
	for i, e := range rows {
		out[i] = &model.Event{Event: e, Actor: actors[deref(e.ActorID)], Lang: l}
	}
	return out, nil
}

func (r *Resolver) event(ctx context.Context, id string, t tree) (*model.Event, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	return one(ctx, "event", id, r.DB.Client.Event.Query().Where(entevent.ID(id)).All,
		func(ctx context.Context, rows []*ent.Event) ([]*model.Event, error) {
			return r.wrapEvents(ctx, rows, t)
		})
}
