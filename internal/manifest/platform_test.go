package manifest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const platformID = "pvol-d4k1q0c2h5s6u0a3b7j0"

func platformCases() map[string]PlatformCopy {
	disk := func(s corev1.PersistentVolumeSource) corev1.PersistentVolumeSpec {
		return corev1.PersistentVolumeSpec{PersistentVolumeSource: s, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("500Gi")}, MountOptions: []string{"noatime"},
			ClaimRef: &corev1.ObjectReference{Namespace: "elsewhere", Name: "datasets", UID: "u"}, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete}
	}
	copied := func(mode string) Object {
		return Object{Namespace: "team-vision", Name: platformID + mode + "d4k1q0c2h5s6u0a3b7i0", ID: platformID, TeamID: "team-d4k1q0c2h5s6u0a3b7i0", Title: "Datasets", Generation: 2}
	}
	return map[string]PlatformCopy{
		"platform-csi-read-only": {Object: copied("-ro-"), ReadOnly: true, Storage: disk(corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
			Driver: "cephfs.csi.ceph.com", VolumeHandle: "0001-0024-a", NodeStageSecretRef: &corev1.SecretReference{Namespace: "ceph", Name: "node"}}})},
		"platform-nfs-read-write": {Object: copied("-rw-"), Storage: disk(corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs.example", Path: "/datasets"}})},
	}
}
