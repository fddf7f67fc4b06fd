// Package audit writes who did what to what, in the transaction that does it.
package audit

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Entry is one act. Before and After hold what changed: never a secret.
type Entry struct {
	Action   string // as instance.start
	TeamID   string // empty for acts on the platform
	ObjectID string
	Before   map[string]any
	After    map[string]any
}

// Record writes the entry with the viewer of the context as its actor.
func Record(ctx context.Context, tx *ent.Tx, e Entry) error {
	v := authz.From(ctx)
	if v == nil {
		v = &authz.Viewer{}
	}
	c := tx.Audit.Create().SetAction(e.Action).SetObjectID(e.ObjectID).SetActorID(v.UserID).SetAddress(v.Address)
	if e.TeamID != "" {
		c.SetTeamID(e.TeamID)
	}
	if e.Before != nil {
		c.SetBefore(e.Before)
	}
	if e.After != nil {
		c.SetAfter(e.After)
	}
	if err := c.Exec(authz.AsSystem(ctx)); err != nil {
		return fmt.Errorf("audit %s %s: %w", e.Action, e.ObjectID, err)
	}
	return nil
}
