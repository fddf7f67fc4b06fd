package reason

import (
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	none       = "–"
	maxDetail  = 500 // characters of the cluster's own words
	maxLogLine = 200
	maxLog     = 10 // lines
)

// view is the evidence, sorted for the detectors.
type view struct {
	Evidence
	pod    *corev1.Pod
	main   string
	events []Event // of this start or attempt, the newest first
}

func look(e Evidence, main string) view {
	v := view{Evidence: e, pod: e.Pod, main: main}
	for _, ev := range e.Events {
		if !ev.Last.Before(e.Since) { // without a Since every event counts
			v.events = append(v.events, ev)
		}
	}
	slices.SortStableFunc(v.events, func(a, b Event) int { return b.Last.Compare(a.Last) })
	return v
}

// newest is the newest event with one of the reasons.
func (v view) newest(reasons ...string) (Event, bool) {
	for _, e := range v.events {
		if slices.Contains(reasons, e.Reason) {
			return e, true
		}
	}
	return Event{}, false
}

func (v view) condition(t corev1.PodConditionType) *corev1.PodCondition {
	if v.pod == nil {
		return nil
	}
	for i := range v.pod.Status.Conditions {
		if v.pod.Status.Conditions[i].Type == t {
			return &v.pod.Status.Conditions[i]
		}
	}
	return nil
}

func (v view) holds(t corev1.PodConditionType) bool {
	c := v.condition(t)
	return c != nil && c.Status == corev1.ConditionTrue
}

func (v view) ready() bool {
	return v.pod != nil && v.pod.DeletionTimestamp == nil && !v.NodeDown && v.holds(corev1.PodReady)
}

func (v view) scheduled() bool {
	return v.pod != nil && (v.pod.Spec.NodeName != "" || v.holds(corev1.PodScheduled))
}

func (v view) phase(phases ...corev1.PodPhase) bool {
	return v.pod != nil && slices.Contains(phases, v.pod.Status.Phase)
}

func (v view) running() bool {
	s := v.mainStatus()
	return s != nil && s.State.Running != nil
}

// ended reports whether an attempt is over, whatever came of it.
func (v view) ended() bool {
	if s := v.mainStatus(); s != nil && s.State.Terminated != nil {
		return true
	}
	return v.phase(corev1.PodFailed, corev1.PodSucceeded) || v.jobEnd() != nil || v.Stopped || v.TimedOut || v.Expired
}

// jobEnd is the Job's condition that ended it.
func (v view) jobEnd() *batchv1.JobCondition {
	if v.Job == nil {
		return nil
	}
	for i := range v.Job.Status.Conditions {
		c := &v.Job.Status.Conditions[i]
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed || c.Type == batchv1.JobFailureTarget) {
			return c
		}
	}
	return nil
}

func (v view) mainStatus() *corev1.ContainerStatus {
	if v.pod == nil {
		return nil
	}
	for i := range v.pod.Status.ContainerStatuses {
		if v.pod.Status.ContainerStatuses[i].Name == v.main {
			return &v.pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// statuses are those of the init containers, sidecars among them, then of the
// others: the order in which they start.
func (v view) statuses() []corev1.ContainerStatus {
	if v.pod == nil {
		return nil
	}
	return slices.Concat(v.pod.Status.InitContainerStatuses, v.pod.Status.ContainerStatuses)
}

// spec is a container of the pod by its name.
func (v view) container(name string) corev1.Container {
	for _, c := range slices.Concat(v.pod.Spec.InitContainers, v.pod.Spec.Containers) {
		if c.Name == name {
			return c
		}
	}
	return corev1.Container{}
}

// elapsed is how long something has taken, coarse, so that it changes seldom:
// steps of ten seconds, then of minutes.
func (v view) elapsed(since time.Time) string {
	d := v.Now.Sub(since)
	switch {
	case since.IsZero() || v.Now.IsZero() || d < 0:
		return "0s"
	case d < time.Minute:
		return strconv.Itoa(int(d/(10*time.Second))*10) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return strconv.Itoa(int(d/time.Hour)) + "h" + strconv.Itoa(int(d%time.Hour/time.Minute)) + "m"
}

// log is the end of the main container's log as one text.
func (v view) log() string {
	lines := v.Log[max(0, len(v.Log)-maxLog):]
	short := make([]string, len(lines))
	for i, l := range lines {
		short[i] = clip(strings.TrimRight(l, " \t\r\n"), maxLogLine) // an indent is meant
	}
	text := []rune(strings.Trim(strings.Join(short, "\n"), "\n"))
	if len(text) == 0 {
		return none
	}
	return string(text[max(0, len(text)-maxDetail):])
}

// detail is the cluster's own words, short enough to store and to show.
func detail(text string) string { return cut(text, maxDetail) }

func cut(text string, most int) string {
	if text = clip(strings.TrimSpace(text), most); text == "" {
		return none
	}
	return text
}

// clip keeps the beginning of a text that is safe to store.
func clip(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
