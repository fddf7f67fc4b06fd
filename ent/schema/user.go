package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// User is a person.
type User struct{ ent.Schema }

// Mixin of User.
func (User) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "usr"}, created{}} }

// Fields of User.
func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("email").Unique().MaxLen(254).Comment("lower case"),
		field.String("display_name").MaxLen(400),
		field.String("platform_role").GoType(authz.PlatformRole("")).Default(string(authz.PlatformUser)),
		field.String("platform_role_origin").GoType(authz.Origin("")).Default(string(authz.Manual)),
		field.Time("disabled_at").Optional().Nillable(),
		field.Time("departed_at").Optional().Nillable().Comment("what they owned was handed over; they are disabled, too"),
		field.Time("erased_at").Optional().Nillable().Comment("nothing personal is left in the row"),
		field.Time("seen_at").Optional().Nillable().Comment("within minutes"),
	}
}

// Edges of User.
func (User) Edges() []ent.Edge {
	return []ent.Edge{edge.From("memberships", Membership.Type).Ref("user")}
}

// Policy of User.
func (User) Policy() ent.Policy { return authz.Policy{Read: authz.Colleagues} }

// LoginLink signs a person in once.
type LoginLink struct{ ent.Schema }

// Mixin of LoginLink.
func (LoginLink) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "lnk"}, created{}} }

// Fields of LoginLink.
func (LoginLink) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Immutable(),
		field.String("token_hash").Unique().Immutable().Sensitive().Comment("SHA-256 of the token, hex"),
		field.Time("expires_at"),
		field.Time("used_at").Optional().Nillable(),
	}
}

// Policy of LoginLink.
func (LoginLink) Policy() ent.Policy { return authz.SystemOnly }

// Session is a signed-in browser.
type Session struct{ ent.Schema }

// Mixin of Session.
func (Session) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of Session.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(128).Immutable().Comment("hash of the cookie's token"),
		field.String("user_id").Immutable(),
		field.Bytes("data").Sensitive(),
		field.Time("expires_at"),
		field.Time("used_at").Default(now).Comment("within minutes"),
		field.String("address").MaxLen(64).Default("").Comment("where it was used from last"),
		field.String("agent").MaxLen(400).Default("").Immutable().Comment("what the browser calls itself"),
		field.String("way").MaxLen(32).Default("").Immutable().Comment("how the person came in: link, password, invitation, …"),
	}
}

// Indexes of Session.
func (Session) Indexes() []ent.Index {
	return []ent.Index{index.Fields("expires_at"), index.Fields("user_id")}
}

// Policy of Session.
func (Session) Policy() ent.Policy { return authz.SystemOnly }

// AccessToken lets a program act as a person, within a scope.
type AccessToken struct{ ent.Schema }

// Mixin of AccessToken.
func (AccessToken) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "tok"}, created{}} }

// Fields of AccessToken.
func (AccessToken) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Immutable(),
		field.String("name").MaxLen(400).Immutable(),
		field.String("subject_id").MaxLen(32).Default("").Immutable().Comment("the instance or attempt that it was made for, and ends with; empty for one that a person made"),
		field.Int64("subject_start").Default(0).Immutable().Comment("of an instance: the start that it was made for"),
		field.String("team_id").MaxLen(32).Default("").Immutable().Comment("the only team in which it is of use; empty for all of the person's"),
		field.String("scope").GoType(authz.TokenScope("")).Immutable(),
		field.String("token_hash").Unique().Immutable().Sensitive().Comment("SHA-256 of the token, hex"),
		field.Time("expires_at"),
		field.Time("used_at").Optional().Nillable().Comment("within a minute"),
		field.String("address").MaxLen(64).Default("").Comment("where it was used from last"),
	}
}

// Indexes of AccessToken.
func (AccessToken) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id", "name", "subject_id", "subject_start").Unique(), index.Fields("subject_id"), index.Fields("expires_at")}
}

// Policy of AccessToken.
func (AccessToken) Policy() ent.Policy { return authz.SystemOnly }
