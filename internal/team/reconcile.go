package team

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
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
	applied := s.apply(ctx, row)
	if err := s.save(ctx, row, applied); err != nil {
		return 0, errors.Join(applied, err)
	}
	if applied != nil {
		return 0, fmt.Errorf("team %s: %w", id, applied)
	}
	s.applied.Store(id, time.Now())
	return drift + rand.N(drift/2), nil
}

func (s *Service) apply(ctx context.Context, t *ent.Team) error {
	o := manifest.TeamNamespace(manifest.Team{
		Object: manifest.Object{Namespace: t.Namespace, ID: t.ID, TeamID: t.ID, Title: t.Name, Generation: t.Generation},
		Quota:  t.Quota, Overcommit: t.Overcommit,
	})
	k, ns := s.Kube, t.Namespace
	steps := []func() error{
		func() error { _, err := k.CoreV1().Namespaces().Apply(ctx, o.Namespace, kube.Apply); return err },
		func() error {
			_, err := k.CoreV1().ResourceQuotas(ns).Apply(ctx, o.ResourceQuota, kube.Apply)
			return err
		},
		func() error { _, err := k.CoreV1().LimitRanges(ns).Apply(ctx, o.LimitRange, kube.Apply); return err },
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
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("apply to namespace %s: %w", ns, err)
		}
	}
	return nil
}

// save writes what came of it, if it is news. A cluster that does not answer is
// no news about the team.
func (s *Service) save(ctx context.Context, t *ent.Team, applied error) error {
	generation, reason := t.Generation, (*spec.Reason)(nil)
	if applied != nil {
		var status apierrors.APIStatus
		if !errors.As(applied, &status) {
			return nil
		}
		generation, reason = t.ObservedGeneration, &spec.Reason{Code: "team-refused", Args: map[string]any{"detail": status.Status().Message}}
	}
	if generation == t.ObservedGeneration && reflect.DeepEqual(reason, t.Reason) {
		return nil
	}
	var n int
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		u := tx.Team.Update().Where(entteam.ID(t.ID), entteam.Version(t.Version)).AddVersion(1).SetObservedGeneration(generation)
		if reason == nil {
			u.ClearReason()
		} else {
			u.SetReason(reason)
		}
		n, err = u.Save(ctx)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("save team %s: %w", t.ID, err)
	case n == 0:
		return fmt.Errorf("save team %s: changed meanwhile", t.ID)
	}
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: t.ID, TeamID: t.ID, Version: t.Version + 1})
	return nil
}

// Sweep wakes the teams that this process has not looked at for long, which
// are all of them when it begins, and those that have not caught up.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.DB.Client.Team.Query().Select(entteam.FieldID, entteam.FieldGeneration, entteam.FieldObservedGeneration).All(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("teams: %w", err)
	}
	for _, t := range rows {
		at, _ := s.applied.Load(t.ID)
		last, _ := at.(time.Time)
		if t.Generation != t.ObservedGeneration || time.Since(last) > 2*drift {
			s.Kicker.Kick(outbox.Team, t.ID)
		}
	}
	return nil
}
