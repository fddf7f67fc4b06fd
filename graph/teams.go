package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/team"
)

var teamColumns = map[string][]string{
	"name": {entteam.FieldName}, "namespace": {entteam.FieldNamespace}, "overcommit": {entteam.FieldOvercommit},
	"reason": {entteam.FieldReason, entteam.FieldLost}, "createdAt": {entteam.FieldCreatedAt},
	"findings": {entteam.FieldFindings}, "state": {entteam.FieldDesired, entteam.FieldArchivedAt}, "archivedAt": {entteam.FieldArchivedAt},
	"can":       {entteam.FieldDesired, entteam.FieldArchivedAt, entteam.FieldLost},
	"retention": {entteam.FieldRetention},
	"quota":     {entteam.FieldQuota, entteam.FieldNamespace, entteam.FieldOvercommit, entteam.FieldName},
}

// teamsByID gives teams that the viewer may see.
func (r *Resolver) teamsByID(ctx context.Context, ids []string, t tree) (map[string]*model.Team, error) {
	out := make(map[string]*model.Team, len(ids))
	if len(ids) == 0 || t == nil {
		return out, nil
	}
	rows := make([]*ent.Team, 0, len(ids))
	if t.beyondID() {
		q := r.DB.Client.Team.Query().Where(entteam.IDIn(ids...))
		q.Select(t.columns([]string{entteam.FieldID}, teamColumns)...)
		var err error
		if rows, err = q.All(ctx); err != nil {
			return nil, fmt.Errorf("read teams: %w", err)
		}
	} else { // whoever sees the row sees its team's id
		for _, id := range ids {
			rows = append(rows, &ent.Team{ID: id})
		}
	}
	teams, err := r.wrapTeams(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range teams {
		out[m.ID] = m
	}
	return out, nil
}

// wrapTeams adds what was selected to rows.
func (r *Resolver) wrapTeams(ctx context.Context, rows []*ent.Team, t tree) ([]*model.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.Team, len(rows))
	for i, row := range rows {
		out[i] = &model.Team{Team: row, Lang: l, Members: []*model.Membership{}}
		if role, ok := v.Teams[row.ID]; ok {
			out[i].ViewerRole = &role
		}
		if t.has("retention") {
			out[i].Retention = (*model.TeamRetention)(r.Teams.RetentionOf(row))
		}
		if t.has("can") {
			can := team.PermissionsOf(v, row)
			out[i].Can = (*model.TeamPermissions)(&can)
		}
	}
	if t.has("quota") && len(rows) > 0 {
		if err := r.quotas(ctx, out, t["quota"]); err != nil {
			return nil, err
		}
	}
	if !t.has("members") || len(rows) == 0 {
		return out, nil
	}
	ms, err := r.DB.Client.Membership.Query().
		Where(membership.TeamIDIn(ids(rows, func(t *ent.Team) string { return t.ID })...)).
		Order(ent.Asc(membership.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	members, err := r.memberships(ctx, ms, t["members"])
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*model.Team, len(out))
	for _, tm := range out {
		byID[tm.ID] = tm
	}
	for _, m := range members {
		byID[m.TeamID].Members = append(byID[m.TeamID].Members, m)
	}
	return out, nil
}

// team reads one as the viewer.
func (r *Resolver) team(ctx context.Context, id string, t tree) (*model.Team, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Team.Query().Where(entteam.ID(id))
	q.Select(t.columns([]string{entteam.FieldID}, teamColumns)...)
	return one(ctx, "team", id, q.All, func(ctx context.Context, rows []*ent.Team) ([]*model.Team, error) {
		return r.wrapTeams(ctx, rows, t)
	})
}

func teamKey(t *model.Team) string { return cursor("teams", t.Name, t.ID) }

func (r *Resolver) listTeams(ctx context.Context, first *int, after *string) (*model.TeamConnection, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "teams", 2)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Team.Query()
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count teams: %w", err)
	}
	q.Where(beyond(w, entteam.FieldName, entteam.FieldID)).Order(ent.Asc(entteam.FieldName, entteam.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns([]string{entteam.FieldID, entteam.FieldName}, teamColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	nodes, err := r.wrapTeams(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, teamKey)
	c.TotalCount = total
	return &model.TeamConnection{Connection: c}, nil
}

// one reads a single row through its list's wrapper.
func one[R, M any](ctx context.Context, noun, id string, all func(context.Context) ([]R, error), wrap func(context.Context, []R) ([]M, error)) (m M, err error) {
	rows, err := all(ctx)
	if err != nil {
		return m, fmt.Errorf("read %s %s: %w", noun, id, err)
	}
	if len(rows) == 0 {
		return m, fault.Missing(noun, id)
	}
	out, err := wrap(ctx, rows)
	if err != nil {
		return m, err
	}
	return out[0], nil
}

// orNull makes nothing of what there is not, for fields that may be null.
func orNull[M any](m *M, err error) (*M, error) {
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return m, err
}

func quotaInput(in *model.QuotaInput) team.QuotaInput {
	if in == nil {
		return team.QuotaInput{}
	}
	wide := func(n *int) *int64 {
		if n == nil {
			return nil
		}
		v := int64(*n)
		return &v
	}
	return team.QuotaInput{CPU: in.CPU, Memory: in.Memory, Storage: in.Storage, GPU: wide(in.Gpu), Volumes: wide(in.Volumes), Pods: wide(in.Pods)}
}

// setMember gives a role, or ends a membership with all that goes with it.
func (r *Resolver) setMember(ctx context.Context, in model.SetTeamMemberInput) (*ent.Team, error) {
	leave := person.LeaveInput{TeamID: in.TeamID, UserID: in.UserID, HeirID: deref(in.ToUserID), Instances: in.Instances, Runs: in.Runs}
	if in.Role == nil {
		return r.Persons.Leave(ctx, leave)
	}
	return r.Persons.SetRole(ctx, leave, *in.Role)
}
