package run

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time   { return noon.Add(time.Duration(seconds) * time.Second) }
func atp(seconds int) *time.Time { t := at(seconds); return &t }
func meta(seconds int) metav1.Time {
	return metav1.NewTime(at(seconds))
}

// A run with one attempt made at noon, whose Job is known.
func aRun(state run.State, change ...func(*State)) State {
	r := State{State: state, Desired: run.DesiredRun, Policy: Policy{
		Retries: 1, Timeout: time.Hour, Pending: 10 * time.Minute, Grace: 30 * time.Second,
		Backoff: 10 * time.Second, BackoffMax: 5 * time.Minute, Interrupts: 10,
	}}
	for _, c := range change {
		c(&r)
	}
	return r
}

func anAttempt(state attempt.State, change ...func(*AttemptState)) AttemptState {
	a := AttemptState{ID: "att-1", Number: 1, State: state, JobName: "train-att-1", CreatedAt: noon, Timeline: []spec.Phase{{Name: "queued", Since: noon}}}
	if state != attempt.StatePending {
		a.PodUID, a.PodName, a.Node, a.StartedAt = "uid-1", "train-att-1-abcde", "general", atp(5)
	}
	for _, c := range change {
		c(&a)
	}
	return a
}

func unlaunched(a *AttemptState) { a.Timeline = nil }
func seenPod(a *AttemptState)    { a.PodUID, a.PodName = "uid-1", "train-att-1-abcde" }
func expired(a *AttemptState) {
	a.Reason.Args["class"], a.Reason.Args["end"], a.Reason.Args["endArgs"] = "timeout", reason.PendingDeadline, map[string]any{"elapsed": "10m0s", "cause": "pulling", "why": "@advice.pulling"}
}

func because(code string, since int) func(*AttemptState) {
	return func(a *AttemptState) {
		a.Reason = &spec.Reason{Code: code, Args: map[string]any{"since": at(since).Format(time.RFC3339), "limit": "1h0m0s"}}
	}
}

func aJob(cond ...batchv1.JobCondition) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train-att-1"}, Status: batchv1.JobStatus{Conditions: cond}}
}

func jobCond(t batchv1.JobConditionType, why string) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue, Reason: why}
}

func aPod(change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-att-1-abcde", UID: types.UID("uid-1")}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
	p.Spec.Containers = []corev1.Container{{Name: "task", Image: "img:1"}}
	for _, c := range change {
		c(p)
	}
	return p
}

func onNode(p *corev1.Pod) {
	p.Spec.NodeName = "general"
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: meta(1)})
}

func status(p *corev1.Pod, s corev1.ContainerState) {
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "task", ContainerID: "containerd://1", State: s}}
}

func runs(p *corev1.Pod) {
	onNode(p)
	p.Status.Phase = corev1.PodRunning
	status(p, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: meta(5)}})
}

func exits(code int32, why string, second int) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		onNode(p)
		p.Status.Phase = corev1.PodFailed
		if code == 0 {
			p.Status.Phase = corev1.PodSucceeded
		}
		status(p, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: why, StartedAt: meta(5), FinishedAt: meta(second)}})
	}
}

func waits(why, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		onNode(p)
		status(p, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: why, Message: message}})
	}
}

// deleted says that somebody asked for the pod's deletion at a second, with 30 s of grace.
func deleted(second int) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		t, grace := meta(second+30), int64(30)
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &t, &grace
	}
}

func evicted(p *corev1.Pod) {
	onNode(p)
	p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
}

func preempted(p *corev1.Pod) {
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler})
}

func killed(p *corev1.Pod) { d := int64(1); p.Spec.ActiveDeadlineSeconds = &d }

func left(ids ...string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func stopAsked(r *State)   { r.Desired, r.StoppedBy = run.DesiredStopped, "Meng" }
func deleteAsked(r *State) { r.Desired, r.StoppedBy = run.DesiredDeleted, "Meng" }
