package manifest

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// twin is a PersistentVolume on the storage of another one, with the one claim
// in another namespace that it is for (P23): what a share and a team's part of a
// platform volume are. It never takes the data along, whatever becomes of it.
type twin struct {
	Object
	storage  corev1.PersistentVolumeSpec // of the other one
	readOnly bool
}

// modes are those of the storage, or reading alone.
func (w twin) modes() []corev1.PersistentVolumeAccessMode {
	if w.readOnly {
		return []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany}
	}
	return w.storage.AccessModes
}

// volume has no storage class, so that nothing is provisioned for it, and is
// pinned to its claim.
func (w twin) volume() (*corev1ac.PersistentVolumeSpecApplyConfiguration, error) {
	spec := corev1ac.PersistentVolumeSpec()
	// Every kind of storage reads the same in both forms.
	for _, part := range []any{ShareStorage(w.storage.PersistentVolumeSource, w.readOnly), corev1.PersistentVolumeSpec{NodeAffinity: w.storage.NodeAffinity}} {
		b, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, spec); err != nil {
			return nil, err
		}
	}
	spec.WithAccessModes(w.modes()...).
		WithVolumeMode(corev1.PersistentVolumeFilesystem).
		WithPersistentVolumeReclaimPolicy(corev1.PersistentVolumeReclaimRetain).
		WithStorageClassName("").
		WithCapacity(corev1.ResourceList{corev1.ResourceStorage: w.storage.Capacity[corev1.ResourceStorage]}).
		WithClaimRef(corev1ac.ObjectReference().WithAPIVersion("v1").WithKind("PersistentVolumeClaim").WithNamespace(w.Namespace).WithName(w.Name))
	if len(w.storage.MountOptions) > 0 {
		spec.WithMountOptions(w.storage.MountOptions...)
	}
	return spec, nil
}

// claim is pinned to its volume. It asks for one byte: the bytes count where
// the disk is.
func (w twin) claim() *corev1ac.PersistentVolumeClaimSpecApplyConfiguration {
	return corev1ac.PersistentVolumeClaimSpec().
		WithAccessModes(w.modes()...).
		WithVolumeMode(corev1.PersistentVolumeFilesystem).
		WithStorageClassName("").
		WithVolumeName(w.Name).
		WithResources(corev1ac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(1, resource.BinarySI)}))
}
