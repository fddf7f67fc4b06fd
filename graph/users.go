package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/person"
)

var userColumns = map[string][]string{
	"email": {user.FieldEmail}, "displayName": {user.FieldDisplayName},
	"platformRole": {user.FieldPlatformRole}, "createdAt": {user.FieldCreatedAt},
}

// usersByID gives the people that rows of the viewer's name: who owns a thing
// is known to everybody who sees the thing, also after the owner left the team.
func (r *Resolver) usersByID(ctx context.Context, ids []string, t tree) (map[string]*model.User, error) {
	out := make(map[string]*model.User, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	if !t.beyondID() {
		for _, id := range ids {
			out[id] = &model.User{User: &ent.User{ID: id}}
		}
		return out, nil
	}
	q := r.DB.Client.User.Query().Where(user.IDIn(ids...))
	q.Select(t.columns([]string{user.FieldID}, userColumns)...)
	rows, err := q.All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	for _, u := range rows {
		named(ctx, u)
		out[u.ID] = &model.User{User: u}
	}
	return out, nil
}

// named says who was erased in the viewer's language.
func named(ctx context.Context, u *ent.User) {
	if u.DisplayName == person.FormerMember {
		u.DisplayName = lang.Text(lang.From(ctx), "person.former", nil)
	}
}

func userKey(u *model.User) string { return cursor("users", u.DisplayName, u.ID) }

func (r *Resolver) listUsers(ctx context.Context, first *int, after *string) (*model.UserConnection, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "users", 2)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.User.Query()
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count users: %w", err)
	}
	q.Where(beyond(w, user.FieldDisplayName, user.FieldID)).Order(ent.Asc(user.FieldDisplayName, user.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns([]string{user.FieldID, user.FieldDisplayName}, userColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	nodes := make([]*model.User, len(rows))
	for i, u := range rows {
		nodes[i] = &model.User{User: u}
	}
	c := connect(w, nodes, userKey)
	c.TotalCount = total
	return &model.UserConnection{Connection: c}, nil
}

// count counts only when somebody asked.
func count(ctx context.Context, t tree, f func(context.Context) (int, error)) (int, error) {
	if !t.has("totalCount") {
		return 0, nil
	}
	return f(ctx)
}

// memberships wraps rows with their people and teams as selected.
func (r *Resolver) memberships(ctx context.Context, rows []*ent.Membership, t tree) ([]*model.Membership, error) {
	users, err := r.usersByID(ctx, ids(rows, func(m *ent.Membership) string { return m.UserID }), t["user"])
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(m *ent.Membership) string { return m.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.Membership, len(rows))
	for i, m := range rows {
		out[i] = &model.Membership{Membership: m, Team: teams[m.TeamID], User: users[m.UserID]}
	}
	return out, nil
}

// viewer is who asks, nil when nobody is signed in.
func (r *Resolver) viewer(ctx context.Context) (*model.Viewer, error) {
	v := authz.From(ctx)
	if v == nil {
		return nil, nil
	}
	t := selected(ctx)
	users, err := r.usersByID(ctx, []string{v.UserID}, t["user"])
	if err != nil {
		return nil, err
	}
	out := &model.Viewer{User: users[v.UserID], Memberships: []*model.Membership{}}
	if !t.has("memberships") {
		return out, nil
	}
	rows, err := r.DB.Client.Membership.Query().Where(membership.UserID(v.UserID)).Order(ent.Asc(membership.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	out.Memberships, err = r.memberships(ctx, rows, t["memberships"])
	return out, err
}
