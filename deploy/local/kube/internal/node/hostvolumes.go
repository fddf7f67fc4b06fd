package node

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/local"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
)

// hostVolumes are the kinds of volumes that are folders.
func hostVolumes() []volume.VolumePlugin {
	out := append(hostpath.ProbeVolumePlugins(volume.VolumeConfig{}), local.ProbeVolumePlugins()...)
	for _, made := range [][]volume.VolumePlugin{
		configmap.ProbeVolumePlugins(), downwardapi.ProbeVolumePlugins(), emptydir.ProbeVolumePlugins(), projected.ProbeVolumePlugins(), secret.ProbeVolumePlugins(),
	} {
		for _, p := range made {
			out = append(out, ours{p})
		}
	}
	return out
}

// ours leaves a volume to the user who runs the cluster. Files cannot be given to others without rights, and need not be:
// whatever user a container has inside, outside it is this one.
type ours struct{ volume.VolumePlugin }

// NewMounter implements volume.VolumePlugin.
func (o ours) NewMounter(spec *volume.Spec, pod *v1.Pod) (volume.Mounter, error) {
	m, err := o.VolumePlugin.NewMounter(spec, pod)
	return oursMounter{m}, err
}

type oursMounter struct{ volume.Mounter }

// SetUp implements volume.Mounter.
func (m oursMounter) SetUp(a volume.MounterArgs) error {
	a.FsUser, a.FsGroup = nil, nil
	return m.Mounter.SetUp(a)
}

// SetUpAt implements volume.Mounter.
func (m oursMounter) SetUpAt(dir string, a volume.MounterArgs) error {
	a.FsUser, a.FsGroup = nil, nil
	return m.Mounter.SetUpAt(dir, a)
}
