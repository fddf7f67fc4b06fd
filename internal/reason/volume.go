package reason

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// claims says which claim is not bound, and why. One that waits for its first
// consumer is no cause: the pod's own place comes first.
func claims(v view) *spec.Reason {
	if v.pod == nil || v.running() || v.scheduled() {
		return nil
	}
	for _, c := range v.Claims {
		switch c.Status.Phase {
		case corev1.ClaimLost:
			return say(VolumeLost, "volume", c.Name, "detail", detail("PersistentVolume "+c.Spec.VolumeName))
		case corev1.ClaimBound:
			continue
		}
		if r := v.unbound(c); r != nil {
			return r
		}
	}
	return nil
}

func (v view) unbound(c corev1.PersistentVolumeClaim) *spec.Reason {
	e, ok := v.claimEvent(c.Name)
	if !ok {
		return say(VolumePending, "volume", c.Name, "elapsed", v.elapsed(c.CreationTimestamp.Time), "detail", none)
	}
	switch e.Reason {
	case "WaitForFirstConsumer", "WaitForPodScheduled":
		return nil
	case "FailedBinding":
		return say(VolumeNoClass, "volume", c.Name, "detail", detail(e.Message))
	case "ProvisioningFailed":
		return say(VolumeFailed, "volume", c.Name, "detail", detail(e.Message))
	}
	return say(VolumePending, "volume", c.Name, "elapsed", v.elapsed(c.CreationTimestamp.Time), "detail", detail(e.Message))
}

// claimEvent is the newest event of a claim, however old: a claim may be older than the start.
func (v view) claimEvent(name string) (Event, bool) {
	var newest Event
	found := false
	for _, e := range v.Events {
		if e.Kind == "PersistentVolumeClaim" && e.Name == name && (!found || e.Last.After(newest.Last)) {
			newest, found = e, true
		}
	}
	return newest, found
}

var (
	multiAttach = regexp.MustCompile(`Multi-Attach error for volume "([^"]*)"`)
	usedBy      = regexp.MustCompile(`used by pod\(s\) ([^\n]*)`)
	volumeName  = regexp.MustCompile(`(?:for volume|volumes=\[)\s*"?([^"\]\s]+)`)
	notFound    = regexp.MustCompile(`(?i)(secret|configmap) "([^"]*)" not found`)
	missingKey  = regexp.MustCompile(`(?i)references non-existent (secret|config) key: (\S+)`)
)

// mountTrouble says which volume keeps the containers from being made (P19,
// P21, P27). What was pulled or made after the complaint has overcome it.
func mountTrouble(v view) *spec.Reason {
	if !v.creating() {
		return nil
	}
	var generic *spec.Reason
	attached := map[string]bool{}
	for _, e := range v.events {
		switch e.Reason {
		case "SuccessfulAttachVolume":
			attached[volumeOf(e.Message)] = true
		case "Pulling", "Pulled", "Created", "Started":
			return generic
		case "FailedAttachVolume":
			if !attached[volumeOf(e.Message)] {
				return attachError(e.Message)
			}
		case "FailedMount", "FailedMapVolume":
			// "Unable to attach or mount volumes … timed out" only sums up what another event explains.
			r := mountError(e.Message)
			if !strings.HasPrefix(e.Message, "Unable to attach or mount volumes") {
				return r
			}
			if generic == nil {
				generic = r
			}
		}
	}
	return generic
}

func attachError(message string) *spec.Reason {
	m := multiAttach.FindStringSubmatch(message)
	if m == nil {
		return say(AttachFailed, "volume", volumeOf(message), "detail", detail(message))
	}
	holders := "@cause.another-node"
	if used := usedBy.FindStringSubmatch(message); used != nil {
		holders = cut(used[1], maxLogLine)
	}
	return say(VolumeInUse, "volume", m[1], "holders", holders, "detail", detail(message))
}

func mountError(message string) *spec.Reason {
	if r := configError(message); r != nil {
		return r
	}
	return say(MountFailed, "volume", volumeOf(message), "detail", detail(message))
}

// configError says which Secret, ConfigMap or key is not there.
func configError(message string) *spec.Reason {
	if m := notFound.FindStringSubmatch(message); m != nil {
		return say(ConfigMissing, "what", m[1]+" "+m[2], "detail", detail(message))
	}
	if m := missingKey.FindStringSubmatch(message); m != nil {
		return say(ConfigMissing, "what", m[1]+" "+m[2], "detail", detail(message))
	}
	return nil
}

func volumeOf(message string) string {
	if m := volumeName.FindStringSubmatch(message); m != nil {
		return cut(m[1], maxLogLine)
	}
	return none
}
