package instance

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// CrashLimit is how often a program may end soon after its start before the
// start is given up (P28). With the back-off of the kubelet that is within five minutes.
const CrashLimit = 5

// The wanted states, as the row keeps them.
const (
	WantStopped = "stopped"
	WantRunning = "running"
	WantDeleted = "deleted"
)

// State is where an instance stands; doc.go draws the changes.
type State string

// The states, as the row keeps them.
const (
	Stopped   State = "stopped"
	Pending   State = "pending"
	Starting  State = "starting"
	Running   State = "running"
	Unhealthy State = "unhealthy"
	Stopping  State = "stopping"
	Failed    State = "failed"
	Deleting  State = "deleting"
)

// Desired is what the row says: what is wanted, and what was decided last.
type Desired struct {
	Want         string
	Start        int64 // number of the current start
	Moved        int64 // number of the start by which it was moved off a lost node; 0 for none
	Applied      bool  // the objects of this generation were applied
	Title        string
	StartTimeout time.Duration // 0 for none

	State    State
	Reason   *spec.Reason
	Timeline []spec.Phase
	ReadyAt  time.Time // of the current start; zero before
}

// Observed is what the cluster shows of an instance.
type Observed struct {
	Live      bool // the API server was asked; otherwise it may be a moment old, and lack what was just made
	Set       *Set
	Pods      []Pod
	Leftovers bool         // its Service or a Secret is there; known when Live
	Reason    *spec.Reason // why it is not ready, by internal/reason
	Phases    []spec.Phase // of the pod of the current start
}

// Set is the StatefulSet.
type Set struct {
	Start    int64 // that it was applied for
	Replicas int32
	Title    string
	Deleting bool
}

// Pod is one of the instance's pods.
type Pod struct {
	Name, UID   string
	Start       int64 // that it was made for
	Node, IP    string
	Created     time.Time
	Scheduled   bool
	Ready       bool
	Terminating bool
	Ended       bool // its phase is Failed or Succeeded: another will be made
	Restarts    int
	Crashing    bool // it restarts, and its last run was short
	Lost        bool // its node does not answer
}

// Retire says which login Secrets have had their time.
type Retire int

// What is retired.
const (
	RetireNone  Retire = iota
	RetireOlder        // those of the starts before
	RetireAll
)

// Decision is what is to be done, in the order of its fields, and what the row
// is to say afterwards.
type Decision struct {
	Confirm bool // much hangs on what is not there: ask the API server, decide again, pass over the rest

	Apply         bool // the objects of the current start
	Ensure        bool // its Secrets, which the pod misses
	Scale         *int32
	Retitle       bool
	DeletePods    []Pod
	AbandonPods   []Pod // forgotten without knowing that they ended: nobody could tell (P17)
	DeleteObjects bool
	Retire        Retire
	Gone          bool // nothing is left: delete the row

	State    State
	Reason   *spec.Reason
	Timeline []spec.Phase
	Node, IP string
	ReadyAt  time.Time
	Happened string // an event's type, "" for none
	After    time.Duration
}

// How soon to look again when nothing wakes us.
const (
	soon   = time.Second      // objects on their way out
	often  = 2 * time.Second  // a start under way (P1 asks for 5 s)
	seldom = pollSeldom       // a running instance, whose pod's changes wake us
	patch  = 10 * time.Second // a running instance that is not well
)

// Decide compares what is wanted with what was seen. It is pure.
func Decide(d Desired, o Observed, now time.Time) Decision {
	switch {
	case d.Want == WantDeleted:
		return deleted(d, o)
	case d.Want == WantStopped:
		return stop(d, o, Stopped)
	case d.State == Stopping || d.State == Failed: // wanted, and given up
		return stop(d, o, Failed)
	default:
		return run(d, o, now)
	}
}

func deleted(d Desired, o Observed) Decision {
	out := Decision{State: Deleting, Timeline: d.Timeline}
	if o.Set == nil && len(o.Pods) == 0 && !o.Leftovers {
		out.Confirm, out.Gone = !o.Live, o.Live
		return out
	}
	out.DeleteObjects, out.Reason, out.After = true, ending(o), soon
	return out
}

// stop scales to zero and reaches its end state only once no pod is left (P15).
func stop(d Desired, o Observed, end State) Decision {
	out := Decision{State: end, Timeline: d.Timeline}
	if end == Failed {
		out.Reason = d.Reason
	}
	if o.Set != nil && !o.Set.Deleting {
		out.Retitle = o.Set.Title != d.Title
		if o.Set.Replicas != 0 {
			out.Scale = new(int32)
		}
	}
	if o.Set == nil || o.Set.Deleting {
		out.DeletePods = alive(o.Pods) // nobody else does
	}
	switch {
	case out.Scale != nil, len(o.Pods) > 0:
		out.State, out.After = Stopping, soon
		if end == Stopped {
			out.Reason = ending(o)
		}
	case d.State == end:
		return out // it was confirmed before
	case !o.Live:
		out.State, out.Confirm, out.After = Stopping, true, soon
	default:
		out.Retire = RetireAll
		if end == Stopped {
			out.Happened = "stopped"
		}
	}
	return out
}

// ending tells what is slow about the end of a pod; that it is ending is no news.
func ending(o Observed) *spec.Reason {
	if o.Reason != nil && (o.Reason.Code == reason.StuckStopping || o.Reason.Code == reason.NodeLost) {
		return o.Reason
	}
	return nil
}

func alive(pods []Pod) []Pod {
	var out []Pod
	for _, p := range pods {
		if !p.Terminating {
			out = append(out, p)
		}
	}
	return out
}

// run brings the pod of the current start up and follows it.
func run(d Desired, o Observed, now time.Time) Decision {
	out := Decision{State: Pending, Reason: o.Reason, After: often}
	current, older := split(d, o.Pods)
	out.DeletePods = older // not ready, it would stand in the way for ever (P16)
	out.AbandonPods = abandoned(d, o.Pods)
	lost := (d.State == Running || d.State == Unhealthy) && current == nil
	out.Timeline = timeline(d.Timeline, current, o.Phases, lost, now)
	missing := o.Set == nil || o.Set.Start != d.Start
	switch {
	case o.Set != nil && o.Set.Deleting: // by somebody else; made anew when it is gone
	case missing && d.Applied && !o.Live:
		out.Confirm = true
	case missing:
		out.Apply = true
	default:
		out.Retitle = o.Set.Title != d.Title
		if o.Set.Replicas != 1 {
			one := int32(1)
			out.Scale = &one
		}
	}
	if current != nil {
		follow(&out, d, *current)
	}
	if out.State != Running && !out.Confirm && givesUp(d, out, current, now) {
		return giveUp(d, o, out, now)
	}
	out.Ensure = out.Reason != nil && (out.Reason.Code == reason.ConfigMissing || out.Reason.Code == reason.MountFailed)
	return out
}

// split finds the pod of the current start, and those that must go: of older
// starts, and not on their way yet.
func split(d Desired, pods []Pod) (current *Pod, older []Pod) {
	for i, p := range pods {
		switch {
		case p.Terminating:
		case p.Start != d.Start:
			older = append(older, p)
		case !p.Ended:
			current = &pods[i]
		}
	}
	return current, older
}

// abandoned are the pods that a move gave up, as long as their node does not answer: one that is back ends them itself.
func abandoned(d Desired, pods []Pod) []Pod {
	var out []Pod
	for _, p := range pods {
		if p.Lost && p.Start < d.Moved {
			out = append(out, p)
		}
	}
	return out
}

// follow reads the state from the pod of the current start: ready only from
// readiness (P5), pending until it has a node (P13).
func follow(out *Decision, d Desired, p Pod) {
	out.Node, out.IP = p.Node, p.IP
	served := !d.ReadyAt.IsZero() && !d.ReadyAt.Before(p.Created) // this pod was ready before
	switch {
	case !p.Scheduled:
		return
	case p.Ready:
		out.State, out.Reason, out.After = Running, nil, seldom
		if !served {
			out.ReadyAt, out.Retire, out.Happened = readySince(out.Timeline), RetireOlder, "ready"
		}
	case served:
		out.State, out.After = Unhealthy, patch
	case p.Crashing && p.Restarts > 1:
		out.State = Unhealthy
	default:
		out.State = Starting
	}
}

// givesUp reports whether a start has had its chances (P12, P28).
func givesUp(d Desired, out Decision, p *Pod, now time.Time) bool {
	if p != nil && p.Crashing && p.Restarts >= CrashLimit {
		return true
	}
	served := p != nil && !d.ReadyAt.IsZero() && !d.ReadyAt.Before(p.Created)
	return !served && d.StartTimeout > 0 && now.Sub(out.Timeline[0].Since) > d.StartTimeout
}

func giveUp(d Desired, o Observed, was Decision, now time.Time) Decision {
	out := Decision{State: Stopping, Reason: o.Reason, Timeline: was.Timeline, After: soon, Happened: "failed",
		DeletePods: was.DeletePods}
	if generic(o.Reason) {
		elapsed := now.Sub(was.Timeline[0].Since).Round(time.Second).String()
		cause := reason.Unknown
		if o.Reason != nil {
			cause = o.Reason.Code
		}
		out.Reason = &spec.Reason{Code: reason.PendingDeadline, Args: map[string]any{
			"elapsed": elapsed, "cause": cause, "why": "@advice." + cause,
		}}
	}
	if o.Set != nil && !o.Set.Deleting && o.Set.Replicas != 0 {
		out.Scale = new(int32)
	}
	return out
}

// generic reports reasons that name a stage and no cause. What names a cause
// is never replaced (P2).
func generic(r *spec.Reason) bool {
	if r == nil {
		return true
	}
	switch r.Code {
	case reason.PodNotCreated, reason.Scheduling, reason.SchedulingGated, reason.Preempting, reason.Suspended,
		reason.Pulling, reason.ContainerCreating, reason.InitRunning, reason.Starting, reason.NotReady,
		reason.VolumePending, reason.Terminating, reason.Unknown:
		return true
	}
	return false
}
