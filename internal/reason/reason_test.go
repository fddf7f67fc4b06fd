package reason_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const quotaText = `create Pod resnet-0 in StatefulSet resnet failed error: pods "resnet-0" is forbidden: exceeded quota: goblinlab, ` +
	`requested: limits.cpu=8,limits.memory=16Gi,requests.nvidia.com/gpu=1, used: limits.cpu=60,limits.memory=40Gi,requests.nvidia.com/gpu=1, ` +
	`limited: limits.cpu=64,limits.memory=256Gi,requests.nvidia.com/gpu=8`

var shapes = []preflight.Node{
	{Name: "big", CPUMilli: 64_000, MemoryBytes: 64 << 30},
	{Name: "wide", CPUMilli: 16_000, MemoryBytes: 256 << 30},
}

type sample struct {
	e    reason.Evidence
	code string // empty: nothing to say
	text string // in English; empty: not checked
}

func (s sample) check(t *testing.T, why func(reason.Evidence) *spec.Reason) {
	t.Helper()
	s.e.Now = now
	got := why(s.e)
	if s.code == "" {
		if got != nil {
			t.Fatalf("it says %s %v", got.Code, got.Args)
		}
		return
	}
	if got == nil {
		t.Fatalf("it says nothing, want %s", s.code)
	}
	text := read(t, *got)
	if got.Code != s.code {
		t.Fatalf("it says %s (%s), want %s", got.Code, text, s.code)
	}
	if s.text != "" && text != s.text {
		t.Errorf("it reads\n%s\nwant\n%s", text, s.text)
	}
}

func TestInstanceBeforeItHasANode(t *testing.T) {
	t.Parallel()
	noCPU := "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {node-pool: online}. " +
		"preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
	for name, s := range map[string]sample{
		"ready":   {e: reason.Evidence{Pod: notebook(ready)}},
		"stopped": {e: reason.Evidence{StatefulSet: replicas(0)}},
		"P1 no pod yet": {
			e:    reason.Evidence{StatefulSet: replicas(1), Since: now.Add(-75 * time.Second)},
			code: reason.PodNotCreated, text: "The cluster has not made the pod yet (1m).",
		},
		"P3 quota exceeded, with its numbers": {
			e:    reason.Evidence{StatefulSet: replicas(1), Events: []reason.Event{event("StatefulSet", "FailedCreate", quotaText, time.Second)}},
			code: reason.QuotaExceeded,
			text: "The team's quota of CPU does not allow this: 8 CPU more are asked for, 60 CPU of 64 CPU are used.",
		},
		"P2 an older generic refusal does not cover the quota": {
			e: reason.Evidence{Events: []reason.Event{
				event("StatefulSet", "FailedCreate", `pods "x" is forbidden: webhook denied`, time.Minute),
				event("StatefulSet", "FailedCreate", quotaText, time.Second),
			}},
			code: reason.QuotaExceeded,
		},
		"a refusal of an older start does not count": {
			e:    reason.Evidence{Since: now.Add(-time.Minute), Events: []reason.Event{event("StatefulSet", "FailedCreate", quotaText, time.Hour)}},
			code: reason.PodNotCreated,
		},
		"a refusal that was overcome does not count": {
			e: reason.Evidence{Events: []reason.Event{
				event("StatefulSet", "FailedCreate", quotaText, time.Minute),
				event("StatefulSet", "SuccessfulCreate", "create Pod resnet-0", time.Second),
			}},
			code: reason.PodNotCreated,
		},
		"pod security": {
			e: reason.Evidence{Events: []reason.Event{event("StatefulSet", "FailedCreate",
				`create Pod resnet-0 in StatefulSet resnet failed error: pods "resnet-0" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "lxcfs")`, 0)}},
			code: reason.PodSecurity,
			text: `The cluster's security rules refuse the pod: violates PodSecurity "baseline:latest": hostPath volumes (volume "lxcfs")`,
		},
		"P87 must specify": {
			e:    reason.Evidence{Events: []reason.Event{event("Job", "FailedCreate", `Error creating: pods "a" is forbidden: failed quota: q: must specify limits.cpu for: sidecar`, 0)}},
			code: reason.LimitRange,
			text: "The team's namespace refuses a size: failed quota: q: must specify limits.cpu for: sidecar",
		},
		"another refusal": {
			e:    reason.Evidence{Events: []reason.Event{event("Job", "FailedCreate", `Error creating: admission webhook "x" denied the request: no`, 0)}},
			code: reason.PodRefused,
		},
		"being placed": {e: reason.Evidence{Pod: notebook()}, code: reason.Scheduling, text: "A node is being chosen (5m)."},
		"P9 the scheduler's verdict": {
			e:    reason.Evidence{Pod: notebook(unschedulable(noCPU)), Requests: spec.Resources{CPUMilli: 8000, MemoryBytes: 1 << 30}, Nodes: shapes},
			code: reason.Unschedulable,
			text: "None of the 3 nodes can take it now: 2 reserved for other work; 1 without enough free CPU.",
		},
		"the verdict as an event alone": {
			e:    reason.Evidence{Pod: notebook(), Events: []reason.Event{event("Pod", "FailedScheduling", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", time.Second)}},
			code: reason.Unschedulable, text: "None of the 1 nodes can take it now: 1 without enough free GPUs.",
		},
		"P10 larger than any node beats the scheduler's sentence": {
			e:    reason.Evidence{Pod: notebook(unschedulable(noCPU)), Requests: spec.Resources{CPUMilli: 96_000}, Nodes: shapes},
			code: reason.LargerThanAnyNode,
			text: "It asks for more CPU than any node has: 96 CPU; the largest, big, has 64 CPU.",
		},
		"P11 fits no single node": {
			e:    reason.Evidence{Pod: notebook(), Requests: spec.Resources{CPUMilli: 32_000, MemoryBytes: 128 << 30}, Nodes: shapes},
			code: reason.FitsNoNode,
			text: "No single node has 32 CPU, 128 GiB together. The nearest: big (64 CPU, 64 GiB), wide (16 CPU, 256 GiB).",
		},
		"no node of the tenant": {
			e: reason.Evidence{Pod: notebook(), Requests: spec.Resources{CPUMilli: 1}, Nodes: shapes,
				Placement: preflight.Placement{NodeSelector: map[string]string{"tenant": "x"}}},
			code: reason.NoNodeTakesIt,
		},
		"others make room": {
			e:    reason.Evidence{Pod: notebook(unschedulable(noCPU), func(p *corev1.Pod) { p.Status.NominatedNodeName = "node-b" })},
			code: reason.Preempting,
		},
		"gated": {
			e:    reason.Evidence{Pod: notebook(condition(corev1.PodScheduled, corev1.ConditionFalse, "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"))},
			code: reason.SchedulingGated,
		},
		"a volume that does not exist": {
			e:    reason.Evidence{Pod: notebook(unschedulable(`0/2 nodes are available: persistentvolumeclaim "data" not found. not found`))},
			code: reason.VolumeMissing, text: "The volume data does not exist any more.",
		},
		"a verdict nobody knows keeps its words": {
			e: reason.Evidence{Pod: notebook(unschedulable("the moon is full"))}, code: reason.Unknown, text: "The cluster says: the moon is full",
		},
		"P2 an unbound claim beats the scheduler's hint": {
			e: reason.Evidence{
				Pod:    notebook(unschedulable("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found")),
				Claims: []corev1.PersistentVolumeClaim{claim(corev1.ClaimPending)},
				Events: []reason.Event{event("PersistentVolumeClaim", "ProvisioningFailed", `storageclass.storage.k8s.io "fast" not found`, time.Hour)},
				Since:  now.Add(-time.Minute),
			},
			code: reason.VolumeFailed, text: `The volume resnet-0 cannot be made: storageclass.storage.k8s.io "fast" not found`,
		},
		"a claim without any class": {
			e: reason.Evidence{Pod: notebook(), Claims: []corev1.PersistentVolumeClaim{claim(corev1.ClaimPending)},
				Events: []reason.Event{event("PersistentVolumeClaim", "FailedBinding", "no persistent volumes available for this claim and no storage class is set", 0)}},
			code: reason.VolumeNoClass,
		},
		"a claim that is being made": {
			e:    reason.Evidence{Pod: notebook(), Claims: []corev1.PersistentVolumeClaim{claim(corev1.ClaimPending)}},
			code: reason.VolumePending,
		},
		"a claim that waits for the pod is no cause": {
			e: reason.Evidence{Pod: notebook(unschedulable("0/1 nodes are available: 1 Insufficient memory.")), Claims: []corev1.PersistentVolumeClaim{claim(corev1.ClaimPending)},
				Events: []reason.Event{event("PersistentVolumeClaim", "WaitForFirstConsumer", "waiting for first consumer to be created before binding", 0)}},
			code: reason.Unschedulable,
		},
		"a claim whose disk is lost": {
			e: reason.Evidence{Pod: notebook(), Claims: []corev1.PersistentVolumeClaim{claim(corev1.ClaimLost)}}, code: reason.VolumeLost,
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); s.check(t, reason.Instance) })
	}
}

func TestInstanceOnItsNode(t *testing.T) {
	t.Parallel()
	creating := held("ContainerCreating", "")
	crashed := func(exit int32, why string) func(*corev1.Pod) {
		return status(waitingState("CrashLoopBackOff", "back-off 40s restarting failed container"), over(exit, why, ""), 3)
	}
	for name, s := range map[string]sample{
		"the container is being made": {
			e: reason.Evidence{Pod: notebook(placed, creating)}, code: reason.ContainerCreating, text: "The node node-a is making the container (2m).",
		},
		"P4 pulling, with how long": {
			e:    reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{event("Pod", "Pulling", `Pulling image "`+image+`"`, 95*time.Second)}},
			code: reason.Pulling, text: "The image " + image + " is being pulled (1m).",
		},
		"pulled already": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{
				event("Pod", "Pulling", `Pulling image "x"`, time.Minute), event("Pod", "Pulled", "Successfully pulled", time.Second),
			}},
			code: reason.ContainerCreating,
		},
		"P18 rate limited, seen behind the back-off": {
			e: reason.Evidence{Pod: notebook(placed, held("ImagePullBackOff", `Back-off pulling image "`+image+`"`)), Events: []reason.Event{
				event("Pod", "Failed", "Error: ImagePullBackOff", time.Second),
				event("Pod", "Failed", `Failed to pull image "`+image+`": failed to copy: httpReadSeeker: failed open: unexpected status code: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit`, time.Minute),
			}},
			code: reason.ImageRateLimited,
		},
		"the image's name is none": {e: reason.Evidence{Pod: notebook(placed, held("InvalidImageName", `Failed to apply default image tag "A b": couldn't parse image name`))}, code: reason.ImageInvalidName},
		"the image may not be pulled": {
			e: reason.Evidence{Pod: notebook(placed, held("ErrImageNeverPull", "Container image is not present with pull policy of Never"))}, code: reason.ImageNeverPull,
		},
		"P5 crash loop: exit code and last words": {
			e:    reason.Evidence{Pod: notebook(placed, crashed(1, "Error")), Log: []string{"Traceback", "ValueError: 7"}},
			code: reason.Crash, text: "The program ended with exit code 1, after 3 restarts. Its last words: Traceback\nValueError: 7",
		},
		"P5 a signal by its name": {
			e: reason.Evidence{Pod: notebook(placed, crashed(143, "Error"))}, code: reason.CrashSignal,
			text: "The program was killed by SIGTERM (exit code 143), after 3 restarts. Its last words: –",
		},
		"P75 out of memory, whatever the exit code": {
			e: reason.Evidence{Pod: notebook(placed, crashed(1, "OOMKilled"))}, code: reason.OOMKilled,
			text: "The program used more memory than its limit of 2 GiB and was killed, after 3 restarts. Its peak: –. Its last words: –",
		},
		"P75 out of memory, with the peak that the node tells": {
			e: reason.Evidence{Pod: notebook(placed, crashed(137, "OOMKilled")), Peaks: map[string]int64{"notebook": 1 << 30}, Events: []reason.Event{
				event("Pod", reason.OutOfMemory, "Container notebook used up its memory: peak 2147479552 of 2147483648 bytes", time.Second),
				event("Pod", reason.OutOfMemory, "Container notebook used up its memory: peak 1 of 2147483648 bytes", time.Minute),
				event("Pod", reason.OutOfMemory, "Container sidecar used up its memory: peak 7 of 8 bytes", 0)}},
			code: reason.OOMKilled, text: "The program used more memory than its limit of 2 GiB and was killed, after 3 restarts. Its peak: 1.99 GiB. Its last words: –",
		},
		"P75 out of memory, with a peak from samples": {
			e: reason.Evidence{Pod: notebook(placed, crashed(137, "OOMKilled")), Peaks: map[string]int64{"notebook": 3 << 29},
				Events: []reason.Event{event("Pod", reason.OutOfMemory, "Container notebook used up its memory: peak 0 of 0 bytes", 0)}},
			code: reason.OOMKilled, text: "The program used more memory than its limit of 2 GiB and was killed, after 3 restarts. Its peak: ≥ 1.5 GiB. Its last words: –",
		},
		"P5 running again but not ready still owes the reason": {
			e: reason.Evidence{Pod: notebook(placed, status(runningState(3*time.Second), over(2, "Error", ""), 1))}, code: reason.Crash,
		},
		"the command is not in the image": {
			e: reason.Evidence{Pod: notebook(placed, held("RunContainerError",
				`failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "goblin-init": executable file not found in $PATH`))},
			code: reason.CommandNotFound,
		},
		"a Secret is missing": {
			e: reason.Evidence{Pod: notebook(placed, held("CreateContainerConfigError", `secret "resnet-login-7" not found`))}, code: reason.ConfigMissing,
			text: "Something that it needs does not exist: secret resnet-login-7.",
		},
		"P19 P21 the volume is on another node": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{
				event("Pod", "FailedMount", `Unable to attach or mount volumes: unmounted volumes=[home], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition`, time.Second),
				event("Pod", "FailedAttachVolume", `Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) bert-0`, time.Minute),
			}},
			code: reason.VolumeInUse, text: "The volume pvc-1 is held on another node by bert-0.",
		},
		"P27 exclusively attached, holder unknown": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{
				event("Pod", "FailedAttachVolume", `Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can't be attached to another`, 0),
			}},
			code: reason.VolumeInUse, text: "The volume pvc-1 is held on another node by something else.",
		},
		"attached in the end": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{
				event("Pod", "SuccessfulAttachVolume", `AttachVolume.Attach succeeded for volume "pvc-1"`, time.Second),
				event("Pod", "FailedAttachVolume", `Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) bert-0`, time.Minute),
			}},
			code: reason.ContainerCreating,
		},
		"a mount that fails": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{
				event("Pod", "FailedMount", `MountVolume.SetUp failed for volume "lxcfs-0" : hostPath type check failed: /var/lib/lxcfs/proc/cpuinfo is not a file`, 0),
			}},
			code: reason.MountFailed,
		},
		"a Secret to mount that is missing": {
			e:    reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{event("Pod", "FailedMount", `MountVolume.SetUp failed for volume "ssh-host-keys" : secret "resnet-ssh-host" not found`, 0)}},
			code: reason.ConfigMissing,
		},
		"no network for the pod": {
			e:    reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{event("Pod", "FailedCreatePodSandBox", "Failed to create pod sandbox: rpc error: plugin type=\"calico\" failed (add)", 0)}},
			code: reason.SandboxFailed,
		},
		"a step before": {
			e: reason.Evidence{Pod: notebook(placed, held("PodInitializing", ""), func(p *corev1.Pod) {
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: runningState(20 * time.Second)}}
			})},
			code: reason.InitRunning,
		},
		"a sidecar's image": {
			e: reason.Evidence{Pod: notebook(placed, held("PodInitializing", ""), func(p *corev1.Pod) {
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "shipper", Image: "x/shipper:1", State: waitingState("ErrImagePull", "not found")}}
			})},
			code: reason.ImageNotFound, text: "The image x/shipper:1 does not exist in its registry.",
		},
		"apps that are not ready": {
			e:    reason.Evidence{Pod: notebook(placed, status(runningState(12*time.Second), corev1.ContainerState{}, 0)), WaitingFor: []string{"sshd", "jupyterlab"}},
			code: reason.Starting, text: "It runs (10s) and waits for: jupyterlab, sshd.",
		},
		"a probe that fails": {
			e:    reason.Evidence{Pod: notebook(placed, status(runningState(90*time.Minute), corev1.ContainerState{}, 0)), Events: []reason.Event{event("Pod", "Unhealthy", "Startup probe failed: connection refused", 0)}},
			code: reason.NotReady, text: "It runs (1h30m) but does not answer yet: Startup probe failed: connection refused",
		},
		"P17 the node is lost, whatever the pod says": {
			e: reason.Evidence{Pod: notebook(ready), NodeDown: true}, code: reason.NodeLost,
		},
		"ending":              {e: reason.Evidence{Pod: notebook(ready, deleted(-5*time.Second)), StatefulSet: replicas(0)}, code: reason.Terminating},
		"P17 ending for ever": {e: reason.Evidence{Pod: notebook(ready, deleted(10*time.Minute))}, code: reason.StuckStopping, text: "The pod on the node node-a should have ended 10m ago and does not."},
		"evicted": {
			e: reason.Evidence{Pod: notebook(finished(corev1.PodFailed, "Evicted", "The node was low on resource: memory."))}, code: reason.Evicted,
		},
		"P2 what nobody knows keeps the cluster's words": {
			e:    reason.Evidence{Pod: notebook(placed, held("Mysterious", "x")), Events: []reason.Event{event("Pod", "FailedSomething", "the disk sings", 0)}},
			code: reason.Unknown, text: "The cluster says: FailedSomething: the disk sings",
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); s.check(t, reason.Instance) })
	}
}

func TestAttempt(t *testing.T) {
	t.Parallel()
	suspended := true
	for name, s := range map[string]sample{
		"running":                             {e: reason.Evidence{Pod: task(placed, status(runningState(time.Second), corev1.ContainerState{}, 0))}},
		"succeeded":                           {e: reason.Evidence{Pod: task(exited(0, "Completed", ""))}},
		"the pod says so before the Job does": {e: reason.Evidence{Pod: task(placed, status(over(0, "Completed", ""), corev1.ContainerState{}, 0))}},
		"the Job is done":                     {e: reason.Evidence{Job: job(batchv1.JobComplete, "CompletionsReached", "")}},
		"failed":                              {e: reason.Evidence{Pod: task(exited(3, "Error", ""))}, code: reason.Exit},
		"waits in a queue":                    {e: reason.Evidence{Job: &batchv1.Job{Spec: batchv1.JobSpec{Suspend: &suspended}}}, code: reason.Suspended},
		"has no pod yet":                      {e: reason.Evidence{Job: &batchv1.Job{}}, code: reason.PodNotCreated},
		"P3 quota":                            {e: reason.Evidence{Job: &batchv1.Job{}, Events: []reason.Event{event("Job", "FailedCreate", "Error creating: "+quotaText, 0)}}, code: reason.QuotaExceeded},
		"P17 node lost":                       {e: reason.Evidence{Pod: task(placed, status(runningState(time.Second), corev1.ContainerState{}, 0)), NodeDown: true}, code: reason.NodeLost},
		"is being taken away":                 {e: reason.Evidence{Pod: task(placed, deleted(0), status(runningState(time.Second), corev1.ContainerState{}, 0))}, code: reason.Terminating},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); s.check(t, reason.Attempt) })
	}
}

// Every constant of code.go is listed, so that the catalogue's test sees it.
func TestCodesAreComplete(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			for _, x := range v.Values {
				if lit, ok := x.(*ast.BasicLit); ok {
					s, _ := strconv.Unquote(lit.Value)
					declared[s] = true
				}
			}
		}
		return true
	})
	listed := map[string]bool{}
	for _, c := range reason.Codes() {
		listed[c] = true
	}
	if diff := cmp.Diff(declared, listed); diff != "" {
		t.Error(diff)
	}
}
