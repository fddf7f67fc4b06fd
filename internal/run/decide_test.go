package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

type want struct {
	run      run.State
	code     string // of the run's reason
	attempt  attempt.State
	start    bool
	create   bool
	kill     Kill
	clean    bool
	remove   bool
	after    time.Duration
	failures int
	next     int    // seconds after noon of the next attempt; 0 for none
	notes    string // in order
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run      State
		attempts []AttemptState
		o        Observed
		now      int
		want     want
	}{
		"a new run gets its first attempt": {
			aRun(run.StatePending), nil, Observed{}, 0, want{run: run.StatePending, start: true}},
		"an attempt without a Job gets one (P68)": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, unlaunched)}, Observed{}, 0,
			want{run: run.StatePending, attempt: attempt.StatePending, create: true, after: 10 * time.Minute}},
		"a Job that is there already is the attempt's (P68)": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, unlaunched)}, Observed{Job: aJob(), Left: left("att-1")}, 0,
			want{run: run.StatePending, code: reason.PodNotCreated, attempt: attempt.StatePending, after: 10 * time.Minute, notes: "created"}},
		"a Job that cannot be made ends the run (P79)": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, unlaunched)},
			Observed{Refused: &spec.Reason{Code: reason.PodRefused, Args: map[string]any{"detail": "no"}}}, 0,
			want{run: run.StateFailed, code: reason.PodRefused, attempt: attempt.StateFailed, failures: 1, notes: "failed"}},
		"trouble with the API is told, and does not end it": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, unlaunched)},
			Observed{Trouble: &spec.Reason{Code: reason.PodRefused}}, 0,
			want{run: run.StatePending, code: reason.PodRefused, attempt: attempt.StatePending, create: true, after: 10 * time.Minute}},
		"unschedulable is pending, not running (P13), and says why (P9)": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available: 3 Insufficient cpu."}}
			})}, 60,
			want{run: run.StatePending, code: reason.Unschedulable, attempt: attempt.StatePending, after: 9 * time.Minute, notes: "waiting"}},
		"a container that runs makes it running": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 6,
			want{run: run.StateRunning, attempt: attempt.StateRunning, after: time.Hour - 6*time.Second, notes: "scheduled started"}},
		"nothing new says nothing": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 60,
			want{run: run.StateRunning, attempt: attempt.StateRunning, after: 59 * time.Minute}},
		"exit code 0": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(0, "Completed", 60))}, 61,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, notes: "succeeded"}},
		"a fast program was never seen running": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(0, "Completed", 6))}, 7,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, notes: "scheduled started succeeded"}},
		"exit code 3 uses up a retry": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(3, "Error", 60))}, 61,
			want{run: run.StateRetrying, code: reason.Exit, attempt: attempt.StateFailed, failures: 1, next: 70, after: 9 * time.Second, notes: "retried"}},
		"exit code 3 without retries left": {
			aRun(run.StateRunning, func(r *State) { r.Failures = 1 }), []AttemptState{anAttempt(attempt.StateRunning)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(3, "Error", 60))}, 61,
			want{run: run.StateFailed, code: reason.Exit, attempt: attempt.StateFailed, failures: 2, notes: "failed"}},
		"out of memory is the program's (P75)": {
			aRun(run.StateRunning, func(r *State) { r.Policy.Retries = 0 }), []AttemptState{anAttempt(attempt.StateRunning)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(137, "OOMKilled", 60))}, 61,
			want{run: run.StateFailed, code: reason.OOMKilled, attempt: attempt.StateFailed, failures: 1, notes: "failed"}},
		"command not found (P79)": {
			aRun(run.StatePending, func(r *State) { r.Policy.Retries = 0 }), []AttemptState{anAttempt(attempt.StatePending)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(func(p *corev1.Pod) {
				exits(128, "StartError", 6)(p)
				p.Status.ContainerStatuses[0].State.Terminated.Message = `exec: "/no/such": stat /no/such: no such file or directory`
			})}, 7,
			want{run: run.StateFailed, code: reason.CommandNotFound, attempt: attempt.StateFailed, failures: 1, notes: "scheduled failed"}},
		"evicted is not the program's fault (P67)": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(evicted)}, 60,
			want{run: run.StateRetrying, code: reason.Evicted, attempt: attempt.StateInterrupted, next: 61, after: time.Second, notes: "interrupted"}},
		"preempted is not the program's fault (P67)": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(143, "Error", 60), preempted, deleted(55))}, 60,
			want{run: run.StateRetrying, code: reason.Preempted, attempt: attempt.StateInterrupted, next: 61, after: time.Second, notes: "interrupted"}},
		"a pod that is being deleted has not ended": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs, deleted(60))}, 61,
			want{run: run.StateRunning, code: reason.Terminating, attempt: attempt.StateRunning, after: time.Hour - 61*time.Second, notes: "trouble"}},
		"a pod deleted by somebody else (P67)": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(143, "Error", 62), deleted(60))}, 63,
			want{run: run.StatePending, attempt: attempt.StateInterrupted, notes: "interrupted", start: true}},
		"a program that answers its deletion with success was interrupted all the same": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(0, "Completed", 62), deleted(60))}, 62,
			want{run: run.StateRetrying, code: reason.PodDeleted, attempt: attempt.StateInterrupted, next: 63, after: time.Second, notes: "interrupted"}},
		"a program that had succeeded before its pod was deleted has succeeded": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(0, "Completed", 50), deleted(60))}, 62,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, notes: "succeeded"}},
		"a pod that vanished": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1")}, 60,
			want{run: run.StateRetrying, code: reason.PodDeleted, attempt: attempt.StateInterrupted, next: 61, after: time.Second, notes: "interrupted"}},
		"a Job that vanished with its pod": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)}, Observed{}, 60,
			want{run: run.StateRetrying, code: reason.PodDeleted, attempt: attempt.StateInterrupted, next: 61, after: time.Second, notes: "interrupted"}},
		"a Job that vanished without its pod: the pod goes on": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Pod: aPod(runs), Left: left("att-1")}, 60,
			want{run: run.StateRunning, attempt: attempt.StateRunning, after: 59 * time.Minute}},
		"only the Job remembers the success": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)}, Observed{Job: aJob(jobCond(batchv1.JobComplete, "")), Left: left("att-1")}, 60,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, notes: "succeeded"}},
		"the Job's own deadline, which Kubernetes enforced while we were away (P64)": {
			aRun(run.StateRunning, func(r *State) { r.Policy.Retries = 0 }), []AttemptState{anAttempt(attempt.StateRunning)},
			Observed{Job: aJob(jobCond(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded)), Left: left("att-1")}, 3800,
			want{run: run.StateTimedOut, code: reason.Deadline, attempt: attempt.StateTimedOut, failures: 1, notes: "failed"}},
		"a node that is lost, its pod not deleted yet": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs), NodeDown: true}, 60,
			want{run: run.StateRunning, code: reason.NodeLost, attempt: attempt.StateRunning, after: 59 * time.Minute, notes: "trouble"}},
		"a node that is lost for good (P67)": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs, deleted(60)), NodeDown: true}, 121,
			want{run: run.StateRetrying, code: reason.NodeLost, attempt: attempt.StateInterrupted, next: 122, after: time.Second, notes: "interrupted"}},
		"interrupted too often": {
			aRun(run.StateRunning, func(r *State) { r.Policy.Interrupts = 2 }),
			[]AttemptState{{ID: "att-0", State: attempt.StateInterrupted, LogComplete: true}, anAttempt(attempt.StateRunning)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(evicted)}, 60,
			want{run: run.StateFailed, code: tooOften, attempt: attempt.StateInterrupted, notes: "failed"}},

		"time over: it is told to end (P63, P64)": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 3600,
			want{run: run.StateRunning, code: "stopping-timeout", attempt: attempt.StateStopping, kill: KillContainers, after: 45 * time.Second, notes: "kill-timeout"}},
		"time over, told already": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-timeout", 3600))}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs, killed)}, 3610,
			want{run: run.StateRunning, code: "stopping-timeout", attempt: attempt.StateStopping, after: 35 * time.Second}},
		"time over, and the kubelet does nothing": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-timeout", 3600))}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs, killed)}, 3645,
			want{run: run.StateRunning, code: "stopping-timeout", attempt: attempt.StateStopping, kill: KillPod}},
		"time over, ended: a failure like another": {
			aRun(run.StateRunning), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-timeout", 3600))}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(143, "Error", 3602))}, 3602,
			want{run: run.StateRetrying, code: reason.Deadline, attempt: attempt.StateTimedOut, failures: 1, next: 3612, after: 10 * time.Second, notes: "retried"}},
		"time over, deaf to SIGTERM": {
			aRun(run.StateRunning, func(r *State) { r.Policy.Retries = 0 }), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-timeout", 3600))},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(137, "Error", 3630))}, 3630,
			want{run: run.StateTimedOut, code: codeDeadlineKilled, attempt: attempt.StateTimedOut, failures: 1, notes: "failed"}},
		"time over while it waits (P63)": {
			aRun(run.StatePending, func(r *State) { r.Policy.Timeout = time.Minute }), []AttemptState{anAttempt(attempt.StatePending, seenPod)},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(onNode)}, 60,
			want{run: run.StatePending, code: "stopping-timeout", attempt: attempt.StateStopping, kill: KillPod, notes: "scheduled kill-timeout"}},
		"a retry has its own deadline (P65)": {
			aRun(run.StatePending, func(r *State) { r.Failures = 1 }),
			[]AttemptState{{ID: "att-0", State: attempt.StateFailed, CreatedAt: at(-4000)}, anAttempt(attempt.StatePending)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 10,
			want{run: run.StateRunning, attempt: attempt.StateRunning, failures: 1, after: time.Hour - 10*time.Second, notes: "scheduled started"}},
		"P4 its image is pulled": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, seenPod)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(waits("ContainerCreating", "")), Events: []reason.Event{
				{Kind: "Pod", Name: "train-att-1-abcde", Reason: "Pulling", Message: `Pulling image "img:1"`, Last: at(2)}}}, 3,
			want{run: run.StatePending, code: reason.Pulling, attempt: attempt.StatePending, after: pullsAgain, notes: "scheduled pulling"}},
		"P4 its image was pulled": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, seenPod)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs), Events: []reason.Event{
				{Kind: "Pod", Name: "train-att-1-abcde", Reason: "Pulling", Message: `Pulling image "img:1"`, Last: at(2)},
				{Kind: "Pod", Name: "train-att-1-abcde", Reason: "Pulled", Message: `Successfully pulled image "img:1" in 2.34s (2.34s including waiting). Image size: 12582912 bytes.`, Last: at(4)}}}, 6,
			want{run: run.StateRunning, attempt: attempt.StateRunning, after: time.Hour - 6*time.Second, notes: "scheduled pulling pulled started"}},
		"pending too long (P12)": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, seenPod)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(waits("ImagePullBackOff", "Back-off pulling image"))}, 600,
			want{run: run.StatePending, code: "stopping-pending", attempt: attempt.StateStopping, kill: KillPod, notes: "scheduled kill-pending"}},
		"pending too long, gone: another attempt would wait the same": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StateStopping, seenPod, func(a *AttemptState) { a.StartedAt = nil }, because("stopping-pending", 600), expired)}, Observed{}, 603,
			want{run: run.StateTimedOut, code: reason.PendingDeadline, attempt: attempt.StateTimedOut, failures: 1, notes: "failed"}},
		"an image with an impossible name is not waited for": {
			aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending, func(a *AttemptState) {
				a.Reason = &spec.Reason{Code: reason.ImageInvalidName, Args: map[string]any{"image": "img:1"}}
			})},
			Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(waits("InvalidImageName", "couldn't parse image reference"))}, 10,
			want{run: run.StatePending, code: "stopping-hopeless", attempt: attempt.StateStopping, kill: KillPod, notes: "scheduled kill-hopeless"}},

		"stop of a run without attempts": {
			aRun(run.StateStopping, stopAsked), nil, Observed{}, 0, want{run: run.StateStopped, code: codeStopped, notes: "stopped"}},
		"stop before the Job was made": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StatePending, unlaunched)}, Observed{}, 0,
			want{run: run.StateStopped, code: codeStopped, attempt: attempt.StateStopped, notes: "kill-asked stopped"}},
		"stop while pending deletes the pod (P15)": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StatePending)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod()}, 10,
			want{run: run.StateStopping, code: "stopping-asked", attempt: attempt.StateStopping, kill: KillPod, notes: "kill-asked"}},
		"stop while running keeps the pod for its log (P78)": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 10,
			want{run: run.StateStopping, code: "stopping-asked", attempt: attempt.StateStopping, kill: KillContainers, after: 45 * time.Second, notes: "kill-asked"}},
		"stopping until the pod is gone (P71)": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-asked", 10))}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(143, "Error", 12))}, 12,
			want{run: run.StateStopping, attempt: attempt.StateStopped}},
		"stopping, log complete: the Job may go": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StateStopped, func(a *AttemptState) { a.LogComplete = true })}, Observed{Job: aJob(), Left: left("att-1")}, 13,
			want{run: run.StateStopping, attempt: attempt.StateStopped, clean: true}},
		"stopped, since nothing is left": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StateStopped, func(a *AttemptState) {
				a.LogComplete, a.Reason = true, &spec.Reason{Code: codeStoppedKilled}
			})}, Observed{}, 14,
			want{run: run.StateStopped, code: codeStoppedKilled, attempt: attempt.StateStopped, notes: "stopped"}},
		"a run whose secrets were not handed over with it says so": {
			aRun(run.StateStopping, stopAsked, func(r *State) { r.Lost = true }), []AttemptState{anAttempt(attempt.StateStopped, func(a *AttemptState) {
				a.LogComplete, a.Reason = true, &spec.Reason{Code: codeStoppedKilled}
			})}, Observed{}, 14,
			want{run: run.StateStopped, code: codeLost, attempt: attempt.StateStopped, notes: "stopped"}},
		"stop between two attempts": {
			aRun(run.StateStopping, stopAsked, func(r *State) { r.NextAttemptAt = atp(100) }), []AttemptState{anAttempt(attempt.StateFailed, func(a *AttemptState) { a.LogComplete = true })}, Observed{}, 14,
			want{run: run.StateStopped, code: codeStopped, attempt: attempt.StateFailed, notes: "stopped"}},
		"deaf to SIGTERM, and said so": {
			aRun(run.StateStopping, stopAsked), []AttemptState{anAttempt(attempt.StateStopping, because("stopping-asked", 10))}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(exits(137, "Error", 40))}, 41,
			want{run: run.StateStopping, attempt: attempt.StateStopped}},
		"a retry whose time has not come": {
			aRun(run.StateRetrying, func(r *State) { r.NextAttemptAt, r.Failures = atp(70), 1 }), []AttemptState{anAttempt(attempt.StateFailed)}, Observed{Left: left("att-1")}, 61,
			want{run: run.StateRetrying, attempt: attempt.StateFailed, failures: 1, next: 70, after: 9 * time.Second}},
		"a retry whose time has come": {
			aRun(run.StateRetrying, func(r *State) { r.NextAttemptAt, r.Failures = atp(70), 1 }), []AttemptState{anAttempt(attempt.StateFailed)}, Observed{Left: left("att-1")}, 70,
			want{run: run.StatePending, attempt: attempt.StateFailed, failures: 1, start: true}},
		"ended, log not complete: the pod stays (P78)": {
			aRun(run.StateSucceeded), []AttemptState{anAttempt(attempt.StateSucceeded)}, Observed{Job: aJob(), Left: left("att-1")}, 70,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded}},
		"ended, log complete: nothing is left behind": {
			aRun(run.StateSucceeded), []AttemptState{anAttempt(attempt.StateSucceeded, func(a *AttemptState) { a.LogComplete = true })}, Observed{Job: aJob(), Left: left("att-1")}, 70,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, clean: true}},
		"delete of an ended run": {
			aRun(run.StateSucceeded, deleteAsked), []AttemptState{anAttempt(attempt.StateSucceeded, func(a *AttemptState) { a.LogComplete = true })}, Observed{}, 70,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, remove: true}},
		"delete of an ended run whose Job is there": {
			aRun(run.StateSucceeded, deleteAsked), []AttemptState{anAttempt(attempt.StateSucceeded, func(a *AttemptState) { a.LogComplete = true })}, Observed{Left: left("att-1")}, 70,
			want{run: run.StateSucceeded, attempt: attempt.StateSucceeded, clean: true}},
		"delete of a running run stops it first": {
			aRun(run.StateStopping, deleteAsked), []AttemptState{anAttempt(attempt.StateRunning)}, Observed{Job: aJob(), Left: left("att-1"), Pod: aPod(runs)}, 10,
			want{run: run.StateStopping, code: "stopping-asked", attempt: attempt.StateStopping, kill: KillContainers, after: 45 * time.Second, notes: "kill-asked"}},
		"delete of a stopping run whose last trace is gone": {
			aRun(run.StateStopping, deleteAsked), []AttemptState{anAttempt(attempt.StateStopped, func(a *AttemptState) { a.LogComplete = true })}, Observed{}, 14,
			want{run: run.StateStopped, code: codeStopped, attempt: attempt.StateStopped, remove: true, notes: "stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Decide(c.run, c.attempts, c.o, at(c.now))
			got := want{run: d.Run.State, start: d.Start, create: d.Create, kill: d.Kill, clean: len(d.Clean) > 0, remove: d.Remove,
				after: d.After, failures: d.Run.Failures}
			if d.Run.Reason != nil {
				got.code = d.Run.Reason.Code
			}
			if d.Attempt != nil {
				got.attempt = d.Attempt.State
			}
			if d.Run.NextAttemptAt != nil {
				got.next = int(d.Run.NextAttemptAt.Sub(noon).Seconds())
			}
			var notes []string
			for _, n := range d.Notes {
				notes = append(notes, n.ID)
			}
			got.notes = strings.Join(notes, " ")
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			wantWords(t, d)
		})
	}
}

// wantWords: whatever Decide says can be said in both languages, complete.
func wantWords(t *testing.T, d Decision) {
	t.Helper()
	check := func(id string, args map[string]any) {
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if text := lang.Text(l, id, args); text == id || strings.Contains(text, "?") {
				t.Errorf("%s: %s is %q", l, id, text)
			}
		}
	}
	for _, n := range d.Notes {
		if n.Log {
			check("log.run."+n.ID, n.Args)
		}
		if n.Event {
			check("event.run-"+n.ID, n.Args)
		}
	}
	if r := d.Run.Reason; r != nil && r.Args != nil {
		check("reason."+r.Code, r.Args)
		check("advice."+r.Code, r.Args)
	}
}

// TestDecideRestsWhenNothingChanges: what was decided once, decided again from
// the rows that it made, asks for nothing new (P69).
func TestDecideRestsWhenNothingChanges(t *testing.T) {
	t.Parallel()
	for name, pod := range map[string]*corev1.Pod{
		"pending": aPod(onNode), "running": aPod(runs), "pulling": aPod(waits("ErrImagePull", "not found")), "succeeded": aPod(exits(0, "Completed", 30)), "failed": aPod(exits(3, "Error", 30)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Observed{Job: aJob(), Pod: pod, Left: left("att-1")}
			first := Decide(aRun(run.StatePending), []AttemptState{anAttempt(attempt.StatePending)}, o, at(31))
			second := Decide(first.Run, []AttemptState{*first.Attempt}, o, at(32))
			if len(second.Notes) > 0 || second.Start || second.Create || second.Kill != KillNone || !equal(first.Run, second.Run) || !equal(*first.Attempt, *second.Attempt) {
				t.Errorf("first %+v %+v\nthen  %+v %+v %+v", first.Run, *first.Attempt, second.Run, *second.Attempt, second.Notes)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for n := 1; n <= 8; n++ {
		got = append(got, backoff(10*time.Second, 5*time.Minute, n))
	}
	want := []time.Duration{10, 20, 40, 80, 160, 300, 300, 300}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTimelineIsOrderedAndKeepsWhatItSaw(t *testing.T) {
	t.Parallel()
	pod := aPod(runs)
	events := []reason.Event{
		{Kind: "Pod", Name: pod.Name, Reason: "Pulling", Last: at(2)}, {Kind: "Pod", Name: pod.Name, Reason: "Pulled", Last: at(4)},
		{Kind: "Pod", Name: "another", Reason: "FailedMount", Last: at(3)},
	}
	queued := []spec.Phase{{Name: "queued", Since: noon}}
	first := timeline(queued, pod, events)
	if again := timeline(first, pod, nil); !equal(first, again) { // the cluster has forgotten its events
		t.Errorf("%v became %v", first, again)
	}
	var names []string
	for i, p := range first {
		names = append(names, p.Name)
		if i > 0 && p.Since.Before(first[i-1].Since) {
			t.Errorf("%s begins before %s", p.Name, first[i-1].Name)
		}
	}
	if got := strings.Join(names, " "); got != "queued scheduled pulling starting ready" {
		t.Error(got)
	}
}
