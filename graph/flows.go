package graph

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqljson"

	"github.com/goblinlab/goblinlab/ent"
	entflow "github.com/goblinlab/goblinlab/ent/flow"
	entflowrun "github.com/goblinlab/goblinlab/ent/flowrun"
	entversion "github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var flowColumns = map[string][]string{
	"paused": {entflow.FieldPaused}, "pausedWhy": {entflow.FieldPausedWhy}, "schedule": {entflow.FieldSchedule},
	"nextFireAt": {entflow.FieldNextFireAt}, "overdue": {entflow.FieldPaused, entflow.FieldNextFireAt, entflow.FieldSchedule}, "createdAt": {entflow.FieldCreatedAt}, "updatedAt": {entflow.FieldUpdatedAt},
}

var flowAlways = []string{entflow.FieldID, entflow.FieldTeamID, entflow.FieldOwnerID, entflow.FieldName, entflow.FieldLatest, entflow.FieldVersion}

// wrapFlows adds what was selected to rows, in a number of queries that does
// not depend on how many they are.
func (r *Resolver) wrapFlows(ctx context.Context, rows []*ent.Flow, t tree) ([]*model.Flow, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(x *ent.Flow) string { return x.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	owners, err := r.usersByID(ctx, ids(rows, func(x *ent.Flow) string { return x.OwnerID }), t["owner"])
	if err != nil {
		return nil, err
	}
	var overdue map[string]*spec.Reason
	if t.has("overdue") {
		if overdue, err = r.Flows.Overdue(ctx, rows); err != nil {
			return nil, err
		}
	}
	l := lang.From(ctx)
	out := make([]*model.Flow, len(rows))
	for i, row := range rows {
		out[i] = &model.Flow{Flow: row, Team: teams[row.TeamID], Owner: owners[row.OwnerID], Said: map[int]*model.FlowVersion{}, Lang: l, Overdue: model.NewReason(overdue[row.ID], l)}
		if t.has("can") {
			p := model.FlowPermissions(flow.PermissionsOf(v, row))
			out[i].Can = &p
		}
	}
	if err := r.addVersions(ctx, out, t); err != nil {
		return nil, err
	}
	return out, r.addLastRuns(ctx, out, t)
}

// addVersions reads the versions that were selected: those that count, those
// asked for by number, and the newest.
func (r *Resolver) addVersions(ctx context.Context, flows []*model.Flow, t tree) error {
	if len(flows) == 0 || !t.has("description", "tags", "version", "versions") {
		return nil
	}
	id := func(m *model.Flow) string { return m.ID }
	numbers, _ := numbersOf(ctx, "version", "number")
	for _, m := range flows {
		numbers = append(numbers, m.Latest)
	}
	rows, err := r.DB.Client.FlowVersion.Query().Where(entversion.FlowIDIn(ids(flows, id)...), entversion.NumberIn(numbers...)).All(ctx)
	if err != nil {
		return fmt.Errorf("versions of flows: %w", err)
	}
	kept := len(rows)
	if t.has("versions") {
		_, most := numbersOf(ctx, "versions", "first")
		newest, err := r.DB.Client.FlowVersion.Query().
			Where(newestOf(entversion.Table, entversion.FieldFlowID, entversion.FieldNumber, ids(flows, id), min(most, model.MaxVersions), true)).
			Order(ent.Desc(entversion.FieldNumber)).All(ctx)
		if err != nil {
			return fmt.Errorf("newest versions of flows: %w", err)
		}
		rows = append(rows, newest...)
	}
	byID := map[string]*model.Flow{}
	for _, m := range flows {
		byID[m.ID] = m
	}
	names := func(id string) string { return byID[id].Name }
	versions, err := r.wrapVersions(ctx, rows, names, merge(t["version"], t["versions"]))
	if err != nil {
		return err
	}
	for i, ver := range versions {
		m := byID[ver.FlowID]
		if i < kept {
			m.Said[ver.Number] = ver
		} else {
			m.Newest = append(m.Newest, ver)
		}
	}
	return nil
}

// wrapVersions adds what was selected to versions of flows with names.
func (r *Resolver) wrapVersions(ctx context.Context, rows []*ent.FlowVersion, name func(flowID string) string, t tree) ([]*model.FlowVersion, error) {
	authors, err := r.usersByID(ctx, ids(rows, func(x *ent.FlowVersion) string { return x.AuthorID }), t["author"])
	if err != nil {
		return nil, err
	}
	code := map[string][]*ent.CodeSnapshot{}
	if t.has("code") && len(rows) > 0 {
		if code, err = r.Flows.Snapshots(ctx, rows); err != nil {
			return nil, err
		}
	}
	others := map[string]map[int]*ent.FlowVersion{}
	if t.has("changes") && len(rows) > 0 {
		numbers, _ := numbersOf(ctx, "changes", "from")
		for _, x := range rows {
			numbers = append(numbers, x.Number-1)
		}
		old, err := r.DB.Client.FlowVersion.Query().
			Where(entversion.FlowIDIn(ids(rows, func(x *ent.FlowVersion) string { return x.FlowID })...), entversion.NumberIn(numbers...)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("versions to compare: %w", err)
		}
		for _, x := range old {
			if others[x.FlowID] == nil {
				others[x.FlowID] = map[int]*ent.FlowVersion{}
			}
			others[x.FlowID][x.Number] = x
		}
	}
	out := make([]*model.FlowVersion, len(rows))
	for i, x := range rows {
		out[i] = &model.FlowVersion{FlowVersion: x, Name: name(x.FlowID), Author: authors[x.AuthorID], Others: others[x.FlowID], Code: snapshotsOf(code[x.ID], lang.From(ctx))}
	}
	return out, nil
}

func snapshotsOf(rows []*ent.CodeSnapshot, l lang.Lang) []*model.CodeSnapshot {
	out := make([]*model.CodeSnapshot, len(rows))
	for i, x := range rows {
		out[i] = &model.CodeSnapshot{CodeSnapshot: x, Lang: l}
	}
	return out
}

func (r *Resolver) addLastRuns(ctx context.Context, flows []*model.Flow, t tree) error {
	if len(flows) == 0 || !t.has("lastRuns") {
		return nil
	}
	_, most := numbersOf(ctx, "lastRuns", "last")
	q := r.DB.Client.FlowRun.Query().Where(newestOf(entflowrun.Table, entflowrun.FieldFlowID, entflowrun.FieldID,
		ids(flows, func(m *model.Flow) string { return m.ID }), min(most, model.MaxLastRuns), true)).Order(ent.Desc(entflowrun.FieldID))
	q.Select(t["lastRuns"].columns(flowRunAlways, flowRunColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return fmt.Errorf("last runs of flows: %w", err)
	}
	runs, err := r.wrapFlowRuns(ctx, rows, t["lastRuns"])
	if err != nil {
		return err
	}
	byID := map[string][]*model.FlowRun{}
	for _, x := range runs {
		byID[x.FlowID] = append(byID[x.FlowID], x)
	}
	for _, m := range flows {
		m.Recent = byID[m.ID]
	}
	return nil
}

// newestOf keeps, of each parent, the first n rows in the order of a column:
// one query for all parents, which takes each parent's rows from an index.
func newestOf(table, parent, order string, parents []string, n int, desc bool) func(*sql.Selector) {
	return func(s *sql.Selector) {
		s.Where(sql.P(func(b *sql.Builder) {
			b.Ident(s.C("id")).WriteString(" IN (")
			for i, id := range parents {
				if i > 0 {
					b.WriteString(" UNION ALL ")
				}
				b.WriteString("SELECT ").Ident("id").WriteString(" FROM (SELECT ").Ident("id").WriteString(" FROM ").Ident(table).
					WriteString(" WHERE ").Ident(parent).WriteString(" = ").Arg(id).WriteString(" ORDER BY ").Ident(order)
				if desc {
					b.WriteString(" DESC")
				}
				b.WriteString(fmt.Sprintf(" LIMIT %d) AS ", max(n, 1))).Ident("newest")
			}
			b.WriteString(")")
		}))
	}
}

// flowsByID gives the flows that rows of the viewer's name, also those that are
// being deleted: their runs are there until the end.
func (r *Resolver) flowsByID(ctx context.Context, ids []string, t tree) (map[string]*model.Flow, error) {
	out := make(map[string]*model.Flow, len(ids))
	if len(ids) == 0 || t == nil {
		return out, nil
	}
	q := r.DB.Client.Flow.Query().Where(entflow.IDIn(ids...))
	q.Select(t.columns(flowAlways, flowColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read flows: %w", err)
	}
	flows, err := r.wrapFlows(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range flows {
		out[m.ID] = m
	}
	return out, nil
}

func (r *Resolver) flow(ctx context.Context, id string, t tree) (*model.Flow, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Flow.Query().Where(entflow.ID(id), entflow.DeletedAtIsNil())
	q.Select(t.columns(flowAlways, flowColumns)...)
	return one(ctx, "flow", id, q.All, func(ctx context.Context, rows []*ent.Flow) ([]*model.Flow, error) {
		return r.wrapFlows(ctx, rows, t)
	})
}

func (r *Resolver) flowVersion(ctx context.Context, id string, t tree) (*model.FlowVersion, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	return one(ctx, "node", id, r.DB.Client.FlowVersion.Query().Where(entversion.ID(id)).All,
		func(ctx context.Context, rows []*ent.FlowVersion) ([]*model.FlowVersion, error) {
			f, err := r.flow(ctx, rows[0].FlowID, tree{})
			if err != nil {
				return nil, err
			}
			return r.wrapVersions(ctx, rows, func(string) string { return f.Name }, t)
		})
}

func flowKey(f *model.Flow) string { return cursor("flows", f.Name, f.ID) }

func (r *Resolver) listFlows(ctx context.Context, first *int, after *string, f *model.FlowFilter) (*model.FlowConnection, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "flows", 2)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Flow.Query().Where(entflow.DeletedAtIsNil())
	if err := filterFlows(q, v, f); err != nil {
		return nil, err
	}
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count flows: %w", err)
	}
	q.Where(beyond(w, entflow.FieldName, entflow.FieldID)).Order(ent.Asc(entflow.FieldName, entflow.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(flowAlways, flowColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list flows: %w", err)
	}
	nodes, err := r.wrapFlows(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, flowKey)
	c.TotalCount = total
	return &model.FlowConnection{Connection: c}, nil
}

func filterFlows(q *ent.FlowQuery, v *authz.Viewer, f *model.FlowFilter) error {
	if f == nil {
		return nil
	}
	if err := checkSearch(f.Search); err != nil {
		return err
	}
	if f.TeamID != nil {
		q.Where(entflow.TeamID(*f.TeamID))
	}
	if f.Mine != nil && *f.Mine {
		q.Where(entflow.OwnerID(v.UserID))
	}
	if f.Paused != nil {
		q.Where(entflow.Paused(*f.Paused))
	}
	if s := deref(f.Search); s != "" {
		q.Where(entflow.NameContainsFold(s))
	}
	if tag := deref(f.Tag); tag != "" {
		q.Where(tagged(tag))
	}
	return nil
}

// tagged keeps flows of which the version that counts has a tag.
func tagged(tag string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		t := sql.Dialect(s.Dialect()).Table(entversion.Table)
		s.Where(sql.Exists(sql.Dialect(s.Dialect()).Select(t.C(entversion.FieldID)).From(t).Where(sql.And(
			sql.ColumnsEQ(t.C(entversion.FieldFlowID), s.C(entflow.FieldID)), sql.ColumnsEQ(t.C(entversion.FieldNumber), s.C(entflow.FieldLatest)),
			sqljson.ValueContains(t.C(entversion.FieldSpec), tag, sqljson.Path("tags"))))))
	}
}

func (r *Resolver) flowPayload(ctx context.Context) func(*ent.Flow, error) (*model.FlowPayload, error) {
	return func(row *ent.Flow, err error) (*model.FlowPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.flow(ctx, row.ID, selected(ctx)["flow"])
		if err != nil {
			return nil, err
		}
		return &model.FlowPayload{Flow: m}, nil
	}
}

func (r *Resolver) readFlow(t tree) read[model.Flow] {
	return func(ctx context.Context, id string) (*model.Flow, int64, error) {
		m, err := r.flow(ctx, id, t)
		if err != nil {
			return nil, 0, err
		}
		return m, m.Flow.Version, nil
	}
}
