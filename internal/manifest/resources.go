package manifest

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Requests are what the scheduler and the quota count of limits: CPU and memory
// divided by the overcommit ratio, rounded up, so that a request is never 0;
// GPUs are never shared.
func Requests(limits spec.Resources, o spec.Overcommit) spec.Resources {
	return spec.Resources{
		CPUMilli:    divide(limits.CPUMilli, o.CPU),
		MemoryBytes: divide(limits.MemoryBytes, o.Memory),
		GPU:         limits.GPU,
	}
}

// divide rounds up; a ratio below 1, or none, is 1.
func divide(n int64, ratio float64) int64 {
	if !(ratio > 1) || math.IsInf(ratio, 0) { // NaN is not above 1 either
		return n
	}
	return int64(math.Ceil(float64(n) / ratio))
}

func resourceList(r spec.Resources, ephemeral int64) corev1.ResourceList {
	l := corev1.ResourceList{
		corev1.ResourceCPU:    quantity.CPUQuantity(r.CPUMilli),
		corev1.ResourceMemory: quantity.BytesQuantity(r.MemoryBytes),
	}
	if r.GPU > 0 { // zero means absent: "0" keeps a pod off nodes without the device plugin (P14)
		l[GPUResource] = quantity.CountQuantity(r.GPU)
	}
	if ephemeral > 0 {
		l[corev1.ResourceEphemeralStorage] = quantity.BytesQuantity(ephemeral)
	}
	return l
}

func requirements(limits spec.Resources, o spec.Overcommit, ephemeral int64) *corev1ac.ResourceRequirementsApplyConfiguration {
	return corev1ac.ResourceRequirements().
		WithLimits(resourceList(limits, ephemeral)).
		WithRequests(resourceList(Requests(limits, o), ephemeral))
}
