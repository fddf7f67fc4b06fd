package manifest

import (
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// The times of a Job.
const (
	// DeadlineMargin is how much later than a timeout the Job's own deadline
	// falls. The platform ends an attempt itself, keeps the tail of its log and
	// says why; Kubernetes deletes the pod at the deadline, log and all. Its
	// deadline is the backstop for when the platform is down (P64).
	DeadlineMargin = 2 * time.Minute

	// DefaultTTL is longer than any log takes to drain (P78).
	DefaultTTL = time.Hour

	// OutputsPath is where a task of a flow leaves what later ones may read, at
	// most 4 KiB: the container's termination message, which the API server keeps
	// with the pod's status.
	OutputsPath = corev1.TerminationMessagePathDefault

	// DefaultGrace is how long a program has from SIGTERM to SIGKILL.
	DefaultGrace = 30 * time.Second
)

func (a Attempt) labelSet() map[string]string {
	l := a.labels(ComponentTask, map[string]string{
		LabelFlowID:    a.FlowID,
		LabelRunID:     a.RunID,
		LabelTaskID:    a.TaskID,
		LabelAttemptID: a.ID,
		LabelAttempt:   strconv.Itoa(a.Number),
		LabelClass:     string(class(a.Class)),
		LabelExecMode:  or(a.ExecMode, ModeManual),
		LabelType:      or(a.Type, TypeJob),
	})
	return l
}

func (a Attempt) annotationSet() map[string]string {
	more := map[string]string{AnnotationImageID: a.ImageID}
	if !a.LogicalTime.IsZero() {
		more[AnnotationLogicalTime] = a.LogicalTime.Format(time.RFC3339)
	}
	return a.annotations(more)
}

// Job is the one of an attempt: one pod, never a second. Its name is
// deterministic, so that "already exists" is success (P68).
//
// The pod failure policy fails the Job at once when its pod was disrupted, and
// does not ignore the disruption: ignoring would have the Job make another pod
// behind the platform's back, where each attempt has a pod, a log and a deadline
// of its own (P65, P67). The gain of the rule is the Job's condition: its reason
// is "PodFailurePolicy" for an evicted or preempted pod and
// "BackoffLimitExceeded" for a program that failed, and it stays when the pod is
// gone. "Failed" as replacement policy goes with it and has the Job wait until
// the pod has really ended.
func Job(a Attempt) *batchv1ac.JobApplyConfiguration {
	s := batchv1ac.JobSpec().
		WithParallelism(1).
		WithCompletions(1).
		WithBackoffLimit(0).
		WithTTLSecondsAfterFinished(int32(seconds(positive(a.TTL, DefaultTTL)))).
		WithPodReplacementPolicy(batchv1.Failed).
		WithPodFailurePolicy(batchv1ac.PodFailurePolicy().WithRules(batchv1ac.PodFailurePolicyRule().
			WithAction(batchv1.PodFailurePolicyActionFailJob).
			WithOnPodConditions(batchv1ac.PodFailurePolicyOnPodConditionsPattern().
				WithType(corev1.DisruptionTarget).
				WithStatus(corev1.ConditionTrue)))).
		WithTemplate(a.template())
	if a.Timeout > 0 {
		s.WithActiveDeadlineSeconds(seconds(a.Timeout) + seconds(positive(a.Grace, DefaultGrace)) + seconds(DeadlineMargin))
	}
	labels := a.labelSet()
	set(labels, LabelQueue, a.Queue)
	return batchv1ac.Job(a.Name, a.Namespace).
		WithLabels(labels).
		WithAnnotations(a.annotationSet()).
		WithOwnerReferences(a.owners()...).
		WithSpec(s)
}

// seconds rounds up: Kubernetes counts whole ones.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

func positive(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

func (a Attempt) template() *corev1ac.PodTemplateSpecApplyConfiguration {
	s := newStorage()
	s.common(a.Container)
	if a.Code != nil {
		s.claimMount("code", Mount{Claim: a.Code.Claim, Path: CodePath, SubPath: a.Code.SubPath, ReadOnly: !a.Code.Writable})
	}
	if a.TokenSecret != "" {
		s.token(a.TokenSecret)
	}
	s.site(a.Container)

	main := a.main(ContainerTask, a.environment(), s)
	dir := a.WorkingDir
	if dir == "" && a.Code != nil {
		dir = CodePath
	}
	if dir != "" {
		main.WithWorkingDir(dir)
	}
	// The pod's pause is process 1, which reaps: a program that were process 1
	// itself would never see a SIGTERM that it does not handle.
	p := a.pod(main, s).
		WithShareProcessNamespace(true).
		WithRestartPolicy(corev1.RestartPolicyNever).
		WithTerminationGracePeriodSeconds(seconds(positive(a.Grace, DefaultGrace))).
		WithPriorityClassName(priority(a.Class))
	a.Scheduling.place(p, a.Class)

	annotations := a.annotationSet()
	annotations[AnnotationSafeToEvict] = "false" // hours of training are worth more than a node saved
	return corev1ac.PodTemplateSpec().
		WithLabels(a.labelSet()).
		WithAnnotations(annotations).
		WithSpec(p)
}

func priority(c spec.Class) string {
	if class(c) == spec.ClassOnline {
		return PriorityOnline
	}
	return PriorityTest
}

// AttemptTokenName is the name of the Secret with the token of an attempt.
func AttemptTokenName(a Attempt) string { return a.Name + "-token" }

// AttemptSecret is a secret that an attempt asks for. It is made before the
// Job, and given to it afterwards, so that it goes with it.
func AttemptSecret(a Attempt, u UserSecret) *corev1ac.SecretApplyConfiguration {
	return corev1ac.Secret(u.Name, a.Namespace).
		WithLabels(a.labelSet()).
		WithLabels(u.labels()).
		WithAnnotations(u.annotations()).
		WithOwnerReferences(a.owners()...).
		WithType(u.kind()).
		WithData(u.Data)
}

func (a Attempt) environment() *environment {
	e := &environment{}
	e.value(EnvFlowID, a.FlowID)
	e.value(EnvTaskID, a.TaskID)
	e.value(EnvRunID, a.RunID)
	e.value(EnvAttempt, strconv.Itoa(a.Number))
	if !a.LogicalTime.IsZero() {
		e.value(EnvLogicalTime, a.LogicalTime.Format(time.RFC3339))
	}
	if a.FlowID != "" {
		e.value(EnvOutputs, OutputsPath)
	}
	a.common(e)
	e.value("PYTHONUNBUFFERED", "1") // a log that stays empty until the end helps nobody
	if a.TokenSecret != "" {
		e.value(EnvTokenFile, TokenPath)
	}
	e.users(a.Env, a.SecretEnv)
	a.hidden(e)
	return e
}
