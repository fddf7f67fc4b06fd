package reason

import (
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Class says whose fault an end was.
type Class string

// The classes of ends.
const (
	Success        Class = "success"
	User           Class = "user"           // the program failed
	Infrastructure Class = "infrastructure" // evicted, preempted, node lost, deleted by others
	Start          Class = "start"          // the image or the command could not be started
	Timeout        Class = "timeout"
	Stopped        Class = "stopped" // by a user, through the platform
)

// TakesRetry reports whether a further attempt counts against the user's
// retries: those after an infrastructure failure do not (P67).
func (c Class) TakesRetry() bool { return c == User || c == Start || c == Timeout }

// Ended says whose fault the end of an attempt was, and why it ended. Give it
// the pod as it was last seen: a pod that is gone and was never seen counts as
// deleted by somebody else.
func Ended(e Evidence) (Class, spec.Reason) {
	v := look(e, manifest.ContainerTask)
	switch {
	case e.Stopped:
		return Stopped, *say(WasStopped)
	case e.TimedOut:
		return Timeout, *say(Deadline, "detail", none)
	case e.Expired:
		return v.expired()
	}
	if end := v.jobEnd(); end != nil && end.Type == batchv1.JobComplete {
		return Success, *say(Completed)
	}
	if class, r := v.judge(); r != nil {
		return class, *r
	}
	return v.vanished()
}

// expired is the end of an attempt that waited too long: for an image that
// cannot be had, or for its turn. "cause" is the code of what it waited for.
func (v view) expired() (Class, spec.Reason) {
	why := v.why()
	if startCode(why.Code) {
		return Start, *why
	}
	r := say(PendingDeadline, "elapsed", v.elapsed(v.Since), "cause", why.Code)
	r.Args["why"] = "@advice." + why.Code
	return Timeout, *r
}

// startCode reports codes that say that the image or the command is at fault.
func startCode(code string) bool {
	return slices.Contains([]string{
		ImageNotFound, ImageDenied, ImageCredentials, ImageSecretMissing, ImageRateLimited, ImageNoHost, ImageNoNetwork,
		ImageTLS, ImagePlainHTTP, ImageRegistry, ImageInterrupted, ImageInvalidName, ImagePlatform, ImageNeverPull, ImageHostOnly,
		ImagePull, CommandNotFound, CommandNotExecutable, WorkingDir, StartFailed, ConfigMissing,
	}, code)
}

// judge reads the end from the pod; nil when it does not show one.
func (v view) judge() (Class, *spec.Reason) {
	if v.pod == nil {
		return "", nil
	}
	for _, ask := range []func() (Class, *spec.Reason){v.eviction, v.disruption, v.kubelet, v.program} {
		if class, r := ask(); r != nil {
			return class, r
		}
	}
	if v.NodeDown {
		return Infrastructure, lost(v)
	}
	if r := imageTrouble(v); r != nil {
		return Start, r
	}
	return "", nil
}

// Disk that the pod itself used beyond its own limit, or that of one of its folders in memory.
var ownDisk = regexp.MustCompile(`(?i)exceed(s|ed) (the total limit of containers|its local ephemeral storage limit|the limit)|ephemeral local storage usage exceeds`)

// eviction is the kubelet's: for a node that runs short, or for a pod that
// took more disk than it may, which is the program's fault.
func (v view) eviction() (Class, *spec.Reason) {
	s := v.pod.Status
	if s.Reason != "Evicted" {
		return "", nil
	}
	if ownDisk.MatchString(s.Message) {
		return User, say(DiskExceeded, "detail", detail(s.Message))
	}
	return Infrastructure, say(Evicted, "node", or(v.pod.Spec.NodeName, none), "detail", detail(s.Message))
}

// disruption is the condition that the control plane leaves on a pod that it takes away.
func (v view) disruption() (Class, *spec.Reason) {
	c := v.condition(corev1.DisruptionTarget)
	if c == nil || c.Status != corev1.ConditionTrue || v.phase(corev1.PodSucceeded) {
		return "", nil
	}
	node, words := or(v.pod.Spec.NodeName, none), detail(c.Message)
	switch c.Reason {
	case corev1.PodReasonPreemptionByScheduler:
		if e, ok := v.newest("Preempted"); ok {
			words = detail(e.Message) // who took the place
		}
		return Infrastructure, say(Preempted, "node", node, "detail", words)
	case "DeletionByTaintManager", "DeletionByPodGC":
		return Infrastructure, say(NodeLost, "node", node, "detail", words)
	case corev1.PodReasonTerminationByKubelet:
		if strings.Contains(strings.ToLower(c.Message+v.pod.Status.Message), "shutdown") {
			return Infrastructure, say(NodeShutdown, "node", node, "detail", words)
		}
		return Infrastructure, say(Evicted, "node", node, "detail", words)
	case "EvictionByEvictionAPI":
		return Infrastructure, say(Evicted, "node", node, "detail", words)
	}
	return Infrastructure, say(Disrupted, "node", node, "detail", words)
}

// kubelet is what the pod's own reason tells.
func (v view) kubelet() (Class, *spec.Reason) {
	s := v.pod.Status
	node, words := or(v.pod.Spec.NodeName, none), detail(s.Message)
	switch {
	case s.Reason == "DeadlineExceeded":
		return Timeout, say(Deadline, "detail", words)
	case s.Reason == "NodeLost":
		return Infrastructure, say(NodeLost, "node", node, "detail", words)
	case s.Reason == "Preempting", s.Reason == "Preempted":
		return Infrastructure, say(Preempted, "node", node, "detail", words)
	case s.Reason == "Shutdown", s.Reason == "NodeShutdown", s.Reason == "Terminated" && strings.Contains(s.Message, "shutdown"):
		return Infrastructure, say(NodeShutdown, "node", node, "detail", words)
	case strings.HasPrefix(s.Reason, "OutOf"), s.Reason == "UnexpectedAdmissionError", s.Reason == "NodeAffinity",
		s.Reason == "NodePorts", s.Reason == "TopologyAffinityError", s.Reason == "Taint":
		return Infrastructure, say(NodeRefused, "node", node, "detail", detail(s.Reason+": "+s.Message))
	}
	if end := v.jobEnd(); end != nil && end.Reason == batchv1.JobReasonDeadlineExceeded {
		return Timeout, say(Deadline, "detail", detail(end.Message))
	}
	return "", nil
}

// program is how the main container ended, or the first one that kept it from starting.
func (v view) program() (Class, *spec.Reason) {
	s := v.mainStatus()
	if s != nil && s.State.Terminated != nil {
		t := s.State.Terminated
		if t.ExitCode == 0 && t.Reason != "OOMKilled" && t.Reason != "ContainerStatusUnknown" {
			return Success, say(Completed)
		}
		// Somebody outside of the platform deleted the pod, which killed the program.
		if v.pod.DeletionTimestamp != nil && t.Reason != "OOMKilled" && (t.ExitCode == 137 || t.ExitCode == 143) {
			return Infrastructure, say(PodDeleted, "detail", detail(string(v.pod.UID)))
		}
		r := v.end(*s, t)
		switch {
		case r.Code == NodeLost, r.Code == EndUnseen:
			return Infrastructure, r
		case t.Reason == "StartError" || t.Reason == "ContainerCannotRun":
			return Start, r
		}
		return User, r
	}
	if !v.phase(corev1.PodFailed) {
		if r := containerTrouble(v); r != nil && startCode(r.Code) && v.pod.DeletionTimestamp == nil {
			return Start, r
		}
		return "", nil
	}
	for _, s := range v.statuses() {
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			return Start, v.end(s, t)
		}
	}
	return "", nil
}

// vanished is the end of an attempt whose pod tells nothing: what is left is the Job's word.
func (v view) vanished() (Class, spec.Reason) {
	words := v.raw()
	if end := v.jobEnd(); end != nil {
		words = detail(end.Reason + ": " + end.Message)
		switch end.Reason {
		case batchv1.JobReasonDeadlineExceeded:
			return Timeout, *say(Deadline, "detail", detail(end.Message))
		case batchv1.JobReasonPodFailurePolicy:
			return Infrastructure, *say(Disrupted, "node", none, "detail", detail(end.Message))
		}
	}
	if r := refused(v); r != nil {
		return Start, *r
	}
	if v.pod == nil || v.pod.DeletionTimestamp != nil {
		return Infrastructure, *say(PodDeleted, "detail", words)
	}
	return Infrastructure, *say(Unknown, "detail", words)
}
