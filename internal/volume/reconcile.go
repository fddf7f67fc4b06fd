package volume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"entgo.io/ent/dialect/sql"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/ent/volumesample"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

const (
	unsynced = time.Second      // until the cache is filled
	waiting  = 5 * time.Second  // a claim on its way; its changes wake us earlier
	refused  = 30 * time.Second // a claim that the cluster does not take
)

// OnChange maps a change of the cluster to the volume that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	if c.Event != nil {
		return s.subject(c.Event.InvolvedObject)
	}
	id = c.Labels[manifest.LabelVolumeID]
	return id, c.Kind == "PersistentVolumeClaim" && id != ""
}

// subject is the volume of a claim: by its name, or by the label of one that was adopted.
func (s *Service) subject(o corev1.ObjectReference) (id string, ok bool) {
	if id, ok = kube.SubjectID(o); ok && ident.Is(ident.Volume, id) {
		return id, true
	}
	if o.Kind != "PersistentVolumeClaim" || s.Cache == nil {
		return "", false
	}
	c, err := s.Cache.Claims.PersistentVolumeClaims(o.Namespace).Get(o.Name)
	if err != nil {
		return "", false
	}
	id = c.Labels[manifest.LabelVolumeID]
	return id, id != ""
}

// Observe keeps a cluster's event about a claim (P6).
func (s *Service) Observe(ctx context.Context, e *corev1.Event) error {
	id, ok := s.subject(e.InvolvedObject)
	if !ok {
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
	return s.step(ctx, row, claim)
}

// step does what Decide says, and writes what it saw.
func (s *Service) step(ctx context.Context, row *ent.Volume, claim *corev1.PersistentVolumeClaim) (time.Duration, error) {
	w := Want{Desired: row.Desired, Phase: row.Phase, PurgeAt: row.PurgeAt, Fresh: row.ObservedGeneration != row.Generation, Object: object(row)}
	seen := Seen{Claim: claim}
	for {
		if seen.Claim != nil {
			seen.Events = s.Cache.Events(seen.Claim.Namespace, "PersistentVolumeClaim", seen.Claim.Name)
		}
		d := Decide(w, seen, time.Now())
		switch d.Act {
		case Apply:
			if err := s.apply(ctx, w.Object, &seen); err != nil {
				return 0, err
			}
			continue
		case Remove:
			if err := s.removeClaim(ctx, row, seen.Claim); err != nil {
				return 0, err
			}
		case Forget:
			return 0, s.forget(ctx, row)
		case Purge:
			return d.After, s.purge(ctx, row, time.Now())
		case Take:
			return 0, s.take(ctx, row, d.Size)
		case Rest:
		}
		return d.After, s.save(ctx, row, d)
	}
}

// apply writes the claim, and puts the cluster's answer into what was seen.
func (s *Service) apply(ctx context.Context, v manifest.Volume, seen *Seen) error {
	var applied *corev1.PersistentVolumeClaim
	err := kube.Retry(func() (err error) {
		applied, err = s.Kube.CoreV1().PersistentVolumeClaims(v.Namespace).Apply(ctx, manifest.PersistentVolumeClaim(v), kube.Apply)
		return err
	})
	var status apierrors.APIStatus
	switch {
	case err == nil:
		seen.Claim, seen.Applied = applied, true
	case errors.As(err, &status) && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)):
		seen.Refused = status.Status().Message
	default:
		return fmt.Errorf("apply claim of volume %s: %w", v.ID, err)
	}
	return nil
}

// take makes the row as large as a claim that was made larger outside of the
// platform: no disk shrinks, and the quota counts what there is.
func (s *Service) take(ctx context.Context, v *ent.Volume, size int64) error {
	var row *ent.Volume
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		_, old, err := s.locked(ctx, tx, v)
		if err != nil {
			return err
		}
		if old.Version != v.Version {
			return errors.New("changed meanwhile")
		}
		if row, err = tx.Volume.UpdateOneID(v.ID).SetSizeBytes(size).AddGeneration(1).AddVersion(1).Save(ctx); err != nil {
			return err
		}
		_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: v.TeamID, SubjectID: v.ID, Source: platform, Severity: entevent.SeverityWarning,
			Type: "volume-size-taken", Args: map[string]any{"wanted": quantity.Memory(old.SizeBytes), "has": quantity.Memory(size)}})
		if err != nil {
			return err
		}
		return outbox.Add(ctx, tx, outbox.Volume, v.ID)
	})
	if err != nil {
		return fmt.Errorf("take the size of volume %s: %w", v.ID, err)
	}
	s.committed(ctx, row.Unwrap())
	return nil
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

func object(v *ent.Volume) manifest.Volume {
	t, o := v.Edges.Team, v.Edges.Owner
	return manifest.Volume{
		Object: manifest.Object{Namespace: t.Namespace, Name: v.ObjectName, ID: v.ID, OwnerID: v.OwnerID, TeamID: v.TeamID,
			OwnerEmail: o.Email, Title: v.Name, Generation: v.Generation},
		StorageClass: v.StorageClass, AccessMode: string(v.AccessMode), SizeBytes: v.SizeBytes, Adopted: v.Adopted,
	}
}

// save is the one writer of the status; it writes news only.
func (s *Service) save(ctx context.Context, v *ent.Volume, d Decision) error {
	generation := v.ObservedGeneration
	if d.Settled {
		generation = v.Generation
	}
	if d.Capacity == 0 { // what is lost or ending had it
		d.Capacity = v.CapacityBytes
	}
	if d.Phase == v.Phase && generation == v.ObservedGeneration && d.Capacity == v.CapacityBytes && reflect.DeepEqual(d.Reason, v.Reason) {
		return nil
	}
	var n int
	err := s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		u := tx.Volume.Update().Where(entvolume.ID(v.ID), entvolume.Version(v.Version)).
			AddVersion(1).SetPhase(d.Phase).SetObservedGeneration(generation).SetCapacityBytes(d.Capacity)
		if d.Reason == nil {
			u.ClearReason()
		} else {
			u.SetReason(d.Reason)
		}
		if n, err = u.Save(ctx); err != nil || n == 0 {
			return err
		}
		if v.CapacityBytes > 0 && d.Capacity > v.CapacityBytes {
			_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: v.TeamID, SubjectID: v.ID, Source: platform, Type: "volume-expanded",
				Args: map[string]any{"from": quantity.Memory(v.CapacityBytes), "to": quantity.Memory(d.Capacity)}})
		}
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

// removeClaim deletes the claim that was seen, and no other of its name.
func (s *Service) removeClaim(ctx context.Context, v *ent.Volume, claim *corev1.PersistentVolumeClaim) error {
	if claim.DeletionTimestamp != nil {
		return nil
	}
	err := s.Kube.CoreV1().PersistentVolumeClaims(claim.Namespace).Delete(ctx, claim.Name,
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &claim.UID}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete claim of volume %s: %w", v.ID, err)
	}
	return nil
}

// forget deletes the row of a volume whose claim was observed gone.
func (s *Service) forget(ctx context.Context, v *ent.Volume) error {
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Volume.Delete().Where(entvolume.ID(v.ID), entvolume.Version(v.Version)).Exec(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("changed meanwhile")
		}
		if _, err := tx.VolumeSample.Delete().Where(volumesample.VolumeID(v.ID)).Exec(ctx); err != nil {
			return err
		}
		_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: v.TeamID, SubjectID: v.ID, Source: platform,
			Type: "deleted", Args: map[string]any{"name": v.Name}})
		return err
	})
	if err != nil {
		return fmt.Errorf("delete volume %s: %w", v.ID, err)
	}
	v.Version++
	s.published(ctx, v)
	return nil
}

// Sweep wakes the volumes that are not at rest, those whose time in the trash
// is over, and those whose claim is gone: a cluster that was made anew tells of
// no deletion.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.DB.Client.Volume.Query().Where(entvolume.Or(
		entvolume.DesiredEQ(entvolume.DesiredDeleted), entvolume.PhaseNEQ(entvolume.PhaseBound), behind,
		entvolume.And(entvolume.DesiredEQ(entvolume.DesiredTrashed), entvolume.PurgeAtLTE(time.Now().UTC())),
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

// behind keeps the volumes whose row was changed and not carried out, and those that still grow.
func behind(s *sql.Selector) {
	s.Where(sql.Or(sql.ColumnsNEQ(s.C(entvolume.FieldGeneration), s.C(entvolume.FieldObservedGeneration)),
		sql.ColumnsLT(s.C(entvolume.FieldCapacityBytes), s.C(entvolume.FieldSizeBytes))))
}

func (s *Service) claimsGone(ctx context.Context) ([]string, error) {
	if s.Cache == nil || !s.Cache.Synced() {
		return nil, nil
	}
	rows, err := s.DB.Client.Volume.Query().
		Where(entvolume.PhaseEQ(entvolume.PhaseBound), entvolume.DesiredNEQ(entvolume.DesiredDeleted)).
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
