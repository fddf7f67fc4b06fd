package schema

import (
	"context"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Team owns a namespace of the cluster with a quota.
type Team struct{ ent.Schema }

// Mixin of Team.
func (Team) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "team"}, created{}, versioned{}, reconciled{}}
}

// Fields of Team.
func (Team) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxLen(400),
		field.String("name_key").MaxLen(200).Unique().Comment("of the name, set with it: one for all names that people take for the same"),
		field.String("namespace").MaxLen(63).Unique().Immutable(),
		field.JSON("quota", spec.Quota{}),
		field.JSON("overcommit", spec.Overcommit{}),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.Enum("desired").Values("present", "deleted").Default("present"),
		field.Time("archived_at").Optional().Nillable().Comment("since when nothing of it may start"),
		field.String("namespace_uid").Default("").Comment("of the namespace that was made for it; another one is not it"),
		field.JSON("lost", &spec.Reason{}).Optional().Comment("that its namespace was taken away, until somebody has read it"),
		field.JSON("retention", &spec.Retention{}).Optional().Comment("its own; nil for the platform's"),
		field.JSON("findings", []spec.Reason{}).Optional().Comment("what does not belong into its namespace"),
	}
}

// Edges of Team.
func (Team) Edges() []ent.Edge {
	return []ent.Edge{edge.From("memberships", Membership.Type).Ref("team")}
}

// Hooks of Team keep the key of the name with the name.
func (Team) Hooks() []ent.Hook {
	return []ent.Hook{func(next ent.Mutator) ent.Mutator {
		return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
			if name, ok := m.Field("name"); ok {
				if err := m.SetField("name_key", ident.NameKey(name.(string))); err != nil {
					return nil, err
				}
			}
			return next.Mutate(ctx, m)
		})
	}}
}

// Indexes of Team: lists go by name.
func (Team) Indexes() []ent.Index { return []ent.Index{index.Fields("name", "id")} }

// Policy of Team.
func (Team) Policy() ent.Policy {
	return authz.Policy{Read: authz.InTeams("id")}
}

// Membership is a person's role in a team.
type Membership struct{ ent.Schema }

// Mixin of Membership.
func (Membership) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "mem"}, created{}} }

// Fields of Membership.
func (Membership) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("user_id").Immutable(),
		field.String("role").GoType(authz.Role("")),
		field.String("origin").GoType(authz.Origin("")).Default(string(authz.Manual)),
	}
}

// Edges of Membership.
func (Membership) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("user", User.Type).Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of Membership.
func (Membership) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id", "user_id").Unique(), index.Fields("user_id")}
}

// Policy of Membership: one sees those of one's teams, and one's own.
func (Membership) Policy() ent.Policy {
	return authz.Policy{
		Read: func(v *authz.Viewer, s *sql.Selector) {
			authz.InTeams("team_id")(v, s)
			if v.Inside() { // what runs in a container has no need to know who else there is
				s.Where(sql.EQ(s.C("user_id"), v.UserID))
			}
		},
		Write: authz.InTeams("team_id"),
		Owned: "team_id",
	}
}
