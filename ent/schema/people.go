package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Password lets a person in without a link.
type Password struct{ ent.Schema }

// Mixin of Password.
func (Password) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "pwd"}} }

// Fields of Password.
func (Password) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Unique().Immutable(),
		field.String("hash").Sensitive().Comment("argon2id, as a PHC string with its parameters"),
		field.Time("changed_at"),
	}
}

// Policy of Password.
func (Password) Policy() ent.Policy { return authz.SystemOnly }

// SignInTry counts the wrong passwords for one account, from one address or in
// one browser; all processes share it, and a restart does not forget it.
type SignInTry struct{ ent.Schema }

// Fields of SignInTry.
func (SignInTry) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(160).Immutable().Comment("what is counted, hashed where it would name a person"),
		field.Int("failures").Default(0),
		field.Time("until").Comment("nothing is tried before"),
		field.Time("updated_at").Default(now).UpdateDefault(now),
	}
}

// Indexes of SignInTry.
func (SignInTry) Indexes() []ent.Index { return []ent.Index{index.Fields("updated_at")} }

// Policy of SignInTry.
func (SignInTry) Policy() ent.Policy { return authz.SystemOnly }

// KnownBrowser is a browser in which a person was signed in before: strangers'
// wrong passwords do not lock it out.
type KnownBrowser struct{ ent.Schema }

// Mixin of KnownBrowser.
func (KnownBrowser) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of KnownBrowser.
func (KnownBrowser) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(64).Immutable().Comment("of its cookie's hash and the person's"),
		field.String("cookie_hash").MaxLen(64).Immutable().Comment("SHA-256 of the cookie, hex"),
		field.String("user_id").Immutable(),
		field.Time("expires_at"),
	}
}

// Indexes of KnownBrowser.
func (KnownBrowser) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id"), index.Fields("cookie_hash"), index.Fields("expires_at")}
}

// Policy of KnownBrowser.
func (KnownBrowser) Policy() ent.Policy { return authz.SystemOnly }

// Invitation asks an address into a team.
type Invitation struct{ ent.Schema }

// Mixin of Invitation.
func (Invitation) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "inv"}, created{}} }

// Fields of Invitation.
func (Invitation) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("email").MaxLen(254).Comment("lower case"),
		field.String("role").GoType(authz.Role("")),
		field.String("message").MaxLen(2000).Default(""),
		field.String("token_hash").Unique().Sensitive().Comment("SHA-256 of the link's token, hex"),
		field.String("inviter_id").Comment("whose right it stands on: who made it or sent it again last"),
		field.Time("expires_at"),
		field.Time("accepted_at").Optional().Nillable(),
		field.String("accepted_by").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

// Indexes of Invitation.
func (Invitation) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id", "email"), index.Fields("inviter_id"), index.Fields("expires_at")}
}

// Policy of Invitation: owners see those of their teams.
func (Invitation) Policy() ent.Policy { return authz.Policy{Read: authz.InOwnTeams("team_id")} }

// Departure is a person's leaving that has begun: whoever finds it goes on with it.
type Departure struct{ ent.Schema }

// Mixin of Departure.
func (Departure) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "dep"}, created{}} }

// Fields of Departure.
func (Departure) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Unique().Immutable(),
		field.String("asked_by").Comment("the administrator who asked"),
		field.String("address").MaxLen(64).Default("").Comment("where they asked from"),
		field.JSON("plan", spec.Departure{}),
		field.Time("touched_at").Default(func() time.Time { return now() }).UpdateDefault(now),
	}
}

// Policy of Departure.
func (Departure) Policy() ent.Policy { return authz.SystemOnly }
