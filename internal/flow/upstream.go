package flow

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
)

// Upstream fires the flows that come after others; it is what the worker calls
// with a flow run that has succeeded.
type Upstream struct{ *Service }

// Reconcile fires the flows of which the last condition was this success: every
// flow that they come after has a run that succeeded for the same logical time.
// The keys of their runs are unique, so that to look twice fires once; what was
// removed with its key is remembered by the flow's row.
func (u Upstream) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	done, err := u.DB.Client.FlowRun.Get(ctx, id)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	if done.State != flowrun.StateSucceeded {
		return 0, nil
	}
	rows, err := u.DB.Client.Flow.Query().Where(flow.TeamID(done.TeamID), flow.Paused(false), flow.DeletedAtIsNil(), flow.NextFireAtIsNil()).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("flows of team %s: %w", done.TeamID, err)
	}
	for _, row := range rows {
		if !slices.Contains(row.Schedule.After, done.FlowID) {
			continue
		}
		ready, err := u.allSucceeded(ctx, row.Schedule.After, done.LogicalTime)
		if err != nil {
			return 0, err
		}
		if !ready {
			continue
		}
		var made []*ent.FlowRun
		err = u.DB.Tx(ctx, func(tx *ent.Tx) error {
			if settled, err := u.settled(ctx, tx, row.ID, done.LogicalTime); err != nil || settled {
				return err
			}
			made, err = u.insert(ctx, tx, row, []time.Time{done.LogicalTime}, firing{cause: flowrun.CauseUpstream, owner: row.OwnerID})
			return err
		})
		if ent.IsConstraintError(err) { // somebody else did
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("fire flow %s after %s: %w", row.ID, id, err)
		}
		u.fired(ctx, made)
	}
	return 0, nil
}

func (s *Service) allSucceeded(ctx context.Context, flows []string, at time.Time) (bool, error) {
	for _, id := range flows {
		ok, err := s.DB.Client.FlowRun.Query().Where(flowrun.FlowID(id), flowrun.LogicalTime(at), flowrun.StateEQ(flowrun.StateSucceeded)).Exist(ctx)
		if err != nil {
			return false, fmt.Errorf("runs of flow %s: %w", id, err)
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// Over reports whether a flow run's state is its last.
func Over(s flowrun.State) bool { return engine.RunState(s).Over() }
