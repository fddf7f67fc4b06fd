package reason

import (
	"strings"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// refused says why the API server took no pod: the owner's newest event about
// making one is a failure.
func refused(v view) *spec.Reason {
	if v.pod != nil {
		return nil
	}
	e, ok := v.newest("FailedCreate", "SuccessfulCreate")
	if !ok || e.Reason != "FailedCreate" {
		return nil
	}
	return Refusal(e.Message)
}

// Refusal says why the API server refused to make an object, by its message; nil
// when the message is empty. It serves volumes too.
func Refusal(message string) *spec.Reason {
	if q, ok := ParseQuota(message); ok {
		return q.reason(message)
	}
	low := strings.ToLower(message)
	switch {
	case message == "":
		return nil
	case strings.Contains(low, "violates podsecurity"):
		return say(PodSecurity, "detail", detail(after(message, "violates PodSecurity")))
	case strings.Contains(low, "must specify"), // a quota without defaults (P87)
		strings.Contains(low, "usage per container is"), strings.Contains(low, "usage per pod is"),
		strings.Contains(low, "usage per persistentvolumeclaim is"):
		return say(LimitRange, "detail", detail(after(message, "is forbidden: ")))
	}
	return say(PodRefused, "detail", detail(message))
}

// after is the message from a mark on, which drops the name of the pod in front of it.
func after(message, mark string) string {
	if i := strings.Index(message, mark); i >= 0 {
		return strings.TrimPrefix(message[i:], "is forbidden: ")
	}
	return message
}
