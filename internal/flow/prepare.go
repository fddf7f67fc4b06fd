package flow

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const codeUnprepared = "step-unprepared" // detail

// expander expands the macros of a task when its step starts, and keeps what
// came out, to be stored with the step.
func (s *Service) expander(l *loaded) engine.Expand {
	base, problem := s.values(l)
	return func(task *spec.FlowTask, outputs func(name string) map[string]any) (engine.Prepared, *spec.Reason) {
		if problem != nil {
			return engine.Prepared{}, problem
		}
		v := base
		v.TaskName, v.Attempt = task.Name, 1
		if r := l.rows[task.Name]; r != nil {
			v.Attempt = r.Round
		}
		v.Outputs = map[string]map[string]string{}
		for i := range l.def.Tasks {
			name := l.def.Tasks[i].Name
			if out := texts(outputs(name)); out != nil {
				v.Outputs[name] = out
			}
		}
		when, err := definition.ParseWhen(task.When)
		if err != nil {
			return engine.Prepared{}, unprepared(err)
		}
		holds, err := when.Holds(v)
		if err != nil {
			return engine.Prepared{}, unprepared(err)
		}
		if !holds {
			return engine.Prepared{Unmet: true}, nil
		}
		with, err := macro.ExpandTree(task.With, v)
		if err != nil {
			return engine.Prepared{}, unprepared(err)
		}
		l.with[task.Name] = with
		e, ok := s.Executors.Get(task.Executor)
		if !ok {
			return engine.Prepared{}, unprepared(fmt.Errorf("there is no executor %q any more", task.Executor))
		}
		if p, ok := e.(executor.Poller); ok && executor.Polls(e, with) {
			return engine.Prepared{Polled: true, Within: p.Pace(with).For}, nil
		}
		held, problem := s.awaitCode(l, e, with)
		return engine.Prepared{Held: held}, problem
	}
}

func unprepared(err error) *spec.Reason {
	return &spec.Reason{Code: codeUnprepared, Args: map[string]any{"detail": err.Error()}}
}

// values are what every text of a flow run may name, but for what its tasks left.
func (s *Service) values(l *loaded) (macro.Values, *spec.Reason) {
	loc, err := time.LoadLocation(l.row.Timezone)
	if err != nil {
		return macro.Values{}, unprepared(err)
	}
	v := macro.Values{Time: l.row.LogicalTime, Zone: loc, RunID: l.row.ID, FlowID: l.flow.ID, FlowName: l.flow.Name}
	params := make(map[string]string, len(l.def.Parameters))
	for _, p := range l.def.Parameters {
		if given, ok := l.row.Parameters[p.Name]; ok {
			params[p.Name] = given
			continue
		}
		t, err := macro.Parse(p.Default)
		if err != nil {
			return v, unprepared(err)
		}
		if params[p.Name], err = t.Expand(v); err != nil {
			return v, unprepared(err)
		}
	}
	v.Params = params
	return v, nil
}

// told is what a step's executor is told in this round: what was stored when it
// started, or what was expanded just now.
func (l *loaded) told(name string) json.RawMessage {
	if with := l.with[name]; with != nil {
		return with
	}
	if r := l.rows[name]; r != nil {
		return r.With
	}
	return nil
}
