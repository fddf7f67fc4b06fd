package reason

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
	{ImageRateLimited, []string{"toomanyrequests", "too many requests", "rate limit"}},
	{NodeDiskFull, []string{"no space left on device"}},
	{ImageTLS, []string{"x509:", "certificate", "server gave http response to https client"}},
	{ImageNoNetwork, []string{
		"no such host", "i/o timeout", "connection refused", "network is unreachable", "no route to host",
		"handshake timeout", "connection reset", "server misbehaving", "temporary failure in name resolution",
		"context deadline exceeded", "dial tcp", ": eof", "unexpected eof", "502 bad gateway", "503 service unavailable",
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
		return say(v.imageCode(image, w), "image", image, "container", s.Name, "detail", v.imageDetail(image, w))
	}
	return nil
}

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
		return detail(e.Message)
	}
	return detail(w.Message)
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
	_, image, _ := strings.Cut(e.Message, `"`)
	image, _, _ = strings.Cut(image, `"`)
	return say(Pulling, "image", cut(image, maxLogLine), "elapsed", v.elapsed(e.Last))
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
