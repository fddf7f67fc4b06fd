package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	codeRefused = "step-refused" // detail
	codeOwner   = "step-owner"
)

// errUnwanted says that the step has moved on since its run was named.
var errUnwanted = errors.New("the step does not start any more")

// launch makes the run that a step's row names, as the flow run's owner, with
// the rights of this moment. A reason says that it may not be made.
func (s *Service) launch(ctx context.Context, l *loaded, steps []engine.Step, name string) (*spec.Reason, error) {
	var st engine.Step
	for _, x := range steps {
		if x.Name == name {
			st = x
		}
	}
	id := l.chosen[name]
	if st.RunID != "" {
		id = st.RunID
	}
	v, err := s.owner(ctx, l)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return &spec.Reason{Code: codeOwner}, nil
	}
	task, err := s.taskOf(l, name)
	if err != nil {
		return &spec.Reason{Code: codeRefused, Args: map[string]any{"detail": said(err)}}, nil
	}
	err = s.Runs.Launch(authz.With(ctx, v), run.Launch{
		ID: id, TeamID: l.row.TeamID, Name: runName(l.flow.Name, name), Task: task,
		Step:  run.Step{FlowRunID: l.row.ID, Name: name, Round: st.Round},
		Guard: func(ctx context.Context, tx *ent.Tx) error { return still(authz.AsSystem(ctx), tx, l.row.ID, name, id) },
	})
	switch kind := fault.KindOf(err); {
	case err == nil, errors.Is(err, errUnwanted):
		return nil, nil
	case kind == fault.Internal, kind == fault.Unavailable:
		return nil, fmt.Errorf("launch step %s of %s: %w", name, l.row.ID, err)
	}
	return &spec.Reason{Code: codeRefused, Args: map[string]any{"detail": said(err)}}, nil
}

// owner is the viewer as whom a flow run's tasks run, with the rights of this
// moment; nil when that person may run nothing in the team any more. A flow
// whose owner that is fires no more: it would only fail.
func (s *Service) owner(ctx context.Context, l *loaded) (*authz.Viewer, error) {
	v, err := s.Viewers.Viewer(ctx, l.row.OwnerID, "")
	switch {
	case err != nil && fault.KindOf(err) != fault.Unauthenticated:
		return nil, err
	case err == nil && v.May(authz.Run, l.row.TeamID):
		return v, nil
	case l.row.OwnerID != l.flow.OwnerID:
		return nil, nil
	}
	return nil, s.stopFiring(ctx, l.flow, &spec.Reason{Code: codeOwner})
}

// still holds the step's row and fails when it is not to start any more.
func still(ctx context.Context, tx *ent.Tx, flowRunID, name, runID string) error {
	n, err := tx.Step.Update().Where(step.FlowRunID(flowRunID), step.Name(name), step.RunID(runID), step.StateEQ(step.StateStarting)).AddVersion(1).Save(ctx)
	if err != nil {
		return fmt.Errorf("step %s of %s: %w", name, flowRunID, err)
	}
	if n == 0 {
		return errUnwanted
	}
	return nil
}

// taskOf is what a step's container runs.
func (s *Service) taskOf(l *loaded, name string) (spec.Task, error) {
	var def *spec.FlowTask
	for i := range l.def.Tasks {
		if l.def.Tasks[i].Name == name {
			def = &l.def.Tasks[i]
		}
	}
	e, ok := s.Executors.Get(def.Executor)
	if !ok {
		return spec.Task{}, fmt.Errorf("there is no executor %q any more", def.Executor)
	}
	launcher, ok := e.(executor.Launcher)
	if !ok {
		return spec.Task{}, fmt.Errorf("the executor %q runs nothing in a container", def.Executor)
	}
	class := l.def.Class
	if class == "" {
		class = spec.ClassTest
	}
	t, err := launcher.Task(l.told(name), executor.Launch{Class: class, Timeout: def.Timeout.Std(), Pending: def.Pending.Std(), Retries: def.Retry.Count, Limits: s.limits()})
	if err != nil {
		return t, err
	}
	if t.Code != nil && t.Code.Freeze {
		if t.Frozen = frozenOf(l.frozen[keyOf(*t.Code)]); t.Frozen == nil { // never the folder itself
			return t, fault.New(fault.FailedPrecondition, "flow.not-frozen", nil)
		}
	}
	t.Backoff, t.BackoffMax, t.Jitter = def.Retry.Wait.Std(), def.Retry.Most.Std(), def.Retry.Jitter
	t.Flow = &spec.TaskFlow{FlowID: l.flow.ID, LogicalTime: l.row.LogicalTime, Scheduled: l.row.Cause == flowrun.CauseSchedule || l.row.Cause == flowrun.CauseUpstream}
	return t, nil
}

// limits are the site's on what one container may ask for.
func (s *Service) limits() preflight.Limits {
	l := s.Config.Now().Limits
	return preflight.Limits{CPUMilli: l.CPUMilli, MemoryBytes: l.MemoryBytes, GPU: l.GPU}
}

// runName fits the names of a flow and a task into one of a run.
func runName(flow, task string) string {
	const most = 100 // characters of a run's name
	r := []rune(flow)
	if room := most - len([]rune(task)) - len(" / "); len(r) > room {
		r = r[:room]
	}
	return string(r) + " / " + task
}

// said is a fault in words.
func said(err error) string {
	f := fault.Of(err)
	if f == nil {
		return err.Error()
	}
	var out []string
	if f.ID != "" {
		out = append(out, lang.Text(lang.English, "fault."+f.ID, f.Args))
	}
	for _, p := range f.Fields {
		out = append(out, p.Path+": "+lang.Text(lang.English, "fault."+p.ID, p.Args))
	}
	return strings.Join(out, " ")
}
