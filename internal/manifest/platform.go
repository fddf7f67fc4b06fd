package manifest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
)

// Labels of what platform volumes are made of.
const (
	LabelPlatformVolumeID   = "goblinlab.io/platform-volume-id"
	ComponentPlatform       = "platform-volume"        // what a team's namespace has of one
	ComponentPlatformSource = "platform-volume-source" // the claim that was made for one
)

// What the namespace's ResourceQuota has room for beside the team's own volumes:
// the claims of platform volumes, of one byte each, which the team does not pay for.
const (
	platformClaims = 30
	platformBytes  = 1 << 20
)

// PlatformCopy is a platform volume as a team's namespace gets it (P23): Name is
// that of both its PersistentVolume and its claim, ID the platform volume's.
type PlatformCopy struct {
	Object
	Storage  corev1.PersistentVolumeSpec // of the disk behind it
	ReadOnly bool
}

// PlatformPair is a PersistentVolume on the storage of another one, pinned to
// the one claim that it is for, which never takes the data along; read-only
// where the kind of storage can say so itself, and by its mode.
func PlatformPair(c PlatformCopy) (*corev1ac.PersistentVolumeApplyConfiguration, *corev1ac.PersistentVolumeClaimApplyConfiguration, error) {
	w := twin{c.Object, c.Storage, c.ReadOnly}
	spec, err := w.volume()
	if err != nil {
		return nil, nil, fmt.Errorf("storage of platform volume %s: %w", c.ID, err)
	}
	l, a := c.labels(ComponentPlatform, map[string]string{LabelPlatformVolumeID: c.ID}), c.annotations(nil)
	claim := corev1ac.PersistentVolumeClaim(c.Name, c.Namespace).WithLabels(l).WithAnnotations(a).WithSpec(w.claim())
	return corev1ac.PersistentVolume(c.Name).WithLabels(l).WithAnnotations(a).WithSpec(spec), claim, nil
}

// PlatformSource is the claim of a new disk for a platform volume, in the
// platform's own namespace.
func PlatformSource(v Volume) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	s := corev1ac.PersistentVolumeClaimSpec().
		WithAccessModes(corev1.ReadWriteMany).
		WithVolumeMode(corev1.PersistentVolumeFilesystem).
		WithResources(corev1ac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: quantity.BytesQuantity(v.SizeBytes)}))
	if v.StorageClass != "" {
		s.WithStorageClassName(v.StorageClass)
	}
	return corev1ac.PersistentVolumeClaim(v.Name, v.Namespace).
		WithLabels(v.labels(ComponentPlatformSource, map[string]string{LabelPlatformVolumeID: v.ID})).
		WithAnnotations(v.annotations(nil)).
		WithSpec(s)
}
