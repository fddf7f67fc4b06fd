package definition

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// The bounds of flows.
const (
	MaxTasks       = 500
	MaxBytes       = 256 << 10
	MaxParameters  = 100
	MaxTags        = 20
	MaxPriority    = 100
	MaxRetries     = 100
	MaxDescription = 2000 // characters
	MaxTimeout     = 30 * 24 * time.Hour
)

// The kind of document that Parse reads.
const (
	APIVersion = "goblinlab.io/v1"
	Kind       = "Flow"
)

func optionalSpan(name, about string, most time.Duration) shape.Field {
	return shape.Optional(name, shape.Span(0, most).Fixed().About(about))
}

func choices[T ~string](list ...T) shape.Shape {
	out := make([]string, len(list))
	for i := range list {
		out[i] = string(list[i])
	}
	return shape.Choice(out...).Fixed()
}

// flowShape is the shape of a spec.Flow.
func flowShape() shape.Shape {
	return shape.Object(
		shape.Optional("description", shape.Text(0, MaxDescription)),
		shape.Optional("tags", shape.List(shape.Text(1, 63), 0, MaxTags)),
		shape.Optional("class", choices(spec.ClassOnline, spec.ClassTest).About("test when left out.")),
		shape.Optional("parameters", shape.List(shape.Object(
			shape.Required("name", shape.Text(1, macro.MaxName)),
			shape.Optional("default", shape.Text(0, 4096)),
			shape.Optional("description", shape.Text(0, MaxDescription)),
			shape.Optional("required", shape.Bool()),
		), 0, MaxParameters)),
		shape.Optional("schedule", scheduleShape()),
		shape.Optional("concurrency", choices(spec.Allow, spec.Forbid, spec.Replace, spec.QueueOne).About("forbid when left out.")),
		optionalSpan("timeout", "Of a run.", MaxTimeout),
		optionalSpan("finishBy", "After the logical time; a later run is told of.", MaxTimeout),
		shape.Optional("priority", shape.Integer(-MaxPriority, MaxPriority)),
		shape.Required("tasks", shape.List(taskShape(), 1, MaxTasks)),
	)
}

func scheduleShape() shape.Shape {
	instant := shape.Instant().Fixed()
	return shape.Object(
		shape.Optional("cron", shape.Text(0, 200).About("Five fields, or six with seconds first.")),
		optionalSpan("every", "A true interval, counted from the anchor.", 0),
		shape.Optional("anchor", instant),
		shape.Optional("at", instant.About("Once.")),
		shape.Optional("after", shape.List(shape.Text(1, 100), 0, 50).About("Ids of flows; it fires when all have succeeded.")),
		shape.Optional("timezone", shape.Text(0, 100).About("An IANA name; UTC when left out.")),
		shape.Optional("from", instant),
		shape.Optional("until", instant),
		shape.Optional("misfire", shape.Object(
			shape.Optional("policy", choices(spec.MisfireSkip, spec.MisfireLatest, spec.MisfireAll)),
			shape.Optional("limit", shape.Integer(0, 100000)),
		)),
		optionalSpan("startDeadline", "What could not be started for so long is dropped.", 0),
	)
}

func taskShape() shape.Shape {
	return shape.Object(
		shape.Required("name", shape.Text(1, macro.MaxName).About("A letter, then letters, digits, - and _.")),
		shape.Optional("description", shape.Text(0, MaxDescription)),
		shape.Required("executor", shape.Text(1, 63)),
		shape.Required("with", shape.Any().About("What the executor is told; every text may hold macros.")),
		shape.Optional("needs", shape.List(shape.Text(1, macro.MaxName), 0, MaxTasks)),
		shape.Optional("trigger", choices(spec.AllSucceeded, spec.AllDone, spec.AnyFailed)),
		shape.Optional("when", shape.Text(0, 4096).About("LEFT == RIGHT or LEFT != RIGHT, after macros.")),
		shape.Optional("skip", shape.Bool()),
		shape.Optional("retry", shape.Object(
			shape.Optional("count", shape.Integer(0, MaxRetries)),
			optionalSpan("wait", "Before the first, doubled each time; 10s when left out.", 24*time.Hour),
			optionalSpan("most", "The longest wait; 5m when left out.", 24*time.Hour),
			shape.Optional("jitter", shape.Number(0, 1)),
		)),
		optionalSpan("timeout", "Of one attempt.", MaxTimeout),
		optionalSpan("pendingTimeout", "Of an attempt's wait for its container.", MaxTimeout),
		shape.Optional("group", shape.Text(0, macro.MaxName).About("A concurrency group of the team.")),
		shape.Optional("priority", shape.Integer(-MaxPriority, MaxPriority)),
	)
}

func documentShape() shape.Shape {
	return shape.Object(
		shape.Required("apiVersion", choices(APIVersion)),
		shape.Required("kind", choices(Kind)),
		shape.Required("name", shape.Text(1, 100)),
		shape.Optional("team", shape.Text(0, 100)),
		shape.Required("spec", flowShape()),
	)
}

// Schema is the published JSON schema (draft 2020-12) of a document, with the
// settings of each executor.
func Schema(r executor.Registry) map[string]any {
	out := documentShape().Schema()
	out["$schema"], out["title"] = shape.Draft, "A flow of GoblinLab"
	defs, rules := map[string]any{}, []any{}
	for _, e := range r.All() {
		defs[e.Name()] = e.Schema()
		rules = append(rules, map[string]any{
			"if":   map[string]any{"properties": map[string]any{"executor": map[string]any{"const": e.Name()}}, "required": []any{"executor"}},
			"then": map[string]any{"properties": map[string]any{"with": map[string]any{"$ref": "#/$defs/" + e.Name()}}},
		})
	}
	names := make([]any, len(r.Names()))
	for i, n := range r.Names() {
		names[i] = n
	}
	task := at(out, "properties", "spec", "properties", "tasks", "items")
	task["allOf"] = rules
	at(task, "properties", "executor")["enum"] = names
	out["$defs"] = defs
	return out
}

// at goes down a schema that this package made.
func at(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m = m[p].(map[string]any) //nolint:forcetypeassert // made above
	}
	return m
}
