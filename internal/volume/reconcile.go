package volume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	unsynced = time.Second      // until the cache is filled
	waiting  = 5 * time.Second  // a claim on its way; its changes wake us earlier
	refused  = 30 * time.Second // a claim that the cluster does not take
)

// OnChange maps a change of the cluster to the volume that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	if c.Event != nil {
		id, ok = kube.SubjectID(c.Event.InvolvedObject)
		return id, ok && ident.Is(ident.Volume, id)
	}
	id = c.Labels[manifest.LabelVolumeID]
	return id, c.Kind == "PersistentVolumeClaim" && id != ""
}

// Observe keeps a cluster's event about a claim (P6).
func (s *Service) Observe(ctx context.Context, e *corev1.Event) error {
	id, ok := kube.SubjectID(e.InvolvedObject)
	if !ok || !ident.Is(ident.Volume, id) {
		return nil
	}
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Volume.Query().Where(entvolume.ID(id)).WithTeam().Only(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("load volume %s: %w", id, err)
	}
	if row.ObjectName != e.InvolvedObject.Name || row.Edges.Team.Namespace != e.InvolvedObject.Namespace {
		return nil
	}
	var changed bool
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		changed, err = history.Observe(ctx, tx.Event, history.FromCluster(e, row.TeamID, id))
		return err
	})
	if err == nil && changed {
		s.Broker.Publish(ctx, event.Message{Topic: "event", ID: id, TeamID: row.TeamID})
	}
	return err
}

// Reconcile brings the claim of a volume to what the row says.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Volume.Query().Where(entvolume.ID(id)).WithTeam().WithOwner().Only(ctx)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("load volume %s: %w", id, err)
	}
	if s.Cache == nil || !s.Cache.Synced() {
		return unsynced, nil
	}
	claim, err := s.claim(ctx, row)
	if err != nil {
		return 0, fmt.Errorf("claim of volume %s: %w", id, err)
	}
	if row.Desired == entvolume.DesiredDeleted {
		return s.remove(ctx, row, claim)
	}
	return s.keep(ctx, row, claim)
}

// claim is the claim as last seen; where none was seen, or something hangs on
// its absence, the cluster itself is asked (P8).
func (s *Service) claim(ctx context.Context, v *ent.Volume) (*corev1.PersistentVolumeClaim, error) {
	c, err := s.Cache.Claims.PersistentVolumeClaims(v.Edges.Team.Namespace).Get(v.ObjectName)
	if err == nil {
		return c, nil
	}
	c, err = s.Kube.CoreV1().PersistentVolumeClaims(v.Edges.Team.Namespace).Get(ctx, v.ObjectName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return c, err
}

func (s *Service) keep(ctx context.Context, v *ent.Volume, claim *corev1.PersistentVolumeClaim) (time.Duration, error) {
	if claim == nil && v.Phase != entvolume.PhasePending {
		// A bound claim that is gone took its disk along. A new, empty one under
		// the old name would hide that.
		return 0, s.save(ctx, v, entvolume.PhaseLost, &spec.Reason{Code: "volume-claim-gone"}, v.Generation)
	}
	if claim == nil || v.ObservedGeneration != v.Generation {
		var applied *corev1.PersistentVolumeClaim
		err := kube.Retry(func() (err error) {
			applied, err = s.Kube.CoreV1().PersistentVolumeClaims(v.Edges.Team.Namespace).Apply(ctx, manifest.PersistentVolumeClaim(object(v)), kube.Apply)
			return err
		})
		var status apierrors.APIStatus
		switch {
		case err == nil:
			claim = applied
		case errors.As(err, &status) && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)):
			reason := &spec.Reason{Code: "volume-refused", Args: map[string]any{"detail": status.Status().Message}}
			return refused, s.save(ctx, v, v.Phase, reason, v.ObservedGeneration)
		default:
			return 0, fmt.Errorf("apply claim of volume %s: %w", v.ID, err)
		}
	}
	phase, reason := observe(claim, s.Cache.Events(claim.Namespace, "PersistentVolumeClaim", claim.Name))
	if err := s.save(ctx, v, phase, reason, v.Generation); err != nil {
		return 0, err
	}
	if phase == entvolume.PhasePending {
		return waiting, nil
	}
	return 0, nil
}

func object(v *ent.Volume) manifest.Volume {
	t, o := v.Edges.Team, v.Edges.Owner
	return manifest.Volume{
		Object: manifest.Object{Namespace: t.Namespace, Name: v.ObjectName, ID: v.ID, OwnerID: v.OwnerID, TeamID: v.TeamID,
			OwnerEmail: o.Email, Title: v.Name, Generation: v.Generation},
		StorageClass: v.StorageClass, AccessMode: string(v.AccessMode), SizeBytes: v.SizeBytes,
	}
}

// observe reads the phase of a claim, and why it waits.
func observe(claim *corev1.PersistentVolumeClaim, events []*corev1.Event) (entvolume.Phase, *spec.Reason) {
	switch claim.Status.Phase {
	case corev1.ClaimBound:
		return entvolume.PhaseBound, nil
	case corev1.ClaimLost:
		return entvolume.PhaseLost, &spec.Reason{Code: "volume-disk-lost"}
	}
	var newest *corev1.Event
	for _, e := range events {
		if e.InvolvedObject.UID == claim.UID && (newest == nil || history.LastTime(e).After(history.LastTime(newest))) {
			newest = e
		}
	}
	switch {
	case newest == nil:
		return entvolume.PhasePending, nil
	case newest.Reason == "WaitForFirstConsumer", newest.Reason == "WaitForPodScheduled":
		return entvolume.PhasePending, &spec.Reason{Code: "volume-waits-for-pod"}
	case newest.Type == corev1.EventTypeWarning:
		return entvolume.PhasePending, &spec.Reason{Code: "volume-provisioning", Args: map[string]any{"detail": strings.TrimSpace(newest.Message)}}
	}
	return entvolume.PhasePending, nil
}

// save is the one writer of the status; it writes news only.
func (s *Service) save(ctx context.Context, v *ent.Volume, phase entvolume.Phase, reason *spec.Reason, generation int64) error {
	if phase == v.Phase && generation == v.ObservedGeneration && reflect.DeepEqual(reason, v.Reason) {
		return nil
	}
	var n int
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		u := tx.Volume.Update().Where(entvolume.ID(v.ID), entvolume.Version(v.Version)).
			AddVersion(1).SetPhase(phase).SetObservedGeneration(generation)
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
		return fmt.Errorf("save volume %s: %w", v.ID, err)
	case n == 0:
		return fmt.Errorf("save volume %s: changed meanwhile", v.ID)
	}
	v.Version++
	s.published(ctx, v)
	return nil
}

// remove deletes the claim, and the row once the claim was observed gone.
func (s *Service) remove(ctx context.Context, v *ent.Volume, claim *corev1.PersistentVolumeClaim) (time.Duration, error) {
	if claim != nil {
		if claim.DeletionTimestamp == nil {
			err := s.Kube.CoreV1().PersistentVolumeClaims(claim.Namespace).Delete(ctx, claim.Name,
				metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &claim.UID}})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return 0, fmt.Errorf("delete claim of volume %s: %w", v.ID, err)
			}
		}
		return time.Second, s.save(ctx, v, entvolume.PhaseDeleting, nil, v.Generation)
	}
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Volume.Delete().Where(entvolume.ID(v.ID), entvolume.Version(v.Version)).Exec(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("changed meanwhile")
		}
		_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: v.TeamID, SubjectID: v.ID, Source: entevent.SourcePlatform,
			Type: "deleted", Args: map[string]any{"name": v.Name}})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete volume %s: %w", v.ID, err)
	}
	v.Version++
	s.published(ctx, v)
	return 0, nil
}

// Sweep wakes the volumes that are not at rest, and those whose claim is gone:
// a cluster that was made anew tells of no deletion.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.DB.Client.Volume.Query().Where(entvolume.Or(
		entvolume.DesiredEQ(entvolume.DesiredDeleted), entvolume.PhaseNEQ(entvolume.PhaseBound), entvolume.ObservedGeneration(0),
	)).IDs(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("volumes that are not at rest: %w", err)
	}
	gone, err := s.claimsGone(authz.AsSystem(ctx))
	for _, id := range append(rows, gone...) {
		s.Kicker.Kick(outbox.Volume, id)
	}
	return err
}

func (s *Service) claimsGone(ctx context.Context) ([]string, error) {
	if s.Cache == nil || !s.Cache.Synced() {
		return nil, nil
	}
	rows, err := s.DB.Client.Volume.Query().
		Where(entvolume.PhaseEQ(entvolume.PhaseBound), entvolume.DesiredEQ(entvolume.DesiredPresent)).
		Select(entvolume.FieldID, entvolume.FieldTeamID, entvolume.FieldObjectName).
		WithTeam(func(q *ent.TeamQuery) { q.Select(entteam.FieldID, entteam.FieldNamespace) }).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("bound volumes: %w", err)
	}
	var out []string
	for _, v := range rows {
		if _, err := s.Cache.Claims.PersistentVolumeClaims(v.Edges.Team.Namespace).Get(v.ObjectName); apierrors.IsNotFound(err) {
			out = append(out, v.ID)
		}
	}
	return out, nil
}
