package share

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// loaded is a share with what its objects are made of.
type loaded struct {
	row       *ent.Share
	volume    *ent.Volume              // nil once it is gone
	team      *ent.Team                // where it is mounted; nil for none
	owner     *ent.User                // of the volume
	storage   *corev1.PersistentVolume // behind the volume; nil for none
	mountable *spec.Reason             // why that cannot be mounted from elsewhere
}

func (s *Service) load(ctx context.Context, row *ent.Share) (*loaded, error) {
	l := &loaded{row: row}
	var err error
	if l.volume, err = s.behind(ctx, s.DB.Client, row); err != nil {
		return nil, err
	}
	if row.TeamID != "" {
		l.team, err = s.DB.Client.Team.Query().Where(entteam.ID(row.TeamID)).Only(ctx)
		if err != nil && !ent.IsNotFound(err) {
			return nil, fmt.Errorf("team of share %s: %w", row.ID, err)
		}
	}
	if l.volume == nil || !across(row) {
		return l, nil
	}
	if l.owner, err = s.DB.Client.User.Get(ctx, l.volume.OwnerID); err != nil {
		return nil, fmt.Errorf("owner of volume %s: %w", l.volume.ID, err)
	}
	if l.storage, err = s.disk(ctx, l.volume); err != nil {
		return nil, err
	}
	l.mountable = Mountable(l.storage)
	return l, nil
}

// storage is why the storage of a volume cannot be mounted from another
// namespace; nil when it can, or when there is no cluster to ask.
func (s *Service) storage(ctx context.Context, vol *ent.Volume) (*spec.Reason, error) {
	if s.Kube == nil {
		return nil, nil
	}
	pv, err := s.disk(authz.AsSystem(ctx), vol)
	if err != nil {
		return nil, err
	}
	return Mountable(pv), nil
}

// disk is the PersistentVolume that the claim of a volume is bound to; nil for none.
func (s *Service) disk(ctx context.Context, vol *ent.Volume) (*corev1.PersistentVolume, error) {
	t, err := s.DB.Client.Team.Query().Where(entteam.ID(vol.TeamID)).Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("team of volume %s: %w", vol.ID, err)
	}
	claim, err := s.claim(ctx, t.Namespace, vol.ObjectName)
	if err != nil || claim == nil || claim.Spec.VolumeName == "" {
		return nil, err
	}
	pv, err := s.persistentVolume(ctx, claim.Spec.VolumeName)
	if err != nil || pv == nil {
		return nil, err
	}
	if r := pv.Spec.ClaimRef; r == nil || r.UID != claim.UID { // bound on one side alone
		return nil, nil
	}
	return pv, nil
}

func (s *Service) claim(ctx context.Context, namespace, name string) (*corev1.PersistentVolumeClaim, error) {
	c, err := s.Kube.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", name, err)
	}
	return c, nil
}

func (s *Service) persistentVolume(ctx context.Context, name string) (*corev1.PersistentVolume, error) {
	pv, err := s.Kube.CoreV1().PersistentVolumes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("volume %s: %w", name, err)
	}
	return pv, nil
}

// objectName is that of the pair of a mode.
func objectName(sh *ent.Share, m entshare.Mode) string {
	if m == entshare.ModeReadWrite {
		return sh.ReadWriteName
	}
	return sh.ReadOnlyName
}

// observe looks at everything that a decision hangs on.
func (s *Service) observe(ctx context.Context, l *loaded) (Observed, error) {
	o := Observed{Storage: l.mountable, Pairs: map[entshare.Mode]Pair{}}
	var err error
	if o.Consumers, err = s.live(ctx, s.DB.Client, l.row); err != nil {
		return o, err
	}
	if !Open(l.row) {
		if o.Asking, err = s.asking(ctx, s.DB.Client, l.row); err != nil {
			return o, err
		}
	}
	if !across(l.row) || l.row.AcceptedAt == nil {
		return o, nil
	}
	for _, m := range []entshare.Mode{entshare.ModeReadOnly, entshare.ModeReadWrite} {
		if o.Pairs[m], err = s.pair(ctx, l, m); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (s *Service) pair(ctx context.Context, l *loaded, m entshare.Mode) (Pair, error) {
	var p Pair
	name := objectName(l.row, m)
	pv, err := s.persistentVolume(ctx, name)
	if err != nil {
		return p, err
	}
	var claim *corev1.PersistentVolumeClaim
	if l.team != nil {
		if claim, err = s.claim(ctx, l.team.Namespace, name); err != nil {
			return p, err
		}
		if p.InUse, err = s.inUse(l.team.Namespace, name); err != nil {
			return p, err
		}
	}
	if claim != nil {
		p.Claim = &Claim{Bound: claim.Status.Phase == corev1.ClaimBound, Lost: claim.Status.Phase == corev1.ClaimLost, Deleting: claim.DeletionTimestamp != nil}
	}
	if pv != nil {
		p.Volume = seen(pv, claim, l, m)
	}
	return p, nil
}

// seen reads a share's volume. Where the storage behind is gone, nothing tells
// whether it is the same; it only has to go then.
func seen(pv *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim, l *loaded, m entshare.Mode) *Volume {
	v := &Volume{Retain: pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain,
		Same: true, Deleting: pv.DeletionTimestamp != nil,
		Released: pv.Status.Phase == corev1.VolumeReleased || pv.Status.Phase == corev1.VolumeFailed}
	ref := pv.Spec.ClaimRef
	switch {
	case ref == nil:
		v.Same = false
	case l.team != nil && (ref.Namespace != l.team.Namespace || ref.Name != pv.Name):
		v.Same = false
	case ref.UID != "" && (claim == nil || claim.UID != ref.UID):
		v.Released = true
	}
	if l.storage != nil {
		want := manifest.ShareStorage(l.storage.Spec.PersistentVolumeSource, m == entshare.ModeReadOnly)
		v.Same = v.Same && reflect.DeepEqual(want, pv.Spec.PersistentVolumeSource)
	}
	return v
}

// inUse reports whether something that runs, or is about to, mounts a claim:
// pods, and what makes pods.
func (s *Service) inUse(namespace, claim string) (bool, error) {
	mounted := func(volumes []corev1.Volume) bool {
		for _, v := range volumes {
			if c := v.PersistentVolumeClaim; c != nil && c.ClaimName == claim {
				return true
			}
		}
		return false
	}
	pods, err := s.Cache.Pods.Pods(namespace).List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("pods: %w", err)
	}
	for _, p := range pods {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed && mounted(p.Spec.Volumes) {
			return true, nil
		}
	}
	sets, err := s.Cache.StatefulSets.StatefulSets(namespace).List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("sets: %w", err)
	}
	for _, set := range sets {
		if (set.Spec.Replicas == nil || *set.Spec.Replicas > 0) && mounted(set.Spec.Template.Spec.Volumes) {
			return true, nil
		}
	}
	jobs, err := s.Cache.Jobs.Jobs(namespace).List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("jobs: %w", err)
	}
	for _, j := range jobs {
		if j.Status.CompletionTime == nil && j.Status.Failed == 0 && mounted(j.Spec.Template.Spec.Volumes) {
			return true, nil
		}
	}
	return false, nil
}

// present reports whether a volume is there to be shared.
func present(v *ent.Volume) bool {
	return v != nil && v.Desired == entvolume.DesiredPresent && v.Phase != entvolume.PhaseLost
}
