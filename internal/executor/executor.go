package executor

import (
	"context"
	"encoding/json"
	"time"

	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Problem is one thing that is wrong with settings; its path is inside of them.
type Problem = fault.Field

// Executor is one kind of task.
type Executor interface {
	// Name is what a flow's task calls it.
	Name() string
	// Schema is the JSON schema of the settings; its first example is one that works.
	Schema() map[string]any
	// Check tells everything that is wrong with settings as they are saved, whose texts may hold macros.
	Check(with json.RawMessage) []Problem
}

// Launch is what a task takes from elsewhere than its settings.
type Launch struct {
	Class   spec.Class // empty means test
	Timeout time.Duration
	Pending time.Duration
	Retries int
	Limits  preflight.Limits
}

// Launcher runs containers.
type Launcher interface {
	Executor
	// Task makes the task of expanded settings. What is wrong with them is a *fault.Error.
	Task(with json.RawMessage, in Launch) (spec.Task, error)
}

// Ask is who asks, and for which time.
type Ask struct {
	TeamID   string
	PersonID string         // as whom the flow runs
	Time     time.Time      // the run's logical time
	Zone     *time.Location // of the schedule; nil means UTC
}

// Poller asks the world.
type Poller interface {
	Executor
	// Poll asks once, with a deadline of its own. Expanded settings that are
	// wrong are a *fault.Error; any other error says nothing about the world.
	Poll(ctx context.Context, with json.RawMessage, in Ask) (Verdict, error)
	// Pace says how often and how long expanded settings want it to be asked.
	Pace(with json.RawMessage) Pace
}

// Pace is the rhythm of polls.
type Pace struct {
	Every time.Duration
	For   time.Duration // from the first poll; then the step fails
}

// The rhythm of those who do not say, and its bounds.
const (
	DefaultEvery = 30 * time.Second
	DefaultFor   = 24 * time.Hour
	LeastEvery   = 5 * time.Second
	MostFor      = 30 * 24 * time.Hour
)

// PaceFields are the fields of a poller's settings that say its rhythm.
func PaceFields() []shape.Field {
	return []shape.Field{
		shape.Optional("every", shape.Span(LeastEvery, 24*time.Hour).About("How often it is asked; 30s when left out.")),
		shape.Optional("for", shape.Span(LeastEvery, MostFor).About("How long it is asked before the task fails; 24h when left out.")),
	}
}

// PaceOf fills in what was left out.
func PaceOf(every, lasts spec.Duration) Pace {
	p := Pace{Every: every.Std(), For: lasts.Std()}
	if p.Every == 0 {
		p.Every = DefaultEvery
	}
	if p.For == 0 {
		p.For = DefaultFor
	}
	return p
}

// Answer is one of done, not-yet, failed.
type Answer string

// The answers of a poll.
const (
	Done   Answer = "done"
	NotYet Answer = "not-yet"
	Failed Answer = "failed"
)

// Verdict is what a poll found.
type Verdict struct {
	Answer  Answer
	Reason  spec.Reason       // why not; of Done it is empty
	Outputs map[string]string // of Done
}

// Wait is the verdict NotYet.
func Wait(r spec.Reason) Verdict { return Verdict{Answer: NotYet, Reason: r} }

// Fail is the verdict Failed.
func Fail(r spec.Reason) Verdict { return Verdict{Answer: Failed, Reason: r} }

// chooser is an executor that does one or the other, as its settings say.
type chooser interface {
	Polls(with json.RawMessage) bool
}

// Polls reports whether a task with these settings is polled; else it is launched.
func Polls(e Executor, with json.RawMessage) bool {
	if c, ok := e.(chooser); ok {
		return c.Polls(with)
	}
	_, ok := e.(Poller)
	return ok
}

// Schema is the schema of settings of a shape, with their example.
func Schema(s shape.Shape, example json.RawMessage) map[string]any {
	var v any
	if err := json.Unmarshal(example, &v); err != nil {
		panic(err) // a constant of ours
	}
	out := s.Schema()
	out["examples"] = []any{v}
	return out
}
