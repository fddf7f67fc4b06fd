package run

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var phases = []string{"queued", "scheduled", "mounting", "pulling", "starting", "ready"}

func has(t []spec.Phase, name string) bool {
	return slices.ContainsFunc(t, func(p spec.Phase) bool { return p.Name == name })
}

// timeline adds what pod and events show to the phases that are known (P4).
// What was seen once stays, since the cluster forgets its events.
func timeline(known []spec.Phase, pod *corev1.Pod, events []reason.Event) []spec.Phase {
	out := slices.Clone(known)
	add := func(name string, at time.Time) {
		if !at.IsZero() && !has(out, name) {
			out = append(out, spec.Phase{Name: name, Since: at.UTC()})
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			add("scheduled", c.LastTransitionTime.Time)
		}
	}
	for _, e := range events {
		if e.Kind != "Pod" || e.Name != pod.Name {
			continue
		}
		switch e.Reason {
		case "FailedMount", "FailedAttachVolume":
			add("mounting", e.Last)
		case "Pulling":
			add("pulling", e.Last)
		case "Pulled", "Created":
			add("starting", e.Last)
		}
	}
	if at := startedAt(pod); at != nil {
		add("ready", *at)
	}
	slices.SortStableFunc(out, func(a, b spec.Phase) int {
		return slices.Index(phases, a.Name) - slices.Index(phases, b.Name)
	})
	for i := 1; i < len(out); i++ { // stamps of whole seconds from several clocks
		if out[i].Since.Before(out[i-1].Since) {
			out[i].Since = out[i-1].Since
		}
	}
	return out
}
