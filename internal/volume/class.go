package volume

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// DiskFate is what becomes of a disk when its volume is deleted.
type DiskFate string

// Fates of disks.
const (
	DiskDeleted DiskFate = "deleted"
	DiskKept    DiskFate = "kept" // the storage keeps it; `goblinlab doctor` finds it
)

// Class is a storage class of the cluster.
type Class struct {
	Name, Provisioner string
	Default           bool
	Expandable        bool
	WaitsForConsumer  bool // the disk is made when something mounts the volume for the first time
	OnDelete          DiskFate
}

const classesKept = 15 * time.Second

// classes are the cluster's storage classes as last asked for. They are asked
// for, not watched: they change once a year, and a cluster that does not let us
// see them must not keep us from everything else.
type classes struct {
	mu   sync.Mutex
	list []Class
	at   time.Time
}

// Classes are the cluster's storage classes, the default one first. Everybody
// who is signed in may know them.
func (s *Service) Classes(ctx context.Context) ([]Class, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	if s.classes.list != nil && time.Since(s.classes.at) < classesKept {
		return s.classes.list, nil
	}
	if s.Kube == nil {
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil)
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	found, err := s.Kube.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return nil, fault.New(fault.Unavailable, "volume.classes-hidden", nil).Wrap(err)
	case err != nil:
		return nil, fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	}
	s.classes.list, s.classes.at = classesOf(found.Items), time.Now()
	return s.classes.list, nil
}

// KnownClasses are the classes, or nil where the cluster does not tell: what
// cannot be checked here, the cluster refuses itself.
func (s *Service) KnownClasses(ctx context.Context) ([]Class, error) {
	list, err := s.Classes(ctx)
	if err != nil && fault.KindOf(err) == fault.Unavailable {
		return nil, nil
	}
	return list, err
}

// classesOf reads them. Of several default ones the cluster takes the newest.
func classesOf(items []storagev1.StorageClass) []Class {
	out := make([]Class, 0, len(items))
	newest := -1
	for i := range items {
		c := &items[i]
		l := Class{Name: c.Name, Provisioner: c.Provisioner, OnDelete: DiskDeleted,
			Expandable: c.AllowVolumeExpansion != nil && *c.AllowVolumeExpansion}
		l.WaitsForConsumer = c.VolumeBindingMode != nil && *c.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
		if c.ReclaimPolicy != nil && *c.ReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
			l.OnDelete = DiskKept
		}
		isDefault := c.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" ||
			c.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
		if isDefault && (newest < 0 || items[newest].CreationTimestamp.Before(&c.CreationTimestamp)) {
			newest = i
		}
		out = append(out, l)
	}
	if newest >= 0 {
		out[newest].Default = true
	}
	slices.SortFunc(out, func(a, b Class) int {
		if a.Default != b.Default {
			if a.Default {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return out
}

// find is the class of a name, or the default one of none.
func find(list []Class, name string) *Class {
	for i := range list {
		if list[i].Name == name || name == "" && list[i].Default {
			return &list[i]
		}
	}
	return nil
}

func className(list []Class, name string) string {
	if c := find(list, name); c != nil {
		return c.Name
	}
	return name
}

// answer is yes, no, or not known.
type answer int

const (
	unknown answer = iota
	yes
	no
)

func expandable(list []Class, name string) answer {
	switch c := find(list, name); {
	case c == nil:
		return unknown // as with a class that is gone: the cluster says so itself
	case c.Expandable:
		return yes
	default:
		return no
	}
}

// CheckClass refuses a class that the cluster does not have, and names those that it has.
func (s *Service) CheckClass(ctx context.Context, f *fault.Fields, path, name string) error {
	if name != "" && !subdomain(name) {
		f.Add(path, "volume.storage-class", fault.Args{"value": clip(name)})
		return nil
	}
	list, err := s.KnownClasses(ctx)
	if err != nil || list == nil || find(list, name) != nil {
		return err
	}
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Name
	}
	switch {
	case name == "":
		f.Add(path, "volume.no-default-class", fault.Args{"classes": names})
	case len(names) == 0:
		f.Add(path, "volume.no-class", fault.Args{"value": clip(name)})
	default:
		f.Add(path, "volume.unknown-class", fault.Args{"value": clip(name), "classes": names})
	}
	return nil
}

// Waits reports whether the disks of a class, of the default one for an empty
// name, are made when something mounts them for the first time.
func (s *Service) Waits(ctx context.Context, name string) (bool, error) {
	list, err := s.KnownClasses(ctx)
	c := find(list, name)
	return c != nil && c.WaitsForConsumer, err
}

// diskFate is what becomes of the disk of a volume when its claim is deleted:
// what its PersistentVolume says, else its class; empty when neither is known.
func (s *Service) diskFate(ctx context.Context, v *ent.Volume) DiskFate {
	if s.Kube != nil {
		if pv, err := s.disk(authz.AsSystem(ctx), v); err == nil && pv != nil {
			if pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete {
				return DiskDeleted
			}
			return DiskKept
		}
	}
	list, err := s.KnownClasses(ctx)
	if c := find(list, v.StorageClass); err == nil && c != nil {
		return c.OnDelete
	}
	return ""
}

// disk is the PersistentVolume behind a volume, nil while there is none.
func (s *Service) disk(sys context.Context, v *ent.Volume) (*corev1.PersistentVolume, error) {
	t, err := s.DB.Client.Team.Get(sys, v.TeamID)
	if err != nil {
		return nil, fmt.Errorf("team of volume %s: %w", v.ID, err)
	}
	ctx, stop := context.WithTimeout(sys, 5*time.Second)
	defer stop()
	claim, err := s.Kube.CoreV1().PersistentVolumeClaims(t.Namespace).Get(ctx, v.ObjectName, metav1.GetOptions{})
	if err != nil || claim.Spec.VolumeName == "" {
		return nil, err
	}
	return s.Kube.CoreV1().PersistentVolumes().Get(ctx, claim.Spec.VolumeName, metav1.GetOptions{})
}
