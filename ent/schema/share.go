package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Share is a grant of a volume to a person or a team. It has no edges: it tells
// what was granted after the volume has gone, too.
type Share struct{ ent.Schema }

// Mixin of Share.
func (Share) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "shr"}, created{}, versioned{}, reconciled{}}
}

// Fields of Share.
func (Share) Fields() []ent.Field {
	return []ent.Field{
		field.String("volume_id").Immutable(),
		field.String("volume_name").MaxLen(400).Immutable().Comment("at the time of the grant"),
		field.String("from_team_id").Immutable().Comment("the volume's team"),
		field.Enum("grantee_kind").Values("user", "team").Immutable(),
		field.String("grantee").MaxLen(400).Comment("the address, in lower case, or the team's name, as it was typed; goes with a person who is erased"),
		field.String("user_id").Default("").Comment("the person, once there is one with the address"),
		field.String("team_id").Default("").Comment("where it is mounted: the team that it is for, or the one in which the person accepted it"),
		field.String("open_key").Optional().Nillable().Unique().MaxLen(500).Comment("volume and grantee of one that is not over"),
		field.Enum("mode").Values("read_only", "read_write"),
		field.String("message").MaxLen(2000).Default(""),
		field.String("granted_by").Immutable(),
		field.String("accepted_by").Default(""),
		field.Time("accepted_at").Optional().Nillable(),
		field.Time("ends_at").Optional().Nillable(),
		field.Time("over_at").Optional().Nillable(),
		field.Enum("state").Values("offered", "accepted", "declined", "revoked", "ended").Default("offered"),
		field.Enum("after").Values("restart", "stop").Default("restart").Comment("what becomes of the instances that mount it when it ends"),
		field.Bool("ready").Default(false).Comment("what it is mounted through is there"),
		field.JSON("reason", &spec.Reason{}).Optional().Comment("why it is over, or cannot be mounted"),
		field.String("read_only_name").MaxLen(63).Unique().Immutable().Comment("of the PersistentVolume and the claim while it is read-only"),
		field.String("read_write_name").MaxLen(63).Unique().Immutable().Comment("of the PersistentVolume and the claim while it can be written"),
	}
}

// Indexes of Share.
func (Share) Indexes() []ent.Index {
	return []ent.Index{index.Fields("volume_id"), index.Fields("from_team_id", "id"), index.Fields("user_id"), index.Fields("team_id"), index.Fields("state")}
}

// Policy of Share: the volume's team knows of it, and whom it is for; what is
// between two parties is written by the service alone.
func (Share) Policy() ent.Policy {
	return authz.Policy{Read: authz.Parties("from_team_id", "team_id", "user_id")}
}
