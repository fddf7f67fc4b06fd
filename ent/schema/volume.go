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
		field.Text("description").Default(""),
		field.String("object_name").MaxLen(253).Immutable().Comment("of its claim; that of an adopted one is as it was found"),
		field.Bool("adopted").Default(false).Immutable().Comment("its claim was made by somebody else"),
		field.Int64("size_bytes").Comment("what is asked for"),
		field.Int64("capacity_bytes").Default(0).Comment("what the cluster gave; 0 until the claim is bound"),
		field.Enum("access_mode").Values("ReadWriteOnce", "ReadWriteMany").Immutable(),
		field.String("storage_class").MaxLen(253).Default("").Immutable(),
		field.Enum("desired").Values("present", "trashed", "deleted").Default("present"),
		field.Time("trashed_at").Optional().Nillable(),
		field.Time("purge_at").Optional().Nillable().Comment("when the trash gives it up; what was told to people then, so it does not move with the setting"),
		field.Enum("phase").Values("pending", "bound", "lost", "deleting").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.JSON("usage", &spec.VolumeUsage{}).Optional().Comment("as last seen; no change of it counts as a version"),
		field.Bool("nearly_full").Default(false).Comment("it was told; told again only after there was room"),
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
	return []ent.Index{index.Fields("team_id", "id"), index.Fields("owner_id", "id"), index.Fields("team_id", "object_name").Unique(), index.Fields("desired", "purge_at")}
}

// Policy of Volume.
func (Volume) Policy() ent.Policy { return authz.Tenant() }

// VolumeSample is how full a volume was at a time.
type VolumeSample struct{ ent.Schema }

// Fields of VolumeSample.
func (VolumeSample) Fields() []ent.Field {
	return []ent.Field{
		field.String("volume_id").Immutable(),
		field.Time("at").Immutable(),
		field.Int64("used_bytes").Immutable(),
		field.Int64("capacity_bytes").Immutable(),
		field.Int64("inodes_used").Immutable(),
		field.Int64("inodes").Immutable(),
		field.Enum("source").Values("filesystem", "shared", "folder").Immutable(),
		field.Bool("hourly").Immutable().Comment("the first of its hour, which is kept longest"),
	}
}

// Indexes of VolumeSample.
func (VolumeSample) Indexes() []ent.Index {
	return []ent.Index{index.Fields("volume_id", "at").Unique(), index.Fields("at")}
}

// Policy of VolumeSample: whoever sees the volume is told by the service.
func (VolumeSample) Policy() ent.Policy { return authz.SystemOnly }
