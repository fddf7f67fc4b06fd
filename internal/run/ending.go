package run

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Why the platform ends an attempt.
const (
	causeAsked    = "asked"    // somebody wants the run to stop
	causeTimeout  = "timeout"  // its time is over
	causePending  = "pending"  // it waited too long for its container
	causeHopeless = "hopeless" // it waits for what cannot come
)

// The reasons that this package adds to those of package reason.
const (
	codeStopping       = "stopping-" // and the cause
	codeStopped        = "stopped-by"
	codeLost           = "run-secrets-left" // its secrets were of the owner before
	codeStoppedKilled  = "stopped-killed"
	codeDeadlineKilled = "deadline-killed"
)

// stop begins to end an attempt. The cause is kept in its reason until the end
// is there; who, why and on what grounds go into log and history (P72).
func (m *machine) stop(cause string) {
	a, p := m.Attempt, m.Run.Policy
	a.State, m.After = attempt.StateStopping, 0
	var was any = "–"
	if a.Reason != nil {
		was = lang.Nested("reason."+a.Reason.Code, a.Reason.Args)
	}
	args := map[string]any{"since": m.now.UTC().Format(time.RFC3339)}
	n := Note{ID: "kill-" + cause, Log: true, Event: true, Severity: event.SeverityWarning}
	switch cause {
	case causeAsked:
		args["who"] = m.who()
		n.Args = map[string]any{"who": m.who(), "grace": p.Grace.String()}
		n.Severity = event.SeverityInfo
	case causeTimeout:
		args["limit"] = p.Timeout.String()
		n.Args = map[string]any{"limit": p.Timeout.String(), "elapsed": m.now.Sub(a.CreatedAt).Round(time.Second).String()}
	case causePending:
		args["limit"] = p.Pending.String()
		m.foresee(args)
		n.Args = map[string]any{"limit": p.Pending.String(), "why": was}
	case causeHopeless:
		m.foresee(args)
		n.Args = map[string]any{"why": was}
	}
	a.Reason = &spec.Reason{Code: codeStopping + cause, Args: args}
	m.note(n)
}

// foresee keeps what the attempt waited for: when the end is there, the pod that
// could tell is gone.
func (m *machine) foresee(args map[string]any) {
	e := m.evidence()
	e.Expired = true
	class, why := reason.Ended(e)
	if why.Code == reason.PendingDeadline {
		why.Args["elapsed"] = m.now.Sub(m.Attempt.CreatedAt).Round(time.Second).String()
	}
	args["class"], args["end"], args["endArgs"] = string(class), why.Code, why.Args
}

func (m *machine) who() string { return or(m.Run.StoppedBy, "GoblinLab") }

// afterKill is the state and the reason of an attempt that the platform ended.
func (m *machine) afterKill() (attempt.State, spec.Reason, time.Time) {
	a := m.Attempt
	cause := ""
	if a.Reason != nil {
		cause = strings.TrimPrefix(a.Reason.Code, codeStopping)
	}
	deaf := m.deaf()
	switch cause {
	case causeTimeout:
		limit := m.Run.Policy.Timeout.String()
		if deaf {
			return attempt.StateTimedOut, spec.Reason{Code: codeDeadlineKilled, Args: map[string]any{"limit": limit, "grace": m.Run.Policy.Grace.String()}}, m.now
		}
		return attempt.StateTimedOut, spec.Reason{Code: reason.Deadline, Args: map[string]any{"detail": limit}}, m.now
	case causePending, causeHopeless:
		m.final = true
		end, _ := a.Reason.Args["end"].(string)
		endArgs, _ := a.Reason.Args["endArgs"].(map[string]any)
		class, _ := a.Reason.Args["class"].(string)
		state := attempt.StateTimedOut
		if reason.Class(class) == reason.Start {
			state = attempt.StateFailed
		}
		return state, spec.Reason{Code: or(end, reason.Unknown), Args: endArgs}, m.now
	}
	args := map[string]any{"who": m.who()}
	if deaf {
		args["grace"] = m.Run.Policy.Grace.String()
		return attempt.StateStopped, spec.Reason{Code: codeStoppedKilled, Args: args}, m.now
	}
	return attempt.StateStopped, spec.Reason{Code: codeStopped, Args: args}, m.now
}

// deaf reports a program that SIGTERM did not end: it was killed when its grace
// was over.
func (m *machine) deaf() bool {
	t := terminated(m.o.Pod)
	if t == nil || t.ExitCode != 137 {
		return false
	}
	lived := t.FinishedAt.Sub(stoppingSince(m.Attempt.Reason, m.now))
	return lived >= m.Run.Policy.Grace-2*time.Second // stamps are whole seconds
}

// stoppingSince is when an attempt began to stop.
func stoppingSince(r *spec.Reason, fallback time.Time) time.Time {
	if r == nil {
		return fallback
	}
	s, _ := r.Args["since"].(string)
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fallback
	}
	return at
}

// classify says whose fault an end was. A program that ended after somebody
// had its pod deleted did not end by itself, whatever it answered to SIGTERM (P67).
func classify(e reason.Evidence, pod *corev1.Pod) (reason.Class, spec.Reason) {
	class, why := reason.Ended(e)
	if class != reason.Success && class != reason.User || pod == nil || pod.DeletionTimestamp == nil {
		return class, why
	}
	grace := int64(30)
	if pod.DeletionGracePeriodSeconds != nil {
		grace = *pod.DeletionGracePeriodSeconds
	}
	begun := pod.DeletionTimestamp.Add(-time.Duration(grace) * time.Second)
	if t := terminated(pod); t == nil || t.FinishedAt.Time.Before(begun) || why.Code == reason.OOMKilled {
		return class, why
	}
	return reason.Infrastructure, spec.Reason{Code: reason.PodDeleted, Args: map[string]any{"detail": pod.Name}}
}

// lastLines cuts what the kubelet keeps of a failed container's log.
func lastLines(message string) []string {
	message = strings.TrimSpace(message)
	if message == "" {
		return nil
	}
	return strings.Split(message, "\n")
}

func or(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
