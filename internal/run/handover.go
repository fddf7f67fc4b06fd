package run

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// live are the states of runs that are not over.
func live() []run.State {
	return []run.State{run.StatePending, run.StateRunning, run.StateRetrying, run.StateStopping}
}

// HandOver gives a run that goes on to somebody else of its team, in the
// caller's transaction, and stops it if so decided. Its further attempts mount
// the home of its first ones. After the commit, call done. Runs that are over stay whose they were.
func (s *Service) HandOver(ctx context.Context, tx *ent.Tx, id, toID, homeID string, fate spec.Fate) (done func(), err error) {
	sys := authz.AsSystem(ctx)
	row, err := tx.Run.Get(sys, id)
	if ent.IsNotFound(err) || err == nil && (row.OwnerID == toID || Over(row.State)) {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	if row.Inherited.Home() != "" {
		homeID = row.Inherited.HomeID
	}
	n, err := tx.Run.Update().Where(run.ID(id), run.StateIn(live()...)).SetOwnerID(toID).
		SetInherited(&spec.Inherited{HomeID: homeID}).AddVersion(1).Save(sys)
	if err != nil {
		return nil, fmt.Errorf("hand run %s over: %w", id, err)
	}
	if n == 0 { // over meanwhile
		return func() {}, nil
	}
	err = note(ctx, tx, row, audit.Entry{Action: "run.hand-over", Before: map[string]any{"ownerId": row.OwnerID, "name": row.Name},
		After: map[string]any{"ownerId": toID}}, "run-handed-over")
	if err != nil {
		return nil, err
	}
	if fate != spec.FateKeep {
		v := authz.From(ctx)
		if v == nil {
			v = &authz.Viewer{}
		}
		if _, err := s.wish(ctx, tx, v, row, run.DesiredStopped); err != nil {
			return nil, err
		}
	}
	if row, err = tx.Run.Get(sys, id); err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	row = row.Unwrap()
	return func() { s.committed(ctx, row, true) }, nil
}
