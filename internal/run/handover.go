package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
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
// the home of its first ones. One with secrets of the person's own is stopped
// whatever was decided: they are nobody else's to use, so that its retries could
// not have them, and the heir could read what runs with them. After the commit,
// call done. Runs that are over stay whose they were.
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
	personal, err := withPersonal(sys, tx, row)
	if err != nil {
		return nil, err
	}
	lost := personal && row.Desired == run.DesiredRun || row.Inherited.Lost()
	n, err := tx.Run.Update().Where(run.ID(id), run.StateIn(live()...)).SetOwnerID(toID).
		SetInherited(&spec.Inherited{HomeID: homeID, Secrets: lost}).AddVersion(1).Save(sys)
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
	if fate != spec.FateKeep || personal {
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

// withPersonal reports whether a run has secrets of a person's own. One that is
// gone by now may have been anybody's.
func withPersonal(sys context.Context, tx *ent.Tx, r *ent.Run) (bool, error) {
	t, err := tx.Task.Get(sys, r.TaskID)
	if err != nil {
		return false, fmt.Errorf("task of run %s: %w", r.ID, err)
	}
	if len(t.Spec.Secrets) == 0 {
		return false, nil
	}
	ids := map[string]bool{}
	for _, use := range t.Spec.Secrets {
		ids[use.SecretID] = true
	}
	n, err := tx.Secret.Query().Where(entsecret.IDIn(slices.Collect(maps.Keys(ids))...), entsecret.TeamIDNotNil()).Count(sys)
	if err != nil {
		return false, fmt.Errorf("secrets of run %s: %w", r.ID, err)
	}
	return n < len(ids), nil
}
