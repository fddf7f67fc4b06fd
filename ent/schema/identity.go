package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// Identity is a person as an OpenID provider knows them.
type Identity struct{ ent.Schema }

// Mixin of Identity.
func (Identity) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "idt"}, created{}} }

// Fields of Identity.
func (Identity) Fields() []ent.Field {
	return []ent.Field{
		field.String("user_id").Immutable(),
		field.String("issuer").MaxLen(512).Immutable(),
		field.String("subject").MaxLen(255).Immutable(),
		field.String("email").MaxLen(254).Default("").Comment("as the provider said it last"),
		field.Time("used_at").Default(now).Comment("last sign-in"),
	}
}

// Indexes of Identity: a subject is one person, and a person one subject of an issuer.
func (Identity) Indexes() []ent.Index {
	return []ent.Index{index.Fields("issuer", "subject").Unique(), index.Fields("user_id", "issuer").Unique()}
}

// Policy of Identity.
func (Identity) Policy() ent.Policy { return authz.SystemOnly }

// ProviderTry is a sign-in that went to the provider and has not come back.
type ProviderTry struct{ ent.Schema }

// Mixin of ProviderTry.
func (ProviderTry) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "try"}, created{}} }

// Fields of ProviderTry.
func (ProviderTry) Fields() []ent.Field {
	return []ent.Field{
		field.String("state_hash").Unique().Immutable().Sensitive().Comment("SHA-256 of the state, hex"),
		field.String("next").MaxLen(2048).Immutable().Comment("path of the page to go to afterwards"),
		field.Time("expires_at"),
	}
}

// Indexes of ProviderTry.
func (ProviderTry) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }

// Policy of ProviderTry.
func (ProviderTry) Policy() ent.Policy { return authz.SystemOnly }

// DeviceRequest is a program that waits for a person to let it act as them.
type DeviceRequest struct{ ent.Schema }

// Mixin of DeviceRequest.
func (DeviceRequest) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "dev"}, created{}} }

// Fields of DeviceRequest.
func (DeviceRequest) Fields() []ent.Field {
	return []ent.Field{
		field.String("device_hash").Unique().Immutable().Sensitive().Comment("SHA-256 of the code that the program has, hex"),
		field.String("user_hash").Unique().Immutable().Sensitive().Comment("PBKDF2 of the code that the person types, hex"),
		field.String("client_id").MaxLen(64).Immutable(),
		field.String("name").MaxLen(400).Immutable().Comment("as the program calls itself"),
		field.String("scope").GoType(authz.TokenScope("")).Immutable(),
		field.String("address").MaxLen(64).Immutable().Comment("where it asked from"),
		field.Enum("state").Values("pending", "approved", "denied").Default("pending"),
		field.String("user_id").Optional().Nillable().Comment("who answered"),
		field.Int("days").Default(0).Comment("that the token lasts"),
		field.Int("interval").Default(5).Comment("seconds between two questions"),
		field.Time("polled_at").Optional().Nillable(),
		field.Time("expires_at"),
	}
}

// Indexes of DeviceRequest.
func (DeviceRequest) Indexes() []ent.Index { return []ent.Index{index.Fields("expires_at")} }

// Policy of DeviceRequest.
func (DeviceRequest) Policy() ent.Policy { return authz.SystemOnly }
