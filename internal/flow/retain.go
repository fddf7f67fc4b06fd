package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow/keep"
)

const retainPage = 100 // flow runs of one transaction

// over are the last states of a flow run.
var over = []flowrun.State{flowrun.StateSucceeded, flowrun.StateFailed, flowrun.StateTimedOut, flowrun.StateCancelled, flowrun.StateSkipped}

// Expire has flow runs of a team go that ended before a time, at most limit of
// them, and tells how many. It says so in their rows; what is driven by rows
// then removes their runs, logs and at last themselves. Which stay is decided by
// package keep; one with a logical time that is not so old stays, too.
func (s *Service) Expire(ctx context.Context, teamID string, before time.Time, limit int) (int, error) {
	ctx = authz.AsSystem(ctx)
	e := expiry{s: s, teamID: teamID, before: before, last: map[string]keep.Last{}}
	n := 0
	var after *ent.FlowRun
	for n < limit {
		q := s.DB.Client.FlowRun.Query().Where(e.old()...)
		if after != nil {
			q.Where(flowrun.Or(flowrun.EndedAtGT(*after.EndedAt), flowrun.And(flowrun.EndedAt(*after.EndedAt), flowrun.IDGT(after.ID))))
		}
		rows, err := q.Order(ent.Asc(flowrun.FieldEndedAt, flowrun.FieldID)).Limit(retainPage).All(ctx)
		if err != nil {
			return n, fmt.Errorf("old flow runs of team %s: %w", teamID, err)
		}
		if len(rows) == 0 {
			return n, nil
		}
		after = rows[len(rows)-1]
		leave, err := e.may(ctx, rows)
		if err != nil {
			return n, err
		}
		if len(leave) > limit-n {
			leave = leave[:limit-n]
		}
		gone, err := e.mark(ctx, leave)
		if n += gone; err != nil {
			return n, err
		}
	}
	return n, nil
}

// Going is how many flow runs are on their way out.
func (s *Service) Going(ctx context.Context) (int, error) {
	return s.DB.Client.FlowRun.Query().Where(flowrun.WishEQ(flowrun.WishDelete)).Count(authz.AsSystem(ctx))
}
