package reason

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// stuckAfter is how long beyond its grace period a pod may take to go before
// it counts as stuck (P17).
const stuckAfter = time.Minute

// lost says that the pod's node does not answer.
func lost(v view) *spec.Reason {
	if v.pod == nil || !v.NodeDown && v.pod.Status.Reason != "NodeLost" {
		return nil
	}
	return say(NodeLost, "node", or(v.pod.Spec.NodeName, none), "detail", detail(v.pod.Status.Message))
}

// failed says how a pod ended that should run.
func failed(v view) *spec.Reason {
	if !v.phase(corev1.PodFailed, corev1.PodSucceeded) {
		return nil
	}
	if _, r := v.judge(); r != nil {
		return r
	}
	return say(Unknown, "detail", v.raw())
}

// terminating says that the pod is on its way out, or that it does not get there.
func terminating(v view) *spec.Reason {
	if v.pod == nil || v.pod.DeletionTimestamp == nil {
		return nil
	}
	gone := v.pod.DeletionTimestamp.Time // the moment at which its grace period is over
	node := or(v.pod.Spec.NodeName, none)
	if !v.Now.IsZero() && v.Now.After(gone.Add(stuckAfter)) {
		return say(StuckStopping, "node", node, "elapsed", v.elapsed(gone))
	}
	return say(Terminating, "node", node)
}

// sandboxTrouble says that the pod's own frame, most often its network, cannot be made.
func sandboxTrouble(v view) *spec.Reason {
	if !v.creating() {
		return nil
	}
	e, ok := v.newest("FailedCreatePodSandBox", "Pulling", "Pulled", "Created", "Started")
	if !ok || e.Reason != "FailedCreatePodSandBox" {
		return nil
	}
	return say(SandboxFailed, "node", or(v.pod.Spec.NodeName, none), "detail", detail(e.Message))
}

// starting says what a running instance waits for.
func starting(v view) *spec.Reason {
	s := v.mainStatus()
	if s == nil || s.State.Running == nil {
		return nil
	}
	elapsed := v.elapsed(s.State.Running.StartedAt.Time)
	if len(v.WaitingFor) > 0 {
		apps := slices.Clone(v.WaitingFor)
		slices.Sort(apps)
		return say(Starting, "apps", apps, "elapsed", elapsed)
	}
	words := none
	if e, ok := v.newest("Unhealthy"); ok {
		words = detail(e.Message)
	}
	return say(NotReady, "elapsed", elapsed, "detail", words)
}

// waiting names the stage of a start that has no trouble.
func waiting(v view) *spec.Reason {
	switch {
	case v.pod == nil && v.Job != nil && v.Job.Spec.Suspend != nil && *v.Job.Spec.Suspend:
		return say(Suspended, "elapsed", v.elapsed(v.Job.CreationTimestamp.Time))
	case v.pod == nil:
		return say(PodNotCreated, "elapsed", v.elapsed(v.Since))
	case !v.scheduled():
		return say(Scheduling, "elapsed", v.elapsed(v.pod.CreationTimestamp.Time))
	}
	for _, s := range v.pod.Status.InitContainerStatuses {
		if s.State.Running != nil && !(s.Started != nil && *s.Started) {
			return say(InitRunning, "container", s.Name, "elapsed", v.elapsed(s.State.Running.StartedAt.Time))
		}
	}
	if !v.creating() {
		return nil
	}
	since := v.pod.CreationTimestamp.Time
	if c := v.condition(corev1.PodScheduled); c != nil && !c.LastTransitionTime.IsZero() {
		since = c.LastTransitionTime.Time
	}
	return say(ContainerCreating, "node", or(v.pod.Spec.NodeName, none), "elapsed", v.elapsed(since))
}
