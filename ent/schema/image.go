package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// Image is an entry of the catalogue; without a team everybody sees it.
type Image struct{ ent.Schema }

// Mixin of Image.
func (Image) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "img"}, created{}} }

// Fields of Image.
func (Image) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Optional().Nillable().Immutable(),
		field.String("name").MaxLen(400),
		field.String("reference").MaxLen(512),
		field.String("description").MaxLen(8000).Default(""),
		field.String("framework").MaxLen(400).Default(""),
		field.String("framework_version").MaxLen(400).Default(""),
		field.Bool("gpu").Default(false),
		field.Bool("development").Default(false).Comment("starts the platform's apps, see docs/images.md"),
		field.Strings("apps").Optional(),
		field.Bool("recommended").Default(false),
		field.Bool("deprecated").Default(false),
		field.String("pull_secret").MaxLen(253).Default("").Comment("id of a registry secret of the team, or the name of a Secret in its namespace"),
		field.Int64("size_bytes").Optional().Nillable(),
		field.Time("deleted_at").Optional().Nillable().Comment("hidden from the catalogue; what uses it goes on"),
	}
}

// Edges of Image.
func (Image) Edges() []ent.Edge {
	return []ent.Edge{edge.To("team", Team.Type).Field("team_id").Unique().Immutable()}
}

// Indexes of Image.
func (Image) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id"), index.Fields("recommended", "name", "id")}
}

// Policy of Image.
func (Image) Policy() ent.Policy {
	return authz.Policy{Read: authz.InTeamsOrShared("team_id"), Write: authz.InTeams("team_id"), Owned: "team_id"}
}
