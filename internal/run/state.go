package run

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Policy bounds a run.
type Policy struct {
	Retries    int
	Timeout    time.Duration // of an attempt, from its making; 0 for none
	Pending    time.Duration // of its wait for its container
	Grace      time.Duration // from SIGTERM to SIGKILL
	Backoff    time.Duration // before the first retry, doubled each time
	BackoffMax time.Duration
	Jitter     float64 // what the next back-off is multiplied with, once more than itself: -1 to 1
	Interrupts int     // interruptions that a run survives
}

// State is a run's row as the machine sees it.
type State struct {
	Policy        Policy
	Desired       run.Desired
	StoppedBy     string // name of who asked; empty when nobody did
	Lost          bool   // it was handed over without the secrets that it had
	State         run.State
	Reason        *spec.Reason
	Failures      int
	NextAttemptAt *time.Time
	StartedAt     *time.Time
	EndedAt       *time.Time
}

// AttemptState is an attempt's row as the machine sees it.
type AttemptState struct {
	ID          string
	Number      int
	State       attempt.State
	Reason      *spec.Reason
	Timeline    []spec.Phase // empty until the Job is known to exist
	JobName     string
	PodUID      string
	PodName     string
	Node        string
	ImageDigest string
	ExitCode    *int
	CreatedAt   time.Time
	StartedAt   *time.Time
	EndedAt     *time.Time
	LogComplete bool
	Outputs     string // what the program left for later tasks
}

// Observed is what the cluster shows of the last attempt. What is nil does not
// exist: the observer has asked.
type Observed struct {
	Job      *batchv1.Job
	Pod      *corev1.Pod
	NodeDown bool
	Events   []reason.Event
	Evidence reason.Evidence // what reasons need beside the above

	Outputs string // what the container left when it ended well, without secrets

	Refused *spec.Reason // the Job cannot be made, now or ever
	Trouble *spec.Reason // the Job could not be made just now

	// Left are the attempts, by id, of which a Job or a pod is still there.
	Left map[string]bool
}

// Kill says how an attempt is to be ended.
type Kill int

// The ways.
const (
	KillNone       Kill = iota
	KillContainers      // and keep the pod, with its log
	KillPod             // and the Job
)

// Note is something worth telling: a line of the attempt's log ("log.run.<ID>"),
// an entry of the history ("event.run-<ID>"), or both.
type Note struct {
	ID       string
	Args     map[string]any
	Log      bool
	Event    bool
	Severity event.Severity
}

// Decision is what a run's and its last attempt's rows should say, and what is
// to be done after they do.
type Decision struct {
	Run     State
	Attempt *AttemptState // the last one; nil when there is none
	Start   bool          // make the next attempt
	Create  bool          // make the Job of the last one
	Kill    Kill
	Clean   []string // attempts whose objects have done their work
	Remove  bool     // nothing is left: delete the rows
	Notes   []Note
	After   time.Duration // look again; 0 when only the cluster or a person has news
}

func ended(s attempt.State) bool {
	switch s {
	case attempt.StatePending, attempt.StateRunning, attempt.StateStopping:
		return false
	}
	return true
}

// Over reports whether a run's state is its last.
func Over(s run.State) bool {
	switch s {
	case run.StateSucceeded, run.StateFailed, run.StateTimedOut, run.StateStopped:
		return true
	}
	return false
}

func (a *AttemptState) launched() bool { return len(a.Timeline) > 0 }
