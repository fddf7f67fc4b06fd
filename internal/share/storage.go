package share

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Why storage cannot be mounted from another namespace.
const (
	codeUnbound = "share-unbound"  // the volume has no storage yet: it is not known
	codeBlock   = "share-block"    // a raw device
	codeOneNode = "share-one-node" // a disk that is attached to one node
	codeKind    = "share-kind"     // storage of which it is not known
	codeSecret  = "share-secret"   // its credentials are named within the namespace
)

// Mountable says why the storage behind a volume cannot be mounted through
// another PersistentVolume in another namespace, nil where it can. Network file
// systems can, and so can folders of nodes: the other volume has the same
// address, and the same affinity to nodes. Disks that are attached to one node
// cannot: neither the attaching nor the file system on them expects a second user.
func Mountable(pv *corev1.PersistentVolume) *spec.Reason {
	if pv == nil {
		return &spec.Reason{Code: codeUnbound}
	}
	if pv.Spec.VolumeMode != nil && *pv.Spec.VolumeMode == corev1.PersistentVolumeBlock {
		return &spec.Reason{Code: codeBlock}
	}
	many := slices.Contains(pv.Spec.AccessModes, corev1.ReadWriteMany) || slices.Contains(pv.Spec.AccessModes, corev1.ReadOnlyMany)
	s := pv.Spec.PersistentVolumeSource
	switch {
	case s.HostPath != nil, s.Local != nil: // whatever the mode: a folder can be mounted twice, on its node
		return nil
	case s.NFS != nil:
		return nil
	case s.CSI != nil:
		if !many {
			return &spec.Reason{Code: codeOneNode, Args: map[string]any{"kind": s.CSI.Driver}}
		}
		return nil
	case s.CephFS != nil:
		return credentials("CephFS", s.CephFS.SecretRef != nil && s.CephFS.SecretRef.Namespace == "")
	case s.AzureFile != nil:
		return credentials("Azure Files", s.AzureFile.SecretNamespace == nil || *s.AzureFile.SecretNamespace == "")
	case s.Glusterfs != nil:
		return credentials("GlusterFS", s.Glusterfs.EndpointsNamespace == nil || *s.Glusterfs.EndpointsNamespace == "")
	}
	if kind := disk(s); kind != "" {
		return &spec.Reason{Code: codeOneNode, Args: map[string]any{"kind": kind}}
	}
	return &spec.Reason{Code: codeKind}
}

// credentials refuses a source that looks for something in the namespace of its claim.
func credentials(kind string, local bool) *spec.Reason {
	if local {
		return &spec.Reason{Code: codeSecret, Args: map[string]any{"kind": kind}}
	}
	return nil
}

// disk names a source that is attached to one node; empty for others.
func disk(s corev1.PersistentVolumeSource) string {
	switch {
	case s.ISCSI != nil:
		return "iSCSI"
	case s.FC != nil:
		return "Fibre Channel"
	case s.RBD != nil:
		return "Ceph RBD"
	case s.Cinder != nil:
		return "Cinder"
	case s.AWSElasticBlockStore != nil:
		return "AWS EBS"
	case s.GCEPersistentDisk != nil:
		return "GCE PD"
	case s.AzureDisk != nil:
		return "Azure Disk"
	case s.VsphereVolume != nil:
		return "vSphere"
	case s.PortworxVolume != nil:
		return "Portworx"
	}
	return ""
}
