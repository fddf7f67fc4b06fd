package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Reservation is what an instance or a run holds of the cluster, or waits for.
// It is no counter: holds are summed, and each lives as long as its consumer.
type Reservation struct{ ent.Schema }

// Mixin of Reservation.
func (Reservation) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: "rsv"}} }

// Fields of Reservation.
func (Reservation) Fields() []ent.Field {
	return []ent.Field{
		field.String("consumer_id").Unique().Immutable(),
		field.Enum("kind").Values("instance", "run", "other").Immutable(),
		field.String("team_id").Immutable(),
		field.String("owner_id").Immutable(),
		field.String("name").MaxLen(400).Comment("of the consumer when it asked, for those who are refused"),
		field.String("class").GoType(spec.Class("")),
		field.JSON("resources", spec.Resources{}),
		field.Int64("gpu").Default(0).Comment("of resources; the one that is counted over all teams"),
		field.Enum("state").Values("waiting", "held"),
		field.Time("since").Default(now).Comment("when it asked, which is its place in the queue, or was let in"),
		field.Time("until").Optional().Nillable().Comment("when a hold without a row of its own lapses"),
	}
}

// Indexes of Reservation.
func (Reservation) Indexes() []ent.Index {
	return []ent.Index{index.Fields("team_id", "state"), index.Fields("state", "gpu")}
}

// Policy of Reservation: admission alone reads and writes it.
func (Reservation) Policy() ent.Policy { return authz.SystemOnly }

// Capacity is what the nodes were last seen to have. Its one row is locked by
// who asks for what the teams share, so that admissions happen one after the
// other across teams and processes (P85).
type Capacity struct{ ent.Schema }

// Fields of Capacity.
func (Capacity) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(32).Immutable(),
		field.JSON("nodes", []spec.GPUNode{}).Comment("those with GPUs"),
		field.Time("observed_at").Optional().Nillable(),
	}
}

// Policy of Capacity.
func (Capacity) Policy() ent.Policy { return authz.SystemOnly }
