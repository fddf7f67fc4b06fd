package reason_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/reason"
)

func TestP9ParseVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message string
		want    reason.Verdict
		no      bool
	}{
		"several causes, two taints, and preemption": {
			message: "0/29 nodes are available: 18 Insufficient cpu, 2 Too many pods, 21 Insufficient memory, 8 node(s) had untolerated taint {eks.amazonaws.com/compute-type: fargate}. preemption: 0/29 nodes are available: 1 Insufficient cpu, 18 Insufficient memory, 3 No preemption victims found for incoming pod, 8 Preemption is not helpful for scheduling..",
			want: reason.Verdict{Nodes: 29, Causes: []reason.Cause{{"memory", 21}, {"cpu", 18}, {"taint", 8}, {"pods", 2}},
				Taints: []string{"eks.amazonaws.com/compute-type: fargate"}},
		},
		"taints of one kind add up": {
			message: "0/17 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 node(s) had untolerated taint {node-role.kubernetes.io/infra: }, 14 node(s) didn't match Pod's node affinity/selector.",
			want: reason.Verdict{Nodes: 17, Causes: []reason.Cause{{"selector", 14}, {"taint", 3}},
				Taints: []string{"a: b", "node-role.kubernetes.io/infra"}},
		},
		"unreachable and cordoned nodes": {
			message: "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 1 node(s) were unschedulable, 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.",
			want: reason.Verdict{Nodes: 3, Causes: []reason.Cause{{"cordoned", 1}, {"not-ready", 1}, {"pressure", 1}},
				Taints: []string{"node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"}},
		},
		"a cause without a number is of all nodes": {
			message: "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
			want:    reason.Verdict{Nodes: 4, Causes: []reason.Cause{{"volume", 4}}},
		},
		"a claim that does not exist": {
			message: `0/4 nodes are available: persistentvolumeclaim "data" not found. not found`,
			want:    reason.Verdict{Nodes: 4, Causes: []reason.Cause{{"volume", 4}}, Claims: []string{"data"}},
		},
		"old form": {
			message: "0/10 nodes are available: 10 node(s) didn't match node selector, 4 Insufficient cpu.",
			want:    reason.Verdict{Nodes: 10, Causes: []reason.Cause{{"selector", 10}, {"cpu", 4}}},
		},
		"with the words on resource claims": {
			message: "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
			want:    reason.Verdict{Nodes: 1, Causes: []reason.Cause{{"gpu", 1}}},
		},
		"volumes and their zones": {
			message: "0/5 nodes are available: 1 node(s) had volume node affinity conflict, 2 node(s) exceed max volume count, 1 node(s) didn't match pod anti-affinity rules, 1 node(s) didn't have free ports for the requested pod ports.",
			want:    reason.Verdict{Nodes: 5, Causes: []reason.Cause{{"volume-count", 2}, {"affinity", 1}, {"port", 1}, {"volume", 1}}},
		},
		"something new":        {message: "0/2 nodes are available: 2 node(s) are on strike.", want: reason.Verdict{Nodes: 2, Causes: []reason.Cause{{"other", 2}}}},
		"no nodes at all":      {message: "0/0 nodes are available.", want: reason.Verdict{}},
		"counts beyond reason": {message: "0/2 nodes are available: 9999999 Insufficient cpu.", want: reason.Verdict{Nodes: 2, Causes: []reason.Cause{{"cpu", 2}}}},
		"another sentence":     {message: "running PreBind plugin: context deadline exceeded", no: true},
		"nothing":              {no: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := reason.ParseVerdict(c.message)
			if ok == c.no {
				t.Fatalf("understood: %v", ok)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestP3ParseQuota(t *testing.T) {
	t.Parallel()
	v, ok := reason.ParseQuota(quotaText)
	if !ok || v.Quota != "goblinlab" || len(v.Lines) != 3 || v.Over().Resource != "limits.cpu" {
		t.Fatalf("read as %+v", v)
	}
	for name, c := range map[string]struct{ message, text string }{
		"memory": {
			`pods "a" is forbidden: exceeded quota: q, requested: limits.memory=16Gi, used: limits.memory=250Gi, limited: limits.memory=256Gi`,
			"The team's quota of memory does not allow this: 16 GiB more are asked for, 250 GiB of 256 GiB are used.",
		},
		"GPUs": {
			`exceeded quota: q, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=7, limited: requests.nvidia.com/gpu=8`,
			"The team's quota of GPUs does not allow this: 2 GPU more are asked for, 7 GPU of 8 GPU are used.",
		},
		"storage": {
			`persistentvolumeclaims "a" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1,requests.storage=20Gi, used: persistentvolumeclaims=3,requests.storage=1Ti, limited: persistentvolumeclaims=10,requests.storage=1Ti`,
			"The team's quota of storage does not allow this: 20 GiB more are asked for, 1 TiB of 1 TiB are used.",
		},
		"pods, inside another error": {
			`create Pod x: pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4 (retry later)`,
			"The team's quota of pods does not allow this: 1 more are asked for, 4 of 4 are used.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, *reason.Refusal(c.message)); got != c.text {
				t.Errorf("it reads\n%s\nwant\n%s", got, c.text)
			}
		})
	}
	for _, no := range []string{"", "exceeded quota: q", "exceeded quota: q, requested: a=1, used: b", "exceeded quota: q, requested: , used: , limited: "} {
		if v, ok := reason.ParseQuota(no); ok {
			t.Errorf("%q is read as %+v", no, v)
		}
	}
}

func TestImageError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ image, message, want string }{
		"P18 Docker Hub's limit":       {"busybox", "failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/x: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit.", reason.ImageRateLimited},
		"no such tag":                  {"a:b", `rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/a:b": failed to resolve reference "docker.io/library/a:b": docker.io/library/a:b: not found`, reason.ImageNotFound},
		"manifest unknown":             {"a:b", "manifest unknown: manifest unknown", reason.ImageNotFound},
		"hidden or not there":          {"a:b", "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed", reason.ImageDenied},
		"no credentials":               {"a:b", "failed to authorize: failed to fetch anonymous token: unexpected status from GET request: 401 Unauthorized", reason.ImageDenied},
		"no such registry":             {"a:b", `failed to do request: Head "https://reg.example.org/v2/a/manifests/b": dial tcp: lookup reg.example.org: no such host`, reason.ImageNoHost},
		"token server not reachable":   {"a:b", `failed to authorize: failed to fetch oauth token: Post "https://auth.example.org": dial tcp 10.0.0.1:443: i/o timeout`, reason.ImageNoNetwork},
		"certificate of its own":       {"a:b", "tls: failed to verify certificate: x509: certificate signed by unknown authority", reason.ImageTLS},
		"plain HTTP":                   {"a:b", "http: server gave HTTP response to HTTPS client", reason.ImagePlainHTTP},
		"basic, by the kubelet":        {"a:b", `failed to pull and unpack image "a:b": failed to resolve reference "a:b": unexpected status from HEAD request to http://reg/v2/a/manifests/b: 401 Unauthorized`, reason.ImageDenied},
		"a token that was refused":     {"a:b", "failed to authorize: failed to fetch oauth token: unexpected status from GET request to https://auth.example.org/token?scope=repository%3Aa%3Apull: 401 Unauthorized", reason.ImageDenied},
		"name resolution is down":      {"a:b", `failed to do request: Head "https://reg/v2/a/manifests/b": dial tcp: lookup reg on 10.0.0.53:53: dial udp 10.0.0.53:53: connect: network is unreachable`, reason.ImageNoHost},
		"nobody listens":               {"a:b", `failed to do request: Head "https://127.0.0.1:1/v2/a/manifests/b": dial tcp 127.0.0.1:1: connect: connection refused`, reason.ImageNoNetwork},
		"cut in the middle":            {"a:b", `failed to pull and unpack image "a:b": failed to copy: short read: expected 131695 bytes but got 65847: unexpected EOF`, reason.ImageInterrupted},
		"no progress for minutes":      {"a:b", `failed to pull and unpack image "a:b": context canceled`, reason.ImageInterrupted},
		"the registry fails":           {"a:b", "unexpected status from HEAD request to http://reg/v2/a/manifests/b: 500 Internal Server Error", reason.ImageRegistry},
		"the registry is moved":        {"a:b", "unexpected status from HEAD request to http://reg/v2/a/manifests/b: 502 Bad Gateway", reason.ImageRegistry},
		"a cluster without root":       {"a:b", "a:b cannot be used: this cluster runs without root, and has only the image goblinlab.local/host:1, which is the machine itself", reason.ImageHostOnly},
		"no space":                     {"a:b", "failed to copy: write /var/lib/containerd/io.containerd.content.v1.content/ingest/4c41/data: no space left on device", reason.NodeDiskFull},
		"no space to unpack":           {"a:b", `failed to extract layer sha256:1: write /var/lib/containerd/tmpmounts/containerd-mount1/usr/lib/x.so: no space left on device: unknown`, reason.NodeDiskFull},
		"another processor":            {"a:b", "no match for platform in manifest: not found", reason.ImagePlatform},
		"a full disk":                  {"a:b", "failed to extract layer: write /var/lib: no space left on device", reason.NodeDiskFull},
		"the name holds a word":        {"me/unauthorized:1", `Back-off pulling image "me/unauthorized:1"`, reason.ImagePull},
		"something else":               {"a:b", "the registry is asleep", reason.ImagePull},
		"nothing":                      {"", "", reason.ImagePull},
		"no name is no place to begin": {"", "unauthorized", reason.ImageDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := reason.ImageError(c.image, c.message); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

func FuzzParseVerdict(f *testing.F) {
	for _, s := range []string{
		"0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}. preemption: 0/3 …",
		"0/0 nodes are available", "0/9999999 nodes are available: 1 ,, 2", "0/1 nodes are available: ", "0/3 nodes are available: preemption:",
		`0/4 nodes are available: persistentvolumeclaim "" not found`, "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		v, ok := reason.ParseVerdict(message)
		if !ok && (v.Nodes != 0 || v.Causes != nil) {
			t.Fatalf("not understood, but %+v", v)
		}
		for _, c := range v.Causes {
			if c.Count < 0 || c.Count > v.Nodes {
				t.Fatalf("%d of %d nodes: %q", c.Count, v.Nodes, message)
			}
		}
		r := reason.Instance(reason.Evidence{Now: now, Pod: notebook(unschedulable(message))})
		read(t, spoken(*r))
	})
}

func FuzzParseQuota(f *testing.F) {
	f.Add(quotaText)
	f.Add("exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4 (retry later)")
	f.Add("exceeded quota: \x82q, requested: limits.cpu=8, used: limits.cpu=60, limited: limits.cpu=64")
	f.Add("exceeded quota: , requested: =,=, used: , limited: a=1e999999999")
	f.Add("exceeded quota: q, requested: cpu=-1, used: cpu=., limited: cpu=1")
	f.Fuzz(func(t *testing.T, message string) {
		v, ok := reason.ParseQuota(message)
		if ok != (len(v.Lines) > 0) {
			t.Fatalf("understood: %v, but %+v", ok, v)
		}
		if r := reason.Refusal(message); r != nil {
			read(t, spoken(*r))
		} else if message != "" {
			t.Fatalf("nothing is said of %q", message)
		}
	})
}

// FuzzInstance holds that no message of the cluster breaks an answer, and that
// its own words are kept.
func FuzzInstance(f *testing.F) {
	f.Add("ErrImagePull", "not found", "FailedMount", `MountVolume.SetUp failed for volume "a" : secret "b" not found`, int32(1))
	f.Add("ContainerCreating", "", "FailedAttachVolume", `Multi-Attach error for volume "a" Volume is already used by pod(s) b`, int32(137))
	f.Add("RunContainerError", `exec: "x": permission denied`, "Pulling", `Pulling image "`, int32(127))
	f.Add("CrashLoopBackOff", "", "FailedCreatePodSandBox", "\xff\x00", int32(-1))
	f.Fuzz(func(t *testing.T, why, message, kind, words string, exit int32) {
		p := notebook(placed, status(waitingState(why, message), over(exit, "Error", message), 1))
		r := reason.Instance(reason.Evidence{Now: now, Pod: p, Events: []reason.Event{event("Pod", kind, words, 0)}})
		if r == nil {
			t.Fatal("nothing is said of a pod that waits")
		}
		read(t, spoken(*r))
		class, end := reason.Ended(reason.Evidence{Now: now, Pod: task(exited(exit, why, message), finished(corev1.PodFailed, kind, words))})
		if class == "" || end.Code == "" {
			t.Fatal("an end without a class")
		}
		read(t, spoken(end))
	})
}
