package instance

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// The phases of a start, in the order in which they come.
const (
	phaseQueued    = "queued"
	phaseScheduled = "scheduled"
	phaseMounting  = "mounting"
	phasePulling   = "pulling"
	phaseStarting  = "starting"
	phaseReady     = "ready"
)

var ranks = map[string]int{phaseQueued: 0, phaseScheduled: 1, phaseMounting: 2, phasePulling: 3, phaseStarting: 4, phaseReady: 5}

// timeline joins what is stored of a start with what its pod shows now (P4).
// What was seen once stays, since the cluster forgets its events and a crash
// moves a container's start; what belongs to a pod that was replaced goes, and
// a start whose running pod was lost is queued again.
func timeline(old []spec.Phase, p *Pod, seen []spec.Phase, lost bool, now time.Time) []spec.Phase {
	queued := spec.Phase{Name: phaseQueued, Since: now}
	if len(old) > 0 && !lost {
		queued.Since = old[0].Since
	}
	out := []spec.Phase{queued}
	keep := func(f spec.Phase) {
		known := slices.ContainsFunc(out, func(o spec.Phase) bool { return o.Name == f.Name })
		if known || f.Since.IsZero() {
			return
		}
		if f.Since.Before(queued.Since) { // the cluster's times are whole seconds
			f.Since = queued.Since
		}
		out = append(out, f)
	}
	if len(old) > 1 && !lost {
		for _, f := range old[1:] {
			if p == nil || !f.Since.Before(p.Created) {
				keep(f)
			}
		}
	}
	for _, f := range seen {
		keep(spec.Phase{Name: f.Name, Since: live(f.Since, now)})
	}
	slices.SortStableFunc(out, func(a, b spec.Phase) int { return cmp.Compare(ranks[a.Name], ranks[b.Name]) })
	for i := 1; i < len(out); i++ { // whole seconds of the cluster beside our own finer times
		if out[i].Since.Before(out[i-1].Since) {
			out[i].Since = out[i-1].Since
		}
	}
	return out
}

// live refines a time of the cluster, which is cut to whole seconds: what is
// seen within its second happened just now.
func live(since, now time.Time) time.Time {
	if since.Nanosecond() == 0 && now.After(since) && now.Sub(since) < time.Second {
		return now
	}
	return since
}

func readySince(t []spec.Phase) time.Time {
	for _, f := range t {
		if f.Name == phaseReady {
			return f.Since
		}
	}
	return t[len(t)-1].Since
}

// phases reads when a pod came into each phase, from its conditions and, where
// those do not tell, from the cluster's events.
func phases(p *corev1.Pod, events []*corev1.Event, now time.Time) []spec.Phase {
	var out []spec.Phase
	add := func(name string, since time.Time) { out = append(out, spec.Phase{Name: name, Since: since.UTC()}) }
	first := func(reasons ...string) time.Time {
		var at time.Time
		for _, e := range events {
			if e.InvolvedObject.UID == p.UID && slices.Contains(reasons, e.Reason) && (at.IsZero() || history.FirstTime(e).Before(at)) {
				at = history.FirstTime(e)
			}
		}
		return at
	}
	scheduled, ok := conditionTrue(p, corev1.PodScheduled)
	if !ok {
		return nil
	}
	add(phaseScheduled, scheduled)
	pulling := first("Pulling")
	if at := first("SuccessfulAttachVolume", "FailedAttachVolume", "FailedMount"); !at.IsZero() {
		add(phaseMounting, at)
	} else if _, framed := conditionTrue(p, corev1.PodReadyToStartContainers); !framed && pulling.IsZero() && now.Sub(scheduled) > mountsSlowly {
		add(phaseMounting, scheduled)
	}
	if !pulling.IsZero() {
		add(phasePulling, pulling)
	}
	if at := started(p); !at.IsZero() {
		add(phaseStarting, at)
	}
	if at, ok := conditionTrue(p, corev1.PodReady); ok {
		add(phaseReady, at)
	}
	return out
}

// mountsSlowly is how long a pod may wait for its frame, which comes after its
// volumes, before the wait is shown as one for the volumes.
const mountsSlowly = 3 * time.Second

func conditionTrue(p *corev1.Pod, t corev1.PodConditionType) (time.Time, bool) {
	for _, c := range p.Status.Conditions {
		if c.Type == t && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

// started is when the main container was first seen to start.
func started(p *corev1.Pod) time.Time {
	s := mainStatus(p)
	switch {
	case s == nil:
		return time.Time{}
	case s.LastTerminationState.Terminated != nil:
		return s.LastTerminationState.Terminated.StartedAt.Time
	case s.State.Running != nil:
		return s.State.Running.StartedAt.Time
	case s.State.Terminated != nil:
		return s.State.Terminated.StartedAt.Time
	}
	return time.Time{}
}

func mainStatus(p *corev1.Pod) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == manifest.ContainerInstance {
			return &p.Status.ContainerStatuses[i]
		}
	}
	return nil
}
