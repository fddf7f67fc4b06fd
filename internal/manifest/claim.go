package manifest

import (
	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
)

// PersistentVolumeClaim is the claim of a volume. Its name holds the volume's
// id, so that a new volume of an old name never meets the old disk (P25). Of one
// that was adopted only what is ours to say is applied: its class and its modes
// cannot be changed.
func PersistentVolumeClaim(v Volume) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	s := corev1ac.PersistentVolumeClaimSpec().
		WithResources(corev1ac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: quantity.BytesQuantity(v.SizeBytes)}))
	if !v.Adopted {
		s.WithAccessModes(corev1.PersistentVolumeAccessMode(or(v.AccessMode, string(corev1.ReadWriteOnce)))).
			WithVolumeMode(corev1.PersistentVolumeFilesystem)
		if v.StorageClass != "" {
			s.WithStorageClassName(v.StorageClass)
		}
		if v.VolumeName != "" {
			s.WithVolumeName(v.VolumeName)
		}
	}
	labels, annotations := VolumeMarks(v)
	return corev1ac.PersistentVolumeClaim(v.Name, v.Namespace).
		WithLabels(labels).
		WithAnnotations(annotations).
		WithOwnerReferences(v.owners()...).
		WithSpec(s)
}

// VolumeMarks are the labels and annotations of a volume's claim.
func VolumeMarks(v Volume) (labels, annotations map[string]string) {
	return v.labels(ComponentVolume, map[string]string{LabelVolumeID: v.ID}), v.annotations(nil)
}
