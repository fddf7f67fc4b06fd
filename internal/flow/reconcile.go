package flow

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Driver drives flow runs; it is what the worker calls.
type Driver struct{ *Service }

// Reconcile looks at one flow run: it saves what the machine says, and then
// launches, stops and polls what the rows name, until nothing is left to do now.
func (d Driver) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	answers := map[string]engine.Answer{}
	for {
		l, dec, err := d.turn(ctx, id, answers, nil)
		if errors.Is(err, errBehind) {
			continue // the newer rows have news
		}
		if err != nil || l == nil {
			return 0, err
		}
		refused, err := d.act(ctx, l, dec)
		if err != nil {
			return 0, err
		}
		if len(refused) > 0 {
			if _, _, err := d.turn(ctx, id, nil, refused); err != nil {
				return 0, err
			}
			continue
		}
		if l.row.Wish == flowrun.WishDelete && dec.Run.State.Over() {
			return 0, d.erase(ctx, l)
		}
		if len(dec.Poll) == 0 {
			return dec.After, nil
		}
		if answers, err = d.poll(ctx, l, dec); err != nil {
			return 0, err
		}
	}
}

// turn is one transaction: rows are loaded under their locks, the machine is
// asked, its decision is stored. l is nil when the flow run is gone.
func (s *Service) turn(ctx context.Context, id string, answers map[string]engine.Answer, refused map[string]*spec.Reason) (l *loaded, dec engine.Decision, err error) {
	now := s.now()
	changed := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if l, err = s.load(ctx, tx, id, false); err != nil || l == nil {
			return err
		}
		l.seen.Answers, l.seen.Refused, l.seen.Random = answers, refused, random(id, l.row.Version)
		dec = engine.Decide(l.def, l.run, l.steps, l.seen, now)
		if dec, err = s.grant(ctx, tx, l, dec, now); err != nil {
			return err
		}
		s.name(l, &dec)
		if changed = len(dec.Steps) > 0 || len(dec.Transitions) > 0 || !equal(l.run, dec.Run) || l.row.ObservedGeneration != l.row.Generation || wakeMoved(l.row, dec, now); !changed {
			return nil
		}
		return s.store(ctx, tx, l, dec, now)
	})
	if err != nil {
		return nil, dec, fmt.Errorf("flow run %s: %w", id, err)
	}
	if changed && l != nil {
		s.published(ctx, l.row, l.row.Version+1)
	}
	return l, dec, nil
}

// wakeMoved reports whether the time at which the sweep must look again has
// moved by more than it matters.
func wakeMoved(row *ent.FlowRun, dec engine.Decision, now time.Time) bool {
	if row.WakeAt == nil || dec.After <= 0 {
		return (row.WakeAt == nil) != (dec.After <= 0)
	}
	return now.Add(dec.After).Sub(*row.WakeAt).Abs() > time.Second
}

// name chooses the ids of runs that are to be made, so that the rows name them
// before they are: to launch twice makes one (P68).
func (s *Service) name(l *loaded, dec *engine.Decision) {
	for _, name := range dec.Start {
		if l.chosen[name] == "" {
			l.chosen[name] = ident.New(ident.Run)
		}
	}
	for i := range dec.Steps {
		st := &dec.Steps[i]
		if id := l.chosen[st.Name]; id != "" && st.RunID == "" && st.State == engine.StepStarting {
			st.RunID = id
		}
	}
}

// grant gives steps that wait for a slot of their group one that is free. The
// groups' rows are locked, in order, and slots are counted from living steps (P73).
func (s *Service) grant(ctx context.Context, tx *ent.Tx, l *loaded, dec engine.Decision, now time.Time) (engine.Decision, error) {
	waiting := map[string][]string{} // of this flow run, by group
	after := merged(l.steps, dec.Steps)
	for _, st := range after {
		if st.State == engine.StepWaitingSlot {
			g := groupOf(l, st.Name)
			waiting[g] = append(waiting[g], st.Name)
		}
	}
	if len(waiting) == 0 {
		return dec, nil
	}
	l.seen.Slots = map[string]bool{}
	for _, g := range slices.Sorted(maps.Keys(waiting)) {
		names, err := s.slots(ctx, tx, l, g, after, now)
		if err != nil {
			return dec, err
		}
		for _, n := range names {
			l.seen.Slots[n] = true
		}
	}
	if len(l.seen.Slots) == 0 {
		return dec, nil
	}
	l.seen.Answers = nil // they were taken
	more := engine.Decide(l.def, dec.Run, after, l.seen, now)
	more.Steps = merged(dec.Steps, more.Steps)
	more.Transitions = append(dec.Transitions, more.Transitions...)
	more.Cancel = append(dec.Cancel, more.Cancel...)
	more.Freed = append(dec.Freed, more.Freed...)
	more.Notes = append(dec.Notes, more.Notes...)
	more.Wake = more.Wake || dec.Wake
	return more, nil
}

// merged are steps with those that changed in their places.
func merged(steps, changed []engine.Step) []engine.Step {
	out := slices.Clone(steps)
	for _, c := range changed {
		i := slices.IndexFunc(out, func(s engine.Step) bool { return s.Name == c.Name })
		if i < 0 {
			out = append(out, c)
		} else {
			out[i] = c
		}
	}
	return out
}

func groupOf(l *loaded, name string) string {
	for i := range l.def.Tasks {
		if l.def.Tasks[i].Name == name {
			return l.def.Tasks[i].Group
		}
	}
	return ""
}

// act does what the rows say by now. Runs that may not be made are given back
// with the reason.
func (s *Service) act(ctx context.Context, l *loaded, dec engine.Decision) (refused map[string]*spec.Reason, err error) {
	var errs []error
	for _, id := range dec.Cancel {
		errs = append(errs, s.cancel(ctx, id))
	}
	for _, id := range dec.Stop {
		errs = append(errs, s.Runs.StopStep(ctx, id, dec.Run.WishedBy))
	}
	for _, name := range dec.Start {
		why, err := s.launch(ctx, l, merged(l.steps, dec.Steps), name)
		if err != nil {
			errs = append(errs, err)
		}
		if why != nil {
			if refused == nil {
				refused = map[string]*spec.Reason{}
			}
			refused[name] = why
		}
	}
	if dec.Wake {
		errs = append(errs, s.wakeQueued(ctx, l.flow.ID, l.row.ID))
	}
	for _, g := range dec.Freed {
		errs = append(errs, s.wakeGroup(ctx, l.row.TeamID, g))
	}
	if dec.Run.State == engine.RunSucceeded {
		s.Kicker.Kick(outbox.FlowAfter, l.row.ID)
	}
	return refused, errors.Join(errs...)
}

// cancel has another flow run end, which gives way to a newer one.
func (s *Service) cancel(ctx context.Context, id string) error {
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.FlowRun.Update().Where(flowrun.ID(id), flowrun.WishEQ(flowrun.WishRun), flowrun.StateIn(live...)).
			SetWish(flowrun.WishCancel).AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		return outbox.Add(ctx, tx, outbox.FlowRun, id)
	})
	if err != nil {
		return fmt.Errorf("cancel flow run %s: %w", id, err)
	}
	s.Kicker.Kick(outbox.FlowRun, id)
	return nil
}

func (s *Service) wakeQueued(ctx context.Context, flowID, but string) error {
	ids, err := s.DB.Client.FlowRun.Query().Where(flowrun.FlowID(flowID), flowrun.IDNEQ(but), flowrun.StateEQ(flowrun.StateQueued)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("queued runs of flow %s: %w", flowID, err)
	}
	for _, id := range ids {
		s.Kicker.Kick(outbox.FlowRun, id)
	}
	return s.advanceBackfills(ctx, flowID)
}

func (s *Service) wakeGroup(ctx context.Context, teamID, group string) error {
	ids, err := s.DB.Client.Step.Query().Where(step.TeamID(teamID), step.Group(group), step.StateEQ(step.StateWaitingSlot)).
		Select(step.FieldFlowRunID).Strings(ctx)
	if err != nil {
		return fmt.Errorf("waiters of group %s: %w", group, err)
	}
	for _, id := range ids {
		s.Kicker.Kick(outbox.FlowRun, id)
	}
	return nil
}

// random is a number that is the same for the same rows: a decision that is made
// twice is the same twice.
func random(id string, version int64) float64 {
	h := fnv.New64a()
	h.Write([]byte(id + "/" + strconv.FormatInt(version, 10)))
	const steps = 1 << 16
	return float64(h.Sum64()%steps) / steps
}

// Sweep has every flow run looked at that is not over or is to be deleted, and
// the waking time of which has come or that waits for what others do.
func (d Driver) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	ids, err := d.DB.Client.FlowRun.Query().Where(flowrun.Or(
		flowrun.And(flowrun.StateIn(live...), flowrun.Or(flowrun.WakeAtIsNil(), flowrun.WakeAtLTE(d.now()))),
		flowrun.WishEQ(flowrun.WishDelete),
	)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("flow runs not at rest: %w", err)
	}
	for _, id := range ids {
		d.Kicker.Kick(outbox.FlowRun, id)
	}
	return d.sweepBackfills(ctx)
}
