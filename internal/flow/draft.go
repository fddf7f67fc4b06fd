package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Draft is a flow that could be saved, and is not.
type Draft struct {
	TeamID string
	Name   string
	Spec   spec.Flow
	Notes  []carry.Note
}

// source is what a draft is made of.
type source struct {
	teamID, ownerID, owner string
	name                   string
	task                   spec.Task
}

// Draft gives the definition that a flow with one task would have, which has what
// an instance or a run has: its image, mounts, variables, secrets and sizes. An
// instance's command is left to be filled in. It is for who sees the one and may
// make flows in its team, and holds what that person may use (P94, P95).
func (s *Service) Draft(ctx context.Context, instanceID, runID string) (Draft, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return Draft{}, err
	}
	if (instanceID == "") == (runID == "") {
		return Draft{}, fault.New(fault.InvalidArgument, "flow.one-source", nil)
	}
	read, id := s.fromRun, runID
	if instanceID != "" {
		read, id = s.fromInstance, instanceID
	}
	from, err := read(ctx, id)
	if err != nil {
		return Draft{}, err
	}
	t, err := team.Visible(ctx, s.DB.Client, from.teamID)
	if err != nil {
		return Draft{}, err
	}
	if err := v.Check(authz.Create, t.ID); err != nil {
		return Draft{}, err
	}
	if err := team.Open(t); err != nil {
		return Draft{}, err
	}
	return s.draft(ctx, v, t, from)
}

func (s *Service) fromInstance(ctx context.Context, id string) (source, error) {
	row, err := s.DB.Client.Instance.Query().Where(entinstance.ID(id)).WithOwner().Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return source{}, fault.Missing("instance", id)
	case err != nil:
		return source{}, fmt.Errorf("instance %s: %w", id, err)
	}
	from := source{teamID: row.TeamID, ownerID: row.OwnerID, owner: called(row.Edges.Owner, row.OwnerID), name: row.Name, task: spec.Task{
		ImageID: row.Spec.ImageID, Resources: row.Spec.Resources, Secrets: row.Spec.Secrets, Class: spec.ClassTest}}
	for _, m := range row.Spec.Mounts {
		if m.Path == manifest.CodePath {
			from.task.Code = &spec.Code{VolumeID: m.VolumeID, SubPath: m.SubPath, Writable: !m.ReadOnly}
			continue
		}
		from.task.Mounts = append(from.task.Mounts, m)
	}
	for _, e := range row.Spec.Env {
		if e.Name != carry.EnvCommand { // of a run that it was made to look into
			from.task.Env = append(from.task.Env, e)
		}
	}
	return from, nil
}

func (s *Service) fromRun(ctx context.Context, id string) (source, error) {
	row, err := s.DB.Client.Run.Query().Where(entrun.ID(id)).WithOwner().Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return source{}, fault.Missing("run", id)
	case err != nil:
		return source{}, fmt.Errorf("run %s: %w", id, err)
	}
	task, err := s.DB.Client.Task.Get(ctx, row.TaskID)
	if err != nil {
		return source{}, fmt.Errorf("task of run %s: %w", id, err)
	}
	return source{teamID: row.TeamID, ownerID: row.OwnerID, owner: called(row.Edges.Owner, row.OwnerID), name: row.Name, task: task.Spec}, nil
}

// called is the name of a person, the id of one who is not seen any more.
func called(u *ent.User, id string) string {
	if u == nil {
		return id
	}
	return u.DisplayName
}

func (s *Service) draft(ctx context.Context, v *authz.Viewer, t *ent.Team, from source) (Draft, error) {
	task := from.task
	var f fault.Fields
	if err := s.Runs.CheckTask(ctx, &f, v, t, task); err != nil {
		return Draft{}, err
	}
	var found []fault.Field
	for _, err := range []error{f.Err(), preflight.Quota(preflight.Demand(task.Resources), spec.Quota{}, t.Quota)} {
		if e := fault.Of(err); e != nil {
			found = append(found, e.Fields...)
		}
	}
	image := task.ImageID
	if row, err := s.DB.Client.Image.Get(ctx, image); err == nil {
		image = row.Name
	} else if !ent.IsNotFound(err) {
		return Draft{}, fmt.Errorf("image %s: %w", image, err)
	}
	task, notes := s.fitting(task, image, found, t.Quota)
	if from.ownerID != v.UserID {
		notes = append(notes, carry.Note{How: carry.OwnHome, What: from.owner})
	}
	if task.Flow != nil {
		notes = append(notes, carry.Note{How: carry.Expanded})
	}
	d := Draft{TeamID: t.ID, Name: from.name, Notes: notes}
	if task.Class == spec.ClassOnline {
		d.Spec.Class = spec.ClassOnline
	}
	with, err := settings(task)
	if err != nil {
		return Draft{}, err
	}
	d.Spec.Tasks = []spec.FlowTask{{Name: taskName(from.name), Executor: container.Container{}.Name(), With: with,
		Timeout: spec.Duration(task.Timeout), Pending: spec.Duration(task.Pending),
		Retry: spec.Retry{Count: task.Retries, Wait: spec.Duration(task.Backoff), Most: spec.Duration(task.BackoffMax), Jitter: task.Jitter}}}
	return d, nil
}

// fitting is a task without what was found against it.
func (s *Service) fitting(task spec.Task, image string, found []fault.Field, quota spec.Quota) (spec.Task, []carry.Note) {
	l := s.limits()
	fit, notes := carry.Fit(spec.Instance{ImageID: task.ImageID, Resources: task.Resources, Mounts: task.Mounts, Env: task.Env, Secrets: task.Secrets},
		image, found, spec.Quota{CPUMilli: l.CPUMilli, MemoryBytes: l.MemoryBytes, GPU: l.GPU}, quota)
	task.ImageID, task.Resources, task.Mounts, task.Env, task.Secrets = fit.ImageID, fit.Resources, fit.Mounts, fit.Env, fit.Secrets
	if c := task.Code; c != nil {
		kept, more := carry.Mounts([]spec.Mount{{VolumeID: c.VolumeID, Path: manifest.CodePath, SubPath: c.SubPath, ReadOnly: !c.Writable}}, ofCode(found))
		notes = append(more, notes...)
		if task.Code = nil; len(kept) > 0 {
			task.Code = &spec.Code{VolumeID: kept[0].VolumeID, SubPath: kept[0].SubPath, Writable: !kept[0].ReadOnly}
		}
	}
	return task, notes
}

// ofCode are the problems of the folder with the code, as those of a list of mounts.
func ofCode(found []fault.Field) []fault.Field {
	var out []fault.Field
	for _, f := range found {
		if field, ok := strings.CutPrefix(f.Path, "code."); ok {
			f.Path = "mounts[0]." + field
			out = append(out, f)
		}
	}
	return out
}

// settings are what the executor of containers is told, with every "$" for
// itself: what an instance or a run has knows no macros.
func settings(t spec.Task) (json.RawMessage, error) {
	cpu, memory := quantity.CPUQuantity(t.Resources.CPUMilli), quantity.BytesQuantity(t.Resources.MemoryBytes)
	w := container.With{Command: append([]string{}, t.Command...), Args: t.Args, Code: t.Code, Place: container.Place{
		ImageID: t.ImageID, WorkingDir: t.WorkingDir, Env: t.Env, Secrets: t.Secrets, Mounts: t.Mounts,
		Resources: container.Resources{CPU: cpu.String(), Memory: memory.String(), GPU: t.Resources.GPU}}}
	raw, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("settings of a draft: %w", err)
	}
	return bytes.ReplaceAll(raw, []byte("$"), []byte("$$")), nil // JSON itself has no "$"
}

// taskName is a name for a task after that of what it is made of.
func taskName(name string) string {
	const most = 40
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && macro.ValidName("x"+string(r)) {
			return r
		}
		return '-'
	}, name)
	clean = strings.TrimLeft(clean, "-_0123456789")
	parts := slices.DeleteFunc(strings.Split(clean[:min(len(clean), most)], "-"), func(p string) bool { return p == "" })
	if clean = strings.Join(parts, "-"); !macro.ValidName(clean) {
		return "main"
	}
	return clean
}
