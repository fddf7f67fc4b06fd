package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/check"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// States tells checks of other flows, as far as the viewer of the context may
// see them.
type States struct{ Client *ent.Client }

var _ check.FlowStates = States{}

// Runs implements check.FlowStates. A time that was run several times counts as
// succeeded when one of its runs did.
func (s States) Runs(ctx context.Context, _ executor.Ask, flowID string, from, until time.Time) ([]check.FlowState, error) {
	there, err := s.Client.Flow.Query().Where(flow.ID(flowID), flow.DeletedAtIsNil()).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("flow %s: %w", flowID, err)
	}
	if !there {
		return nil, fault.Missing("flow", flowID)
	}
	rows, err := s.Client.FlowRun.Query().Where(flowrun.FlowID(flowID), flowrun.LogicalTimeGTE(from.UTC()), flowrun.LogicalTimeLT(until.UTC()),
		flowrun.StateNEQ(flowrun.StateSkipped)).Select(flowrun.FieldLogicalTime, flowrun.FieldState).Order(ent.Asc(flowrun.FieldLogicalTime)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("runs of flow %s: %w", flowID, err)
	}
	var out []check.FlowState
	for _, r := range rows {
		st := check.FlowState{Time: r.LogicalTime, Ended: Over(r.State), Succeeded: r.State == flowrun.StateSucceeded}
		if n := len(out); n > 0 && out[n-1].Time.Equal(st.Time) {
			out[n-1].Ended = out[n-1].Ended && st.Ended || st.Succeeded || out[n-1].Succeeded
			out[n-1].Succeeded = out[n-1].Succeeded || st.Succeeded
			continue
		}
		out = append(out, st)
	}
	return out, nil
}
