package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/slotgroup"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// checkReferences notes what a definition names and the viewer may not use, or
// that is not there: images, volumes, secrets, groups, other flows. What macros
// are to say is left to the start of the step.
func (s *Service) checkReferences(ctx context.Context, f *fault.Fields, v *authz.Viewer, t *ent.Team, def spec.Flow) error {
	for i, id := range def.Schedule.After {
		there, err := s.DB.Client.Flow.Query().Where(flow.ID(id), flow.TeamID(t.ID), flow.DeletedAtIsNil()).Exist(ctx)
		if err != nil {
			return fmt.Errorf("flow %s: %w", id, err)
		}
		if !there {
			f.Add(fmt.Sprintf("spec.schedule.after[%d]", i), "flow.after-unknown", fault.Args{"value": id})
		}
	}
	groups := map[string]bool{}
	for i := range def.Tasks {
		task := &def.Tasks[i]
		path := fmt.Sprintf("spec.tasks[%d].", i)
		if g := task.Group; g != "" && !groups[g] {
			there, err := s.DB.Client.SlotGroup.Query().Where(slotgroup.TeamID(t.ID), slotgroup.Name(g)).Exist(ctx)
			if err != nil {
				return fmt.Errorf("group %s: %w", g, err)
			}
			if groups[g] = there; !there {
				f.Add(path+"group", "flow.group-unknown", fault.Args{"value": g})
			}
		}
		if err := s.checkTask(ctx, f, v, t, def, task, path+"with."); err != nil {
			return err
		}
	}
	return nil
}

// checkTask holds a container's task against what the viewer may use.
func (s *Service) checkTask(ctx context.Context, f *fault.Fields, v *authz.Viewer, t *ent.Team, def spec.Flow, task *spec.FlowTask, path string) error {
	e, ok := s.Executors.Get(task.Executor)
	if !ok {
		return nil // the definition's check says so
	}
	launcher, ok := e.(executor.Launcher)
	if !ok {
		return nil
	}
	with, open, err := macro.Sample(task.With)
	if err != nil {
		return nil //nolint:nilerr // the definition's check says so
	}
	if executor.Polls(e, with) {
		return nil
	}
	made, impossible := launcher.Task(with, executor.Launch{Limits: s.limits()})
	told := map[string]bool{}
	if err := s.checkFreeze(ctx, f, t.ID, made.Code, open, path, told); err != nil {
		return err
	}
	if impossible != nil {
		return nil // with sample values it need not be possible
	}
	if made.Class = def.Class; made.Class == "" {
		made.Class = spec.ClassTest
	}
	var own fault.Fields
	if err := s.Runs.CheckTask(ctx, &own, v, t, made); err != nil {
		return err
	}
	if found := fault.Of(own.Err()); found != nil {
		for _, p := range found.Fields {
			if !covered(open, p.Path) && !told[p.Path] {
				f.Add(path+p.Path, p.ID, p.Args)
			}
		}
	}
	return nil
}

// covered reports whether a field's value is not known yet.
func covered(open map[string]bool, path string) bool {
	for p := range open {
		if p == path || strings.HasPrefix(path, p+".") || strings.HasPrefix(path, p+"[") || strings.HasPrefix(p, path+".") || strings.HasPrefix(p, path+"[") {
			return true
		}
	}
	return false
}

func checkGroupName(f *fault.Fields, path, name string) {
	if !macro.ValidName(name) {
		f.Add(path, "flow.group-name", fault.Args{"value": name})
	}
}
