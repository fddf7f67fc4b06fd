package platformvolume

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// OnChange maps a change of the cluster to the platform volume that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	id = c.Labels[manifest.LabelPlatformVolumeID]
	return id, id != ""
}

// Observe keeps nothing: what stands in the way is the reason.
func (s *Service) Observe(context.Context, *corev1.Event) error { return nil }

// Mounts are the platform volumes for a pod of a team that starts now: those
// that have reached its namespace. None of them keeps a pod from starting.
func (s *Service) Mounts(ctx context.Context, teamID string) ([]manifest.PlatformMount, error) {
	rows, err := s.DB.Client.PlatformVolume.Query().Where(entplatform.DesiredEQ(entplatform.DesiredPresent), entplatform.Enabled(true)).
		Order(ent.Asc(entplatform.FieldPath, entplatform.FieldID)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("platform volumes: %w", err)
	}
	var out []manifest.PlatformMount
	for _, r := range rows {
		if slices.Contains(r.ReadyTeams, teamID) {
			out = append(out, manifest.PlatformMount{Claim: PairName(r.ID, teamID, r.ReadOnly), Path: r.Path, ReadOnly: r.ReadOnly})
		}
	}
	return out, nil
}

// Reconcile brings what a platform volume needs in the cluster to what its row says.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.PlatformVolume.Get(ctx, id)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("load platform volume %s: %w", id, err)
	}
	if s.Kube == nil || s.Cache != nil && !s.Cache.Synced() {
		return soon, nil
	}
	teams, err := s.teams(ctx)
	if err != nil {
		return 0, err
	}
	w := Want{Deleted: row.Desired == entplatform.DesiredDeleted, Made: row.Made, ReadOnly: row.ReadOnly, ID: row.ID}
	for _, t := range teams {
		w.Teams = append(w.Teams, Team{t.ID, t.Namespace})
	}
	seen, err := s.observe(ctx, row)
	if err != nil {
		return 0, err
	}
	d := Decide(w, seen)
	if d.Forget {
		return 0, s.forget(ctx, row)
	}
	if err := s.carryOut(ctx, row, seen, &d); err != nil {
		return 0, err
	}
	return d.After, s.save(ctx, row, d, seen)
}

// observe asks the API server: this happens seldom, and a cache may lag behind
// what was just made.
func (s *Service) observe(ctx context.Context, row *ent.PlatformVolume) (Seen, error) {
	var seen Seen
	source, err := s.Kube.CoreV1().PersistentVolumeClaims(row.SourceNamespace).Get(ctx, row.SourceClaim, metav1.GetOptions{})
	switch {
	case err == nil:
		seen.Source = source
	case !apierrors.IsNotFound(err):
		return seen, fmt.Errorf("source of platform volume %s: %w", row.ID, err)
	}
	if source != nil && err == nil && source.Spec.VolumeName != "" {
		pv, err := s.Kube.CoreV1().PersistentVolumes().Get(ctx, source.Spec.VolumeName, metav1.GetOptions{})
		switch {
		case err == nil:
			seen.Disk, seen.Obstacle = pv, mountable(pv)
		case !apierrors.IsNotFound(err):
			return seen, fmt.Errorf("disk of platform volume %s: %w", row.ID, err)
		}
	}
	mine := metav1.ListOptions{LabelSelector: manifest.LabelPlatformVolumeID + "=" + row.ID + "," + manifest.LabelComponent + "=" + manifest.ComponentPlatform}
	disks, err := s.Kube.CoreV1().PersistentVolumes().List(ctx, mine)
	if err != nil {
		return seen, fmt.Errorf("disks of platform volume %s: %w", row.ID, err)
	}
	claims, err := s.Kube.CoreV1().PersistentVolumeClaims(metav1.NamespaceAll).List(ctx, mine)
	if err != nil {
		return seen, fmt.Errorf("claims of platform volume %s: %w", row.ID, err)
	}
	pairs := map[string]*Pair{}
	pair := func(name string) *Pair {
		if pairs[name] == nil {
			pairs[name] = &Pair{Name: name}
		}
		return pairs[name]
	}
	for i := range disks.Items {
		p := pair(disks.Items[i].Name)
		gone := disks.Items[i].DeletionTimestamp != nil
		p.Stale = disks.Items[i].Status.Phase == corev1.VolumeReleased && !gone
		p.Volume = !p.Stale && !gone
		if r := disks.Items[i].Spec.ClaimRef; r != nil {
			p.Namespace = r.Namespace
		}
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		p := pair(c.Name)
		p.Claim, p.Namespace, p.Ending = true, c.Namespace, c.DeletionTimestamp != nil
		p.Bound = c.Status.Phase == corev1.ClaimBound
	}
	for _, p := range pairs {
		seen.Pairs = append(seen.Pairs, *p)
	}
	return seen, nil
}

// carryOut does what was decided. What the cluster refuses of one team is told
// and does not keep it from the others.
func (s *Service) carryOut(ctx context.Context, row *ent.PlatformVolume, seen Seen, d *Decision) error {
	if d.MakeSource {
		if err := s.makeSource(ctx, row); err != nil {
			var status apierrors.APIStatus
			if !errors.As(err, &status) || !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
				return err
			}
			d.Phase, d.Reason, d.After = entplatform.PhaseFailed, &spec.Reason{Code: "volume-refused", Args: map[string]any{"detail": status.Status().Message}}, refused
		}
	}
	failed, detail := 0, ""
	for _, t := range d.Apply {
		if err := s.apply(ctx, row, t, seen.Disk); err != nil {
			failed, detail = failed+1, err.Error()
		}
	}
	if failed > 0 {
		d.Reason, d.After = &spec.Reason{Code: "platformvolume-teams", Args: map[string]any{"count": strconv.Itoa(failed), "detail": detail}}, refused
	}
	for _, p := range d.Remove {
		if err := s.remove(ctx, row.ID, p); err != nil {
			return err
		}
	}
	for _, p := range d.Free {
		if err := s.dropVolume(ctx, row.ID, p.Name); err != nil {
			return err
		}
	}
	if d.RemoveSource {
		err := s.Kube.CoreV1().PersistentVolumeClaims(row.SourceNamespace).Delete(ctx, row.SourceClaim,
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &seen.Source.UID}})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("delete source of platform volume %s: %w", row.ID, err)
		}
	}
	return nil
}

// makeSource makes the claim of a new disk in the platform's namespace, which nothing runs in.
func (s *Service) makeSource(ctx context.Context, row *ent.PlatformVolume) error {
	ns := corev1ac.Namespace(Namespace).WithLabels(map[string]string{manifest.LabelManagedBy: manifest.Manager, manifest.LabelPartOf: manifest.Manager,
		"pod-security.kubernetes.io/enforce": "restricted"})
	if _, err := s.Kube.CoreV1().Namespaces().Apply(ctx, ns, kube.Apply); err != nil {
		return fmt.Errorf("namespace %s: %w", Namespace, err)
	}
	c := manifest.PlatformSource(manifest.Volume{Object: manifest.Object{Namespace: row.SourceNamespace, Name: row.SourceClaim, ID: row.ID, Title: row.Name, Generation: row.Generation},
		StorageClass: row.StorageClass, AccessMode: string(corev1.ReadWriteMany), SizeBytes: row.SizeBytes})
	if _, err := s.Kube.CoreV1().PersistentVolumeClaims(Namespace).Apply(ctx, c, kube.Apply); err != nil {
		return fmt.Errorf("source of platform volume %s: %w", row.ID, err)
	}
	return nil
}

// apply makes the pair of a team, the disk first.
func (s *Service) apply(ctx context.Context, row *ent.PlatformVolume, t Team, disk *corev1.PersistentVolume) error {
	o := manifest.PlatformCopy{
		Object:  manifest.Object{Namespace: t.Namespace, Name: PairName(row.ID, t.ID, row.ReadOnly), ID: row.ID, TeamID: t.ID, Title: row.Name, Generation: row.Generation},
		Storage: disk.Spec, ReadOnly: row.ReadOnly,
	}
	pv, claim, err := manifest.PlatformPair(o)
	if err != nil {
		return err
	}
	return kube.Retry(func() error {
		if _, err := s.Kube.CoreV1().PersistentVolumes().Apply(ctx, pv, kube.Apply); err != nil {
			return fmt.Errorf("disk for the namespace %s: %w", t.Namespace, err)
		}
		if _, err := s.Kube.CoreV1().PersistentVolumeClaims(t.Namespace).Apply(ctx, claim, kube.Apply); err != nil {
			return fmt.Errorf("claim in the namespace %s: %w", t.Namespace, err)
		}
		return nil
	})
}

// remove takes a pair away: its claim, which goes once nothing mounts it, and
// then its disk, which keeps the data.
func (s *Service) remove(ctx context.Context, id string, p Pair) error {
	if p.Claim {
		if p.Ending {
			return nil
		}
		err := s.Kube.CoreV1().PersistentVolumeClaims(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete claim %s/%s: %w", p.Namespace, p.Name, err)
		}
		return nil
	}
	return s.dropVolume(ctx, id, p.Name)
}

// dropVolume deletes a team's PersistentVolume as long as that keeps the data.
func (s *Service) dropVolume(ctx context.Context, id, name string) error {
	pv, err := s.Kube.CoreV1().PersistentVolumes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("disk %s: %w", name, err)
	}
	if pv.Labels[manifest.LabelPlatformVolumeID] != id || pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain || pv.DeletionTimestamp != nil {
		return nil // nothing that is deleted may take the data along
	}
	err = s.Kube.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pv.UID, ResourceVersion: &pv.ResourceVersion}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete disk %s: %w", name, err)
	}
	return nil
}

// save is the one writer of the status; it writes news only.
func (s *Service) save(ctx context.Context, row *ent.PlatformVolume, d Decision, seen Seen) error {
	size := row.SizeBytes
	if !row.Made && seen.Disk != nil {
		size = seen.Disk.Spec.Capacity.Storage().Value()
	}
	if d.Reason != nil && d.Reason.Code == "platformvolume-claim-gone" {
		d.Reason.Args = map[string]any{"claim": row.SourceClaim, "namespace": row.SourceNamespace}
	}
	if d.Phase == row.Phase && row.Generation == row.ObservedGeneration && size == row.SizeBytes && slices.Equal(d.Ready, row.ReadyTeams) && reflect.DeepEqual(d.Reason, row.Reason) {
		return nil
	}
	u := s.DB.Client.PlatformVolume.Update().Where(entplatform.ID(row.ID), entplatform.Version(row.Version)).AddVersion(1).
		SetPhase(d.Phase).SetObservedGeneration(row.Generation).SetSizeBytes(size).SetReadyTeams(d.Ready)
	if d.Reason == nil {
		u.ClearReason()
	} else {
		u.SetReason(d.Reason)
	}
	n, err := u.Save(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("save platform volume %s: %w", row.ID, err)
	case n == 0:
		return fmt.Errorf("save platform volume %s: changed meanwhile", row.ID)
	}
	row.Version++
	s.published(ctx, row)
	return nil
}

func (s *Service) forget(ctx context.Context, row *ent.PlatformVolume) error {
	if err := s.DB.Client.PlatformVolume.DeleteOneID(row.ID).Exec(ctx); err != nil && !ent.IsNotFound(err) {
		return fmt.Errorf("delete platform volume %s: %w", row.ID, err)
	}
	row.Version++
	s.published(ctx, row)
	return nil
}

// Sweep wakes the platform volumes that are not at rest, and all of them when a
// team is new or gone.
func (s *Service) Sweep(ctx context.Context) error {
	sys := authz.AsSystem(ctx)
	rows, err := s.DB.Client.PlatformVolume.Query().All(sys)
	if err != nil {
		return fmt.Errorf("platform volumes: %w", err)
	}
	teams, err := s.teams(sys)
	if err != nil {
		return err
	}
	ids := make([]string, len(teams))
	for i, t := range teams {
		ids[i] = t.ID
	}
	slices.Sort(ids)
	for _, r := range rows {
		rest := r.Phase == entplatform.PhaseReady && r.ObservedGeneration == r.Generation && slices.Equal(r.ReadyTeams, ids)
		if !rest {
			s.Kicker.Kick(outbox.PlatformVolume, r.ID)
		}
	}
	return nil
}
