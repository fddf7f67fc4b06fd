package share

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// OnChange maps a change of the cluster to the share that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	id = c.Labels[manifest.LabelShareID]
	return id, id != ""
}

// Observe keeps nothing: what the cluster says of a share's claim is its reason.
func (s *Service) Observe(context.Context, *corev1.Event) error { return nil }

// Reconcile brings what a share needs in the cluster to what its row says. It
// may be killed anywhere: each step is found again by looking.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Share.Query().Where(entshare.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("load share %s: %w", id, err)
	}
	if s.Cache == nil || !s.Cache.Synced() {
		return soon, nil
	}
	if row, err = s.settle(ctx, row); err != nil {
		return 0, err
	}
	l, err := s.load(ctx, row)
	if err != nil {
		return 0, err
	}
	o, err := s.observe(ctx, l)
	if err != nil {
		return 0, err
	}
	d := Decide(Desired{Mode: row.Mode, Accepted: row.State == entshare.StateAccepted, Over: !Open(row), Across: across(row)}, o)
	err = s.carryOut(ctx, l, &d)
	return d.After, errors.Join(err, s.save(ctx, row, d))
}

// carryOut does what was decided, in its order. What the cluster refuses becomes
// the reason; what it does not answer is tried again.
func (s *Service) carryOut(ctx context.Context, l *loaded, d *Decision) error {
	if err := s.end(ctx, l.row, d.End, d.Dormant); err != nil {
		return err
	}
	for _, m := range d.Retain {
		if err := s.retain(ctx, objectName(l.row, m)); err != nil {
			return err
		}
	}
	if d.Apply != "" && l.team != nil && l.storage != nil {
		err := s.apply(ctx, l, d.Apply)
		var status apierrors.APIStatus
		if errors.As(err, &status) && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsNotFound(err)) {
			d.Reason, d.After, d.Settled = &spec.Reason{Code: codeRefused, Args: map[string]any{"detail": status.Status().Message}}, seldom, false
			return nil
		}
		if err != nil {
			return err
		}
	}
	for _, m := range d.DropClaims {
		if l.team == nil {
			continue
		}
		if err := s.dropClaim(ctx, l.team.Namespace, objectName(l.row, m), l.row.ID); err != nil {
			return err
		}
	}
	for _, m := range d.DropVolumes {
		if err := s.dropVolume(ctx, objectName(l.row, m), l.row.ID); err != nil {
			return err
		}
	}
	return nil
}

// apply makes the pair of a mode, the volume first.
func (s *Service) apply(ctx context.Context, l *loaded, m entshare.Mode) error {
	o := manifest.Share{
		Object: manifest.Object{Namespace: l.team.Namespace, Name: objectName(l.row, m), ID: l.row.ID, OwnerID: l.volume.OwnerID, TeamID: l.team.ID,
			OwnerEmail: l.owner.Email, Title: l.row.VolumeName, Generation: l.row.Generation},
		VolumeID: l.volume.ID, Storage: l.storage.Spec, ReadOnly: m == entshare.ModeReadOnly,
	}
	pv, err := manifest.SharePersistentVolume(o)
	if err != nil {
		return err
	}
	return kube.Retry(func() error {
		if _, err := s.Kube.CoreV1().PersistentVolumes().Apply(ctx, pv, kube.Apply); err != nil {
			return fmt.Errorf("apply volume of share %s: %w", l.row.ID, err)
		}
		if _, err := s.Kube.CoreV1().PersistentVolumeClaims(o.Namespace).Apply(ctx, manifest.ShareClaim(o), kube.Apply); err != nil {
			return fmt.Errorf("apply claim of share %s: %w", l.row.ID, err)
		}
		return nil
	})
}

// retain puts the policy of a share's volume right, so that nothing that is
// deleted takes the data along.
func (s *Service) retain(ctx context.Context, name string) error {
	_, err := s.Kube.CoreV1().PersistentVolumes().Patch(ctx, name, types.MergePatchType,
		[]byte(`{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`), metav1.PatchOptions{FieldManager: manifest.Manager})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("keep the data of volume %s: %w", name, err)
	}
	return nil
}

// dropClaim deletes exactly the claim that was looked at, if it is the share's.
func (s *Service) dropClaim(ctx context.Context, namespace, name, shareID string) error {
	c, err := s.claim(ctx, namespace, name)
	if err != nil || c == nil || c.DeletionTimestamp != nil || c.Labels[manifest.LabelShareID] != shareID {
		return err
	}
	err = s.Kube.CoreV1().PersistentVolumeClaims(namespace).Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &c.UID}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete claim %s: %w", name, err)
	}
	return nil
}

// dropVolume deletes a share's volume as long as it keeps the data.
func (s *Service) dropVolume(ctx context.Context, name, shareID string) error {
	pv, err := s.persistentVolume(ctx, name)
	if err != nil || pv == nil || pv.DeletionTimestamp != nil || pv.Labels[manifest.LabelShareID] != shareID {
		return err
	}
	if pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		return s.retain(ctx, name) // and again with the next look
	}
	err = s.Kube.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pv.UID, ResourceVersion: &pv.ResourceVersion}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete volume %s: %w", name, err)
	}
	return nil
}

// save is the one writer of a share's status; it writes news only.
func (s *Service) save(ctx context.Context, row *ent.Share, d Decision) error {
	generation := row.ObservedGeneration
	if d.Settled {
		generation = row.Generation
	}
	reason := d.Reason
	if !Open(row) {
		reason = row.Reason // why it is over
	}
	if row.Ready == d.Ready && generation == row.ObservedGeneration && reflect.DeepEqual(reason, row.Reason) {
		return nil
	}
	u := s.DB.Client.Share.Update().Where(entshare.ID(row.ID), entshare.Version(row.Version)).
		AddVersion(1).SetReady(d.Ready).SetObservedGeneration(generation)
	if reason == nil {
		u.ClearReason()
	} else {
		u.SetReason(reason)
	}
	n, err := u.Save(ctx)
	if err != nil {
		return fmt.Errorf("save share %s: %w", row.ID, err)
	}
	if n == 0 {
		return fmt.Errorf("save share %s: changed meanwhile", row.ID)
	}
	row.Version++
	s.published(ctx, row)
	return nil
}
