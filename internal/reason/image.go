package reason

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// The reasons with which the kubelet waits for an image that it cannot have.
var imageReasons = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull",
	"ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed",
}

// What runtimes and registries write, and what it means; the first match
// counts, what keeps the registry from being asked before what it answers. A
// registry that hides what it has answers "denied" for what does not exist, so
// the words for that say both.
var imageErrors = []struct {
	code  string
	texts []string
}{
	{ImageHostOnly, []string{"this cluster runs without root"}},
	{ImageRateLimited, []string{"toomanyrequests", "too many requests", "rate limit"}},
	{NodeDiskFull, []string{"no space left on device"}},
	{ImagePlainHTTP, []string{"server gave http response to https client"}},
	{ImageTLS, []string{"x509:", "certificate", "tls: "}},
	{ImageNoHost, []string{"no such host", ": lookup ", "temporary failure in name resolution", "server misbehaving"}},
	{ImageInterrupted, []string{"unexpected eof", "context canceled", "failed size validation", "broken pipe", "short read"}},
	{ImageNoNetwork, []string{
		"i/o timeout", "connection refused", "network is unreachable", "no route to host",
		"handshake timeout", "connection reset", "context deadline exceeded", "dial tcp", ": eof",
	}},
	{ImageRegistry, []string{
		"500 internal server error", "502 bad gateway", "503 service unavailable", "504 gateway timeout",
	}},
	{ImagePlatform, []string{"no match for platform", "no matching manifest for"}},
	{ImageInvalidName, []string{"invalid reference format", "couldn't parse image", "failed to parse image"}},
	{ImageDenied, []string{
		"unauthorized", "authentication required", "insufficient_scope", "access denied", "denied:",
		"no basic auth credentials", "403 forbidden", "authorization failed",
	}},
	{ImageNotFound, []string{"not found", "manifest unknown", "name unknown", "does not exist"}},
}

// ImageError is the code of what a runtime says about an image that it cannot
// pull, ImagePull when it is none that is known.
func ImageError(image, message string) string {
	low := strings.ToLower(message)
	if image != "" { // a name may hold any of the words
		low = strings.ReplaceAll(low, strings.ToLower(image), "IMAGE")
	}
	for _, e := range imageErrors {
		if slices.ContainsFunc(e.texts, func(t string) bool { return strings.Contains(low, t) }) {
			return e.code
		}
	}
	return ImagePull
}

// imageTrouble says why a container's image is not there.
func imageTrouble(v view) *spec.Reason {
	for _, s := range v.statuses() {
		w := s.State.Waiting
		if w == nil || !slices.Contains(imageReasons, w.Reason) {
			continue
		}
		image := v.image(s)
		words := v.imageDetail(image, w)
		if r := v.again(image, words); r != nil {
			return r
		}
		pairs := []any{"image", image, "container", s.Name, "detail", words}
		code := v.imageCode(image, w)
		if code == ImageDenied {
			code, pairs = v.denied(pairs)
		}
		return say(code, pairs...)
	}
	return nil
}

// denied tells what became of the credentials that the pod came with.
func (v view) denied(pairs []any) (string, []any) {
	var names []string
	for _, s := range v.pod.Spec.ImagePullSecrets {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return ImageDenied, pairs
	}
	if e, ok := v.newest("FailedToRetrieveImagePullSecret"); ok && !v.outlived(e) {
		if m := missingSecrets.FindStringSubmatch(e.Message); m != nil {
			return ImageSecretMissing, append(pairs, "secret", m[1])
		}
	}
	return ImageCredentials, append(pairs, "secret", strings.Join(names, ", "))
}

// outlived reports that a later try to pull did without the event: what it tells is over.
func (v view) outlived(e Event) bool {
	pull, ok := v.newest("Pulling")
	return ok && pull.Last.Sub(e.Last) > 2*time.Second // the kubelet writes both at once, in whole seconds
}

// What the kubelet writes of Secrets that are not there, or not readable.
var missingSecrets = regexp.MustCompile(`pull secrets \(([^)]*)\)`)

func (v view) image(s corev1.ContainerStatus) string {
	if c := v.container(s.Name); c.Image != "" {
		return c.Image
	}
	return s.Image
}

// imageCode looks at the container's state first, which may be the back-off
// alone, then at the kubelet's events.
func (v view) imageCode(image string, w *corev1.ContainerStateWaiting) string {
	switch w.Reason {
	case "InvalidImageName":
		return ImageInvalidName
	case "ErrImageNeverPull":
		return ImageNeverPull
	}
	if code := ImageError(image, w.Message); code != ImagePull {
		return code
	}
	if e, ok := v.pullError(image); ok {
		return ImageError(image, e.Message)
	}
	return ImagePull
}

func (v view) imageDetail(image string, w *corev1.ContainerStateWaiting) string {
	if e, ok := v.pullError(image); ok && (w.Reason == "ImagePullBackOff" && ImageError(image, w.Message) == ImagePull || w.Message == "") {
		return detail(unwrap(e.Message))
	}
	return detail(unwrap(w.Message))
}

// What kubelet and runtime put in front of the words that tell the cause, and
// what says nothing beyond the sentence in which they are quoted.
var wrapping = regexp.MustCompile(`^(?:Back-off pulling image "[^"]*"|Failed to pull image "[^"]*"|ErrImagePull|ErrRegistryUnavailable|` +
	`rpc error: code = \w+ desc = (?:failed|error)|rpc error: code = \w+ desc|failed to pull and unpack image "[^"]*"|` +
	`failed to resolve (?:reference|image) "[^"]*"|failed to do request): `)

func unwrap(message string) string {
	for {
		rest := wrapping.ReplaceAllString(message, "")
		rest = strings.TrimPrefix(rest, "rpc error: code = Unknown desc = ")
		if rest == message || rest == "" {
			return message
		}
		message = rest
	}
}

// pullError is the kubelet's newest complaint about pulling this image.
func (v view) pullError(image string) (Event, bool) {
	for _, e := range v.events {
		if e.Reason == "Failed" && strings.Contains(e.Message, "pull image") && strings.Contains(e.Message, image) {
			return e, true
		}
	}
	return Event{}, false
}

// pulling says which image is on its way: its event is the newest about an image (P4).
func pulling(v view) *spec.Reason {
	if !v.creating() {
		return nil
	}
	e, ok := v.newest("Pulling", "Pulled", "Failed", "Created", "Started")
	if !ok || e.Reason != "Pulling" {
		return nil
	}
	image := quoted(e.Message)
	return say(Pulling, append(v.progress(image, e), "image", cut(image, maxLogLine))...)
}

// againAfter is how long another try must have lasted to be told instead of
// what the one before failed of: most fail at once.
const againAfter = 5 * time.Second

// again says that an image whose pull failed is being pulled once more. The
// cluster's times are whole seconds: a try that failed within its second is over.
func (v view) again(image, words string) *spec.Reason {
	var pull, over Event // the newest of each
	for _, e := range v.events {
		switch {
		case e.Kind != "Pod" || !strings.Contains(e.Message, image):
		case e.Reason == "Pulling" && pull.Reason == "":
			pull = e
		case (e.Reason == "Failed" || e.Reason == "BackOff" || e.Reason == "Pulled") && over.Reason == "":
			over = e
		}
	}
	if !pull.Last.After(over.Last) || v.Now.Sub(pull.Last) < againAfter {
		return nil
	}
	return say(PullingAgain, append(v.progress(image, pull), "image", cut(image, maxLogLine), "detail", words)...)
}

// progress is what is known of a pull: since when, how much, how much of it.
func (v view) progress(image string, pull Event) []any {
	elapsed := v.elapsed(pull.Last)
	state := elapsed
	if total := v.ImageBytes[image]; total > 0 {
		state = elapsed + ", " + quantity.Memory(total)
	}
	for _, e := range v.events {
		if e.Reason != PullProgress || e.Last.Before(pull.Last) || quoted(e.Message) != image {
			continue
		}
		if m := ofBytes.FindStringSubmatch(e.Message); m != nil {
			done, _ := strconv.ParseInt(m[1], 10, 64)
			total, _ := strconv.ParseInt(m[2], 10, 64)
			state = elapsed + ", " + quantity.Memory(done) + " / " + quantity.Memory(total)
			break
		}
	}
	return []any{"elapsed", elapsed, "state", state}
}

// PullProgress is the reason of the event by which a node says how far it is
// with an image, as the local Kubernetes does; other clusters have none.
const PullProgress = "PullProgress"

var ofBytes = regexp.MustCompile(`: (\d{1,18}) of (\d{1,18}) bytes`)

// quoted is the first text in quotes.
func quoted(message string) string {
	_, text, _ := strings.Cut(message, `"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}

// creating reports whether a container of a placed pod is being made.
func (v view) creating() bool {
	if !v.scheduled() {
		return false
	}
	all := v.statuses()
	return len(all) == 0 || slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool {
		return s.State.Waiting != nil && (s.State.Waiting.Reason == "ContainerCreating" || s.State.Waiting.Reason == "PodInitializing")
	})
}
