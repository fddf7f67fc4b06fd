package manifest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const shareID = "shr-d4k1q0c2h5s6u0a3b7o0"

func share(source corev1.PersistentVolumeSource, readOnly bool) Share {
	s := Share{Object: object("imagenet-ro", shareID), VolumeID: volumeID, ReadOnly: readOnly, Storage: corev1.PersistentVolumeSpec{
		PersistentVolumeSource: source, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, StorageClassName: "fast",
		Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("500Gi")},
		PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
		ClaimRef:                      &corev1.ObjectReference{Namespace: "somewhere", Name: "else", UID: "u"},
	}}
	if !readOnly {
		s.Object = object("imagenet-rw", shareID)
	}
	return s
}

// shareCases are golden files with the volume and the claim of a share.
func shareCases() map[string]Share {
	csi := corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "nfs.csi.k8s.io", VolumeHandle: "nfs.example.org#export#pvc-1",
		VolumeAttributes:   map[string]string{"server": "nfs.example.org", "share": "/export"},
		NodeStageSecretRef: &corev1.SecretReference{Name: "nfs", Namespace: "kube-system"}}}
	folder := corev1.HostPathDirectory
	local := share(corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/disks/a"}}, true)
	local.Storage.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{"node-1"}}},
	}}}}
	nfs := share(corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs.example.org", Path: "/export/a"}}, true)
	nfs.Storage.MountOptions = []string{"nfsvers=4.1"}
	return map[string]Share{
		"share-csi-read-only":  share(csi, true),
		"share-csi-read-write": share(csi, false),
		"share-nfs":            nfs,
		"share-local":          local,
		"share-folder":         share(corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/volumes/a", Type: &folder}}, true),
	}
}

// P23: whatever the shared volume says of itself, its share deletes nothing and
// binds to nothing but its own claim.
func TestP23AShareKeepsTheData(t *testing.T) {
	t.Parallel()
	for name, s := range shareCases() {
		pv, err := SharePersistentVolume(s)
		if err != nil {
			t.Fatal(err)
		}
		claim := ShareClaim(s)
		switch {
		case *pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain:
			t.Errorf("%s: policy %s", name, *pv.Spec.PersistentVolumeReclaimPolicy)
		case *pv.Spec.ClaimRef.Namespace != s.Namespace || *pv.Spec.ClaimRef.Name != *claim.Name || *claim.Spec.VolumeName != *pv.Name:
			t.Errorf("%s: the two are not for each other", name)
		case *pv.Spec.StorageClassName != "" || *claim.Spec.StorageClassName != "":
			t.Errorf("%s: a storage class would provision", name)
		case s.ReadOnly && (len(pv.Spec.AccessModes) != 1 || pv.Spec.AccessModes[0] != corev1.ReadOnlyMany):
			t.Errorf("%s: modes %v", name, pv.Spec.AccessModes)
		}
		if c := pv.Spec.CSI; c != nil && (c.ReadOnly != nil && *c.ReadOnly) != s.ReadOnly {
			t.Errorf("%s: read-only %v", name, c.ReadOnly)
		}
		if n := pv.Spec.NFS; n != nil && (n.ReadOnly != nil && *n.ReadOnly) != s.ReadOnly {
			t.Errorf("%s: read-only %v", name, n.ReadOnly)
		}
	}
	if s := shareCases()["share-csi-read-only"]; s.Storage.CSI.ReadOnly {
		t.Error("the shared volume itself was changed")
	}
}
