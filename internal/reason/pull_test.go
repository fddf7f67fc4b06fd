package reason_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/reason"
)

const denied = `failed to pull and unpack image "x": failed to resolve reference "x": unexpected status from HEAD request to http://reg/v2/x/manifests/1: 401 Unauthorized`

func secrets(names ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, n := range names {
			p.Spec.ImagePullSecrets = append(p.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: n})
		}
	}
}

func TestPullsAndTheirCredentials(t *testing.T) {
	t.Parallel()
	image := notebook().Spec.Containers[0].Image
	creating, refused := held("ContainerCreating", ""), held("ErrImagePull", denied)
	missing := `Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.`
	pulls := func(d time.Duration) reason.Event { return event("Pod", "Pulling", `Pulling image "`+image+`"`, d) }
	failed := func(d time.Duration) reason.Event {
		return event("Pod", "Failed", `Failed to pull image "`+image+`": `+denied, d)
	}
	for name, s := range map[string]sample{
		"none given": {e: reason.Evidence{Pod: notebook(placed, refused)}, code: reason.ImageDenied},
		"given, and refused": {
			e:    reason.Evidence{Pod: notebook(placed, refused, secrets("reg"))},
			code: reason.ImageCredentials,
			text: "The registry does not hand out the image " + image + " with the credentials in the Secret reg: unexpected status from HEAD request to http://reg/v2/x/manifests/1: 401 Unauthorized",
		},
		"named, and not there": {
			e: reason.Evidence{Pod: notebook(placed, refused, secrets("a", "b")), Events: []reason.Event{
				event("Pod", "FailedToRetrieveImagePullSecret", missing, time.Second), pulls(2 * time.Second)}},
			code: reason.ImageSecretMissing,
			text: "The registry does not hand out the image " + image + ": the Secret a, b, which should hold the credentials, is not in the team's namespace.",
		},
		"there by now": {
			e: reason.Evidence{Pod: notebook(placed, refused, secrets("a")), Events: []reason.Event{
				event("Pod", "FailedToRetrieveImagePullSecret", missing, time.Minute), pulls(2 * time.Second)}},
			code: reason.ImageCredentials,
		},
		"P4 once more, after a failure": {
			e:    reason.Evidence{Pod: notebook(placed, refused), Events: []reason.Event{pulls(20 * time.Second), failed(50 * time.Second)}},
			code: reason.PullingAgain,
			text: "The image " + image + " is being pulled once more (20s); the try before failed: unexpected status from HEAD request to http://reg/v2/x/manifests/1: 401 Unauthorized",
		},
		"once more, just begun":               {e: reason.Evidence{Pod: notebook(placed, refused), Events: []reason.Event{pulls(time.Second), failed(50 * time.Second)}}, code: reason.ImageDenied},
		"once more, failed within its second": {e: reason.Evidence{Pod: notebook(placed, refused), Events: []reason.Event{pulls(20 * time.Second), failed(20 * time.Second)}}, code: reason.ImageDenied},
		"once more, failed again":             {e: reason.Evidence{Pod: notebook(placed, refused), Events: []reason.Event{failed(20 * time.Second), pulls(20 * time.Second)}}, code: reason.ImageDenied},
		"P4 the size is known": {
			e:    reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{pulls(95 * time.Second)}, ImageBytes: map[string]int64{image: 3 << 29}},
			code: reason.Pulling, text: "The image " + image + " is being pulled (1m, 1.5 GiB).",
		},
		"P4 the node tells how far it is": {
			e: reason.Evidence{Pod: notebook(placed, creating), ImageBytes: map[string]int64{image: 7}, Events: []reason.Event{pulls(95 * time.Second),
				event("Pod", reason.PullProgress, `Pulling image "`+image+`": 805306368 of 1610612736 bytes`, time.Second)}},
			code: reason.Pulling, text: "The image " + image + " is being pulled (1m, 768 MiB / 1.5 GiB).",
		},
		"how far it was before does not count": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{pulls(15 * time.Second),
				event("Pod", reason.PullProgress, `Pulling image "`+image+`": 1 of 2 bytes`, time.Minute)}},
			code: reason.Pulling, text: "The image " + image + " is being pulled (10s).",
		},
		"how far another image is does not count": {
			e: reason.Evidence{Pod: notebook(placed, creating), Events: []reason.Event{pulls(15 * time.Second),
				event("Pod", reason.PullProgress, `Pulling image "other": 1 of 2 bytes`, time.Second)}},
			code: reason.Pulling, text: "The image " + image + " is being pulled (10s).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.check(t, reason.Instance)
		})
	}
}

func TestPulled(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]reason.PulledImage{
		`Successfully pulled image "127.0.0.1:5000/a/b:1" in 1.384s (1.384s including waiting). Image size: 12241408 bytes.`: {Name: "127.0.0.1:5000/a/b:1", Took: 1384 * time.Millisecond, Bytes: 12241408},
		`Successfully pulled image "a" in 2m3.5s (2m4s including waiting). Image size: 1 bytes.`:                             {Name: "a", Took: 123500 * time.Millisecond, Bytes: 1},
		`Successfully pulled image "a" in 500ms`:                                            {Name: "a", Took: 500 * time.Millisecond},
		`Container image "a" already present on machine`:                                    {},
		`Successfully pulled image "a" in a while`:                                          {},
		`Container image "a" already present on machine and can be accessed by the pod`:     {},
		`Successfully pulled image "a" in 1s (1s including waiting). Image size: -1 bytes.`: {Name: "a", Took: time.Second},
	} {
		got, ok := reason.Pulled(message)
		if got != want || ok != (want.Name != "") {
			t.Errorf("%q is %+v, %v; want %+v", message, got, ok, want)
		}
	}
}

// TestAnImageThatCannotBeHadIsTheEnd: whatever keeps an image away is what an
// attempt that waited too long ended of (P12), not the wait. A full disk is the
// node's fault.
func TestAnImageThatCannotBeHadIsTheEnd(t *testing.T) {
	t.Parallel()
	others := []string{reason.NodeDiskFull}
	for _, code := range reason.Codes() {
		if !strings.HasPrefix(code, "image-") && !slices.Contains(others, code) {
			continue
		}
		waits := "ErrImagePull"
		change := func(*corev1.Pod) {}
		var events []reason.Event
		switch code {
		case reason.ImageCredentials:
			change = secrets("reg")
		case reason.ImageSecretMissing:
			change = secrets("reg")
			events = append(events, event("Pod", "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (reg); x", time.Second))
		case reason.ImageNeverPull:
			waits = "ErrImageNeverPull"
		case reason.ImageInvalidName:
			waits = "InvalidImageName"
		}
		pod := task(placed, held(waits, wordsFor(code)), change)
		class, got := reason.Ended(reason.Evidence{Now: now, Pod: pod, Events: events, Expired: true})
		if slices.Contains(others, code) {
			if got.Code != reason.PendingDeadline || got.Args["cause"] != code {
				t.Errorf("%s ends as %s %s %v", code, class, got.Code, got.Args)
			}
		} else if got.Code != code || class != reason.Start {
			t.Errorf("%s ends as %s %s %v", code, class, got.Code, got.Args)
		}
	}
}

// wordsFor are the kubelet's for a code.
func wordsFor(code string) string {
	return map[string]string{
		reason.ImageHostOnly: "this cluster runs without root",
		reason.ImageNotFound: "not found", reason.ImageRateLimited: "429 Too Many Requests", reason.ImageNoHost: "dial tcp: lookup reg: no such host",
		reason.ImageNoNetwork: "connection refused", reason.ImageTLS: "x509: unknown authority", reason.ImagePlainHTTP: "server gave HTTP response to HTTPS client",
		reason.ImageRegistry: "502 Bad Gateway", reason.ImageInterrupted: "unexpected EOF", reason.ImagePlatform: "no match for platform",
		reason.ImagePull: "the registry is asleep", reason.NodeDiskFull: "no space left on device",
		reason.ImageDenied: "401 Unauthorized", reason.ImageCredentials: "401 Unauthorized", reason.ImageSecretMissing: "401 Unauthorized",
	}[code]
}
