package reason

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// A detector knows one kind of cause; nil means "not that".
type detector func(view) *spec.Reason

// The detectors in the order of how much they know (P2). Those that look at a
// stage of the pod's life are silent in the others.
var detectors = []detector{
	refused,     // the API server made no pod, and says why
	lost,        // the node is gone: nothing else that the pod says is fresh
	failed,      // the pod has ended
	terminating, // it is on its way out
	claims,      // a volume is not there, which the scheduler only hints at
	unscheduled,
	imageTrouble,
	containerTrouble,
	mountTrouble,
	sandboxTrouble,
	pulling,
	starting,
	waiting, // stages without trouble: not made yet, being placed, being created
}

// Instance says why an instance is not ready; nil when it is ready, or stopped
// as it should be.
func Instance(e Evidence) *spec.Reason {
	v := look(e, manifest.ContainerInstance)
	if v.pod == nil && e.StatefulSet != nil && e.StatefulSet.Spec.Replicas != nil && *e.StatefulSet.Spec.Replicas == 0 {
		return nil
	}
	if v.ready() {
		return nil
	}
	return v.why()
}

// Attempt says why an attempt does not run yet, or why it failed; nil while it
// runs and after success.
func Attempt(e Evidence) *spec.Reason {
	v := look(e, manifest.ContainerTask)
	if v.ended() {
		class, r := Ended(e)
		if class == Success {
			return nil
		}
		return &r
	}
	if v.running() && !e.NodeDown && v.pod.DeletionTimestamp == nil {
		return nil
	}
	return v.why()
}

// Files says why the data manager's agent beside a volume does not run yet; nil
// while it runs.
func Files(e Evidence) *spec.Reason {
	v := look(e, manifest.ContainerFiles)
	if v.ended() {
		return say(Unknown, "detail", v.raw())
	}
	if v.running() && !e.NodeDown && v.pod.DeletionTimestamp == nil {
		return nil
	}
	return v.why()
}

// why asks the detectors. What none of them knows keeps the cluster's own words.
func (v view) why() *spec.Reason {
	for _, d := range detectors {
		if r := d(v); r != nil {
			return r
		}
	}
	return say(Unknown, "detail", v.raw())
}

// raw is the newest complaint of the cluster, in its own words.
func (v view) raw() string {
	for _, e := range v.events {
		if e.Type == corev1.EventTypeWarning {
			return detail(e.Reason + ": " + e.Message)
		}
	}
	if v.pod != nil {
		if s := v.pod.Status; s.Reason != "" || s.Message != "" {
			return detail(s.Reason + ": " + s.Message)
		}
		return detail(string(v.pod.Status.Phase))
	}
	return none
}

// say makes a reason of pairs of names and values. Text is cut and made valid
// whatever it is: names, too, come from messages of the cluster.
func say(code string, pairs ...any) *spec.Reason {
	r := &spec.Reason{Code: code}
	for i := 0; i+1 < len(pairs); i += 2 {
		if r.Args == nil {
			r.Args = map[string]any{}
		}
		value := pairs[i+1]
		if text, ok := value.(string); ok {
			value = detail(text)
		}
		r.Args[pairs[i].(string)] = value
	}
	return r
}
