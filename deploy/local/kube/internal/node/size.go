package node

import (
	"context"

	cadvisorapi "github.com/google/cadvisor/lib/model"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// Size is what a node reports instead of the machine's size, where it is not zero.
type Size struct {
	Cores  int
	Memory uint64 // bytes
}

// sized is the kubelet's source of statistics with another machine size.
type sized struct {
	cadvisor.Interface
	size Size
}

var _ cadvisor.Interface = sized{}

// MachineInfo implements cadvisor.Interface.
func (s sized) MachineInfo(logger klog.Logger) (*cadvisorapi.MachineInfo, error) {
	m, err := s.Interface.MachineInfo(logger)
	if err != nil {
		return nil, err
	}
	out := *m
	if s.size.Cores > 0 {
		out.NumCores = s.size.Cores
	}
	if s.size.Memory > 0 {
		out.MemoryCapacity = s.size.Memory
	}
	return &out, nil
}

// newStats makes what the kubelet would make for itself, with the node's size.
func newStats(ctx context.Context, s *options.KubeletServer, size Size) (cadvisor.Interface, error) {
	roots := []string{cm.NodeAllocatableRoot(s.CgroupRoot, s.CgroupsPerQOS, s.CgroupDriver)}
	images := cadvisor.NewImageFsInfoProvider(s.ContainerRuntimeEndpoint)
	inner, err := cadvisor.New(klog.FromContext(ctx), images, s.RootDirectory, roots, false, s.LocalStorageCapacityIsolation, false)
	if err != nil {
		return nil, err
	}
	return sized{Interface: inner, size: size}, nil
}
