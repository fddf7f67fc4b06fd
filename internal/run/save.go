package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

// errBehind says that somebody else wrote the run since it was read.
var errBehind = errors.New("the run has changed meanwhile")

// save writes a decision in one transaction, if it says anything new: status,
// the next attempt, lines of the log, history. It is the one writer of status.
func (s *Service) save(ctx context.Context, r *loaded, d Decision, now time.Time) error {
	was := r.last()
	moved := was != nil && !equal(*was, *d.Attempt)
	if !moved && !d.Start && len(d.Notes) == 0 && equal(r.state, d.Run) && r.row.ObservedGeneration == r.row.Generation {
		return nil
	}
	var lines []logstore.Line
	for _, n := range d.Notes {
		if n.Log {
			lines = append(lines, logstore.Say(now, "log.run."+n.ID, n.Args))
		}
	}
	var staged *logstore.Staged
	if was != nil && len(lines) > 0 && !was.LogComplete {
		st, err := s.Logs.Stage(ctx, was.ID, lines)
		if err != nil {
			return err
		}
		staged = st
	}
	freed := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		if err := saveRun(ctx, tx, r, d.Run); err != nil {
			return err
		}
		if moved {
			if err := saveAttempt(ctx, tx, d.Attempt); err != nil {
				return err
			}
		}
		if d.Start {
			if err := newAttempt(ctx, tx, r.row, len(r.attempts)+1, now); err != nil {
				return err
			}
		}
		if freed, err = s.place(ctx, tx, r, d); err != nil {
			return err
		}
		if staged != nil {
			if err := staged.Commit(ctx, tx); err != nil && !errors.Is(err, logstore.ErrComplete) {
				return err
			}
		}
		if r.row.FlowRunID != "" && Over(d.Run.State) && !Over(r.state.State) {
			if err := outbox.Add(ctx, tx, outbox.FlowRun, r.row.FlowRunID); err != nil {
				return err
			}
		}
		return tell(ctx, tx, r, d.Notes, now)
	})
	if err != nil {
		return fmt.Errorf("save run %s: %w", r.row.ID, err)
	}
	if freed {
		s.Admission.Freed(ctx)
	}
	if staged != nil {
		staged.Announce(ctx)
	}
	r.row.Version++
	s.published(ctx, r.row, anyEvent(d.Notes))
	if d.Run.State != r.state.State {
		s.wakeFlow(r.row)
	}
	return nil
}

func anyEvent(notes []Note) bool {
	for _, n := range notes {
		if n.Event {
			return true
		}
	}
	return false
}

func saveRun(ctx context.Context, tx *ent.Tx, r *loaded, to State) error {
	up := tx.Run.Update().Where(run.ID(r.row.ID), run.Version(r.row.Version)).AddVersion(1).
		SetObservedGeneration(r.row.Generation).SetState(to.State).SetFailures(to.Failures)
	if to.Reason != nil {
		up.SetReason(to.Reason)
	} else {
		up.ClearReason()
	}
	if to.NextAttemptAt != nil {
		up.SetNextAttemptAt(*to.NextAttemptAt)
	} else {
		up.ClearNextAttemptAt()
	}
	up.SetNillableStartedAt(to.StartedAt).SetNillableEndedAt(to.EndedAt)
	n, err := up.Save(ctx)
	if err == nil && n == 0 {
		return errBehind
	}
	return err
}

func saveAttempt(ctx context.Context, tx *ent.Tx, a *AttemptState) error {
	up := tx.Attempt.Update().Where(attempt.ID(a.ID)).AddVersion(1).SetState(a.State).SetTimeline(a.Timeline).
		SetPodUID(a.PodUID).SetPodName(a.PodName).SetNode(a.Node).SetImageDigest(a.ImageDigest).SetNillableExitCode(a.ExitCode).
		SetNillableStartedAt(a.StartedAt).SetNillableEndedAt(a.EndedAt).SetOutputs(a.Outputs)
	if a.Reason != nil {
		up.SetReason(a.Reason)
	} else {
		up.ClearReason()
	}
	return up.Exec(ctx)
}

// newAttempt makes the row of an attempt: before its Job, so that the Job's name
// is known and nothing is made twice (P68).
func newAttempt(ctx context.Context, tx *ent.Tx, r *ent.Run, number int, now time.Time) error {
	id := ident.New(ident.Attempt)
	return tx.Attempt.Create().SetID(id).SetTeamID(r.TeamID).SetRunID(r.ID).SetNumber(number).
		SetJobName(ident.ObjectName(r.Name, id)).SetCreatedAt(now).Exec(authz.AsSystem(ctx))
}

func tell(ctx context.Context, tx *ent.Tx, r *loaded, notes []Note, now time.Time) error {
	for _, n := range notes {
		if !n.Event {
			continue
		}
		_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: r.team.ID, SubjectID: r.row.ID, At: now,
			Severity: n.Severity, Source: entevent.SourcePlatform, Type: "run-" + n.ID, Args: n.Args})
		if err != nil {
			return err
		}
	}
	return nil
}

// equal compares what is stored as it is stored: what has been through JSON
// has other types than what has not.
func equal[T any](a, b T) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
