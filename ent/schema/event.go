// Package schema describes the rows, their edges and who may read and write them.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// Event is something that happened to an object, kept after the cluster forgot it.
type Event struct{ ent.Schema }

// Mixin of Event.
func (Event) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "evt"}} }

// Fields of Event.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("subject_id").Immutable(),
		field.Time("at"),
		field.Int("count").Default(1),
		field.Enum("severity").Values("info", "warning", "error").Default("info"),
		field.Enum("source").Values("cluster", "platform", "user").Immutable(),
		field.String("type").MaxLen(128).Immutable(),
		field.Text("message").Default("").Comment("as the cluster said it; empty for the catalogue's events"),
		field.JSON("args", map[string]any{}).Optional(),
		field.String("actor_id").Optional().Nillable().Immutable(),
		field.String("dedupe_key").Optional().Nillable().Unique().Immutable().Comment("of the cluster's event, so that it is kept once"),
	}
}

// Indexes of Event.
func (Event) Indexes() []ent.Index { return []ent.Index{index.Fields("subject_id", "id")} }

// Policy of Event.
func (Event) Policy() ent.Policy { return authz.Tenant() }

// Outbox is work that a transaction left to be done after it.
type Outbox struct{ ent.Schema }

// Annotations of Outbox.
func (Outbox) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "outbox"}}
}

// Mixin of Outbox.
func (Outbox) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "out"}, created{}} }

// Fields of Outbox.
func (Outbox) Fields() []ent.Field {
	return []ent.Field{
		field.String("kind").Immutable().Comment("which handler: instance, run, volume, team"),
		field.String("object_id").Immutable(),
		field.Time("due_at").Default(now),
		field.Time("dispatched_at").Optional().Nillable(),
	}
}

// Indexes of Outbox.
func (Outbox) Indexes() []ent.Index {
	return []ent.Index{index.Fields("dispatched_at", "due_at")}
}

// Policy of Outbox: services write it in their transactions.
func (Outbox) Policy() ent.Policy { return authz.SystemOnly }

// Audit is one act that changed or revealed something. Rows are never edited.
type Audit struct{ ent.Schema }

// Mixin of Audit.
func (Audit) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "aud"}} }

// Annotations of Audit.
func (Audit) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "audit"}}
}

// Fields of Audit.
func (Audit) Fields() []ent.Field {
	return []ent.Field{
		field.Time("at").Immutable().Default(now),
		field.String("actor_id").Immutable().Comment("empty for the platform itself"),
		field.String("team_id").Optional().Nillable().Immutable(),
		field.String("action").Immutable(),
		field.String("object_id").Immutable(),
		field.JSON("before", map[string]any{}).Optional().Immutable(),
		field.JSON("after", map[string]any{}).Optional().Immutable(),
		field.String("address").Immutable().Default(""),
	}
}

// Indexes of Audit.
func (Audit) Indexes() []ent.Index {
	return []ent.Index{index.Fields("object_id", "id"), index.Fields("team_id", "id"), index.Fields("actor_id", "id"), index.Fields("at")}
}

// Policy of Audit: a team's owners read what was done in it. The platform alone writes.
func (Audit) Policy() ent.Policy { return authz.Policy{Read: authz.InOwnTeams("team_id")} }

// Lease is held by one process at a time; its fence grows with each holder.
type Lease struct{ ent.Schema }

// Fields of Lease.
func (Lease) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(128).Immutable(),
		field.String("holder"),
		field.Int64("fence").Default(1),
		field.Time("until"),
	}
}

// Policy of Lease.
func (Lease) Policy() ent.Policy { return authz.SystemOnly }
