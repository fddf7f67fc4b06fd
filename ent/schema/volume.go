package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Volume is a PersistentVolumeClaim with an owner.
type Volume struct{ ent.Schema }

// Mixin of Volume.
func (Volume) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "vol"}, created{}, versioned{}, reconciled{}}
}

// Fields of Volume.
func (Volume) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("owner_id").Comment("changes when the owner hands over and leaves"),
		field.String("name").MaxLen(400),
		field.Enum("kind").Values("home", "data").Comment("a home that is handed over becomes data"),
		field.String("home_key").Optional().Nillable().Unique().Comment("team and owner of a home, so that there is one"),
		field.String("object_name").MaxLen(63).Unique().Immutable(),
		field.Int64("size_bytes"),
		field.Enum("access_mode").Values("ReadWriteOnce", "ReadWriteMany").Immutable(),
		field.String("storage_class").MaxLen(253).Default("").Immutable(),
		field.Enum("desired").Values("present", "deleted").Default("present"),
		field.Enum("phase").Values("pending", "bound", "lost", "deleting").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional(),
	}
}

// Edges of Volume.
func (Volume) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("owner", User.Type).Field("owner_id").Unique().Required(),
	}
}

// Indexes of Volume.
func (Volume) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id", "id"), index.Fields("owner_id", "id")}
}

// Policy of Volume.
func (Volume) Policy() ent.Policy { return authz.Tenant() }
