package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// PlatformVolume is a disk that is mounted into every instance and every run.
type PlatformVolume struct{ ent.Schema }

// Mixin of PlatformVolume.
func (PlatformVolume) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "pvol"}, created{}, versioned{}, reconciled{}}
}

// Fields of PlatformVolume.
func (PlatformVolume) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxLen(400),
		field.Text("description").Default(""),
		field.String("path").MaxLen(4096).Comment("where it is mounted"),
		field.Bool("read_only").Default(true),
		field.Bool("enabled").Default(true).Comment("a disabled one is mounted by nothing that starts from then on"),
		field.String("source_namespace").MaxLen(63).Immutable(),
		field.String("source_claim").MaxLen(253).Immutable(),
		field.Bool("made").Immutable().Comment("its claim was made by us, else it was there"),
		field.Int64("size_bytes").Default(0),
		field.String("storage_class").MaxLen(253).Default("").Immutable(),
		field.String("object_name").MaxLen(253).Unique().Immutable().Comment("of its claim in every team's namespace"),
		field.Enum("desired").Values("present", "deleted").Default("present"),
		field.Enum("phase").Values("pending", "ready", "failed", "deleting").Default("pending"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.Strings("ready_teams").Optional().Comment("ids of the teams whose namespace has it"),
	}
}

// Indexes of PlatformVolume.
func (PlatformVolume) Indexes() []ent.Index { return []ent.Index{index.Fields("path")} }

// Policy of PlatformVolume: who is signed in may know of it, through the service. The platform alone writes.
func (PlatformVolume) Policy() ent.Policy { return authz.SystemOnly }
