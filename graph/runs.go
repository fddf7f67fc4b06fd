package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entattempt "github.com/goblinlab/goblinlab/ent/attempt"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	enttask "github.com/goblinlab/goblinlab/ent/task"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var runColumns = map[string][]string{
	"name": {entrun.FieldName}, "state": {entrun.FieldState}, "reason": {entrun.FieldReason},
	"createdAt": {entrun.FieldCreatedAt}, "startedAt": {entrun.FieldStartedAt}, "endedAt": {entrun.FieldEndedAt},
	"task": {entrun.FieldTaskID}, "stoppedBy": {entrun.FieldStoppedBy},
	"can": {entrun.FieldDesired, entrun.FieldState}, "flowRun": {entrun.FieldFlowRunID}, "step": {entrun.FieldStep},
}

var runAlways = []string{entrun.FieldID, entrun.FieldTeamID, entrun.FieldOwnerID, entrun.FieldVersion}

var attemptColumns = map[string][]string{
	"state": {entattempt.FieldState}, "reason": {entattempt.FieldReason}, "timeline": {entattempt.FieldTimeline},
	"exitCode": {entattempt.FieldExitCode}, "node": {entattempt.FieldNode}, "job": {entattempt.FieldJobName},
	"createdAt": {entattempt.FieldCreatedAt}, "startedAt": {entattempt.FieldStartedAt}, "endedAt": {entattempt.FieldEndedAt},
	"log": {entattempt.FieldLogBytes, entattempt.FieldLogLines, entattempt.FieldLogComplete, entattempt.FieldLogTruncated,
		entattempt.FieldLogRemovedAt, entattempt.FieldLogKeptDays},
	"outputs": {entattempt.FieldOutputs}, "imageDigest": {entattempt.FieldImageDigest},
}

var attemptAlways = []string{entattempt.FieldID, entattempt.FieldRunID, entattempt.FieldNumber}

// wrapRuns adds what was selected to rows.
func (r *Resolver) wrapRuns(ctx context.Context, rows []*ent.Run, t tree) ([]*model.Run, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(x *ent.Run) string { return x.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	people := ids(rows, func(x *ent.Run) string { return x.OwnerID })
	if t.has("stoppedBy") {
		people = append(people, ids(rows, func(x *ent.Run) string { return deref(x.StoppedBy) })...)
	}
	users, err := r.usersByID(ctx, people, merge(t["owner"], t["stoppedBy"]))
	if err != nil {
		return nil, err
	}
	tasks, err := r.tasksByID(ctx, ids(rows, func(x *ent.Run) string { return x.TaskID }), t["task"])
	if err != nil {
		return nil, err
	}
	attempts, err := r.attemptsOf(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	flowRuns, err := r.flowRunsByID(ctx, ids(rows, func(x *ent.Run) string { return x.FlowRunID }), t["flowRun"])
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.Run, len(rows))
	for i, row := range rows {
		m := &model.Run{Run: row, Team: teams[row.TeamID], Owner: users[row.OwnerID], Task: tasks[row.TaskID],
			StoppedBy: users[deref(row.StoppedBy)], FlowRun: flowRuns[row.FlowRunID], Attempts: attempts[row.ID], Lang: l}
		if m.Attempts == nil {
			m.Attempts = []*model.Attempt{}
		}
		if t.has("can") {
			p := model.RunPermissions(run.PermissionsOf(v, row))
			m.Can = &p
		}
		out[i] = m
	}
	return out, nil
}

func (r *Resolver) attemptsOf(ctx context.Context, runs []*ent.Run, t tree) (map[string][]*model.Attempt, error) {
	out := map[string][]*model.Attempt{}
	if len(runs) == 0 || !t.has("attempts", "currentAttempt") {
		return out, nil
	}
	sub := merge(t["attempts"], t["currentAttempt"])
	q := r.DB.Client.Attempt.Query().Where(entattempt.RunIDIn(ids(runs, func(x *ent.Run) string { return x.ID })...)).
		Order(ent.Asc(entattempt.FieldRunID, entattempt.FieldNumber))
	q.Select(sub.columns(attemptAlways, attemptColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	l := lang.From(ctx)
	for _, a := range rows {
		out[a.RunID] = append(out[a.RunID], &model.Attempt{Attempt: a, Lang: l})
	}
	return out, nil
}

func (r *Resolver) attempt(ctx context.Context, id string, t tree) (*model.Attempt, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Attempt.Query().Where(entattempt.ID(id))
	q.Select(t.columns(attemptAlways, attemptColumns)...)
	return one(ctx, "attempt", id, q.All, func(ctx context.Context, rows []*ent.Attempt) ([]*model.Attempt, error) {
		return []*model.Attempt{{Attempt: rows[0], Lang: lang.From(ctx)}}, nil
	})
}

func (r *Resolver) tasksByID(ctx context.Context, ids []string, t tree) (map[string]*model.Task, error) {
	out := make(map[string]*model.Task, len(ids))
	if len(ids) == 0 || t == nil {
		return out, nil
	}
	rows, err := r.DB.Client.Task.Query().Where(enttask.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	tasks, err := r.wrapTasks(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range tasks {
		out[m.ID] = m
	}
	return out, nil
}

func (r *Resolver) wrapTasks(ctx context.Context, rows []*ent.Task, t tree) ([]*model.Task, error) {
	teams, err := r.teamsByID(ctx, ids(rows, func(x *ent.Task) string { return x.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	images, err := r.imagesByID(ctx, ids(rows, func(x *ent.Task) string { return x.ImageID }), t["image"])
	if err != nil {
		return nil, err
	}
	var mounts []spec.Mount
	for _, x := range rows {
		mounts = append(mounts, x.Spec.Mounts...)
		if x.Spec.Code != nil {
			mounts = append(mounts, spec.Mount{VolumeID: x.Spec.Code.VolumeID})
		}
	}
	var wanted tree // nil when no volume was selected
	if v := merge(t["mounts"]["volume"], t["code"]["volume"]); len(v) > 0 {
		wanted = v
	}
	volumes, err := r.volumesOf(ctx, mounts, wanted)
	if err != nil {
		return nil, err
	}
	shares, err := r.sharesOf(ctx, mounts, t["mounts"]["share"])
	if err != nil {
		return nil, err
	}
	var uses []spec.SecretUse
	for _, x := range rows {
		uses = append(uses, x.Spec.Secrets...)
	}
	known, err := r.secretsOf(ctx, uses, t["secrets"]["secret"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.Task, len(rows))
	for i, x := range rows {
		out[i] = &model.Task{Task: x, Team: teams[x.TeamID], Image: images[x.ImageID], Volumes: volumes, Shares: shares, Known: known}
	}
	return out, nil
}

func (r *Resolver) task(ctx context.Context, id string, t tree) (*model.Task, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	return one(ctx, "task", id, r.DB.Client.Task.Query().Where(enttask.ID(id)).All,
		func(ctx context.Context, rows []*ent.Task) ([]*model.Task, error) { return r.wrapTasks(ctx, rows, t) })
}

func (r *Resolver) run(ctx context.Context, id string, t tree) (*model.Run, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Run.Query().Where(entrun.ID(id))
	q.Select(t.columns(runAlways, runColumns)...)
	return one(ctx, "run", id, q.All, func(ctx context.Context, rows []*ent.Run) ([]*model.Run, error) {
		return r.wrapRuns(ctx, rows, t)
	})
}

func runKey(x *model.Run) string { return cursor("runs", x.ID) }

func (r *Resolver) listRuns(ctx context.Context, first *int, after *string, f *model.RunFilter) (*model.RunConnection, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "runs", 1)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Run.Query()
	if err := filterRuns(q, v, f); err != nil {
		return nil, err
	}
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count runs: %w", err)
	}
	if w.after != nil {
		q.Where(entrun.IDLT(w.after[0]))
	}
	q.Order(ent.Desc(entrun.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(runAlways, runColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	nodes, err := r.wrapRuns(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, runKey)
	c.TotalCount = total
	return &model.RunConnection{Connection: c}, nil
}

func filterRuns(q *ent.RunQuery, v *authz.Viewer, f *model.RunFilter) error {
	if f == nil {
		return nil
	}
	if err := checkSearch(f.Search); err != nil {
		return err
	}
	if f.TeamID != nil {
		q.Where(entrun.TeamID(*f.TeamID))
	}
	if f.Mine != nil && *f.Mine {
		q.Where(entrun.OwnerID(v.UserID))
	}
	if len(f.States) > 0 {
		q.Where(entrun.StateIn(f.States...))
	}
	if f.FlowRunID != nil {
		q.Where(entrun.FlowRunID(*f.FlowRunID), entrun.FlowRunIDNEQ("")) // empty are all runs by themselves
	}
	if f.Alone != nil && *f.Alone {
		q.Where(entrun.FlowRunID(""))
	}
	if s := deref(f.Search); s != "" {
		q.Where(entrun.NameContainsFold(s))
	}
	return nil
}

func checkSearch(s *string) error {
	var f fault.Fields
	if len(deref(s)) > maxSearch {
		f.Add("filter.search", "api.search", fault.Args{"limit": maxSearch})
	}
	return f.Err()
}
