package hostruntime

import (
	"context"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// What this runtime does not have. The kubelet can do without; it asks for the containers' states every second.

// GetContainerEvents implements the interface.
func (r *Runtime) GetContainerEvents(context.Context, chan *cri.ContainerEventResponse, func(cri.RuntimeService_GetContainerEventsClient)) error {
	return unsupported("events")
}

// CheckpointContainer implements the interface.
func (r *Runtime) CheckpointContainer(context.Context, *cri.CheckpointContainerRequest) error {
	return unsupported("checkpoints")
}

// CheckpointPod implements the interface.
func (r *Runtime) CheckpointPod(context.Context, *cri.CheckpointPodRequest) error {
	return unsupported("checkpoints")
}

// RestorePod implements the interface.
func (r *Runtime) RestorePod(context.Context, *cri.RestorePodRequest) (*cri.RestorePodResponse, error) {
	return nil, unsupported("checkpoints")
}

// ContainerStats implements the interface.
func (r *Runtime) ContainerStats(_ context.Context, id string) (*cri.ContainerStats, error) {
	return nil, notFound("statistics of container", id)
}

// ListContainerStats implements the interface.
func (r *Runtime) ListContainerStats(context.Context, *cri.ContainerStatsFilter) ([]*cri.ContainerStats, error) {
	return nil, nil
}

// PodSandboxStats implements the interface.
func (r *Runtime) PodSandboxStats(_ context.Context, id string) (*cri.PodSandboxStats, error) {
	return nil, notFound("statistics of pod", id)
}

// ListPodSandboxStats implements the interface.
func (r *Runtime) ListPodSandboxStats(context.Context, *cri.PodSandboxStatsFilter) ([]*cri.PodSandboxStats, error) {
	return nil, nil
}

// ListMetricDescriptors implements the interface.
func (r *Runtime) ListMetricDescriptors(context.Context) ([]*cri.MetricDescriptor, error) {
	return nil, nil
}

// ListPodSandboxMetrics implements the interface.
func (r *Runtime) ListPodSandboxMetrics(context.Context) ([]*cri.PodSandboxMetrics, error) {
	return nil, nil
}
