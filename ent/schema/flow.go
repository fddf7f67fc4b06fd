package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Flow is a graph of tasks with a schedule; what it says is in its versions.
type Flow struct{ ent.Schema }

// Mixin of Flow.
func (Flow) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "flw"}, created{}, versioned{}}
}

// Fields of Flow.
func (Flow) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("owner_id").Comment("scheduled runs run as the owner"),
		field.String("name").MaxLen(400),
		field.String("name_key").Optional().Nillable().MaxLen(512).Comment("team and folded name of one that is not deleted, so that names are unique in a team"),
		field.Int("latest").Default(0).Comment("number of the version that counts"),
		field.Bool("paused").Default(true),
		field.JSON("paused_why", &spec.Reason{}).Optional().Comment("when the platform paused it, as after its owner left"),
		field.JSON("schedule", spec.Schedule{}).Comment("of the version that counts"),
		field.Enum("concurrency").Values("allow", "forbid", "replace", "queue").Default("forbid").Comment("of the version that counts"),
		field.Time("cursor").Comment("logical times until here were considered; it never moves back"),
		field.Time("settled_until").Optional().Nillable().Comment("flows before it fire no logical times until here: runs of theirs were removed; it never moves back"),
		field.Time("next_fire_at").Optional().Nillable().Comment("nil when no logical time is left, or it is paused"),
		field.Time("deleted_at").Optional().Nillable(),
	}
}

// Edges of Flow.
func (Flow) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("owner", User.Type).Field("owner_id").Unique().Required(),
	}
}

// Indexes of Flow.
func (Flow) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("name_key").Unique(), index.Fields("team_id", "id"), index.Fields("owner_id", "id"), index.Fields("next_fire_at"),
	}
}

// Policy of Flow.
func (Flow) Policy() ent.Policy { return authz.Tenant() }

// FlowVersion is what a flow said at one time; it never changes.
type FlowVersion struct{ ent.Schema }

// Mixin of FlowVersion.
func (FlowVersion) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "fver"}, created{}} }

// Fields of FlowVersion.
func (FlowVersion) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_id").Immutable(),
		field.Int("number").Immutable().Comment("from 1"),
		field.JSON("spec", spec.Flow{}).Immutable(),
		field.String("author_id").Immutable(),
		field.String("comment").MaxLen(2000).Default("").Immutable(),
		field.Int("restores").Default(0).Immutable().Comment("the version that this one brought back; 0 for none"),
		field.Int("code_of").Default(0).Immutable().Comment("the version whose snapshots of code it runs, of one that it brought back; 0 for its own"),
	}
}

// Indexes of FlowVersion.
func (FlowVersion) Indexes() []ent.Index {
	return []ent.Index{index.Fields("flow_id", "number").Unique()}
}

// Policy of FlowVersion.
func (FlowVersion) Policy() ent.Policy { return authz.Tenant() }

// CodeSnapshot is a folder of code as it was when a version of a flow was saved.
type CodeSnapshot struct{ ent.Schema }

// Mixin of CodeSnapshot.
func (CodeSnapshot) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "snap"}, created{}, versioned{}}
}

// Fields of CodeSnapshot.
func (CodeSnapshot) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_id").Immutable(),
		field.Int("number").Immutable().Comment("of the flow's version"),
		field.String("volume_id").Immutable().Comment("as the task names it: a volume, or a share of one"),
		field.String("sub_path").MaxLen(4096).Default("").Immutable(),
		field.String("disk_id").Immutable().Comment("the volume itself, where the copy is"),
		field.Enum("state").Values("pending", "ready", "failed", "removing").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional().Comment("why it failed, or is not there yet"),
		field.String("folder").Default("").Comment("name of the copy: its own id, or that of another snapshot that holds the same"),
		field.Bool("untidy").Default(false).Comment("its own copy is still there though another one's is used"),
		field.Int64("files").Default(0),
		field.Int64("bytes").Default(0),
		field.String("sha256").MaxLen(64).Default("").Comment("over names, modes and contents"),
		field.Time("frozen_at").Optional().Nillable(),
	}
}

// Indexes of CodeSnapshot.
func (CodeSnapshot) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("flow_id", "number"), index.Fields("disk_id", "sha256"), index.Fields("folder"), index.Fields("state"),
	}
}

// Policy of CodeSnapshot.
func (CodeSnapshot) Policy() ent.Policy { return authz.Tenant() }

// SlotGroup bounds how many tasks of a team's flows run at once that name it.
type SlotGroup struct{ ent.Schema }

// Mixin of SlotGroup.
func (SlotGroup) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "grp"}, created{}, versioned{}}
}

// Fields of SlotGroup.
func (SlotGroup) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("name").MaxLen(63).Immutable(),
		field.Int("slots").Comment("1 or more"),
	}
}

// Indexes of SlotGroup.
func (SlotGroup) Indexes() []ent.Index { return []ent.Index{index.Fields("team_id", "name").Unique()} }

// Policy of SlotGroup.
func (SlotGroup) Policy() ent.Policy { return authz.Tenant() }

// Backfill makes the flow runs of a range of logical times, some at a time.
type Backfill struct{ ent.Schema }

// Mixin of Backfill.
func (Backfill) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "bfl"}, created{}, versioned{}}
}

// Fields of Backfill.
func (Backfill) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("flow_id").Immutable(),
		field.Int("number").Immutable().Comment("of the flow's version"),
		field.String("actor_id").Immutable(),
		field.JSON("times", []int64{}).Immutable().Comment("logical times in the order of their runs; seconds since 1970"),
		field.Int("started").Default(0).Comment("how many of them have a run"),
		field.Int("parallel").Immutable().Comment("runs at once, 1 or more"),
		field.JSON("parameters", map[string]string{}).Optional().Immutable(),
		field.Enum("state").Values("running", "done", "cancelled").Default("running"),
		field.Time("ended_at").Optional().Nillable(),
	}
}

// Indexes of Backfill.
func (Backfill) Indexes() []ent.Index {
	return []ent.Index{index.Fields("flow_id", "id"), index.Fields("state")}
}

// Policy of Backfill.
func (Backfill) Policy() ent.Policy { return authz.Tenant() }
