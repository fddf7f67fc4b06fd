package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Secret is a credential of a person or a team, sealed (internal/secret/envelope).
// It belongs to exactly one of the two.
type Secret struct{ ent.Schema }

// Mixin of Secret.
func (Secret) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "sec"}, created{}, versioned{}}
}

// Fields of Secret.
func (Secret) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Optional().Nillable().Immutable(),
		field.String("team_id").Optional().Nillable().Immutable(),
		field.String("name").MaxLen(400).Immutable(),
		field.String("kind").GoType(spec.SecretKind("")).Immutable(),
		field.String("object_name").MaxLen(63).Unique().Immutable().Comment("of the object that holds a team's registry secret in its namespace"),
		field.JSON("keys", []spec.SecretKey{}).Comment("names and sizes, sorted"),
		field.Bool("team_wide").Default(false).Comment("a team's registry secret with which all its pods pull"),
		field.String("master_key").MaxLen(64).Comment("id of the key that wraps the data key"),
		field.Bytes("wrapped").Sensitive().Comment("the data key"),
		field.JSON("sealed", map[string][]byte{}).Sensitive().Comment("values by name"),
		field.String("fingerprint").MaxLen(64),
		field.String("created_by").Immutable(),
		field.String("changed_by"),
		field.Time("changed_at").Default(now).Comment("when its values were given last"),
	}
}

// Indexes of Secret.
func (Secret) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id", "name").Unique(),
		index.Fields("team_id", "name").Unique(),
		index.Fields("master_key"),
	}
}

// Policy of Secret: the service says who sees which, since not even an
// administrator sees another person's.
func (Secret) Policy() ent.Policy { return authz.SystemOnly }
