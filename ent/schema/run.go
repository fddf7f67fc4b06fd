package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Task is what a run executes; nothing of it but its owner ever changes.
type Task struct{ ent.Schema }

// Mixin of Task.
func (Task) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "task"}, created{}} }

// Fields of Task.
func (Task) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("owner_id"),
		field.String("name").MaxLen(400).Immutable(),
		field.String("image_id").Immutable(),
		field.JSON("spec", spec.Task{}).Immutable(),
	}
}

// Edges of Task.
func (Task) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("image", Image.Type).Field("image_id").Unique().Required().Immutable(),
	}
}

// Policy of Task.
func (Task) Policy() ent.Policy { return authz.Tenant() }

// Run is one execution of a task.
type Run struct{ ent.Schema }

// Mixin of Run.
func (Run) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "run"}, created{}, versioned{}, reconciled{}}
}

// Fields of Run.
func (Run) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("owner_id").Comment("changes when the owner hands over and leaves"),
		field.JSON("inherited", &spec.Inherited{}).Optional().Comment("of the owner before, when it was handed over"),
		field.String("task_id").Immutable(),
		field.String("name").MaxLen(400).Immutable(),
		field.Enum("desired").Values("run", "stopped", "deleted").Default("run"),
		field.Enum("state").Values("pending", "running", "retrying", "stopping", "succeeded", "failed", "timed_out", "stopped").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.Int("failures").Default(0).Comment("attempts that used up a retry"),
		field.Time("next_attempt_at").Optional().Nillable(),
		field.String("flow_run_id").Default("").Immutable().Comment("of which it executes a step; empty for a run by itself"),
		field.String("step").MaxLen(63).Default("").Immutable().Comment("name of the step"),
		field.Int("round").Default(0).Immutable().Comment("of the step"),
		field.String("stopped_by").Optional().Nillable(),
		field.Time("started_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
		field.Enum("log_state").Values("kept", "removing", "removed").Default("kept").Comment("removing: readers are told that it is gone, and its blobs go"),
	}
}

// Edges of Run.
func (Run) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("owner", User.Type).Field("owner_id").Unique().Required(),
		edge.To("task", Task.Type).Field("task_id").Unique().Required().Immutable(),
		edge.From("attempts", Attempt.Type).Ref("run"),
	}
}

// Indexes of Run.
func (Run) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("team_id", "id"), index.Fields("owner_id", "id"), index.Fields("state"), index.Fields("flow_run_id", "step", "round"),
		index.Fields("log_state", "team_id", "ended_at"),
	}
}

// Policy of Run.
func (Run) Policy() ent.Policy { return authz.Tenant() }

// Attempt is one try of a run: one Job, one pod.
type Attempt struct{ ent.Schema }

// Mixin of Attempt.
func (Attempt) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "att"}, created{}, versioned{}}
}

// Fields of Attempt.
func (Attempt) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("run_id").Immutable(),
		field.Int("number").Immutable().Comment("from 1"),
		field.Enum("state").Values("pending", "running", "stopping", "succeeded", "failed", "interrupted", "timed_out", "stopped").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.JSON("timeline", []spec.Phase{}).Optional(),
		field.String("job_name").MaxLen(63).Unique().Immutable(),
		field.String("pod_uid").Default(""),
		field.String("pod_name").Default(""),
		field.String("node").Default(""),
		field.String("image_digest").MaxLen(512).Default("").Comment("of the image that its container runs, as the node names it"),
		field.Int("exit_code").Optional().Nillable(),
		field.Time("started_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
		field.Int64("log_bytes").Default(0),
		field.Int64("log_lines").Default(0),
		field.Bool("log_complete").Default(false),
		field.Bool("log_truncated").Default(false),
		field.Time("log_removed_at").Optional().Nillable().Comment("since when it is gone, as the team keeps logs no longer"),
		field.Int("log_kept_days").Default(0).Comment("how long the team kept it then"),
		field.String("outputs").MaxLen(4096).Default("").Comment("what the program left for later tasks, as it wrote it"),
	}
}

// Edges of Attempt.
func (Attempt) Edges() []ent.Edge {
	return []ent.Edge{edge.To("run", Run.Type).Field("run_id").Unique().Required().Immutable()}
}

// Indexes of Attempt.
func (Attempt) Indexes() []ent.Index {
	return []ent.Index{index.Fields("run_id", "number").Unique(), index.Fields("log_complete")}
}

// Policy of Attempt.
func (Attempt) Policy() ent.Policy { return authz.Tenant() }

// LogChunk is a stored piece of an attempt's log: its lines follow those of
// the chunk before it without a gap.
type LogChunk struct{ ent.Schema }

// Mixin of LogChunk.
func (LogChunk) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of LogChunk.
func (LogChunk) Fields() []ent.Field {
	return []ent.Field{
		field.String("attempt_id").Immutable(),
		field.Int64("first_line").Immutable(),
		field.Int64("lines").Immutable(),
		field.Int64("first_byte").Immutable(),
		field.Int64("bytes").Immutable(),
		field.Time("last_time").Immutable().Comment("of its last line of output"),
		field.Int64("last_count").Immutable().Comment("output lines at the end of the log that carry last_time"),
		field.String("key").Immutable().Comment("in the blob store"),
	}
}

// Indexes of LogChunk.
func (LogChunk) Indexes() []ent.Index {
	return []ent.Index{index.Fields("attempt_id", "first_line").Unique()}
}

// Policy of LogChunk.
func (LogChunk) Policy() ent.Policy { return authz.SystemOnly }
