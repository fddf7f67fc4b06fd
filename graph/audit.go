package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/audit"
)

func auditKey(e *model.AuditEntry) string { return cursor("audit", e.ID) }

// auditLog gives what was done, the newest first.
func (r *Resolver) auditLog(ctx context.Context, f *model.AuditFilter, first *int, after *string) (*model.AuditEntryConnection, error) {
	w, err := newWindow(first, after, "audit", 1)
	if err != nil {
		return nil, err
	}
	before := ""
	if w.after != nil {
		before = w.after[0]
	}
	rows, err := r.Audit.List(ctx, auditFilter(f), before, w.limit+1)
	if err != nil {
		return nil, err
	}
	nodes, err := r.wrapAudit(ctx, rows, selected(ctx).nodes())
	if err != nil {
		return nil, err
	}
	return &model.AuditEntryConnection{Connection: connect(w, nodes, auditKey)}, nil
}

func auditFilter(f *model.AuditFilter) audit.Filter {
	if f == nil {
		return audit.Filter{}
	}
	out := audit.Filter{TeamID: deref(f.TeamID), ActorID: deref(f.ActorID), ObjectID: deref(f.ObjectID), Action: deref(f.Action)}
	if f.Since != nil {
		out.Since = f.Since
	}
	if f.Until != nil {
		out.Until = f.Until
	}
	return out
}

func (r *Resolver) wrapAudit(ctx context.Context, rows []*ent.Audit, t tree) ([]*model.AuditEntry, error) {
	actors, err := r.usersByID(ctx, ids(rows, func(a *ent.Audit) string { return a.ActorID }), t["actor"])
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(a *ent.Audit) string { return deref(a.TeamID) }), t["team"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.AuditEntry, len(rows))
	for i, a := range rows {
		out[i] = &model.AuditEntry{Audit: a, Actor: actors[a.ActorID], Team: teams[deref(a.TeamID)]}
	}
	return out, nil
}
