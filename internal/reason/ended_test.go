package reason_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/reason"
)

func TestEnded(t *testing.T) {
	t.Parallel()
	disrupted := func(why, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			exited(137, "Error", "")(p)
			condition(corev1.DisruptionTarget, corev1.ConditionTrue, why, message)(p)
		}
	}
	for name, c := range map[string]struct {
		e     reason.Evidence
		class reason.Class
		code  string
		text  string
	}{
		"succeeded":       {e: reason.Evidence{Pod: task(exited(0, "Completed", ""))}, class: reason.Success, code: reason.Completed},
		"the Job says so": {e: reason.Evidence{Job: job(batchv1.JobComplete, "", "")}, class: reason.Success, code: reason.Completed},
		"the program fails": {
			e:     reason.Evidence{Pod: task(exited(1, "Error", "ValueError: 7")), Job: job(batchv1.JobFailed, "BackoffLimitExceeded", "")},
			class: reason.User, code: reason.Exit, text: "The program ended with exit code 1. Its last words: ValueError: 7",
		},
		"the program is killed by itself": {e: reason.Evidence{Pod: task(exited(139, "Error", ""))}, class: reason.User, code: reason.ExitSignal},
		"P75 out of memory is the user's": {e: reason.Evidence{Pod: task(exited(137, "OOMKilled", ""))}, class: reason.User, code: reason.OOMKilled},
		"out of memory though a child was killed and all is well": {
			e: reason.Evidence{Pod: task(exited(0, "OOMKilled", ""), finished(corev1.PodFailed, "", ""))}, class: reason.User, code: reason.OOMKilled,
		},
		"a shell finds no program": {
			e: reason.Evidence{Pod: task(exited(127, "Error", "")), Log: []string{"sh: 1: pyhton: not found"}}, class: reason.User, code: reason.CommandNotFound,
		},
		"the command is not in the image": {
			e:     reason.Evidence{Pod: task(exited(128, "StartError", `failed to create containerd task: exec: "pyhton": executable file not found in $PATH: unknown`))},
			class: reason.Start, code: reason.CommandNotFound,
		},
		"the command is not executable": {
			e:     reason.Evidence{Pod: task(exited(128, "StartError", `unable to start container process: exec: "./train.py": permission denied`))},
			class: reason.Start, code: reason.CommandNotExecutable,
		},
		"the working directory is none": {
			e:     reason.Evidence{Pod: task(exited(128, "StartError", `OCI runtime create failed: chdir to cwd ("/code/sub") set in config.json failed: no such file or directory`))},
			class: reason.Start, code: reason.WorkingDir,
		},
		"P67 preempted, by whom": {
			e: reason.Evidence{Pod: task(disrupted("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod")),
				Events: []reason.Event{event("Pod", "Preempted", "Preempted by pod 1-2-3 on node node-a", 0)}},
			class: reason.Infrastructure, code: reason.Preempted,
			text: "Work of higher priority took its place on the node node-a: Preempted by pod 1-2-3 on node node-a",
		},
		"P67 drained":                 {e: reason.Evidence{Pod: task(disrupted("EvictionByEvictionAPI", "Eviction API: evicting"))}, class: reason.Infrastructure, code: reason.Evicted},
		"P67 the node is gone":        {e: reason.Evidence{Pod: task(disrupted("DeletionByTaintManager", ""))}, class: reason.Infrastructure, code: reason.NodeLost},
		"P67 collected with its node": {e: reason.Evidence{Pod: task(disrupted("DeletionByPodGC", ""))}, class: reason.Infrastructure, code: reason.NodeLost},
		"P67 the node shuts down":     {e: reason.Evidence{Pod: task(disrupted("TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."))}, class: reason.Infrastructure, code: reason.NodeShutdown},
		"P67 a disruption of a new kind": {
			e: reason.Evidence{Pod: task(disrupted("SomethingNew", "x"))}, class: reason.Infrastructure, code: reason.Disrupted,
		},
		"P67 evicted from a node that runs short": {
			e:     reason.Evidence{Pod: task(finished(corev1.PodFailed, "Evicted", "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi"))},
			class: reason.Infrastructure, code: reason.Evicted,
		},
		"evicted for its own disk use": {
			e: reason.Evidence{Pod: task(finished(corev1.PodFailed, "Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi."),
				condition(corev1.DisruptionTarget, corev1.ConditionTrue, "TerminationByKubelet", ""))},
			class: reason.User, code: reason.DiskExceeded,
		},
		"evicted for its own folder in memory": {
			e:     reason.Evidence{Pod: task(finished(corev1.PodFailed, "Evicted", `Usage of EmptyDir volume "shm" exceeds the limit "64Mi".`))},
			class: reason.User, code: reason.DiskExceeded,
		},
		"refused by its node":                                 {e: reason.Evidence{Pod: task(finished(corev1.PodFailed, "OutOfcpu", "Node didn't have enough resource: cpu"))}, class: reason.Infrastructure, code: reason.NodeRefused},
		"status lost with its node":                           {e: reason.Evidence{Pod: task(exited(137, "ContainerStatusUnknown", "The container could not be located"))}, class: reason.Infrastructure, code: reason.NodeLost},
		"P67 the node's runtime or the machine was restarted": {e: reason.Evidence{Pod: task(exited(255, "Unknown", ""))}, class: reason.Infrastructure, code: reason.EndUnseen},
		"a program's own 255":                                 {e: reason.Evidence{Pod: task(exited(255, "Error", ""))}, class: reason.User, code: reason.Exit},
		"the node does not answer":                            {e: reason.Evidence{Pod: task(placed, status(runningState(time.Hour), waitingState("", ""), 0)), NodeDown: true}, class: reason.Infrastructure, code: reason.NodeLost},
		"P67 deleted by somebody else": {
			e:     reason.Evidence{Pod: task(exited(143, "Error", ""), deleted(time.Second)), Job: job(batchv1.JobFailed, "BackoffLimitExceeded", "")},
			class: reason.Infrastructure, code: reason.PodDeleted,
		},
		"P67 the pod is gone": {e: reason.Evidence{Job: job(batchv1.JobFailed, "BackoffLimitExceeded", "Job has reached the specified backoff limit")}, class: reason.Infrastructure, code: reason.PodDeleted},
		"P67 the pod is gone, the Job remembers the disruption": {
			e:     reason.Evidence{Job: job(batchv1.JobFailed, "PodFailurePolicy", "Pod a/b has condition DisruptionTarget matching FailJob rule at index 0")},
			class: reason.Infrastructure, code: reason.Disrupted,
		},
		"nothing is left":            {e: reason.Evidence{}, class: reason.Infrastructure, code: reason.PodDeleted},
		"P64 the platform's timeout": {e: reason.Evidence{Pod: task(exited(143, "Error", "")), TimedOut: true}, class: reason.Timeout, code: reason.Deadline},
		"P64 the Job's deadline, the pod is gone": {
			e: reason.Evidence{Job: job(batchv1.JobFailed, "DeadlineExceeded", "Job was active longer than specified deadline")}, class: reason.Timeout, code: reason.Deadline,
		},
		"P64 the Job's deadline, the pod was killed": {
			e: reason.Evidence{Pod: task(exited(143, "Error", ""), deleted(0)), Job: job(batchv1.JobFailed, "DeadlineExceeded", "")}, class: reason.Timeout, code: reason.Deadline,
		},
		"stopped by a user": {e: reason.Evidence{Pod: task(exited(137, "Error", ""), deleted(0)), Stopped: true}, class: reason.Stopped, code: reason.WasStopped},
		"P12 waited too long for room": {
			e:     reason.Evidence{Pod: task(unschedulable("0/1 nodes are available: 1 Insufficient cpu.")), Expired: true, Since: now.Add(-30 * time.Minute)},
			class: reason.Timeout, code: reason.PendingDeadline,
			text: "It waited 30m for its start, which is longer than allowed. Wait until something ends, ask for less, or stop something of yours.",
		},
		"P12 waited too long for an image": {
			e: reason.Evidence{Pod: task(placed, held("ErrImagePull", "manifest unknown")), Expired: true}, class: reason.Start, code: reason.ImageNotFound,
		},
		"an image that cannot be had": {
			e: reason.Evidence{Pod: task(placed, held("ErrImagePull", "unauthorized"))}, class: reason.Start, code: reason.ImageDenied,
		},
		"a step before fails": {
			e: reason.Evidence{Pod: task(finished(corev1.PodFailed, "", ""), func(p *corev1.Pod) {
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: over(1, "Error", "no such commit")}}
			})},
			class: reason.Start, code: reason.Exit,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.e.Now = now
			class, r := reason.Ended(c.e)
			text := read(t, r)
			if class != c.class || r.Code != c.code {
				t.Fatalf("it is %s: %s (%s), want %s: %s", class, r.Code, text, c.class, c.code)
			}
			if c.text != "" && text != c.text {
				t.Errorf("it reads\n%s\nwant\n%s", text, c.text)
			}
		})
	}
}

func TestP67InfrastructureTakesNoRetry(t *testing.T) {
	t.Parallel()
	for class, want := range map[reason.Class]bool{
		reason.User: true, reason.Start: true, reason.Timeout: true,
		reason.Infrastructure: false, reason.Success: false, reason.Stopped: false,
	} {
		if class.TakesRetry() != want {
			t.Errorf("%s takes a retry: %v", class, !want)
		}
	}
}
