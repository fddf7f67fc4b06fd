package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/image"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// parse makes a task of what people typed; what is wrong is noted.
func (in Input) parse(f *fault.Fields) spec.Task {
	t := spec.Task{
		ImageID: in.ImageID, Command: in.Command, Args: in.Args, WorkingDir: in.WorkingDir, Env: in.Env, Secrets: in.Secrets,
		Mounts: in.Mounts, Code: in.Code, Class: in.Class, Timeout: in.Timeout, Pending: in.Pending, Retries: in.Retries,
		Resources: spec.Resources{GPU: in.Resources.GPU},
	}
	t.Resources.CPUMilli = quantity.AddCPU(f, "resources.cpu", in.Resources.CPU, quantity.Limits{})
	t.Resources.MemoryBytes = quantity.AddMemory(f, "resources.memory", in.Resources.Memory, quantity.Limits{})
	if t.Class == "" {
		t.Class = spec.ClassTest
	}
	return t
}

func (s *Service) limits() preflight.Limits {
	l := s.Config.Now().Limits
	return preflight.Limits{CPUMilli: l.CPUMilli, MemoryBytes: l.MemoryBytes, GPU: l.GPU}
}

// check holds a task against everything that is known, for a run of the
// viewer's own in the team: nothing is made that could not work. f brings what
// was found before; everything comes out at once.
func (s *Service) check(ctx context.Context, f *fault.Fields, v *authz.Viewer, t *ent.Team, name string, task spec.Task) error {
	typed := fieldPaths(f.Err())
	preflight.CheckName(f, "name", name)
	checked := task
	if typed["resources.cpu"] { // one complaint is enough
		checked.Resources.CPUMilli = preflight.MinCPUMilli
	}
	if typed["resources.memory"] {
		checked.Resources.MemoryBytes = preflight.MinMemoryBytes
	}
	preflight.CheckTask(f, "", checked, s.limits())
	if err := s.checkImage(ctx, f, t.ID, task.ImageID); err != nil {
		return err
	}
	if err := s.checkMounts(ctx, f, t.ID, task); err != nil {
		return err
	}
	if err := s.checkSecrets(ctx, f, v, t.ID, task); err != nil {
		return err
	}
	nodes, err := s.shapes(ctx)
	if err != nil {
		return err
	}
	return together(f.Err(),
		preflight.Fit(manifest.Requests(checked.Resources, t.Overcommit.For(checked.Class)), preflight.Placement{Class: checked.Class}, nodes),
		preflight.Quota(preflight.Demand(checked.Resources), spec.Quota{}, t.Quota)) // a run waits for its turn, but not for ever
}

func (s *Service) shapes(ctx context.Context) ([]preflight.Node, error) {
	if s.Cluster == nil {
		return nil, nil
	}
	nodes, err := s.Cluster.Shapes(ctx)
	if err != nil {
		return nil, fmt.Errorf("shapes of nodes: %w", err)
	}
	return nodes, nil
}

func (s *Service) checkImage(ctx context.Context, f *fault.Fields, teamID, id string) error {
	if id == "" {
		return nil // preflight says so
	}
	i, err := s.DB.Client.Image.Query().Where(image.ID(id), image.DeletedAtIsNil()).Only(ctx)
	switch {
	case ent.IsNotFound(err), err == nil && i.TeamID != nil && *i.TeamID != teamID:
		f.Add("imageId", "not-found", fault.Args{"what": "@noun.image", "id": id})
	case err != nil:
		return fmt.Errorf("image %s: %w", id, err)
	}
	return nil
}

// checkMounts is CheckMounts for the mounts and the folder of the script.
func (s *Service) checkMounts(ctx context.Context, f *fault.Fields, teamID string, task spec.Task) error {
	mounts := task.Mounts
	if c := task.Code; c != nil && c.VolumeID != "" {
		mounts = append(mounts[:len(mounts):len(mounts)], spec.Mount{VolumeID: c.VolumeID, ReadOnly: !c.Writable})
	}
	var own fault.Fields
	if _, err := volume.CheckMounts(ctx, s.DB.Client, &own, "", teamID, mounts); err != nil {
		return err
	}
	if e := fault.Of(own.Err()); e != nil {
		for _, field := range e.Fields {
			if field.Path == fmt.Sprintf("mounts[%d].volumeId", len(task.Mounts)) {
				field.Path = "code.volumeId"
			}
			f.Add(field.Path, field.ID, field.Args)
		}
	}
	return nil
}

// checkAccess refuses a second consumer of a volume that takes one (P21). It
// looks at the rows of the transaction, whose team is locked.
func (s *Service) checkAccess(ctx context.Context, tx *ent.Tx, t *ent.Team, ownerID string, home *ent.Volume, task spec.Task, oneNode bool) error {
	mounts := task.Mounts
	if task.Code != nil {
		mounts = append(mounts[:len(mounts):len(mounts)], spec.Mount{VolumeID: task.Code.VolumeID, ReadOnly: !task.Code.Writable})
	}
	sources, err := volume.Mounted(authz.AsSystem(ctx), tx.Client(), t.ID, ownerID, mounts)
	if err != nil {
		return err
	}
	once := home != nil && home.AccessMode == entvolume.AccessModeReadWriteOnce
	for _, v := range sources {
		once = once || v.AccessMode == entvolume.AccessModeReadWriteOnce
	}
	if !once { // the usual case asks nobody
		return nil
	}
	err = volume.Held(ctx, tx.Client(), t.ID, volume.Mounting{Home: home, Mounts: mounts, Sources: sources, SameNode: oneNode})
	var e *fault.Error
	if errors.As(err, &e) && task.Code != nil {
		for i := range e.Fields {
			if e.Fields[i].Path == fmt.Sprintf("mounts[%d].volumeId", len(task.Mounts)) {
				e.Fields[i].Path = "code.volumeId"
			}
		}
	}
	return err
}

func fieldPaths(err error) map[string]bool {
	out := map[string]bool{}
	var e *fault.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			out[f.Path] = true
		}
	}
	return out
}

// together is one fault of several, so that a form hears of everything at once;
// an error that is no fault goes first.
func together(errs ...error) error {
	var out *fault.Error
	for _, err := range errs {
		if err == nil {
			continue
		}
		var e *fault.Error
		if !errors.As(err, &e) {
			return err
		}
		if out == nil {
			c := *e
			out = &c
			continue
		}
		if len(e.Fields) == 0 { // says it all by itself
			out.Fields = append(out.Fields, fault.Field{Path: "resources", ID: e.ID, Args: e.Args})
		}
		out.Fields = append(out.Fields[:len(out.Fields):len(out.Fields)], e.Fields...)
		if out.Kind != e.Kind {
			out.Kind, out.ID = fault.InvalidArgument, ""
		}
	}
	if out == nil {
		return nil
	}
	return out
}
