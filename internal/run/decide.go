package run

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	killSlack  = 15 * time.Second // beyond the grace, for a kubelet to do its work
	lostAfter  = 30 * time.Second // beyond its deletion, for a pod on a node that does not answer
	pullsAgain = 10 * time.Second // until a pull is looked at again: it tells how long it lasts
	tooOften   = "run-interrupted-too-often"
)

// machine is one call of Decide.
type machine struct {
	Decision
	attempts []AttemptState
	o        Observed
	now      time.Time
	final    bool // the attempt waited too long, or for nothing: another one would wait the same
}

// Decide says what comes next. It is pure.
func Decide(r State, attempts []AttemptState, o Observed, now time.Time) Decision {
	m := &machine{Decision: Decision{Run: r}, attempts: append([]AttemptState(nil), attempts...), o: o, now: now}
	if n := len(m.attempts); n > 0 {
		m.Attempt = &m.attempts[n-1]
	}
	if m.Attempt != nil && !ended(m.Attempt.State) {
		m.attempt()
		if ended(m.Attempt.State) {
			m.settle()
		} else {
			m.follow()
		}
	}
	if m.Attempt == nil || ended(m.Attempt.State) {
		m.between()
	}
	m.clean()
	return m.Decision
}

// asked reports whether somebody wants the run to end.
func (m *machine) asked() bool { return m.Run.Desired != run.DesiredRun }

func (m *machine) again(at time.Time) {
	d := max(at.Sub(m.now), time.Millisecond)
	if m.After == 0 || d < m.After {
		m.After = d
	}
}

func (m *machine) note(n Note) { m.Notes = append(m.Notes, n) }

func (m *machine) line(id string, args map[string]any) { m.note(Note{ID: id, Args: args, Log: true}) }

// attempt moves an attempt that has not ended.
func (m *machine) attempt() {
	a := m.Attempt
	m.learn()
	if m.over() {
		return
	}
	if !a.launched() && !m.launch() {
		return
	}
	if a.State != attempt.StateStopping {
		if cause := m.due(); cause != "" {
			m.stop(cause)
		}
	}
	if a.State == attempt.StateStopping {
		m.kill()
		return
	}
	m.wait()
}

// launch sees to it that the Job exists; false when it does not yet.
func (m *machine) launch() bool {
	a := m.Attempt
	switch cause := m.due(); {
	case m.o.Job != nil:
		a.Timeline = []spec.Phase{{Name: "queued", Since: a.CreatedAt}}
		m.line("created", map[string]any{"job": a.JobName})
		return true
	case m.o.Refused != nil:
		m.end(attempt.StateFailed, *m.o.Refused, m.now)
	case cause != "":
		m.stop(cause)
		m.end(m.afterKill())
	default:
		m.Create = true
		m.why(m.o.Trouble)
	}
	return false
}

// learn notes what the pod shows.
func (m *machine) learn() {
	a, pod := m.Attempt, m.o.Pod
	if pod == nil {
		return
	}
	if a.Node == "" && pod.Spec.NodeName != "" {
		m.line("scheduled", map[string]any{"node": pod.Spec.NodeName})
	}
	a.PodUID, a.PodName = string(pod.UID), pod.Name
	if pod.Spec.NodeName != "" {
		a.Node = pod.Spec.NodeName
	}
	if s := taskStatus(pod); s != nil {
		if d := imageDigest(s.ImageID); d != "" {
			a.ImageDigest = d
		}
	}
	if a.launched() {
		before := a.Timeline
		a.Timeline = timeline(a.Timeline, pod, m.o.Events)
		m.pulls(before, pod)
	}
	if at := startedAt(pod); at != nil && a.StartedAt == nil {
		a.StartedAt = at
		if m.Run.StartedAt == nil {
			m.Run.StartedAt = at
		}
		if a.State == attempt.StatePending {
			a.State = attempt.StateRunning
		}
		m.line("started", nil)
	}
}

// pulls says that the image is pulled, and how long that took, when the
// timeline has come so far.
func (m *machine) pulls(before []spec.Phase, pod *corev1.Pod) {
	image := taskImage(pod)
	now := m.Attempt.Timeline
	if !has(before, "pulling") && has(now, "pulling") {
		m.line("pulling", map[string]any{"image": image})
	}
	if !has(now, "pulling") || !has(now, "starting") || has(before, "starting") {
		return
	}
	for _, e := range m.o.Events {
		if p, ok := reason.Pulled(e.Message); ok && e.Reason == "Pulled" && e.Name == pod.Name && p.Name == image {
			m.line("pulled", map[string]any{"image": image, "took": p.Took.Round(100 * time.Millisecond).String(), "size": quantity.Memory(p.Bytes)})
			return
		}
	}
}

// over finds the end of an attempt. The pod's word comes first; only where it
// has none, the Job's (P8: absence was asked for, not guessed).
func (m *machine) over() bool {
	a, pod := m.Attempt, m.o.Pod
	at := m.now
	switch t := terminated(pod); {
	case t != nil:
		if !t.FinishedAt.IsZero() {
			at = t.FinishedAt.UTC()
		}
		code := int(t.ExitCode)
		a.ExitCode = &code
	case pod != nil && (pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded):
	case pod != nil && m.o.NodeDown && pod.DeletionTimestamp != nil && m.now.After(pod.DeletionTimestamp.Add(lostAfter)):
	case pod != nil:
		return false
	case a.PodUID != "", jobEnd(m.o.Job) != "", a.launched() && m.o.Job == nil:
	default:
		return false
	}
	if a.State == attempt.StateStopping {
		state, why, _ := m.afterKill()
		m.end(state, why, at)
		return true
	}
	class, why := classify(m.evidence(), pod)
	switch class {
	case reason.Success:
		a.Outputs = m.o.Outputs
		m.end(attempt.StateSucceeded, spec.Reason{}, at)
	case reason.Infrastructure:
		m.end(attempt.StateInterrupted, why, at)
	case reason.Timeout:
		m.end(attempt.StateTimedOut, why, at)
	default:
		m.end(attempt.StateFailed, why, at)
	}
	return true
}

// end is the last state of an attempt.
func (m *machine) end(s attempt.State, why spec.Reason, at time.Time) {
	a := m.Attempt
	a.State, a.EndedAt, a.Reason = s, &at, nil
	if why.Code != "" {
		a.Reason = &why
	}
	m.Create, m.Kill, m.After = false, KillNone, 0
}

// due is why an attempt that runs or waits must end now; empty when it need not.
func (m *machine) due() string {
	a, p := m.Attempt, m.Run.Policy
	if m.asked() {
		return causeAsked
	}
	if p.Timeout > 0 {
		if at := a.CreatedAt.Add(p.Timeout); m.now.Before(at) {
			m.again(at)
		} else {
			return causeTimeout
		}
	}
	if a.StartedAt != nil {
		return ""
	}
	if p.Pending > 0 {
		if at := a.CreatedAt.Add(p.Pending); m.now.Before(at) {
			m.again(at)
		} else {
			return causePending
		}
	}
	if a.Reason != nil && (a.Reason.Code == reason.ImageInvalidName || a.Reason.Code == reason.ImageNeverPull) {
		return causeHopeless // waiting does not mend it
	}
	return ""
}

// kill ends an attempt that is stopping.
func (m *machine) kill() {
	a, pod, grace := m.Attempt, m.o.Pod, m.Run.Policy.Grace
	switch {
	case pod != nil && pod.DeletionTimestamp != nil && m.o.Job == nil:
		m.again(pod.DeletionTimestamp.Add(lostAfter))
	case pod == nil || a.StartedAt == nil:
		m.Kill = KillPod
	default:
		overdue := stoppingSince(a.Reason, m.now).Add(grace + killSlack)
		if m.now.Before(overdue) {
			m.again(overdue)
			if d := pod.Spec.ActiveDeadlineSeconds; d == nil || *d > 1 {
				m.Kill = KillContainers
			}
			return
		}
		m.Kill = KillPod
	}
}

// wait says why an attempt does not run yet, or what is wrong while it does.
func (m *machine) wait() {
	a := m.Attempt
	before := a.Reason
	m.why(reason.Attempt(m.evidence()))
	if a.Reason != nil && (a.Reason.Code == reason.Pulling || a.Reason.Code == reason.PullingAgain) {
		m.again(m.now.Add(pullsAgain))
	}
	if a.Reason == nil || before != nil && before.Code == a.Reason.Code || ordinary[a.Reason.Code] {
		return
	}
	id := "waiting"
	if a.StartedAt != nil {
		id = "trouble"
	}
	m.line(id, map[string]any{"why": lang.Nested("reason."+a.Reason.Code, a.Reason.Args)})
}

// ordinary reasons are steps on the way; the timeline shows them.
var ordinary = map[string]bool{
	reason.PodNotCreated: true, reason.Scheduling: true, reason.Pulling: true, reason.ContainerCreating: true, reason.InitRunning: true, reason.Starting: true,
}

func (m *machine) why(r *spec.Reason) { m.Attempt.Reason = r }

// follow has the run say what its attempt does.
func (m *machine) follow() {
	a := m.Attempt
	m.Run.Reason = a.Reason
	switch {
	case m.asked():
		m.Run.State = run.StateStopping
	case a.State == attempt.StateRunning, a.State == attempt.StateStopping && a.StartedAt != nil:
		m.Run.State = run.StateRunning
	default:
		m.Run.State = run.StatePending
	}
}

func (m *machine) evidence() reason.Evidence {
	e := m.o.Evidence
	since := m.Attempt.CreatedAt.Truncate(time.Second) // as the cluster's times are: its first events come within a second
	e.Now, e.Since, e.Pod, e.Job, e.NodeDown = m.now, since, m.o.Pod, m.o.Job, m.o.NodeDown
	e.Events = m.o.Events
	if t := terminated(m.o.Pod); t != nil && len(e.Log) == 0 {
		e.Log = lastLines(t.Message)
	}
	return e
}

// between is the time without an attempt that could still move.
func (m *machine) between() {
	r := &m.Run
	switch {
	case Over(r.State):
	case m.asked():
		r.State, r.NextAttemptAt = run.StateStopping, nil
		if len(m.o.Left) > 0 {
			return
		}
		r.State, r.EndedAt = run.StateStopped, &m.now
		if r.Lost {
			r.Reason = &spec.Reason{Code: codeLost}
		} else if m.Attempt != nil && m.Attempt.Reason != nil && m.Attempt.State == attempt.StateStopped {
			r.Reason = m.Attempt.Reason
		} else {
			r.Reason = &spec.Reason{Code: codeStopped, Args: map[string]any{"who": m.who()}}
		}
		m.note(Note{ID: "stopped", Args: map[string]any{"who": m.who()}, Event: true})
	case r.State == run.StateRetrying && r.NextAttemptAt != nil && m.now.Before(*r.NextAttemptAt):
		m.again(*r.NextAttemptAt)
	default:
		m.Start = true
		r.State, r.NextAttemptAt, r.Reason = run.StatePending, nil, nil
	}
}

// settle decides what an attempt's end means for the run.
func (m *machine) settle() {
	a, r := m.Attempt, &m.Run
	args := map[string]any{"number": a.Number}
	if m.asked() {
		r.State = run.StateStopping
		return
	}
	switch a.State {
	case attempt.StateSucceeded:
		m.finish(run.StateSucceeded, nil)
		m.note(Note{ID: "succeeded", Args: args, Event: true})
	case attempt.StateInterrupted:
		n := m.interruptions()
		if r.Policy.Interrupts > 0 && n >= r.Policy.Interrupts {
			m.finish(run.StateFailed, &spec.Reason{Code: tooOften, Args: map[string]any{"count": n}})
			m.note(Note{ID: "failed", Args: args, Event: true, Severity: event.SeverityError})
			return
		}
		m.retry(backoff(r.Policy.Backoff/10, r.Policy.BackoffMax, n))
		m.note(Note{ID: "interrupted", Args: args, Event: true, Severity: event.SeverityWarning})
	default:
		state := run.StateFailed
		if a.State == attempt.StateTimedOut {
			state = run.StateTimedOut
		}
		r.Failures++
		if m.o.Refused != nil || m.final || r.Failures > r.Policy.Retries {
			m.finish(state, a.Reason)
			m.note(Note{ID: "failed", Args: args, Event: true, Severity: event.SeverityError})
			return
		}
		wait := backoff(r.Policy.Backoff, r.Policy.BackoffMax, r.Failures)
		m.retry(wait + time.Duration(float64(wait)*r.Policy.Jitter))
		m.note(Note{ID: "retried", Args: args, Event: true, Severity: event.SeverityWarning})
	}
}

func (m *machine) finish(s run.State, why *spec.Reason) {
	m.Run.State, m.Run.Reason, m.Run.EndedAt, m.Run.NextAttemptAt = s, why, m.Attempt.EndedAt, nil
}

func (m *machine) retry(wait time.Duration) {
	at := m.Attempt.EndedAt.Add(wait)
	m.Run.State, m.Run.Reason, m.Run.NextAttemptAt = run.StateRetrying, m.Attempt.Reason, &at
}

func (m *machine) interruptions() int {
	n := 0
	for _, a := range m.attempts {
		if a.State == attempt.StateInterrupted {
			n++
		}
	}
	return n
}

// backoff doubles with each time, from the first.
func backoff(first, most time.Duration, times int) time.Duration {
	d := first
	for range times - 1 {
		if d *= 2; d >= most {
			return most
		}
	}
	return min(d, most)
}

// clean lets the objects go whose log is complete, and the rows when nothing is left.
func (m *machine) clean() {
	complete := true
	for _, a := range m.attempts {
		complete = complete && a.LogComplete
		if ended(a.State) && a.LogComplete && m.o.Left[a.ID] {
			m.Clean = append(m.Clean, a.ID)
		}
	}
	m.Remove = m.Run.Desired == run.DesiredDeleted && Over(m.Run.State) && complete && len(m.o.Left) == 0
}
