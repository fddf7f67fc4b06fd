package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// Setting is a value of the configuration that was changed in the page.
type Setting struct{ ent.Schema }

// Mixin of Setting.
func (Setting) Mixin() []ent.Mixin { return []ent.Mixin{versioned{}} }

// Fields of Setting.
func (Setting) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("the key, as limits.gpu"),
		field.Text("value").Sensitive().Comment("as people write it; sealed when it is a secret"),
		field.Bool("is_default").Default(false).Comment("set back: the version goes on, the value counts no more"),
		field.String("changed_by").Comment("who changed it last"),
	}
}

// Policy of Setting.
func (Setting) Policy() ent.Policy { return authz.SystemOnly }

// UserLimit is a limit of one person's own, in place of the platform's.
type UserLimit struct{ ent.Schema }

// Mixin of UserLimit.
func (UserLimit) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of UserLimit.
func (UserLimit) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(32).Immutable().Comment("the person's"),
		field.Int("instances").Comment("that they may own in a team"),
	}
}

// Policy of UserLimit.
func (UserLimit) Policy() ent.Policy { return authz.SystemOnly }
