package instance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var (
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	queued = []spec.Phase{{Name: phaseQueued, Since: noon}}
)

const start = int64(3)

func set(replicas int32) *Set { return &Set{Start: start, Replicas: replicas, Title: "lab"} }

// pod is a pod of the current start that has a node and runs; more changes it.
func pod(more ...func(*Pod)) Pod {
	p := Pod{Name: "lab-0", UID: "u1", Start: start, Node: "n1", IP: "10.0.0.9", Created: noon, Scheduled: true}
	for _, m := range more {
		m(&p)
	}
	return p
}

func unplaced(p *Pod)           { p.Scheduled, p.Node, p.IP = false, "", "" }
func ready(p *Pod)              { p.Ready = true }
func leaving(p *Pod)            { p.Terminating = true }
func ended(p *Pod)              { p.Ended = true }
func older(p *Pod)              { p.Start, p.UID = start-1, "u0" }
func lost(p *Pod)               { p.Lost = true }
func crashing(n int) func(*Pod) { return func(p *Pod) { p.Crashing, p.Restarts = true, n } }

func desired(want string, state State, more ...func(*Desired)) Desired {
	d := Desired{Want: want, Start: start, Applied: true, Title: "lab", StartTimeout: 30 * time.Minute, State: state, Timeline: queued}
	for _, m := range more {
		m(&d)
	}
	return d
}

func served(d *Desired)    { d.ReadyAt = noon.Add(20 * time.Second) }
func moved(d *Desired)     { d.Moved = start }
func unapplied(d *Desired) { d.Applied = false }

func because(code string) *spec.Reason { return &spec.Reason{Code: code} }

// wants is what a case says about a decision; what it leaves out must be zero.
type wants struct {
	state    State
	reason   string
	confirm  bool
	apply    bool
	ensure   bool
	scale    int // -1 for none
	retitle  bool
	pods     int // deleted
	abandon  int // forgotten
	objects  bool
	retire   Retire
	gone     bool
	happened string
}

func told(d Decision) wants {
	w := wants{state: d.State, confirm: d.Confirm, apply: d.Apply, ensure: d.Ensure, scale: -1, retitle: d.Retitle,
		pods: len(d.DeletePods), abandon: len(d.AbandonPods), objects: d.DeleteObjects, retire: d.Retire, gone: d.Gone, happened: d.Happened}
	if d.Reason != nil {
		w.reason = d.Reason.Code
	}
	if d.Scale != nil {
		w.scale = int(*d.Scale)
	}
	return w
}

func TestDecide(t *testing.T) {
	t.Parallel()
	quota, crash := because(reason.QuotaExceeded), because(reason.Crash)
	for name, c := range map[string]struct {
		d    Desired
		o    Observed
		now  time.Duration // after noon
		want wants
	}{
		"a start that was just asked for is applied": {
			desired(WantRunning, Pending, unapplied), Observed{}, 0,
			wants{state: Pending, apply: true, scale: -1}},
		"what was applied and is not seen is asked for, not applied again (P8)": {
			desired(WantRunning, Pending), Observed{}, 0,
			wants{state: Pending, confirm: true, scale: -1}},
		"a set that vanished is applied again": {
			desired(WantRunning, Running, served), Observed{Live: true}, time.Hour,
			wants{state: Pending, apply: true, scale: -1}},
		"a set that somebody is deleting is waited for": {
			desired(WantRunning, Running), Observed{Set: &Set{Start: start, Deleting: true}}, 0,
			wants{state: Pending, scale: -1}},
		"a set that somebody scaled down is scaled up": {
			desired(WantRunning, Running), Observed{Set: set(0)}, 0,
			wants{state: Pending, scale: 1}},
		"a new name reaches the set without a new start": {
			desired(WantRunning, Running, served), Observed{Set: &Set{Start: start, Replicas: 1, Title: "old"}, Pods: []Pod{pod(ready)}}, time.Minute,
			wants{state: Running, retitle: true, scale: -1}},
		"no pod yet, the quota refuses it, the numbers are shown (P1, P3)": {
			desired(WantRunning, Pending), Observed{Set: set(1), Reason: quota}, 0,
			wants{state: Pending, reason: reason.QuotaExceeded, scale: -1}},
		"a pod without a node is pending, not running (P13)": {
			desired(WantRunning, Pending), Observed{Set: set(1), Pods: []Pod{pod(unplaced)}, Reason: because(reason.Unschedulable)}, 0,
			wants{state: Pending, reason: reason.Unschedulable, scale: -1}},
		"a pod on a node is starting": {
			desired(WantRunning, Pending), Observed{Set: set(1), Pods: []Pod{pod()}, Reason: because(reason.Pulling)}, 0,
			wants{state: Starting, reason: reason.Pulling, scale: -1}},
		"a pod that is ready is running, and older secrets have had their time (P5)": {
			desired(WantRunning, Starting), Observed{Set: set(1), Pods: []Pod{pod(ready)}}, 0,
			wants{state: Running, scale: -1, retire: RetireOlder, happened: "ready"}},
		"a pod that stays ready is no news": {
			desired(WantRunning, Running, served), Observed{Set: set(1), Pods: []Pod{pod(ready)}}, time.Hour,
			wants{state: Running, scale: -1}},
		"a pod that was ready and is not is unhealthy (P5)": {
			desired(WantRunning, Running, served), Observed{Set: set(1), Pods: []Pod{pod()}, Reason: because(reason.Starting)}, time.Hour,
			wants{state: Unhealthy, reason: reason.Starting, scale: -1}},
		"an unhealthy one has no time limit": {
			desired(WantRunning, Unhealthy, served), Observed{Set: set(1), Pods: []Pod{pod()}, Reason: because(reason.NotReady)}, 48 * time.Hour,
			wants{state: Unhealthy, reason: reason.NotReady, scale: -1}},
		"an unhealthy one that is ready again is running, without a second event": {
			desired(WantRunning, Unhealthy, served), Observed{Set: set(1), Pods: []Pod{pod(ready)}}, time.Hour,
			wants{state: Running, scale: -1}},
		"one crash of a start is still a start": {
			desired(WantRunning, Starting), Observed{Set: set(1), Pods: []Pod{pod(crashing(1))}, Reason: crash}, time.Minute,
			wants{state: Starting, reason: reason.Crash, scale: -1}},
		"one that crashes again and again is not green (P5)": {
			desired(WantRunning, Starting), Observed{Set: set(1), Pods: []Pod{pod(crashing(2))}, Reason: crash}, time.Minute,
			wants{state: Unhealthy, reason: reason.Crash, scale: -1}},
		"a crash loop is given up (P28)": {
			desired(WantRunning, Unhealthy), Observed{Set: set(1), Pods: []Pod{pod(crashing(CrashLimit))}, Reason: crash}, 5 * time.Minute,
			wants{state: Stopping, reason: reason.Crash, scale: 0, happened: "failed"}},
		"a crash loop is given up when it was ready before, too": {
			desired(WantRunning, Unhealthy, served), Observed{Set: set(1), Pods: []Pod{pod(crashing(CrashLimit))}, Reason: crash}, time.Hour,
			wants{state: Stopping, reason: reason.Crash, scale: 0, happened: "failed"}},
		"a start that takes too long is given up, and its cause stays (P2, P12)": {
			desired(WantRunning, Pending), Observed{Set: set(1), Reason: quota}, 31 * time.Minute,
			wants{state: Stopping, reason: reason.QuotaExceeded, scale: 0, happened: "failed"}},
		"a start that takes too long without a cause says how long it was": {
			desired(WantRunning, Starting), Observed{Set: set(1), Pods: []Pod{pod()}, Reason: because(reason.Pulling)}, 31 * time.Minute,
			wants{state: Stopping, reason: reason.PendingDeadline, scale: 0, happened: "failed"}},
		"a start that was refused all along is given up": {
			desired(WantRunning, Pending, unapplied), Observed{}, 31 * time.Minute,
			wants{state: Stopping, reason: reason.PendingDeadline, scale: -1, happened: "failed"}},
		"given up, its pod is still there": {
			desired(WantRunning, Stopping, func(d *Desired) { d.Reason = crash }), Observed{Set: set(0), Pods: []Pod{pod(leaving)}}, time.Hour,
			wants{state: Stopping, reason: reason.Crash, scale: -1}},
		"given up and seen gone: make sure": {
			desired(WantRunning, Stopping, func(d *Desired) { d.Reason = crash }), Observed{Set: set(0)}, time.Hour,
			wants{state: Stopping, reason: reason.Crash, confirm: true, scale: -1}},
		"given up and gone is failed, and says why for good (P28)": {
			desired(WantRunning, Stopping, func(d *Desired) { d.Reason = crash }), Observed{Live: true, Set: set(0)}, time.Hour,
			wants{state: Failed, reason: reason.Crash, scale: -1, retire: RetireAll}},
		"failed stays failed": {
			desired(WantRunning, Failed, func(d *Desired) { d.Reason = crash }), Observed{Set: set(0)}, 24 * time.Hour,
			wants{state: Failed, reason: reason.Crash, scale: -1}},
		"failed, and somebody scales it up: down again": {
			desired(WantRunning, Failed, func(d *Desired) { d.Reason = crash }), Observed{Set: set(1)}, 24 * time.Hour,
			wants{state: Stopping, reason: reason.Crash, scale: 0}},
		"a restart applies the new start and deletes the old pod, ready or not (P16)": {
			desired(WantRunning, Pending, unapplied), Observed{Set: &Set{Start: start - 1, Replicas: 1, Title: "lab"}, Pods: []Pod{pod(older)}}, 0,
			wants{state: Pending, apply: true, scale: -1, pods: 1}},
		"the old pod of a new revision is deleted when it is found later (P16)": {
			desired(WantRunning, Pending), Observed{Set: set(1), Pods: []Pod{pod(older)}}, 0,
			wants{state: Pending, scale: -1, pods: 1}},
		"an old pod on its way out is waited for": {
			desired(WantRunning, Pending), Observed{Set: set(1), Pods: []Pod{pod(older, leaving)}, Reason: because(reason.Terminating)}, 0,
			wants{state: Pending, reason: reason.Terminating, scale: -1}},
		"an evicted pod is no pod": {
			desired(WantRunning, Running, served), Observed{Set: set(1), Pods: []Pod{pod(ended)}, Reason: because(reason.Evicted)}, time.Hour,
			wants{state: Pending, reason: reason.Evicted, scale: -1}},
		"a pod that was made anew starts anew": {
			desired(WantRunning, Pending, served), Observed{Set: set(1), Pods: []Pod{pod(func(p *Pod) { p.Created = noon.Add(time.Minute) })}}, 2 * time.Minute,
			wants{state: Starting, scale: -1}},
		"a secret that the pod misses is made again": {
			desired(WantRunning, Starting), Observed{Set: set(1), Pods: []Pod{pod()}, Reason: because(reason.ConfigMissing)}, time.Minute,
			wants{state: Starting, reason: reason.ConfigMissing, ensure: true, scale: -1}},

		"stop while running scales to zero": {
			desired(WantStopped, Stopping), Observed{Set: set(1), Pods: []Pod{pod(ready)}}, 0,
			wants{state: Stopping, scale: 0}},
		"stop while pending scales to zero as well (P7, P15)": {
			desired(WantStopped, Stopping), Observed{Set: set(1), Pods: []Pod{pod(unplaced)}, Reason: because(reason.Unschedulable)}, 0,
			wants{state: Stopping, scale: 0}},
		"stop before the pod was made": {
			desired(WantStopped, Stopping), Observed{Set: set(1)}, 0,
			wants{state: Stopping, scale: 0}},
		"stopping while the pod is on its way out (P15)": {
			desired(WantStopped, Stopping), Observed{Set: set(0), Pods: []Pod{pod(leaving)}, Reason: because(reason.Terminating)}, 0,
			wants{state: Stopping, scale: -1}},
		"stopping on a node that is lost says so (P17)": {
			desired(WantStopped, Stopping), Observed{Set: set(0), Pods: []Pod{pod(leaving)}, Reason: because(reason.StuckStopping)}, 0,
			wants{state: Stopping, reason: reason.StuckStopping, scale: -1}},
		"an older pod on a lost node is deleted, and waited for (P17)": {
			desired(WantRunning, Pending), Observed{Set: set(1), Pods: []Pod{pod(older, lost)}}, 0,
			wants{state: Pending, pods: 1, scale: -1}},
		"a move gives the pod on the lost node up (P17)": {
			desired(WantRunning, Pending, moved), Observed{Set: set(1), Pods: []Pod{pod(older, lost)}}, 0,
			wants{state: Pending, pods: 1, abandon: 1, scale: -1}},
		"also when it has been deleted and nobody confirms it (P17)": {
			desired(WantRunning, Pending, moved), Observed{Set: set(1), Pods: []Pod{pod(older, lost, leaving)}}, 0,
			wants{state: Pending, abandon: 1, scale: -1}},
		"a node that is back ends the pod itself (P17)": {
			desired(WantRunning, Pending, moved), Observed{Set: set(1), Pods: []Pod{pod(older)}}, 0,
			wants{state: Pending, pods: 1, scale: -1}},
		"a move gives no pod of its own start up (P17)": {
			desired(WantRunning, Running, moved, served), Observed{Set: set(1), Pods: []Pod{pod(lost)}, Reason: because(reason.NodeLost)}, time.Hour,
			wants{state: Unhealthy, reason: reason.NodeLost, scale: -1}},
		"nothing seen: the API server must agree before it is stopped (P8, P15)": {
			desired(WantStopped, Stopping), Observed{Set: set(0)}, 0,
			wants{state: Stopping, confirm: true, scale: -1}},
		"stopped once nothing is there": {
			desired(WantStopped, Stopping), Observed{Live: true, Set: set(0)}, 0,
			wants{state: Stopped, scale: -1, retire: RetireAll, happened: "stopped"}},
		"stopped before anything was applied": {
			desired(WantStopped, Stopping), Observed{Live: true}, 0,
			wants{state: Stopped, scale: -1, retire: RetireAll, happened: "stopped"}},
		"stopped stays stopped": {
			desired(WantStopped, Stopped), Observed{Set: set(0)}, 0, wants{state: Stopped, scale: -1}},
		"never started": {
			desired(WantStopped, Stopped), Observed{}, 0, wants{state: Stopped, scale: -1}},
		"stopped, and somebody scales it up: down again": {
			desired(WantStopped, Stopped), Observed{Set: set(1)}, 0, wants{state: Stopping, scale: 0}},
		"stop of a failed one": {
			desired(WantStopped, Stopping), Observed{Live: true, Set: set(0)}, time.Hour,
			wants{state: Stopped, scale: -1, retire: RetireAll, happened: "stopped"}},
		"a pod without its set is deleted": {
			desired(WantStopped, Stopping), Observed{Pods: []Pod{pod(ready)}}, 0,
			wants{state: Stopping, scale: -1, pods: 1}},

		"delete while running": {
			desired(WantDeleted, Deleting), Observed{Set: set(1), Pods: []Pod{pod(ready)}}, 0,
			wants{state: Deleting, scale: -1, objects: true}},
		"delete while its pod is on its way out": {
			desired(WantDeleted, Deleting), Observed{Pods: []Pod{pod(leaving)}}, 0,
			wants{state: Deleting, scale: -1, objects: true}},
		"delete, nothing seen": {
			desired(WantDeleted, Deleting), Observed{}, 0, wants{state: Deleting, scale: -1, confirm: true}},
		"delete, a secret is left": {
			desired(WantDeleted, Deleting), Observed{Live: true, Leftovers: true}, 0, wants{state: Deleting, scale: -1, objects: true}},
		"deleted": {
			desired(WantDeleted, Deleting), Observed{Live: true}, 0, wants{state: Deleting, scale: -1, gone: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := told(Decide(c.d, c.o, noon.Add(c.now)))
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(wants{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestDecideNeverSaysMoreThanWasSeen goes through every state, want and
// observation, and holds the answer against what must always be true.
func TestDecideNeverSaysMoreThanWasSeen(t *testing.T) {
	t.Parallel()
	states := []State{Stopped, Pending, Starting, Running, Unhealthy, Stopping, Failed, Deleting}
	sets := []*Set{nil, set(0), set(1), {Start: start - 1, Replicas: 1}, {Start: start, Replicas: 1, Deleting: true}}
	pods := [][]Pod{nil, {pod(unplaced)}, {pod()}, {pod(ready)}, {pod(leaving, ready)}, {pod(ended)}, {pod(older, ready)},
		{pod(older)}, {pod(older, leaving)}, {pod(crashing(CrashLimit))}, {pod(older, leaving), pod(ready)}}
	reasons := []*spec.Reason{nil, because(reason.QuotaExceeded), because(reason.Pulling)}
	for _, want := range []string{WantStopped, WantRunning, WantDeleted} {
		for _, state := range states {
			for _, s := range sets {
				for _, p := range pods {
					for _, r := range reasons {
						for bits := range 16 {
							d := desired(want, state, func(d *Desired) { d.Applied, d.Reason = bits&1 > 0, because(reason.Crash) })
							if bits&2 > 0 {
								served(&d)
							}
							o := Observed{Live: bits&4 > 0, Set: s, Pods: p, Reason: r}
							now := noon.Add(time.Minute)
							if bits&8 > 0 {
								now = noon.Add(time.Hour)
							}
							if broken := breaks(d, o, Decide(d, o, now)); broken != "" {
								t.Fatalf("%s\ndesired %+v\nobserved %+v\ndecision %+v", broken, d, o, Decide(d, o, now))
							}
						}
					}
				}
			}
		}
	}
}

func breaks(d Desired, o Observed, got Decision) string {
	current := slices.IndexFunc(o.Pods, func(p Pod) bool { return p.Start == start && !p.Terminating && !p.Ended })
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{got.State == Running && (current < 0 || !o.Pods[current].Ready), "P5: running without a ready pod of this start"},
		{got.State == Starting && (current < 0 || !o.Pods[current].Scheduled), "P13: starting without a node"},
		{got.State == Stopped && d.State != Stopped && (!o.Live || len(o.Pods) > 0), "P15: stopped without having looked"},
		{got.State == Stopped && len(o.Pods) > 0, "P15: stopped with a pod"},
		{got.State == Failed && len(o.Pods) > 0, "P28: failed with a pod"},
		{got.State == Failed && got.Reason == nil, "failed without a reason"},
		{got.Gone && (!o.Live || len(o.Pods) > 0 || o.Set != nil), "gone with something left"},
		{got.Confirm && o.Live, "asks again what was just asked"},
		{d.Want == WantStopped && (got.Apply || got.Scale != nil && *got.Scale != 0), "brings up what is to be stopped"},
		{d.Want == WantRunning && got.Scale != nil && *got.Scale == 0 && got.State != Stopping, "scales down what is wanted"},
		{d.Want == WantDeleted && got.State != Deleting, "deleted and something else"},
		{d.Want == WantRunning && d.State != Stopping && d.State != Failed && got.State == Pending && got.After == 0, "a wait that nothing ends"},
		{got.State == Stopping && got.After == 0 && !got.Confirm, "an end that nothing looks after"},
		{got.Reason == nil && o.Reason != nil && d.Want == WantRunning && got.State == Pending, "P9: waits without the reason that is known"},
		{len(got.Timeline) == 0, "no timeline"},
	} {
		if rule.broken {
			return rule.says
		}
	}
	for _, p := range got.DeletePods {
		if p.Terminating || d.Want == WantRunning && p.Start == start && got.State != Stopping {
			return fmt.Sprintf("deletes pod %+v", p)
		}
	}
	return ""
}
