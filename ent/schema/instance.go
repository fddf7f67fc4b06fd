package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Instance is a development environment.
type Instance struct{ ent.Schema }

// Mixin of Instance.
func (Instance) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: "ins"}, created{}, versioned{}, reconciled{}}
}

// Fields of Instance.
func (Instance) Fields() []ent.Field {
	return []ent.Field{
		field.String("team_id").Immutable(),
		field.String("owner_id").Comment("changes when the owner hands over and leaves"),
		field.JSON("inherited", &spec.Inherited{}).Optional().Comment("of the owner before, when it was handed over"),
		field.String("name").MaxLen(400),
		field.String("object_name").MaxLen(63).Unique().Immutable(),
		field.String("image_id"),
		field.JSON("spec", spec.Instance{}),
		field.JSON("started_spec", &spec.Instance{}).Optional().Comment("what the current start froze"),
		field.Bool("outdated").Default(false).Comment("a secret that the current start was given has been replaced or deleted since"),
		field.Enum("desired").Values("stopped", "running", "deleted").Default("stopped"),
		field.Int64("start_number").Default(0).Comment("counts starts; names the start's login Secret"),
		field.Int64("moved_at_start").Default(0).Comment("the start by which it was moved off a lost node; pods of earlier ones may be given up"),
		field.Enum("state").Values("stopped", "pending", "starting", "running", "unhealthy", "stopping", "failed", "deleting").Default("stopped"),
		field.JSON("reason", &spec.Reason{}).Optional(),
		field.JSON("timeline", []spec.Phase{}).Optional(),
		field.JSON("apps", []spec.App{}).Optional(),
		field.String("node").Default(""),
		field.String("pod_ip").Default(""),
		field.Int("ssh_port").Optional().Nillable().Unique().Comment("where the server forwards SSH from"),
		field.String("host_key").Default("").Comment("SHA-256 fingerprint of the SSH host key"),
		field.Time("started_at").Optional().Nillable(),
		field.Time("ready_at").Optional().Nillable(),
	}
}

// Edges of Instance.
func (Instance) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("team", Team.Type).Field("team_id").Unique().Required().Immutable(),
		edge.To("owner", User.Type).Field("owner_id").Unique().Required(),
		edge.To("image", Image.Type).Field("image_id").Unique().Required(),
	}
}

// Indexes of Instance.
func (Instance) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id", "id"), index.Fields("owner_id", "id"), index.Fields("state")}
}

// Policy of Instance.
func (Instance) Policy() ent.Policy { return authz.Tenant() }
