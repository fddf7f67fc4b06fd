package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// drift is how often a namespace is brought back to what the row says, whoever
// changed it; up to half as much again is added, so that teams spread out.
const drift = 4 * time.Minute

// Reconcile brings the namespace and what guards it to what the row says; it
// asks to be called again, since others may change the objects.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Team.Get(ctx, id)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("load team %s: %w", id, err)
	}
	s.namespaces.Store(row.Namespace, row.ID)
	if row.Desired == entteam.DesiredDeleted {
		return s.remove(ctx, row)
	}
	var out outcome
	out.lost, out.uid, out.applied = s.own(ctx, row)
	if out.applied == nil {
		out.applied = s.apply(ctx, row)
	}
	if out.applied == nil {
		out.findings, out.applied = s.foreign(ctx, row)
	}
	if err := s.save(ctx, row, out); err != nil {
		return 0, errors.Join(out.applied, err)
	}
	var waits refusedError
	switch {
	case errors.As(out.applied, &waits):
		return waits.again, nil
	case out.applied != nil:
		return 0, fmt.Errorf("team %s: %w", id, out.applied)
	}
	s.applied.Store(id, time.Now())
	return drift + rand.N(drift/2), nil
}

func wanted(t *ent.Team) manifest.Team {
	return manifest.Team{
		Object: manifest.Object{Namespace: t.Namespace, ID: t.ID, TeamID: t.ID, Title: t.Name, Generation: t.Generation},
		Quota:  t.Quota, Overcommit: t.Overcommit,
	}
}

func objects(t *ent.Team) manifest.TeamObjects { return manifest.TeamNamespace(wanted(t)) }

func (s *Service) apply(ctx context.Context, t *ent.Team) error {
	want := wanted(t)
	pulls, kept, err := s.pulls(ctx, t, &want)
	if err != nil {
		return err
	}
	o := manifest.TeamNamespace(want)
	k, ns := s.Kube, t.Namespace
	steps := []func() error{
		func() error { _, err := k.CoreV1().Namespaces().Apply(ctx, o.Namespace, kube.Apply); return err },
		func() error {
			_, err := k.CoreV1().ResourceQuotas(ns).Apply(ctx, o.ResourceQuota, kube.Apply)
			return err
		},
		func() error { _, err := k.CoreV1().LimitRanges(ns).Apply(ctx, o.LimitRange, kube.Apply); return err },
		func() error { return s.applyPulls(ctx, want, pulls) },
		func() error {
			_, err := k.CoreV1().ServiceAccounts(ns).Apply(ctx, o.ServiceAccount, kube.Apply)
			return err
		},
		func() error { _, err := k.RbacV1().Roles(ns).Apply(ctx, o.Role, kube.Apply); return err },
		func() error { _, err := k.RbacV1().RoleBindings(ns).Apply(ctx, o.RoleBinding, kube.Apply); return err },
	}
	for _, p := range o.NetworkPolicies {
		steps = append(steps, func() error {
			_, err := k.NetworkingV1().NetworkPolicies(ns).Apply(ctx, p, kube.Apply)
			return err
		})
	}
	steps = append(steps, func() error { return s.removePulls(ctx, ns, pulls, kept) }) // after the account forgot them
	for _, step := range steps {
		if err := kube.Retry(step); err != nil {
			return fmt.Errorf("apply to namespace %s: %w", ns, err)
		}
	}
	return nil
}

// outcome is what came of one look at a team.
type outcome struct {
	applied  error
	uid      string        // of the namespace; empty when it is not there
	lost     *spec.Reason  // that the one before was taken away
	findings []spec.Reason // what does not belong there
}

// save writes what came of it, if it is news. A cluster that does not answer is
// news only for a team that waits for it: it is asked again.
func (s *Service) save(ctx context.Context, t *ent.Team, out outcome) error {
	generation, reason, findings := t.Generation, (*spec.Reason)(nil), out.findings
	if out.applied != nil {
		var refused refusedError
		said, no := kube.Refusal(out.applied)
		generation, findings = t.ObservedGeneration, t.Findings
		switch {
		case errors.As(out.applied, &refused):
			reason = &refused.why
		case no:
			reason = &spec.Reason{Code: "team-refused", Args: map[string]any{"detail": said}}
		case ctx.Err() != nil || generation == t.Generation && t.Reason == nil:
			return nil // what stood stands, as far as anybody knows
		default:
			reason = &spec.Reason{Code: "team-unavailable"}
		}
	}
	uid, lost := cmp.Or(out.uid, t.NamespaceUID), t.Lost
	if out.lost != nil {
		lost = out.lost
	}
	if generation == t.ObservedGeneration && same(reason, t.Reason) && uid == t.NamespaceUID && out.lost == nil && sameAll(findings, t.Findings) {
		return nil
	}
	var n int
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		u := tx.Team.Update().Where(entteam.ID(t.ID), entteam.Version(t.Version)).AddVersion(1).
			SetObservedGeneration(generation).SetNamespaceUID(uid).SetFindings(findings)
		if reason == nil {
			u.ClearReason()
		} else {
			u.SetReason(reason)
		}
		if lost != nil {
			u.SetLost(lost)
		}
		if n, err = u.Save(ctx); err != nil || n == 0 || out.lost == nil {
			return err
		}
		_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: t.ID, SubjectID: t.ID, Source: entevent.SourcePlatform,
			Severity: entevent.SeverityError, Type: "namespace-lost", Args: out.lost.Args})
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("save team %s: %w", t.ID, err)
	case n == 0:
		return fmt.Errorf("save team %s: changed meanwhile", t.ID)
	}
	s.published(ctx, t.ID, t.Version+1)
	if out.lost != nil {
		s.Broker.Publish(ctx, event.Message{Topic: "event", ID: t.ID, TeamID: t.ID})
	}
	return nil
}

func (s *Service) published(ctx context.Context, id string, version int64) {
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: id, TeamID: id, Version: version})
}

// same compares what is stored: numbers and lists come back from the database
// as other types than they went.
func same(a, b *spec.Reason) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func sameAll(a, b []spec.Reason) bool {
	return slices.EqualFunc(a, b, func(x, y spec.Reason) bool { return same(&x, &y) })
}

// Sweep wakes the teams that this process has not looked at for long, which
// are all of them when it begins, and those that have not caught up.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.DB.Client.Team.Query().Select(entteam.FieldID, entteam.FieldNamespace, entteam.FieldGeneration, entteam.FieldObservedGeneration).All(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("teams: %w", err)
	}
	for _, t := range rows {
		s.namespaces.Store(t.Namespace, t.ID)
		at, _ := s.applied.Load(t.ID)
		last, _ := at.(time.Time)
		if t.Generation != t.ObservedGeneration || time.Since(last) > 2*drift {
			s.Kicker.Kick(outbox.Team, t.ID)
		}
	}
	return nil
}
