package share

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/lang"
)

func TestP23WhatStorageCanBeShared(t *testing.T) {
	t.Parallel()
	type source = corev1.PersistentVolumeSource
	many, one := corev1.ReadWriteMany, corev1.ReadWriteOnce
	block, files, ns := corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem, "kube-system"
	for name, c := range map[string]struct {
		source source
		mode   corev1.PersistentVolumeAccessMode
		volume *corev1.PersistentVolumeMode
		want   string
	}{
		"CSI for many nodes":            {source: source{CSI: &corev1.CSIPersistentVolumeSource{Driver: "efs.csi.aws.com"}}, mode: many},
		"CSI for many readers":          {source: source{CSI: &corev1.CSIPersistentVolumeSource{}}, mode: corev1.ReadOnlyMany, volume: &files},
		"CSI for one node":              {source: source{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com"}}, mode: one, want: codeOneNode},
		"CSI for one pod":               {source: source{CSI: &corev1.CSIPersistentVolumeSource{}}, mode: corev1.ReadWriteOncePod, want: codeOneNode},
		"a raw device":                  {source: source{CSI: &corev1.CSIPersistentVolumeSource{}}, mode: many, volume: &block, want: codeBlock},
		"NFS":                           {source: source{NFS: &corev1.NFSVolumeSource{}}, mode: many},
		"a folder of the node":          {source: source{HostPath: &corev1.HostPathVolumeSource{}}, mode: one},
		"a disk of the node":            {source: source{Local: &corev1.LocalVolumeSource{}}, mode: one},
		"CephFS":                        {source: source{CephFS: &corev1.CephFSPersistentVolumeSource{SecretRef: &corev1.SecretReference{Namespace: ns}}}, mode: many},
		"CephFS with a secret nearby":   {source: source{CephFS: &corev1.CephFSPersistentVolumeSource{SecretRef: &corev1.SecretReference{}}}, mode: many, want: codeSecret},
		"Azure Files":                   {source: source{AzureFile: &corev1.AzureFilePersistentVolumeSource{SecretNamespace: &ns}}, mode: many},
		"Azure Files with a secret":     {source: source{AzureFile: &corev1.AzureFilePersistentVolumeSource{}}, mode: many, want: codeSecret},
		"Gluster with endpoints nearby": {source: source{Glusterfs: &corev1.GlusterfsPersistentVolumeSource{}}, mode: many, want: codeSecret},
		"a disk":                        {source: source{RBD: &corev1.RBDPersistentVolumeSource{}}, mode: one, want: codeOneNode},
		"something else":                {source: source{FlexVolume: &corev1.FlexPersistentVolumeSource{}}, mode: many, want: codeKind},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pv := &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: c.source, VolumeMode: c.volume,
				AccessModes: []corev1.PersistentVolumeAccessMode{c.mode}}}
			why := Mountable(pv)
			got := ""
			if why != nil {
				got = why.Code
				for _, l := range []lang.Lang{lang.English, lang.Chinese} {
					for _, id := range []string{"reason.", "fault."} {
						if said := lang.Text(l, id+got, why.Args); said == id+got || said == "" {
							t.Errorf("%s says %q", l, said)
						}
					}
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if why := Mountable(nil); why == nil || why.Code != codeUnbound {
		t.Errorf("nothing yet: %v", why)
	}
}
