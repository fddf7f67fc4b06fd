package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/predicate"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

const retainPage = 100 // runs of one transaction

// over are the last states of a run.
func over() []run.State {
	return []run.State{run.StateSucceeded, run.StateFailed, run.StateTimedOut, run.StateStopped}
}

// FlowRuns tells which flow runs have ended before a time, so that the logs of
// their runs may go; one that is gone has.
type FlowRuns func(ctx context.Context, ids []string, before time.Time) (map[string]bool, error)

// RetireLogs says of logs of a team's runs that ended before a time that they
// are gone, of at most limit runs, and tells of how many: rows first, so that
// nobody reads half a log. PurgeLogs removes what is left of them. The log of a
// flow's step goes by the end of its flow run.
func (s *Service) RetireLogs(ctx context.Context, teamID string, before time.Time, days, limit int, flowRuns FlowRuns) (int, error) {
	ctx = authz.AsSystem(ctx)
	where := []predicate.Run{run.LogStateEQ(run.LogStateKept), run.TeamID(teamID), run.EndedAtLT(before), run.StateIn(over()...), run.DesiredNEQ(run.DesiredDeleted)}
	n := 0
	var after *ent.Run
	for n < limit {
		q := s.DB.Client.Run.Query().Where(where...)
		if after != nil {
			q.Where(run.Or(run.EndedAtGT(*after.EndedAt), run.And(run.EndedAt(*after.EndedAt), run.IDGT(after.ID))))
		}
		rows, err := q.Order(ent.Asc(run.FieldEndedAt, run.FieldID)).Limit(retainPage).Select(run.FieldID, run.FieldEndedAt, run.FieldFlowRunID).All(ctx)
		if err != nil {
			return n, fmt.Errorf("old logs of team %s: %w", teamID, err)
		}
		if len(rows) == 0 {
			return n, nil
		}
		after = rows[len(rows)-1]
		ids, err := mayGo(ctx, rows, before, flowRuns)
		if err != nil {
			return n, err
		}
		if len(ids) > limit-n {
			ids = ids[:limit-n]
		}
		gone, err := s.retire(ctx, where, ids, days)
		if n += gone; err != nil {
			return n, fmt.Errorf("logs of team %s that are kept no longer: %w", teamID, err)
		}
	}
	return n, nil
}

// mayGo are the runs by themselves, and those of flow runs that have ended.
func mayGo(ctx context.Context, rows []*ent.Run, before time.Time, flowRuns FlowRuns) ([]string, error) {
	var of []string
	for _, r := range rows {
		if r.FlowRunID != "" {
			of = append(of, r.FlowRunID)
		}
	}
	ended := map[string]bool{}
	if len(of) > 0 {
		var err error
		if ended, err = flowRuns(ctx, of, before); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, r := range rows {
		if r.FlowRunID == "" || ended[r.FlowRunID] {
			out = append(out, r.ID)
		}
	}
	return out, nil
}

func (s *Service) retire(ctx context.Context, where []predicate.Run, ids []string, days int) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err = tx.Run.Update().Where(append(where, run.IDIn(ids...))...).SetLogState(run.LogStateRemoving).AddVersion(1).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		attempts, err := tx.Attempt.Query().Where(attempt.HasRunWith(run.IDIn(ids...), run.LogStateEQ(run.LogStateRemoving))).IDs(ctx)
		if err != nil || len(attempts) == 0 {
			return err
		}
		return logstore.Retire(ctx, tx, time.Now().UTC(), days, attempts)
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// PurgeLogs removes chunks and blobs of logs that are said to be gone, of at most
// limit runs, and tells of how many. What failed is tried again the next time.
func (s *Service) PurgeLogs(ctx context.Context, limit int) (int, error) {
	ctx = authz.AsSystem(ctx)
	ids, err := s.DB.Client.Run.Query().Where(run.LogStateEQ(run.LogStateRemoving)).Limit(limit).IDs(ctx)
	if err != nil {
		return 0, fmt.Errorf("logs that are to be removed: %w", err)
	}
	var errs []error
	n := 0
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		if err := s.purge(ctx, id); err != nil {
			errs = append(errs, err)
			continue
		}
		n++
	}
	return n, errors.Join(errs...)
}

func (s *Service) purge(ctx context.Context, id string) error {
	attempts, err := s.DB.Client.Attempt.Query().Where(attempt.RunID(id)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("attempts of run %s: %w", id, err)
	}
	for _, a := range attempts {
		if err := s.Logs.Delete(ctx, a); err != nil {
			return err
		}
	}
	err = s.DB.Client.Run.Update().Where(run.ID(id), run.LogStateEQ(run.LogStateRemoving)).SetLogState(run.LogStateRemoved).Exec(ctx)
	if err != nil {
		return fmt.Errorf("log of run %s: %w", id, err)
	}
	return nil
}

// Expire has runs by themselves of a team go that ended before a time, at most
// limit of them, and tells how many. Their logs are gone by then: no log is kept
// longer than its run. Runs of flows go with their flow runs.
func (s *Service) Expire(ctx context.Context, teamID string, before time.Time, limit int) (int, error) {
	ctx = authz.AsSystem(ctx)
	where := []predicate.Run{run.LogStateEQ(run.LogStateRemoved), run.TeamID(teamID), run.EndedAtLT(before), run.FlowRunID(""),
		run.StateIn(over()...), run.DesiredNEQ(run.DesiredDeleted)}
	n := 0
	for n < limit {
		ids, err := s.DB.Client.Run.Query().Where(where...).Order(ent.Asc(run.FieldEndedAt)).Limit(min(retainPage, limit-n)).IDs(ctx)
		if err != nil {
			return n, fmt.Errorf("old runs of team %s: %w", teamID, err)
		}
		if len(ids) == 0 {
			return n, nil
		}
		err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
			gone, err := tx.Run.Update().Where(append(where, run.IDIn(ids...))...).SetDesired(run.DesiredDeleted).AddGeneration(1).AddVersion(1).Save(ctx)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := outbox.Add(ctx, tx, outbox.Run, id); err != nil {
					return err
				}
			}
			return audit.Record(ctx, tx, audit.Entry{TeamID: teamID, ObjectID: teamID, Action: "run.expire", After: map[string]any{"count": gone, "endedBefore": before}})
		})
		if err != nil {
			return n, fmt.Errorf("runs of team %s that are kept no longer: %w", teamID, err)
		}
		n += len(ids)
		for _, id := range ids {
			s.Kicker.Kick(outbox.Run, id)
		}
	}
	return n, nil
}

// Going is how many runs are on their way out.
func (s *Service) Going(ctx context.Context) (int, error) {
	return s.DB.Client.Run.Query().Where(run.DesiredEQ(run.DesiredDeleted)).Count(authz.AsSystem(ctx))
}
