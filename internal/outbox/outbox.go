// Package outbox leaves work behind a transaction: a row that says which
// object to look at. Whoever commits kicks the dispatcher; a crash in between
// costs only the time until the next sweep.
package outbox

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Kinds of work; each has one handler in package worker.
const (
	Instance  = "instance"
	Run       = "run"
	Volume    = "volume"
	Team      = "team"
	Share     = "share"
	Flow      = "flow"
	FlowRun   = "flow-run"
	FlowAfter = "flow-after" // by flow run: flows that come after it

	PlatformVolume = "platform-volume"

	CodeSnapshot = "code-snapshot"

	Reservation = "reservation" // by consumer; nobody writes rows of it, the sweep does its work
)

// Add writes a row in the caller's transaction.
func Add(ctx context.Context, tx *ent.Tx, kind, objectID string) error {
	err := tx.Outbox.Create().SetKind(kind).SetObjectID(objectID).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("outbox %s %s: %w", kind, objectID, err)
	}
	return nil
}

// Kicker is told after a commit that there is work; it returns at once.
type Kicker interface {
	Kick(kind, objectID string)
}
