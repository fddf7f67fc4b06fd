package check

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// FlowState is one run of a flow.
type FlowState struct {
	Time      time.Time // logical
	Ended     bool
	Succeeded bool
}

// FlowStates tells of other flows, as far as whoever asks may see them.
type FlowStates interface {
	// Runs are the runs of a flow with logical times from from on and before until.
	Runs(ctx context.Context, in executor.Ask, flowID string, from, until time.Time) ([]FlowState, error)
}

// PathState is what stands at a path.
type PathState struct {
	Exists  bool
	Changed time.Time
}

// Paths tells of volumes, as far as whoever asks may read them.
type Paths interface {
	Stat(ctx context.Context, in executor.Ask, volumeID, path string) (PathState, error)
}

// Check is the executor.
type Check struct {
	Guard outside.Guard
	Flows FlowStates
	Paths Paths
}

// Each poll ends after so long.
const limit = time.Minute

// Name is "check".
func (Check) Name() string { return "check" }

// Schema is the schema of With.
func (Check) Schema() map[string]any { return executor.Schema(With{}.Shape(), example) }

// Check tells what is wrong with the settings.
func (c Check) Check(with json.RawMessage) []executor.Problem {
	w, found := shape.Read[With](With{}.Shape(), with)
	found.Note(w.problems(c.Guard, executor.Launch{}))
	return found.Problems
}

// Polls holds for all checks but a command.
func (Check) Polls(with json.RawMessage) bool {
	w, _ := shape.Expanded[With](With{}.Shape(), with)
	return w.Command == nil
}

// Pace is what the settings say.
func (Check) Pace(with json.RawMessage) executor.Pace {
	w, _ := shape.Expanded[With](With{}.Shape(), with)
	return executor.PaceOf(w.Every, w.For)
}

// Task makes the task of a command.
func (c Check) Task(with json.RawMessage, in executor.Launch) (spec.Task, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	found.Note(w.problems(c.Guard, in))
	if w.Command == nil {
		found.Add("command", "shape.missing", fault.Args{"name": "command"})
	}
	if err := found.Err(); err != nil {
		return spec.Task{}, err
	}
	t, _ := w.Command.Task(in)
	return t, nil
}

// Poll asks once.
func (c Check) Poll(ctx context.Context, with json.RawMessage, in executor.Ask) (executor.Verdict, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	found.Note(w.problems(c.Guard, executor.Launch{}))
	if err := found.Err(); err != nil {
		return executor.Verdict{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var v executor.Verdict
	var err error
	switch {
	case w.Flow != nil:
		v, err = c.flow(ctx, *w.Flow, in)
	case w.Path != nil:
		v, err = c.path(ctx, *w.Path, in)
	case w.URL != nil:
		if w.URL.Timeout.Std() > limit {
			w.URL.Timeout = spec.Duration(limit)
		}
		v = executor.Verdict{Answer: executor.Done}
		if _, why := w.URL.Do(ctx, c.Guard); why != nil {
			v = unless(*why)
		}
	case w.WebHDFS != nil:
		v = c.webhdfs(ctx, *w.WebHDFS)
	default:
		return executor.Verdict{}, fmt.Errorf("a command is launched, not polled")
	}
	// What is not there, or not for whoever asks, will not come by waiting.
	if f := fault.Of(err); f != nil && (f.Kind == fault.NotFound || f.Kind == fault.Forbidden) {
		return executor.Fail(spec.Reason{Code: "check-no-access"}), nil
	}
	return v, err
}

// unless waits, but for an address that is never reached.
func unless(why spec.Reason) executor.Verdict {
	if why.Code == "call-refused" {
		return executor.Fail(why)
	}
	return executor.Wait(why)
}

func (c Check) flow(ctx context.Context, w Flow, in executor.Ask) (executor.Verdict, error) {
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	offset, err := macro.ParseOffset(w.Offset)
	if err != nil {
		return executor.Verdict{}, err
	}
	from, ok := offset.Apply(in.Time.In(zone))
	if !ok {
		return executor.Verdict{}, fault.New(fault.InvalidArgument, "executor.offset-year", nil)
	}
	until := from.Add(time.Nanosecond)
	told := from.Format(time.RFC3339)
	if w.Match == day {
		y, m, d := from.Date()
		from, until = time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)
		told = from.Format(time.DateOnly)
	}
	runs, err := c.Flows.Runs(ctx, in, w.FlowID, from, until)
	if err != nil {
		return executor.Verdict{}, err
	}
	wait := func(code string) (executor.Verdict, error) {
		return executor.Wait(spec.Reason{Code: code, Args: map[string]any{"time": told}}), nil
	}
	if len(runs) == 0 {
		return wait("check-flow-none")
	}
	for _, r := range runs {
		switch {
		case !r.Ended:
			return wait("check-flow-runs")
		case !r.Succeeded && w.State != ended: // somebody may rerun it
			return wait("check-flow-failed")
		}
	}
	return executor.Verdict{Answer: executor.Done}, nil
}

func (c Check) path(ctx context.Context, w Path, in executor.Ask) (executor.Verdict, error) {
	s, err := c.Paths.Stat(ctx, in, w.VolumeID, w.Path)
	if err != nil {
		return executor.Verdict{}, err
	}
	if !s.Exists {
		return executor.Wait(spec.Reason{Code: "check-path-none", Args: map[string]any{"path": w.Path}}), nil
	}
	if than, err := time.Parse(time.RFC3339, w.NewerThan); err == nil && !s.Changed.After(than) {
		return executor.Wait(spec.Reason{Code: "check-path-old", Args: map[string]any{
			"path": w.Path, "time": s.Changed.UTC().Format(time.RFC3339), "than": w.NewerThan,
		}}), nil
	}
	return executor.Verdict{Answer: executor.Done}, nil
}
