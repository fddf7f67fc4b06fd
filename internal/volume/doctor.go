package volume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Kinds of findings.
const (
	ClaimWithoutVolume = "claim-without-volume" // it carries our labels, and no row stands for it
	VolumeWithoutClaim = "volume-without-claim" // its claim is gone, and the disk with it unless the storage kept that
	DiskWithoutClaim   = "disk-without-claim"   // the storage kept it after its claim went
)

// Finding is where rows and the cluster do not agree (P74).
type Finding struct {
	Kind      string   `json:"kind"`
	Ref       string   `json:"ref"` // by which it is adopted or deleted
	Name      string   `json:"name"`
	Namespace string   `json:"namespace"`
	Claim     string   `json:"claim"`
	Disk      string   `json:"disk,omitempty"` // the PersistentVolume
	VolumeID  string   `json:"volumeId,omitempty"`
	TeamID    string   `json:"teamId,omitempty"`
	Team      string   `json:"team,omitempty"`
	OwnerID   string   `json:"ownerId,omitempty"` // who has it, or would get it
	Owner     string   `json:"owner,omitempty"`
	SizeBytes int64    `json:"sizeBytes"`
	Pods      []string `json:"pods,omitempty"` // that mount it
	Adopt     bool     `json:"canAdopt"`
	Delete    bool     `json:"canDelete"`
	Why       string   `json:"whyNot,omitempty"` // it cannot be adopted
}

// Findings compares rows, claims and disks, and changes nothing. It is the
// platform's own, for an operator at a terminal.
func (s *Service) Findings(ctx context.Context) ([]Finding, error) {
	ctx = authz.AsSystem(ctx)
	claims, err := s.Kube.CoreV1().PersistentVolumeClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("claims of the cluster: %w", err)
	}
	disks, err := s.Kube.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("disks of the cluster: %w", err)
	}
	rows, err := s.DB.Client.Volume.Query().WithTeam().WithOwner().All(ctx)
	if err != nil {
		return nil, fmt.Errorf("volumes: %w", err)
	}
	teams, err := s.DB.Client.Team.Query().All(ctx)
	if err != nil {
		return nil, fmt.Errorf("teams: %w", err)
	}
	out := compare(rows, teams, claims.Items, disks.Items)
	for i := range out {
		if err := s.complete(ctx, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compare finds what has no counterpart.
func compare(rows []*ent.Volume, teams []*ent.Team, claims []corev1.PersistentVolumeClaim, disks []corev1.PersistentVolume) []Finding {
	byNamespace, known, there := map[string]*ent.Team{}, map[claimKey]bool{}, map[claimKey]bool{}
	for _, t := range teams {
		byNamespace[t.Namespace] = t
	}
	for _, r := range rows {
		known[claimKey{r.Edges.Team.Namespace, r.ObjectName}] = true
	}
	var out []Finding
	for i := range claims {
		c := &claims[i]
		k := claimKey{c.Namespace, c.Name}
		there[k] = true
		if known[k] || c.Labels[manifest.LabelManagedBy] != manifest.Manager || c.Labels[manifest.LabelVolumeID] == "" {
			continue
		}
		f := Finding{Kind: ClaimWithoutVolume, Ref: "claim:" + c.Namespace + "/" + c.Name, Name: title(c), Namespace: c.Namespace, Claim: c.Name, Disk: c.Spec.VolumeName,
			VolumeID: c.Labels[manifest.LabelVolumeID], OwnerID: c.Labels[manifest.LabelOwnerID], SizeBytes: sizeOf(c), Delete: c.DeletionTimestamp == nil}
		f.of(byNamespace[c.Namespace])
		if o := obstacle(c); o != nil {
			f.Why = o.Code
		}
		out = append(out, f)
	}
	for _, r := range rows {
		k := claimKey{r.Edges.Team.Namespace, r.ObjectName}
		waits := r.Phase == entvolume.PhasePending || r.Desired == entvolume.DesiredDeleted
		if there[k] || waits {
			continue
		}
		f := Finding{Kind: VolumeWithoutClaim, Ref: "volume:" + r.ID, Name: r.Name, Namespace: k.namespace, Claim: r.ObjectName, VolumeID: r.ID,
			OwnerID: r.OwnerID, SizeBytes: r.SizeBytes, Delete: true, Why: "claim-gone"}
		f.of(r.Edges.Team)
		out = append(out, f)
	}
	for i := range disks {
		if f, ok := kept(&disks[i], byNamespace, there); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref)) })
	return out
}

// kept is a disk of a volume of ours that its storage kept.
func kept(pv *corev1.PersistentVolume, byNamespace map[string]*ent.Team, there map[claimKey]bool) (Finding, bool) {
	ref := pv.Spec.ClaimRef
	if ref == nil || pv.Status.Phase != corev1.VolumeReleased || pv.Labels[manifest.LabelManagedBy] == manifest.Manager || pv.DeletionTimestamp != nil {
		return Finding{}, false
	}
	id, ok := kube.SubjectID(corev1.ObjectReference{Name: ref.Name})
	t := byNamespace[ref.Namespace]
	if t == nil && (!ok || !ident.Is(ident.Volume, id)) {
		return Finding{}, false // somebody else's
	}
	f := Finding{Kind: DiskWithoutClaim, Ref: "disk:" + pv.Name, Name: ref.Name, Namespace: ref.Namespace, Claim: ref.Name, Disk: pv.Name,
		SizeBytes: pv.Spec.Capacity.Storage().Value(), Delete: true}
	if ok && ident.Is(ident.Volume, id) {
		f.VolumeID = id
	}
	f.of(t)
	switch {
	case there[claimKey{ref.Namespace, ref.Name}]:
		f.Why = "claim-anew" // a claim of its name is there already
	case pv.Spec.VolumeMode != nil && *pv.Spec.VolumeMode == corev1.PersistentVolumeBlock:
		f.Why = "claim-block"
	case modeOf(pv.Spec.AccessModes) == "":
		f.Why = "claim-access-mode"
	}
	return f, true
}

func (f *Finding) of(t *ent.Team) {
	if t == nil {
		f.Why = "no-team"
		return
	}
	f.TeamID, f.Team = t.ID, t.Name
}

func title(c *corev1.PersistentVolumeClaim) string {
	if t := c.Annotations[manifest.AnnotationName]; t != "" {
		return t
	}
	return c.Name
}

// complete adds who would own it – whom the claim names if they are still in
// the team, else an owner of the team – and what mounts it.
func (s *Service) complete(ctx context.Context, f *Finding) error {
	if f.TeamID != "" {
		owner, err := s.heir(ctx, f.TeamID, f.OwnerID)
		if err != nil {
			return err
		}
		switch {
		case f.Kind == VolumeWithoutClaim: // its owner is in the row
		case owner == nil:
			f.OwnerID, f.Why = "", cmp.Or(f.Why, "no-owner")
		default:
			f.OwnerID = owner.ID
		}
		if owner != nil && owner.ID == f.OwnerID {
			f.Owner = owner.DisplayName
		}
	}
	f.Adopt = f.Why == "" && f.Kind != VolumeWithoutClaim
	if f.Kind != ClaimWithoutVolume {
		return nil
	}
	users, err := s.mountedBy(ctx, f.Namespace)
	f.Pods = users[f.Claim]
	return err
}

// heir is the person of the id if they are in the team, else the first owner of it; nil for neither.
func (s *Service) heir(ctx context.Context, teamID, userID string) (*ent.User, error) {
	members, err := s.DB.Client.Membership.Query().Where(membership.TeamID(teamID)).WithUser().Order(ent.Asc(membership.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("members of team %s: %w", teamID, err)
	}
	var owner *ent.User
	for _, m := range members {
		if m.Edges.User == nil || m.Edges.User.DisabledAt != nil {
			continue
		}
		if m.UserID == userID {
			return m.Edges.User, nil
		}
		if owner == nil && m.Role == authz.RoleOwner {
			owner = m.Edges.User
		}
	}
	return owner, nil
}

// errMoved says that what was found is not so any more.
var errMoved = errors.New("it has changed since it was listed; look again")

// AdoptFinding makes a volume of a claim without one, or of a disk that was
// kept. Under its old id, as long as nothing else has it, so that what mounted
// it finds it again.
func (s *Service) AdoptFinding(ctx context.Context, f Finding) (id string, err error) {
	ctx = authz.AsSystem(ctx)
	if !f.Adopt {
		return "", fmt.Errorf("%s cannot be adopted: %s", f.Ref, f.Why)
	}
	t, err := s.DB.Client.Team.Query().Where(entteam.ID(f.TeamID)).Only(ctx)
	if err != nil {
		return "", fmt.Errorf("team of %s: %w", f.Ref, err)
	}
	in := AdoptInput{TeamID: t.ID, Claim: f.Claim, OwnerID: f.OwnerID, Name: f.Name, oldID: f.VolumeID}
	if f.Kind == DiskWithoutClaim {
		return idOf(s.adoptDisk(ctx, t, f, in))
	}
	c, err := s.Kube.CoreV1().PersistentVolumeClaims(f.Namespace).Get(ctx, f.Claim, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("claim of %s: %w", f.Ref, err)
	}
	if o := obstacle(c); o != nil {
		return "", errMoved
	}
	return idOf(s.adopt(ctx, t, c, in))
}

func idOf(v *ent.Volume, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return v.ID, nil
}

// adoptDisk frees a disk for the claim that the new volume will make, under the
// old name; no other claim can get it meanwhile.
func (s *Service) adoptDisk(ctx context.Context, t *ent.Team, f Finding, in AdoptInput) (*ent.Volume, error) {
	pv, err := s.Kube.CoreV1().PersistentVolumes().Get(ctx, f.Disk, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("disk of %s: %w", f.Ref, err)
	}
	if pv.Status.Phase != corev1.VolumeReleased || pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.Name != f.Claim || pv.Spec.ClaimRef.Namespace != t.Namespace {
		return nil, errMoved
	}
	var row *ent.Volume
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := team.Lock(ctx, tx, s.DB, t.ID); err != nil {
			return err
		}
		id, err := freeID(ctx, tx, in.oldID)
		if err != nil {
			return err
		}
		row, err = tx.Volume.Create().SetID(id).SetTeamID(t.ID).SetOwnerID(in.OwnerID).SetName(in.Name).SetKind(entvolume.KindData).
			SetObjectName(f.Claim).SetSizeBytes(pv.Spec.Capacity.Storage().Value()).SetAccessMode(modeOf(pv.Spec.AccessModes)).
			SetStorageClass(pv.Spec.StorageClassName).Save(ctx)
		if err != nil {
			return err
		}
		after := shown(row)
		after["disk"] = pv.Name
		return noteAs(ctx, tx, row, platform, "volume.adopt", "adopted", nil, after)
	})
	if err != nil {
		return nil, fmt.Errorf("adopt %s: %w", f.Ref, err)
	}
	patch := fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q},"spec":{"claimRef":{"uid":null,"resourceVersion":null}}}`, pv.ResourceVersion)
	if _, err := s.Kube.CoreV1().PersistentVolumes().Patch(ctx, pv.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manifest.Manager}); err != nil {
		return nil, fmt.Errorf("free the disk of %s: %w", f.Ref, err)
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// freeID is the old id if it is one and nothing has it, else a new one.
func freeID(ctx context.Context, tx *ent.Tx, old string) (string, error) {
	if !ident.Is(ident.Volume, old) {
		return ident.New(ident.Volume), nil
	}
	taken, err := tx.Volume.Query().Where(entvolume.ID(old)).Exist(ctx)
	if err != nil {
		return "", fmt.Errorf("look for volume %s: %w", old, err)
	}
	if taken {
		return ident.New(ident.Volume), nil
	}
	return old, nil
}

// DeleteFinding deletes what has no counterpart: a claim with its disk, a row,
// or a disk that was kept.
func (s *Service) DeleteFinding(ctx context.Context, f Finding) error {
	ctx = authz.AsSystem(ctx)
	if !f.Delete {
		return fmt.Errorf("%s is being deleted already", f.Ref)
	}
	switch f.Kind {
	case ClaimWithoutVolume:
		if len(f.Pods) > 0 {
			return fault.New(fault.FailedPrecondition, "volume.in-use", fault.Args{"name": f.Name, "holders": f.Pods})
		}
		c, err := s.Kube.CoreV1().PersistentVolumeClaims(f.Namespace).Get(ctx, f.Claim, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("claim of %s: %w", f.Ref, err)
		}
		o := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &c.UID}}
		if err := s.Kube.CoreV1().PersistentVolumeClaims(f.Namespace).Delete(ctx, f.Claim, o); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s: %w", f.Ref, err)
		}
		return nil
	case VolumeWithoutClaim:
		row, err := s.visible(ctx, f.VolumeID)
		if err != nil {
			return err
		}
		return s.Delete(ctx, row.ID, row.Name)
	case DiskWithoutClaim: // its storage deletes it, as it would have with its claim
		_, err := s.Kube.CoreV1().PersistentVolumes().Patch(ctx, f.Disk, types.MergePatchType,
			[]byte(`{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}`), metav1.PatchOptions{FieldManager: manifest.Manager})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s: %w", f.Ref, err)
		}
		return nil
	}
	return fmt.Errorf("%s is no kind of finding", f.Kind)
}
