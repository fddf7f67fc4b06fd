package instance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

func phase(name string, seconds float64) spec.Phase {
	return spec.Phase{Name: name, Since: at(seconds)}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	p := pod()
	for name, c := range map[string]struct {
		old  []spec.Phase
		pod  *Pod
		seen []spec.Phase
		lost bool
		now  float64
		want []spec.Phase
	}{
		"queued, and nothing else yet": {old: queued, now: 3, want: queued},
		"each phase has its time (P4)": {
			old: queued, pod: &p, now: 60,
			seen: []spec.Phase{phase(phaseScheduled, 2), phase(phasePulling, 3), phase(phaseStarting, 40), phase(phaseReady, 45)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2), phase(phasePulling, 3), phase(phaseStarting, 40), phase(phaseReady, 45)},
		},
		"what the cluster forgot stays": {
			old: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2), phase(phasePulling, 3)}, pod: &p, now: 7200,
			seen: []spec.Phase{phase(phaseScheduled, 2), phase(phaseReady, 45)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2), phase(phasePulling, 3), phase(phaseReady, 45)},
		},
		"a crash does not move the start": {
			old: []spec.Phase{phase(phaseQueued, 0), phase(phaseStarting, 5)}, pod: &p, now: 100,
			seen: []spec.Phase{phase(phaseStarting, 60)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseStarting, 5)},
		},
		"of a pod that was replaced nothing stays but the queueing": {
			old: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2), phase(phaseStarting, 5)},
			pod: &Pod{Created: at(30)}, now: 40, seen: []spec.Phase{phase(phaseScheduled, 31)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 31)},
		},
		"a running pod that was lost is queued again": {
			old: []spec.Phase{phase(phaseQueued, 0), phase(phaseReady, 5)}, lost: true, now: 500,
			want: []spec.Phase{phase(phaseQueued, 500)},
		},
		"whole seconds of the cluster do not come before the request": {
			old: []spec.Phase{phase(phaseQueued, 0.7)}, pod: &p, now: 30, seen: []spec.Phase{phase(phaseScheduled, 0)},
			want: []spec.Phase{phase(phaseQueued, 0.7), phase(phaseScheduled, 0.7)},
		},
		"within its second a phase begins when it is seen": {
			old: queued, pod: &p, now: 2.4, seen: []spec.Phase{phase(phaseScheduled, 2)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2.4)},
		},
		"phases of one moment stand in the order of a start": {
			old: queued, pod: &p, now: 60,
			seen: []spec.Phase{phase(phaseReady, 2), phase(phasePulling, 2), phase(phaseMounting, 2), phase(phaseScheduled, 2)},
			want: []spec.Phase{phase(phaseQueued, 0), phase(phaseScheduled, 2), phase(phaseMounting, 2), phase(phasePulling, 2), phase(phaseReady, 2)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, timeline(c.old, c.pod, c.seen, c.lost, at(c.now))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestPhasesAreReadFromConditionsAndEvents(t *testing.T) {
	t.Parallel()
	condition := func(c corev1.PodConditionType, seconds float64) corev1.PodCondition {
		return corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at(seconds))}
	}
	event := func(reason string, seconds float64) *corev1.Event {
		return &corev1.Event{Reason: reason, InvolvedObject: corev1.ObjectReference{UID: "u1"}, FirstTimestamp: metav1.NewTime(at(seconds))}
	}
	running := []corev1.ContainerStatus{{Name: manifest.ContainerInstance, State: corev1.ContainerState{
		Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(at(40))}}}}
	for name, c := range map[string]struct {
		status corev1.PodStatus
		events []*corev1.Event
		now    float64
		want   []spec.Phase
	}{
		"not placed": {status: corev1.PodStatus{}, now: 9},
		"placed just now": {
			status: corev1.PodStatus{Conditions: []corev1.PodCondition{condition(corev1.PodScheduled, 2)}}, now: 3,
			want: []spec.Phase{phase(phaseScheduled, 2)}},
		"its frame does not come: it waits for volumes": {
			status: corev1.PodStatus{Conditions: []corev1.PodCondition{condition(corev1.PodScheduled, 2)}}, now: 30,
			want: []spec.Phase{phase(phaseScheduled, 2), phase(phaseMounting, 2)}},
		"a mount failed": {
			status: corev1.PodStatus{Conditions: []corev1.PodCondition{condition(corev1.PodScheduled, 2)}}, now: 30,
			events: []*corev1.Event{event("FailedMount", 12), event("FailedMount", 9)},
			want:   []spec.Phase{phase(phaseScheduled, 2), phase(phaseMounting, 9)}},
		"all of it": {
			status: corev1.PodStatus{ContainerStatuses: running, Conditions: []corev1.PodCondition{
				condition(corev1.PodScheduled, 2), condition(corev1.PodReadyToStartContainers, 3), condition(corev1.PodReady, 45)}},
			events: []*corev1.Event{event("Pulling", 4)}, now: 60,
			want: []spec.Phase{phase(phaseScheduled, 2), phase(phasePulling, 4), phase(phaseStarting, 40), phase(phaseReady, 45)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u1"}, Status: c.status}
			if diff := cmp.Diff(c.want, phases(p, c.events, at(c.now))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
