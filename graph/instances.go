package graph

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var instanceColumns = map[string][]string{
	"name": {entinstance.FieldName}, "resources": {entinstance.FieldSpec}, "mounts": {entinstance.FieldSpec},
	"ports": {entinstance.FieldSpec}, "env": {entinstance.FieldSpec}, "secrets": {entinstance.FieldSpec},
	"state": {entinstance.FieldState}, "reason": {entinstance.FieldReason}, "timeline": {entinstance.FieldTimeline},
	"starts": {entinstance.FieldStartNumber}, "startedAt": {entinstance.FieldStartedAt}, "readyAt": {entinstance.FieldReadyAt},
	"restartToApply": {entinstance.FieldSpec, entinstance.FieldStartedSpec, entinstance.FieldDesired, entinstance.FieldState, entinstance.FieldOutdated},
	"node":           {entinstance.FieldNode}, "apps": {entinstance.FieldApps, entinstance.FieldDesired, entinstance.FieldState},
	"ssh":        {entinstance.FieldApps, entinstance.FieldState, entinstance.FieldSSHPort, entinstance.FieldHostKey, entinstance.FieldObjectName},
	"objectName": {entinstance.FieldObjectName}, "version": {entinstance.FieldVersion},
	"createdAt": {entinstance.FieldCreatedAt}, "updatedAt": {entinstance.FieldUpdatedAt}, "image": {entinstance.FieldImageID},
	"can": {entinstance.FieldDesired, entinstance.FieldState, entinstance.FieldStartNumber, entinstance.FieldGeneration, entinstance.FieldObservedGeneration},
}

var instanceAlways = []string{entinstance.FieldID, entinstance.FieldTeamID, entinstance.FieldOwnerID, entinstance.FieldVersion}

// wrapInstances adds what was selected to rows: one query per kind of relation,
// however many rows there are.
func (r *Resolver) wrapInstances(ctx context.Context, rows []*ent.Instance, t tree) ([]*model.Instance, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(i *ent.Instance) string { return i.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	owners, err := r.usersByID(ctx, ids(rows, func(i *ent.Instance) string { return i.OwnerID }), t["owner"])
	if err != nil {
		return nil, err
	}
	images, err := r.imagesByID(ctx, ids(rows, func(i *ent.Instance) string { return i.ImageID }), t["image"])
	if err != nil {
		return nil, err
	}
	var mounts []spec.Mount
	for _, i := range rows {
		mounts = append(mounts, i.Spec.Mounts...)
	}
	volumes, err := r.volumesOf(ctx, mounts, t["mounts"]["volume"])
	if err != nil {
		return nil, err
	}
	shares, err := r.sharesOf(ctx, mounts, t["mounts"]["share"])
	if err != nil {
		return nil, err
	}
	var uses []spec.SecretUse
	for _, i := range rows {
		uses = append(uses, i.Spec.Secrets...)
	}
	known, err := r.secretsOf(ctx, uses, t["secrets"]["secret"])
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.Instance, len(rows))
	for i, row := range rows {
		m := &model.Instance{Instance: row, Team: teams[row.TeamID], Owner: owners[row.OwnerID],
			Image: images[row.ImageID], Volumes: volumes, Shares: shares, Known: known, Lang: l, Site: r.site}
		if t.has("can") {
			p := model.InstancePermissions(instance.PermissionsOf(v, row))
			m.Can = &p
		}
		if t.has("restartToApply") {
			m.RestartToApply = instance.RestartToApply(row)
		}
		out[i] = m
	}
	return out, nil
}

func (r *Resolver) instance(ctx context.Context, id string, t tree) (*model.Instance, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Instance.Query().Where(entinstance.ID(id))
	q.Select(t.columns(instanceAlways, instanceColumns)...)
	return one(ctx, "instance", id, q.All, func(ctx context.Context, rows []*ent.Instance) ([]*model.Instance, error) {
		return r.wrapInstances(ctx, rows, t)
	})
}

func (r *Resolver) instancePreset(ctx context.Context, runID string) (*model.InstancePreset, error) {
	p, err := r.Instances.PresetOf(ctx, runID)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	out := &model.InstancePreset{Preset: p, Lang: lang.From(ctx)}
	if out.Volumes, err = r.volumesOf(ctx, p.Spec.Mounts, t["mounts"]["volume"]); err != nil {
		return nil, err
	}
	if out.Shares, err = r.sharesOf(ctx, p.Spec.Mounts, t["mounts"]["share"]); err != nil {
		return nil, err
	}
	out.Known, err = r.secretsOf(ctx, p.Spec.Secrets, t["secrets"]["secret"])
	return out, err
}

func instanceKey(i *model.Instance) string { return cursor("instances", i.ID) }

func (r *Resolver) listInstances(ctx context.Context, first *int, after *string, f *model.InstanceFilter) (*model.InstanceConnection, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "instances", 1)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)
	q := r.DB.Client.Instance.Query()
	if err := filterInstances(q, v, f); err != nil {
		return nil, err
	}
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count instances: %w", err)
	}
	if w.after != nil {
		q.Where(entinstance.IDLT(w.after[0]))
	}
	q.Order(ent.Desc(entinstance.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(instanceAlways, instanceColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list instances: %w", err)
	}
	nodes, err := r.wrapInstances(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, instanceKey)
	c.TotalCount = total
	return &model.InstanceConnection{Connection: c}, nil
}

func filterInstances(q *ent.InstanceQuery, v *authz.Viewer, f *model.InstanceFilter) error {
	if f == nil {
		return nil
	}
	if err := checkSearch(f.Search); err != nil {
		return err
	}
	if f.TeamID != nil {
		q.Where(entinstance.TeamID(*f.TeamID))
	}
	if f.Mine != nil && *f.Mine {
		q.Where(entinstance.OwnerID(v.UserID))
	}
	if len(f.States) > 0 {
		q.Where(entinstance.StateIn(f.States...))
	}
	if s := deref(f.Search); s != "" {
		q.Where(entinstance.NameContainsFold(s))
	}
	return nil
}

func resources(in *model.ResourcesInput) instance.Resources {
	return instance.Resources{CPU: in.CPU, Memory: in.Memory, GPU: int64(in.Gpu)}
}

// values takes the pointers out of a list of inputs; nothing stays nothing.
func values[T any](in []*T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i := range in {
		out[i] = *in[i]
	}
	return out
}

// appLog is the end of what an app wrote.
func (r *Resolver) appLog(ctx context.Context, id, app string) (*model.AppLog, error) {
	lines, err := r.Instances.AppLog(ctx, id, app)
	if err != nil {
		return nil, err
	}
	out := &model.AppLog{Lines: make([]*model.AppLogLine, 0, len(lines))}
	for _, l := range lines {
		out.Lines = append(out.Lines, &model.AppLogLine{At: l.At, Text: l.Text})
	}
	return out, nil
}
