package manifest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// Share is a volume as another team's namespace gets it (P23): a
// PersistentVolume on the same storage, and the claim that it is for. Name is
// that of both, Namespace the claim's.
type Share struct {
	Object
	VolumeID string                      // that is shared
	Storage  corev1.PersistentVolumeSpec // of the volume that is shared
	ReadOnly bool
}

// ShareStorage is where a share's volume is: the storage of the volume that is
// shared, read-only where the kind of storage can say so itself.
func ShareStorage(in corev1.PersistentVolumeSource, readOnly bool) corev1.PersistentVolumeSource {
	s := *in.DeepCopy()
	switch {
	case s.CSI != nil:
		s.CSI.ReadOnly = readOnly
	case s.NFS != nil:
		s.NFS.ReadOnly = readOnly
	case s.CephFS != nil:
		s.CephFS.ReadOnly = readOnly
	case s.AzureFile != nil:
		s.AzureFile.ReadOnly = readOnly
	case s.Glusterfs != nil:
		s.Glusterfs.ReadOnly = readOnly
	}
	return s
}

func (s Share) twin() twin { return twin{s.Object, s.Storage, s.ReadOnly} }

func (s Share) labelSet() map[string]string {
	return s.labels(ComponentShare, map[string]string{LabelShareID: s.ID})
}

func (s Share) notes() map[string]string {
	return s.annotations(map[string]string{AnnotationVolumeID: s.VolumeID})
}

// SharePersistentVolume never deletes the data, whatever becomes of it: that is
// the shared volume's.
func SharePersistentVolume(s Share) (*corev1ac.PersistentVolumeApplyConfiguration, error) {
	spec, err := s.twin().volume()
	if err != nil {
		return nil, fmt.Errorf("storage of share %s: %w", s.ID, err)
	}
	return corev1ac.PersistentVolume(s.Name).WithLabels(s.labelSet()).WithAnnotations(s.notes()).WithSpec(spec), nil
}

// ShareClaim is pinned to its volume. It asks for one byte: the bytes count
// against the quota of the team whose volume it is.
func ShareClaim(s Share) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	return corev1ac.PersistentVolumeClaim(s.Name, s.Namespace).WithLabels(s.labelSet()).WithAnnotations(s.notes()).WithSpec(s.twin().claim())
}
