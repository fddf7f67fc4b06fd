package manifest

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// The data manager's agent (docs/adr/0016-files.md).
const (
	ContainerFiles       = "files"
	PortFiles      int32 = 8730
	FilesPath            = "/volume"

	filesDeadline = 6 * 60 * 60 // seconds; it ends by itself long before, unless it never began
)

// Files is an agent beside a volume.
type Files struct {
	Object
	Claim    string
	ReadOnly bool
	Image    string // one whose entry point is the start-up program
	Node     string // that holds a volume which one node alone can mount; empty for any
}

// FilesName is the name of the agent of a volume: one for those who may write
// and one for those who may only read, whoever starts it (P68).
func FilesName(volumeID string, readOnly bool) string {
	if readOnly {
		return "files-ro-" + volumeID
	}
	return "files-rw-" + volumeID
}

// What an agent gets: it streams, and holds no file in memory.
var (
	filesLimits   = spec.Resources{CPUMilli: 1000, MemoryBytes: 128 << 20}
	filesRequests = spec.Resources{CPUMilli: 10, MemoryBytes: 32 << 20}
)

// FilesJob is the agent: a Job that Kubernetes removes as soon as its program
// has ended, also when nobody of ours is left. It runs as root without its
// powers, since what it serves belongs to root of the instances: of these it
// keeps reading and writing others' files, and giving them to others.
func FilesJob(f Files) *batchv1ac.JobApplyConfiguration {
	labels := f.labels(ComponentFiles, map[string]string{LabelVolumeID: f.ID})
	args := []string{"files", "-dir", FilesPath, "-credentials", TokenDir}
	powers := []string{"CHOWN", "DAC_OVERRIDE", "FOWNER"}
	if f.ReadOnly {
		args = append(args, "-read-only")
		powers = []string{"DAC_OVERRIDE"}
	}
	s := newStorage()
	s.claimMount("volume", Mount{Claim: f.Claim, Path: FilesPath, ReadOnly: f.ReadOnly})
	s.secret("secret", SecretFile{Secret: f.Name, Path: TokenDir})
	main := corev1ac.Container().
		WithName(ContainerFiles).
		WithImage(f.Image).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithArgs(args...).
		WithEnv(corev1ac.EnvVar().WithName("GOMEMLIMIT").WithValue("64MiB")).
		WithPorts(corev1ac.ContainerPort().WithName("files").WithContainerPort(PortFiles)).
		WithResources(corev1ac.ResourceRequirements().WithLimits(resourceList(filesLimits, 0)).WithRequests(resourceList(filesRequests, 0))).
		WithVolumeMounts(s.mounts...).
		WithTerminationMessagePolicy(corev1.TerminationMessageFallbackToLogsOnError).
		WithSecurityContext(corev1ac.SecurityContext().
			WithRunAsUser(0).
			WithAllowPrivilegeEscalation(false).
			WithReadOnlyRootFilesystem(true).
			WithCapabilities(capabilities(powers, nil)))
	p := corev1ac.PodSpec().
		WithServiceAccountName(ServiceAccount).
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithRestartPolicy(corev1.RestartPolicyNever).
		WithTerminationGracePeriodSeconds(5).
		WithPriorityClassName(PriorityInteractive). // somebody waits for it
		WithSecurityContext(corev1ac.PodSecurityContext().
			WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))).
		WithContainers(main).
		WithVolumes(s.volumes...)
	if f.Node != "" {
		f.pin(p)
	}
	return batchv1ac.Job(f.Name, f.Namespace).
		WithLabels(labels).
		WithAnnotations(f.annotations(nil)).
		WithOwnerReferences(f.owners()...).
		WithSpec(batchv1ac.JobSpec().
			WithParallelism(1).
			WithCompletions(1).
			WithBackoffLimit(0).
			WithTTLSecondsAfterFinished(0).
			WithActiveDeadlineSeconds(filesDeadline).
			WithPodReplacementPolicy(batchv1.Failed).
			WithTemplate(corev1ac.PodTemplateSpec().
				WithLabels(labels).
				WithAnnotations(map[string]string{AnnotationSafeToEvict: "true"}).
				WithSpec(p)))
}

// pin puts the agent on the node where the volume is, whatever keeps others
// away from there: a volume that one node holds can be looked at nowhere else (P19).
func (f Files) pin(p *corev1ac.PodSpecApplyConfiguration) {
	p.WithAffinity(corev1ac.Affinity().WithNodeAffinity(corev1ac.NodeAffinity().
		WithRequiredDuringSchedulingIgnoredDuringExecution(corev1ac.NodeSelector().
			WithNodeSelectorTerms(corev1ac.NodeSelectorTerm().WithMatchFields(corev1ac.NodeSelectorRequirement().
				WithKey("metadata.name").
				WithOperator(corev1.NodeSelectorOpIn).
				WithValues(f.Node))))))
	p.WithTolerations(corev1ac.Toleration().
		WithOperator(corev1.TolerationOpExists).
		WithEffect(corev1.TaintEffectNoSchedule))
}

// FilesSecret is what callers of an agent have to know, and what it proves
// itself with. It goes with the Job.
func FilesSecret(f Files, jobUID string, data map[string][]byte) *corev1ac.SecretApplyConfiguration {
	f.Owner = &Owner{APIVersion: "batch/v1", Kind: "Job", Name: f.Name, UID: jobUID}
	return corev1ac.Secret(f.Name, f.Namespace).
		WithLabels(f.labels(ComponentFiles, map[string]string{LabelVolumeID: f.ID})).
		WithOwnerReferences(f.owners()...).
		WithType(corev1.SecretTypeOpaque).
		WithImmutable(true).
		WithData(data)
}
