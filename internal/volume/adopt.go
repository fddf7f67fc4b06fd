package volume

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// UnknownClaim is a claim in a team's namespace that no volume stands for.
type UnknownClaim struct {
	Name, StorageClass string
	SizeBytes          int64
	AccessModes        []string
	Phase              string
	CreatedAt          time.Time
	Ours               bool     // it carries our labels: its row was lost
	Pods               []string // that mount it
	Obstacle           *spec.Reason
}

// UnknownClaims are the claims of a team's namespace that no row knows.
// Administrators only.
func (s *Service) UnknownClaims(ctx context.Context, teamID string) ([]UnknownClaim, error) {
	t, err := s.administered(ctx, teamID)
	if err != nil {
		return nil, err
	}
	claims, err := s.unknownClaims(authz.AsSystem(ctx), t)
	if err != nil {
		return nil, err
	}
	users, err := s.mountedBy(ctx, t.Namespace)
	if err != nil {
		return nil, err
	}
	out := make([]UnknownClaim, len(claims))
	for i := range claims {
		c := &claims[i]
		out[i] = UnknownClaim{Name: c.Name, SizeBytes: sizeOf(c), Phase: string(c.Status.Phase), CreatedAt: c.CreationTimestamp.UTC(),
			Ours: c.Labels[manifest.LabelManagedBy] == manifest.Manager, Pods: users[c.Name], Obstacle: obstacle(c)}
		if c.Spec.StorageClassName != nil {
			out[i].StorageClass = *c.Spec.StorageClassName
		}
		for _, m := range c.Spec.AccessModes {
			out[i].AccessModes = append(out[i].AccessModes, string(m))
		}
	}
	return out, nil
}

// administered is a team for an administrator to look into; the cluster is there.
func (s *Service) administered(ctx context.Context, teamID string) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, teamID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Platform, teamID); err != nil {
		return nil, err
	}
	if s.Kube == nil {
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil)
	}
	return t, nil
}

// unknownClaims are the claims of a namespace that no row of its team names.
// What the platform makes for other ends, as for a share, carries labels of its own.
func (s *Service) unknownClaims(sys context.Context, t *ent.Team) ([]corev1.PersistentVolumeClaim, error) {
	found, err := s.Kube.CoreV1().PersistentVolumeClaims(t.Namespace).List(sys, metav1.ListOptions{})
	if err != nil {
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	}
	known, err := s.DB.Client.Volume.Query().Where(entvolume.TeamID(t.ID)).Select(entvolume.FieldObjectName).Strings(sys)
	if err != nil {
		return nil, fmt.Errorf("volumes of team %s: %w", t.ID, err)
	}
	return slices.DeleteFunc(found.Items, func(c corev1.PersistentVolumeClaim) bool {
		other := c.Labels[manifest.LabelManagedBy] == manifest.Manager && c.Labels[manifest.LabelVolumeID] == ""
		return other || slices.Contains(known, c.Name)
	}), nil
}

// mountedBy are the pods of a namespace by the claims that they mount.
func (s *Service) mountedBy(ctx context.Context, namespace string) (map[string][]string, error) {
	pods, err := s.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	}
	out := map[string][]string{}
	for i := range pods.Items {
		p := &pods.Items[i]
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				out[v.PersistentVolumeClaim.ClaimName] = append(out[v.PersistentVolumeClaim.ClaimName], p.Name)
			}
		}
	}
	return out, nil
}

// sizeOf is what a claim has, or asks for as long as it has nothing.
func sizeOf(c *corev1.PersistentVolumeClaim) int64 { return max(requestOf(c), capacityOf(c)) }

// obstacle says why a claim cannot be a volume; nil when it can.
func obstacle(c *corev1.PersistentVolumeClaim) *spec.Reason {
	switch {
	case c.DeletionTimestamp != nil:
		return &spec.Reason{Code: "claim-ending"}
	case c.Spec.VolumeMode != nil && *c.Spec.VolumeMode == corev1.PersistentVolumeBlock:
		return &spec.Reason{Code: "claim-block"}
	case accessMode(c) == "":
		return &spec.Reason{Code: "claim-access-mode"}
	case c.Status.Phase != corev1.ClaimBound:
		return &spec.Reason{Code: "claim-not-bound", Args: map[string]any{"phase": string(c.Status.Phase)}}
	}
	return nil
}

func accessMode(c *corev1.PersistentVolumeClaim) entvolume.AccessMode {
	return modeOf(c.Spec.AccessModes)
}

// whollyOurs reports whether a claim is as we would make it, and so can be
// applied as ours are. It would lose what we own of it otherwise.
func whollyOurs(c *corev1.PersistentVolumeClaim) bool {
	return c.Labels[manifest.LabelManagedBy] == manifest.Manager && c.Labels[manifest.LabelVolumeID] != "" && len(c.Spec.AccessModes) == 1 &&
		slices.ContainsFunc(c.ManagedFields, func(m metav1.ManagedFieldsEntry) bool {
			return m.Manager == manifest.Manager && m.Operation == metav1.ManagedFieldsOperationApply
		})
}

// modeOf is the widest of some modes that volumes know; empty for none.
func modeOf(modes []corev1.PersistentVolumeAccessMode) entvolume.AccessMode {
	switch {
	case slices.Contains(modes, corev1.ReadWriteMany):
		return entvolume.AccessModeReadWriteMany
	case slices.Contains(modes, corev1.ReadWriteOnce):
		return entvolume.AccessModeReadWriteOnce
	}
	return ""
}

// AdoptInput names a claim and who owns it from now on.
type AdoptInput struct {
	TeamID, Claim, OwnerID string
	Name, Description      string

	oldID string // under which it was a volume once
}

// Adopt makes a volume of a claim that is in a team's namespace already.
// Administrators only. The claim takes from the cluster's quota already, so the
// platform's does not refuse it.
func (s *Service) Adopt(ctx context.Context, in AdoptInput) (*ent.Volume, error) {
	t, err := s.administered(ctx, in.TeamID)
	if err != nil {
		return nil, err
	}
	sys := authz.AsSystem(ctx)
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	checkDescription(&f, "description", in.Description)
	member, err := s.DB.Client.Membership.Query().Where(membership.TeamID(t.ID), membership.UserID(in.OwnerID)).Exist(sys)
	if err != nil {
		return nil, fmt.Errorf("member of team %s: %w", t.ID, err)
	}
	if !member {
		f.Add("ownerId", "volume.owner", fault.Args{"team": t.Name})
	}
	claim, err := s.Kube.CoreV1().PersistentVolumeClaims(t.Namespace).Get(ctx, in.Claim, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), in.Claim == "":
		f.Add("claim", "volume.no-claim", fault.Args{"name": clip(in.Claim), "namespace": t.Namespace})
	case err != nil:
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	case claim.Labels[manifest.LabelManagedBy] == manifest.Manager && claim.Labels[manifest.LabelVolumeID] == "":
		f.Add("claim", "volume.claim-of-platform", fault.Args{"name": in.Claim})
	default:
		if o := obstacle(claim); o != nil {
			f.Add("claim", "volume."+o.Code, o.Args)
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if claim.Labels[manifest.LabelManagedBy] == manifest.Manager {
		in.oldID = claim.Labels[manifest.LabelVolumeID]
	}
	return s.adopt(ctx, t, claim, in)
}

func (s *Service) adopt(ctx context.Context, t *ent.Team, claim *corev1.PersistentVolumeClaim, in AdoptInput) (*ent.Volume, error) {
	var row *ent.Volume
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := team.Lock(ctx, tx, s.DB, t.ID); err != nil {
			return err
		}
		known, err := tx.Volume.Query().Where(entvolume.TeamID(t.ID), entvolume.ObjectName(claim.Name)).Exist(authz.AsSystem(ctx))
		if err != nil {
			return fmt.Errorf("look for claim %s: %w", claim.Name, err)
		}
		if known {
			var f fault.Fields
			f.Add("claim", "volume.claim-known", fault.Args{"name": claim.Name})
			return f.Err()
		}
		id, err := freeID(ctx, tx, in.oldID)
		if err != nil {
			return err
		}
		class := ""
		if claim.Spec.StorageClassName != nil {
			class = *claim.Spec.StorageClassName
		}
		row, err = tx.Volume.Create().SetID(id).SetTeamID(t.ID).SetOwnerID(in.OwnerID).SetName(in.Name).
			SetDescription(in.Description).SetKind(entvolume.KindData).SetObjectName(claim.Name).SetAdopted(!whollyOurs(claim)).
			SetSizeBytes(requestOf(claim)).SetCapacityBytes(capacityOf(claim)).SetAccessMode(accessMode(claim)).SetStorageClass(class).
			SetPhase(entvolume.PhaseBound).Save(ctx)
		if err != nil {
			return err
		}
		after := shown(row)
		after["claim"] = claim.Name
		return note(ctx, tx, row, "volume.adopt", "adopted", nil, after)
	})
	if err != nil {
		return nil, fmt.Errorf("adopt claim %s/%s: %w", t.Namespace, claim.Name, err)
	}
	return s.committed(ctx, row.Unwrap()), nil
}
