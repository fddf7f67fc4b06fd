package instance

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// ran is how a program ended that began at noon.
func ran(d time.Duration, words string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: 3, Message: words, StartedAt: metav1.NewTime(noon), FinishedAt: metav1.NewTime(noon.Add(d))}
}

func TestWhetherAPodCrashes(t *testing.T) {
	t.Parallel()
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for name, c := range map[string]struct {
		status   corev1.ContainerStatus
		crashing bool
		words    []string
	}{
		"it runs for the first time":           {corev1.ContainerStatus{State: running}, false, nil},
		"it waits for its next start":          {corev1.ContainerStatus{State: waiting, RestartCount: 2, LastTerminationState: corev1.ContainerState{Terminated: ran(time.Second, "a\nb\n")}}, true, []string{"a", "b"}},
		"it has just ended again":              {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: ran(time.Second, "no disk")}, RestartCount: 1}, true, []string{"no disk"}},
		"it ended for the first time":          {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: ran(time.Second, "")}}, false, nil},
		"it runs again":                        {corev1.ContainerStatus{State: running, RestartCount: 2, LastTerminationState: corev1.ContainerState{Terminated: ran(time.Second, "a")}}, false, []string{"a"}},
		"it ran for an hour before it ended":   {corev1.ContainerStatus{State: waiting, RestartCount: 9, LastTerminationState: corev1.ContainerState{Terminated: ran(time.Hour, "a")}}, false, []string{"a"}},
		"its image cannot be had, after a run": {corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.status.Name = manifest.ContainerInstance
			p := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "sidecar", RestartCount: 99}, c.status}}}
			if got := podOf(p); got.Crashing != c.crashing || got.Restarts != int(c.status.RestartCount) {
				t.Errorf("crashing %v after %d restarts", got.Crashing, got.Restarts)
			}
			if diff := cmp.Diff(c.words, lastWords(p)); diff != "" {
				t.Errorf("last words: %s", diff)
			}
		})
	}
}

func TestPodOf(t *testing.T) {
	t.Parallel()
	then := metav1.NewTime(noon)
	got := podOf(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "lab-0", UID: "u", CreationTimestamp: then, DeletionTimestamp: &then, Annotations: map[string]string{manifest.AnnotationStart: "7"}},
		Spec:       corev1.PodSpec{NodeName: "n"},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, PodIP: "10.0.0.1", Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionFalse}}},
	})
	want := Pod{Name: "lab-0", UID: "u", Start: 7, Node: "n", IP: "10.0.0.1", Created: noon, Scheduled: true, Terminating: true, Ended: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheClusterRefusesIsTold(t *testing.T) {
	t.Parallel()
	sets := schema.GroupResource{Group: "apps", Resource: "statefulsets"}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nothing wrong":       {nil, ""},
		"no answer":           {errors.New("connection refused"), ""},
		"a conflict":          {apierrors.NewConflict(sets, "lab", errors.New("x")), ""},
		"the server is busy":  {apierrors.NewTooManyRequests("later", 1), ""},
		"an admission rule":   {apierrors.NewForbidden(sets, "lab", errors.New("denied by a webhook")), reason.PodRefused},
		"an invalid object":   {apierrors.NewBadRequest("no"), reason.PodRefused},
		"no namespace yet":    {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "gl-x"), "team-preparing"},
		"a volume that is no": {waitsError{&spec.Reason{Code: reason.VolumeMissing}}, reason.VolumeMissing},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("apply: %w", err)
		}
		got := ""
		if r := refusal(err); r != nil {
			got = r.Code
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
