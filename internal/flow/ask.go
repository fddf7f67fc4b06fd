package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

const maxParameter = 4096 // bytes of a parameter's value

// RunInput runs a flow by hand.
type RunInput struct {
	FlowID      string
	Number      int // of the version; 0 for the one that counts
	Parameters  map[string]string
	LogicalTime *time.Time // nil for now
}

// RunPermissions are what a viewer may do with a flow run.
type RunPermissions struct{ Stop, Rerun, Delete bool }

// RunPermissionsOf are what the viewer may do with the flow run now.
func RunPermissionsOf(v *authz.Viewer, r *ent.FlowRun) RunPermissions {
	manage := v.MayManageRun(r.TeamID, r.OwnerID)
	live := !engine.RunState(r.State).Over()
	return RunPermissions{Stop: manage && live && r.Wish == flowrun.WishRun, Rerun: manage && r.Wish != flowrun.WishDelete && r.State != flowrun.StateSkipped, Delete: manage}
}

// Run makes a flow run by hand, as the viewer.
func (s *Service) Run(ctx context.Context, in RunInput) (*ent.FlowRun, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	row, err := s.visible(ctx, in.FlowID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Run, row.TeamID); err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, row.TeamID)
	if err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	number := in.Number
	if number == 0 {
		number = row.Latest
	}
	ver, err := s.Version(ctx, row.ID, number)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	CheckParameters(&f, ver.Spec, in.Parameters)
	if err := s.checkReferences(ctx, &f, v, t, ver.Spec); err != nil {
		return nil, err
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	at := s.now().Truncate(time.Second)
	if in.LogicalTime != nil {
		at = in.LogicalTime.UTC()
	}
	var rows []*ent.FlowRun
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		rows, err = s.insert(ctx, tx, row, []time.Time{at}, firing{cause: flowrun.CauseManual, owner: v.UserID, actor: v.UserID, number: number, parameters: in.Parameters})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{TeamID: row.TeamID, ObjectID: rows[0].ID, Action: "flow-run.create",
			After: map[string]any{"flowId": row.ID, "version": number, "logicalTime": at, "parameters": slices.Sorted(maps.Keys(in.Parameters))}})
	})
	if err != nil {
		return nil, fmt.Errorf("run flow %s: %w", row.ID, err)
	}
	rows[0] = rows[0].Unwrap()
	s.fired(ctx, rows)
	return rows[0], nil
}

// CheckParameters notes parameters that a flow does not have, that are too long,
// and those that it needs and that are not given.
func CheckParameters(f *fault.Fields, def spec.Flow, given map[string]string) {
	known := map[string]bool{}
	for _, p := range def.Parameters {
		known[p.Name] = true
		if _, ok := given[p.Name]; p.Required && !ok {
			f.Add("parameters."+p.Name, "flow.parameter-missing", fault.Args{"name": p.Name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch value := given[name]; {
		case !known[name]:
			names := make([]string, 0, len(known))
			for n := range known {
				names = append(names, n)
			}
			slices.Sort(names)
			f.Add("parameters."+name, "flow.parameter-unknown", fault.Args{"name": name, "known": strings.Join(names, ", ")})
		case len(value) > maxParameter || !utf8.ValidString(value):
			f.Add("parameters."+name, "flow.parameter-long", fault.Args{"name": name, "value": len(value), "limit": maxParameter})
		}
	}
}

// Stop asks a flow run to end; it is legal in every state (P7), and changes
// nothing where it is over.
func (s *Service) Stop(ctx context.Context, id string) (*ent.FlowRun, error) {
	v, row, err := s.runManager(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.wish(ctx, v, row, flowrun.WishCancel, "flow-run.stop")
}

// DeleteRun removes a flow run with its runs and their logs; one that lives is
// stopped first.
func (s *Service) DeleteRun(ctx context.Context, id string) error {
	v, row, err := s.runManager(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.wish(ctx, v, row, flowrun.WishDelete, "flow-run.delete")
	return err
}

func (s *Service) wish(ctx context.Context, v *authz.Viewer, row *ent.FlowRun, wish flowrun.Wish, action string) (*ent.FlowRun, error) {
	over := engine.RunState(row.State).Over()
	if row.Wish == wish || row.Wish == flowrun.WishDelete || wish == flowrun.WishCancel && over {
		return row, nil
	}
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		up := tx.FlowRun.UpdateOneID(row.ID).SetWish(wish).AddGeneration(1).AddVersion(1)
		if row.StoppedBy == "" && !over && row.State != flowrun.StateStopping { // the first cause stays
			up.SetStoppedBy(v.UserID)
		}
		var err error
		if row, err = up.Save(ctx); err != nil {
			return err
		}
		if err := outbox.Add(ctx, tx, outbox.FlowRun, row.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{TeamID: row.TeamID, ObjectID: row.ID, Action: action, Before: map[string]any{"state": row.State}})
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", action, row.ID, err)
	}
	row = row.Unwrap()
	s.fired(ctx, []*ent.FlowRun{row})
	return row, nil
}

// Rerun runs steps of a flow run again: those of a scope, or those named, with
// everything that needs them.
func (s *Service) Rerun(ctx context.Context, id string, scope engine.Scope) (*ent.FlowRun, error) {
	return s.operate(ctx, id, "flow-run.rerun", map[string]any{"all": scope.All, "steps": scope.Names},
		func(l *loaded, actor string, now time.Time) (engine.Change, error) {
			return engine.Rerun(l.def, l.run, l.steps, l.others, scope, actor, now)
		})
}

// Mark says that a step has succeeded, or is to be skipped.
func (s *Service) Mark(ctx context.Context, id, step string, skipped bool) (*ent.FlowRun, error) {
	return s.operate(ctx, id, "flow-run.mark", map[string]any{"step": step, "skipped": skipped},
		func(l *loaded, actor string, now time.Time) (engine.Change, error) {
			if skipped {
				return engine.SkipStep(l.def, l.run, l.steps, l.others, step, actor, now)
			}
			return engine.MarkSucceeded(l.def, l.run, l.steps, l.others, step, actor, now)
		})
}

// operate changes the rows of a flow run as a person asks, in one transaction.
func (s *Service) operate(ctx context.Context, id, action string, args map[string]any, f func(*loaded, string, time.Time) (engine.Change, error)) (*ent.FlowRun, error) {
	v, row, err := s.runManager(ctx, id)
	if err != nil {
		return nil, err
	}
	if t, err := team.Visible(ctx, s.DB.Client, row.TeamID); err != nil {
		return nil, err
	} else if err := team.Open(t); err != nil {
		return nil, err
	}
	now := s.now()
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		l, err := s.load(authz.AsSystem(ctx), tx, id, true)
		if err != nil {
			return err
		}
		if l == nil {
			return fault.Missing("flow-run", id)
		}
		if l.row.Wish == flowrun.WishDelete {
			return fault.New(fault.FailedPrecondition, "flow.run-goes", nil)
		}
		c, err := f(l, v.UserID, now)
		if err != nil {
			return operationFault(err)
		}
		d := engine.Decision{Run: c.Run, Steps: c.Steps, Transitions: c.Transitions}
		if err := s.store(authz.AsSystem(ctx), tx, l, d, now); err != nil {
			return err
		}
		if err := outbox.Add(ctx, tx, outbox.FlowRun, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{TeamID: row.TeamID, ObjectID: id, Action: action, Before: map[string]any{"state": row.State}, After: args})
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", action, id, err)
	}
	if row, err = s.DB.Client.FlowRun.Get(ctx, id); err != nil {
		return nil, fmt.Errorf("flow run %s: %w", id, err)
	}
	s.fired(ctx, []*ent.FlowRun{row})
	return row, nil
}

// operationFault says why an operation is not possible now.
func operationFault(err error) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	args := fault.Args{"step": e.Step, "state": "@step." + string(e.State), "run": "@flow-run." + string(e.Run)}
	kind := fault.FailedPrecondition
	if e.Kind == engine.ErrorUnknownStep {
		kind = fault.NotFound
	}
	return fault.New(kind, "flow.operation-"+string(e.Kind), args).Wrap(err)
}

func (s *Service) runManager(ctx context.Context, id string) (*authz.Viewer, *ent.FlowRun, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.DB.Client.FlowRun.Query().Where(flowrun.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, fault.Missing("flow-run", id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("flow run %s: %w", id, err)
	}
	return v, row, v.CheckManageRun(row.TeamID, row.OwnerID)
}

func (s *Service) published(ctx context.Context, row *ent.FlowRun, version int64) {
	s.Broker.Publish(ctx, event.Message{Topic: "flow-run", ID: row.ID, TeamID: row.TeamID, Version: version})
}
