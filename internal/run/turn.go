package run

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// turnAgain is how soon a run that waits for its turn is looked at when no end
// of another wakes it.
const turnAgain = 15 * time.Second

// enter lets a new run in, or puts it into the queue, under the locks of its
// team; one that must run at once is refused instead.
func (s *Service) enter(ctx context.Context, tx *ent.Tx, t *ent.Team, r *ent.Run, o order) (*ent.Run, error) {
	q := admission.OfRun(r, o.task)
	q.Wait = !o.atOnce
	v, err := s.Admission.Admit(ctx, tx, t, q)
	if err != nil || v.Reason == nil {
		return r, err
	}
	return tx.Run.UpdateOne(r).SetReason(v.Reason).Save(ctx)
}

// turn is what an attempt waits for before its Job may be made; nil when it is
// its turn.
func (s *Service) turn(ctx context.Context, r *loaded) (*spec.Reason, error) {
	v, err := s.Admission.Promote(ctx, r.team.ID, admission.OfRun(r.row, r.task.Spec), nil)
	if err != nil {
		return nil, err
	}
	return v.Reason, nil
}

// place gives back what a run held when its attempt has ended, and puts the next
// attempt into the queue: between two attempts a run holds nothing.
func (s *Service) place(ctx context.Context, tx *ent.Tx, r *loaded, d Decision) (freed bool, err error) {
	switch {
	case Over(d.Run.State), d.Run.State == run.StateRetrying:
		return s.Admission.Release(ctx, tx, r.row.ID)
	case d.Start:
		return false, s.Admission.Queue(ctx, tx, r.team, admission.OfRun(r.row, r.task.Spec))
	}
	return false, nil
}
