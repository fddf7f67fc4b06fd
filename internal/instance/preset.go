package instance

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// outputsFile stands for the file of a task's outputs, which no instance has.
const outputsFile = "/tmp/goblinlab-outputs.json"

// Preset is what an instance would be made with. Its image may be missing.
type Preset struct {
	TeamID  string
	Name    string
	Spec    spec.Instance
	Command string // for a shell; in the variable carry.EnvCommand, too
	Notes   []carry.Note
}

// PresetOf gives what an instance would be made with to look into a run: its
// image, mounts, variables, secrets and sizes, and its command. It is for who
// sees the run and may make instances in its team, and holds what that person
// may use: another person's home and secrets do not come along (P94, P95).
// Nothing is made.
func (s *Service) PresetOf(ctx context.Context, runID string) (Preset, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return Preset{}, err
	}
	row, err := s.DB.Client.Run.Query().Where(entrun.ID(runID)).WithTask().WithOwner().Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return Preset{}, fault.Missing("run", runID)
	case err != nil:
		return Preset{}, fmt.Errorf("load run %s: %w", runID, err)
	}
	t, err := team.Visible(ctx, s.DB.Client, row.TeamID)
	if err != nil {
		return Preset{}, err
	}
	if err := v.Check(authz.Create, t.ID); err != nil {
		return Preset{}, err
	}
	if err := team.Open(t); err != nil {
		return Preset{}, err
	}
	attempts, err := s.DB.Client.Attempt.Query().Where(attempt.RunID(row.ID)).Count(ctx)
	if err != nil {
		return Preset{}, fmt.Errorf("attempts of run %s: %w", runID, err)
	}
	task := row.Edges.Task.Spec
	p := Preset{TeamID: t.ID, Name: presetName(row.Name), Command: commandLine(row, task, max(attempts, 1))}
	if err := s.carried(ctx, v, t, &p, task); err != nil {
		return Preset{}, err
	}
	if row.OwnerID != v.UserID {
		n := carry.Note{How: carry.OwnHome, What: row.OwnerID}
		if o := row.Edges.Owner; o != nil { // who left is not seen any more
			n.What = o.DisplayName
		}
		p.Notes = append(p.Notes, n)
	}
	if task.Class == spec.ClassOnline {
		p.Notes = append(p.Notes, carry.Note{How: carry.TestOnly})
	}
	return p, nil
}

// carried fills a preset with what of a task the viewer may have in an instance.
func (s *Service) carried(ctx context.Context, v *authz.Viewer, t *ent.Team, p *Preset, task spec.Task) error {
	want := spec.Instance{ImageID: task.ImageID, Resources: task.Resources, Env: task.Env, Secrets: task.Secrets, Mounts: task.Mounts}
	if c := task.Code; c != nil {
		want.Mounts = append([]spec.Mount{{VolumeID: c.VolumeID, Path: manifest.CodePath, SubPath: c.SubPath, ReadOnly: !c.Writable}}, want.Mounts...)
	}
	found, err := s.against(ctx, v, t, want)
	if err != nil {
		return err
	}
	name, err := s.imageName(ctx, want.ImageID)
	if err != nil {
		return err
	}
	l := s.limits()
	var env []spec.EnvVar
	p.Spec, p.Notes = carry.Fit(want, name, found, spec.Quota{CPUMilli: l.CPUMilli, MemoryBytes: l.MemoryBytes, GPU: l.GPU}, t.Quota)
	for _, e := range p.Spec.Env {
		if e.Name == carry.EnvCommand {
			p.Notes = append(p.Notes, carry.Note{How: carry.Replaced, What: e.Name})
			continue
		}
		env = append(env, e)
	}
	p.Spec.Env = append(env, spec.EnvVar{Name: carry.EnvCommand, Value: p.Command})
	return nil
}

// against is everything that stands against an instance of the viewer's in a
// team, but for what others hold just now.
func (s *Service) against(ctx context.Context, v *authz.Viewer, t *ent.Team, want spec.Instance) ([]fault.Field, error) {
	var f fault.Fields
	preflight.CheckInstance(&f, want, s.limits())
	if err := s.checkImage(ctx, &f, t.ID, want.ImageID); err != nil {
		return nil, err
	}
	if _, err := volume.CheckMounts(ctx, s.DB.Client, &f, "", t.ID, want.Mounts); err != nil {
		return nil, err
	}
	if err := s.checkSecrets(ctx, &f, v, secret.Consumer{TeamID: t.ID, OwnerID: v.UserID}, want, nil); err != nil {
		return nil, err
	}
	var found []fault.Field
	for _, err := range []error{f.Err(), preflight.Quota(preflight.Demand(want.Resources), spec.Quota{}, t.Quota)} {
		if e := fault.Of(err); e != nil {
			found = append(found, e.Fields...)
		}
	}
	return found, nil
}

// imageName is how people know an image, its id when it is gone for them.
func (s *Service) imageName(ctx context.Context, id string) (string, error) {
	row, err := s.DB.Client.Image.Get(ctx, id)
	switch {
	case ent.IsNotFound(err):
		return id, nil
	case err != nil:
		return "", fmt.Errorf("load image %s: %w", id, err)
	}
	return row.Name, nil
}

// presetName is a name after that of a run, short enough for a form's field.
func presetName(run string) string {
	const most = 55
	if r := []rune(run); len(r) > most {
		run = string(r[:most])
	}
	return run + "-debug"
}

// commandLine is what the attempts of a run ran, with the variables of the
// platform that they had, for a shell.
func commandLine(row *ent.Run, task spec.Task, number int) string {
	env := []spec.EnvVar{
		{Name: manifest.EnvTaskID, Value: row.TaskID}, {Name: manifest.EnvRunID, Value: row.ID}, {Name: manifest.EnvAttempt, Value: strconv.Itoa(number)},
	}
	if f := task.Flow; f != nil {
		env = append(env, spec.EnvVar{Name: manifest.EnvFlowID, Value: f.FlowID},
			spec.EnvVar{Name: manifest.EnvLogicalTime, Value: f.LogicalTime.Format(time.RFC3339)},
			spec.EnvVar{Name: manifest.EnvOutputs, Value: outputsFile})
	}
	dir := task.WorkingDir
	switch {
	case dir != "":
	case task.Code != nil:
		dir = manifest.CodePath
	default:
		dir = manifest.HomePath
	}
	return carry.Line(dir, env, append(task.Command[:len(task.Command):len(task.Command)], task.Args...))
}
