package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// FlowRun is one run of a version of a flow.
type FlowRun struct{ ent.Schema }

// Mixin of FlowRun.
func (FlowRun) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "frun"}, created{}, versioned{}, reconciled{}}
}

// Fields of FlowRun.
func (FlowRun) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_id").Immutable(),
		field.Int("number").Immutable().Comment("of the flow's version"),
		field.String("owner_id").Comment("as whom its tasks run"),
		field.String("fire_key").MaxLen(128).Immutable().Comment("why it is there; one run for each, so that nothing fires twice"),
		field.Enum("cause").Values("schedule", "upstream", "manual", "backfill").Immutable(),
		field.String("actor_id").Default("").Immutable().Comment("who asked, of manual and backfill"),
		field.String("backfill_id").Default("").Immutable(),
		field.Time("logical_time").Immutable().Comment("what macros speak of"),
		field.String("timezone").MaxLen(64).Immutable().Comment("of the schedule at that time"),
		field.JSON("parameters", map[string]string{}).Optional().Immutable(),
		field.Int("priority").Default(0).Immutable(),
		field.Enum("wish").Values("run", "cancel", "delete").Default("run"),
		field.Enum("state").Values("queued", "running", "stopping", "succeeded", "failed", "timed_out", "cancelled", "skipped").Default("queued"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.String("stopped_by").Default(""),
		field.Time("started_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
		field.Time("late_told_at").Optional().Nillable(),
		field.Time("wake_at").Optional().Nillable().Comment("when it is to be looked at again, if nothing happens before"),
	}
}

// Edges of FlowRun.
func (FlowRun) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("owner", User.Type).Field("owner_id").Unique().Required(),
		edge.To("flow", Flow.Type).Field("flow_id").Unique().Required().Immutable(),
		edge.From("steps", Step.Type).Ref("flow_run"),
	}
}

// Indexes of FlowRun.
func (FlowRun) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("flow_id", "fire_key").Unique(), index.Fields("flow_id", "id"), index.Fields("flow_id", "logical_time"),
		index.Fields("team_id", "id"), index.Fields("team_id", "ended_at"), index.Fields("state", "wake_at"), index.Fields("backfill_id"),
	}
}

// Policy of FlowRun.
func (FlowRun) Policy() ent.Policy { return authz.Tenant() }

// Step is one task of one flow run.
type Step struct{ ent.Schema }

// Mixin of Step.
func (Step) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "step"}, versioned{}} }

// Fields of Step.
func (Step) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_run_id").Immutable(),
		field.String("name").MaxLen(63).Immutable(),
		field.Int("position").Immutable().Comment("in the definition, from 0"),
		field.Enum("state").Values("waiting", "waiting_inputs", "waiting_slot", "starting", "running", "retrying", "stopping",
			"succeeded", "failed", "timed_out", "skipped", "upstream_failed", "cancelled").Default("waiting"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.Int("round").Default(1).Comment("grows each time it is run again"),
		field.String("run_id").Default("").Comment("of this round, for what runs in a container"),
		field.String("group").MaxLen(63).Default("").Comment("the slot group that it waits for or holds"),
		field.JSON("with", json.RawMessage{}).Optional().Comment("what its executor was told in this round, macros expanded"),
		field.JSON("outputs", map[string]string{}).Optional(),
		field.Int("polls").Default(0).Comment("of this round"),
		field.Int("failures").Default(0).Comment("of this round's polls, which used up a retry"),
		field.Time("next_poll_at").Optional().Nillable(),
		field.Time("poll_until").Optional().Nillable(),
		field.Time("ready_at").Optional().Nillable().Comment("when what it needs had ended"),
		field.Time("started_at").Optional().Nillable(),
		field.Time("ended_at").Optional().Nillable(),
	}
}

// Edges of Step.
func (Step) Edges() []ent.Edge {
	return []ent.Edge{edge.To("flow_run", FlowRun.Type).Field("flow_run_id").Unique().Required().Immutable()}
}

// Indexes of Step.
func (Step) Indexes() []ent.Index {
	return []ent.Index{index.Fields("flow_run_id", "name").Unique(), index.Fields("team_id", "group", "state"), index.Fields("run_id")}
}

// Policy of Step.
func (Step) Policy() ent.Policy { return authz.Tenant() }

// Transition is a change of state of a flow run, or of one of its steps.
type Transition struct{ ent.Schema }

// Mixin of Transition.
func (Transition) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "trn"}} }

// Fields of Transition.
func (Transition) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_run_id").Immutable(),
		field.String("step").MaxLen(63).Default("").Immutable().Comment("its name; empty for the flow run"),
		field.Int("round").Default(0).Immutable().Comment("of the step"),
		field.String("was").MaxLen(32).Default("").Immutable().Comment("the state before; empty for the first"),
		field.String("becomes").MaxLen(32).Immutable(),
		field.String("cause").MaxLen(128).Immutable().Comment("message id in the catalogue"),
		field.JSON("args", map[string]any{}).Optional().Immutable(),
		field.String("actor_id").Default("").Immutable().Comment("empty for the platform"),
		field.Time("at").Immutable().Default(now),
	}
}

// Indexes of Transition.
func (Transition) Indexes() []ent.Index { return []ent.Index{index.Fields("flow_run_id", "id")} }

// Policy of Transition.
func (Transition) Policy() ent.Policy { return authz.Tenant() }
