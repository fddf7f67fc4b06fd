package run

import (
	"regexp"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

func jobEnd(j *batchv1.Job) batchv1.JobConditionType {
	if j == nil {
		return ""
	}
	for _, c := range j.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return c.Type
		}
	}
	return ""
}

func taskStatus(pod *corev1.Pod) *corev1.ContainerStatus {
	if pod == nil {
		return nil
	}
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == manifest.ContainerTask {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// terminated is the end of the task's container; nil while it has none.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	if s := taskStatus(pod); s != nil {
		return s.State.Terminated
	}
	return nil
}

// startedAt is when the task's container began to run; nil when it never did.
func startedAt(pod *corev1.Pod) *time.Time {
	s := taskStatus(pod)
	if s == nil {
		return nil
	}
	var at time.Time
	switch {
	case s.State.Running != nil:
		at = s.State.Running.StartedAt.UTC()
	case s.State.Terminated != nil && s.ContainerID != "" && s.State.Terminated.Reason != "StartError" && s.State.Terminated.Reason != "ContainerCannotRun":
		at = s.State.Terminated.StartedAt.UTC()
	}
	if at.Unix() <= 0 { // the runtime's way to say never
		return nil
	}
	return &at
}

var digestForm = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// imageDigest is the digest in what a node calls the image that a container runs,
// as "registry/name@sha256:…" or, of one that came from no registry, "sha256:…".
func imageDigest(imageID string) string { return digestForm.FindString(imageID) }

func taskImage(pod *corev1.Pod) string {
	for _, c := range pod.Spec.Containers {
		if c.Name == manifest.ContainerTask {
			return c.Image
		}
	}
	return ""
}
