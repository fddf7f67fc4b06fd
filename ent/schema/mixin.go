package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"
	"github.com/rs/xid"
)

// Limits of text in this package are bytes; services limit characters, of which
// one takes up to four bytes.

// identified gives a row its prefixed, sortable id, as "ins-" and an xid.
type identified struct {
	mixin.Schema
	prefix string
}

func (i identified) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").MaxLen(32).Immutable().DefaultFunc(func() string { return i.prefix + "-" + xid.New().String() }),
	}
}

func now() time.Time { return time.Now().UTC() }

// created keeps when a row was made, in UTC.
type created struct{ mixin.Schema }

func (created) Fields() []ent.Field {
	return []ent.Field{field.Time("created_at").Immutable().Default(now)}
}

// versioned rows count their changes; an update names the version it read.
type versioned struct{ mixin.Schema }

func (versioned) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("version").Default(1),
		field.Time("updated_at").Default(now).UpdateDefault(now),
	}
}

// reconciled rows have a wanted state that the reconciler follows: it has
// caught up when observed_generation equals generation.
type reconciled struct{ mixin.Schema }

func (reconciled) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("generation").Default(1),
		field.Int64("observed_generation").Default(0),
	}
}
