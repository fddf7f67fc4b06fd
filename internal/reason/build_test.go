package reason_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

const image = "registry.example.org/goblin/pytorch:2.9"

// pod builds a pod; changes tell its story.
func pod(main string, changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "resnet-0", UID: "uid-1", CreationTimestamp: ago(5 * time.Minute)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: main, Image: image,
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, change := range changes {
		change(p)
	}
	return p
}

func notebook(changes ...func(*corev1.Pod)) *corev1.Pod { return pod("notebook", changes...) }
func task(changes ...func(*corev1.Pod)) *corev1.Pod     { return pod("task", changes...) }

func condition(t corev1.PodConditionType, s corev1.ConditionStatus, why, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: t, Status: s, Reason: why, Message: message, LastTransitionTime: ago(2 * time.Minute),
		})
	}
}

func unschedulable(message string) func(*corev1.Pod) {
	return condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", message)
}

func placed(p *corev1.Pod) {
	p.Spec.NodeName = "node-a"
	condition(corev1.PodScheduled, corev1.ConditionTrue, "", "")(p)
}

func ready(p *corev1.Pod) {
	placed(p)
	p.Status.Phase = corev1.PodRunning
	condition(corev1.PodReady, corev1.ConditionTrue, "", "")(p)
}

func deleted(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { t := ago(d); p.DeletionTimestamp = &t }
}

func status(state, last corev1.ContainerState, restarts int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: p.Spec.Containers[len(p.Status.ContainerStatuses)].Name, State: state, LastTerminationState: last, RestartCount: restarts,
		})
	}
}

func held(why, message string) func(*corev1.Pod) {
	return status(waitingState(why, message), corev1.ContainerState{}, 0)
}

func waitingState(why, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: why, Message: message}}
}

func runningState(d time.Duration) corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: ago(d)}}
}

func over(exit int32, why, message string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: why, Message: message}}
}

func finished(phase corev1.PodPhase, why, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName = "node-a"
		p.Status.Phase, p.Status.Reason, p.Status.Message = phase, why, message
	}
}

func exited(exit int32, why, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		phase := corev1.PodFailed
		if exit == 0 {
			phase = corev1.PodSucceeded
		}
		finished(phase, "", "")(p)
		status(over(exit, why, message), corev1.ContainerState{}, 0)(p)
	}
}

func event(kind, why, message string, d time.Duration) reason.Event {
	t := "Warning"
	if !strings.Contains(why, "Fail") && why != "Unhealthy" && why != "Preempted" {
		t = "Normal"
	}
	return reason.Event{Kind: kind, Name: "resnet-0", Type: t, Reason: why, Message: message, Last: now.Add(-d)}
}

func claim(phase corev1.PersistentVolumeClaimPhase) corev1.PersistentVolumeClaim {
	return corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "resnet-0", CreationTimestamp: ago(40 * time.Second)},
		Status:     corev1.PersistentVolumeClaimStatus{Phase: phase},
	}
}

func job(t batchv1.JobConditionType, why, message string) *batchv1.Job {
	return &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
		{Type: t, Status: corev1.ConditionTrue, Reason: why, Message: message},
	}}}
}

func replicas(n int32) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: &n}}
}

// spoken takes the cluster's own words out of a reason, which may hold whatever
// looks like a hole in a message, after it has looked at their length.
func spoken(r spec.Reason) spec.Reason {
	args := map[string]any{}
	for k, v := range r.Args {
		if s, ok := v.(string); ok && !(strings.HasPrefix(s, "@") && lang.Has(s[1:])) {
			if n := len([]rune(s)); n > 500 || !utf8.ValidString(s) {
				panic(k + " is too long or no text")
			}
			v = "words"
		}
		args[k] = v
	}
	return spec.Reason{Code: r.Code, Args: args}
}

// read says a reason in both languages, after it has been stored and loaded
// again, and refuses words with holes in them. It gives the English ones.
func read(t *testing.T, r spec.Reason) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("%s cannot be stored: %v", r.Code, err)
	}
	var stored spec.Reason
	if err := json.Unmarshal(b, &stored); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"reason.", "advice."} {
		for _, l := range []lang.Lang{lang.Chinese, lang.English} {
			text := lang.Text(l, id+r.Code, stored.Args)
			if text == id+r.Code || strings.ContainsAny(text, "?{}@\x00") || strings.Contains(text, "map[") {
				t.Errorf("in %s it reads %q", l, text)
			}
		}
	}
	return lang.Text(lang.English, "reason."+stored.Code, stored.Args)
}
