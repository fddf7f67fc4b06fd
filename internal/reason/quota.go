package reason

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// QuotaVerdict is what the API server said when a quota refused something.
type QuotaVerdict struct {
	Quota string // name of the ResourceQuota
	Lines []QuotaLine
}

// QuotaLine is one resource of a verdict.
type QuotaLine struct {
	Resource               string // as "limits.cpu"
	Requested, Used, Limit resource.Quantity
}

// ParseQuota reads "… exceeded quota: NAME, requested: a=1,b=2, used: …, limited: …"
// out of an error or event of the API server.
func ParseQuota(message string) (QuotaVerdict, bool) {
	_, rest, ok := strings.Cut(message, "exceeded quota: ")
	if !ok {
		return QuotaVerdict{}, false
	}
	name, rest, ok1 := strings.Cut(rest, ", requested: ")
	requested, rest, ok2 := strings.Cut(rest, ", used: ")
	used, limited, ok3 := strings.Cut(rest, ", limited: ")
	if !ok1 || !ok2 || !ok3 {
		return QuotaVerdict{}, false
	}
	v := QuotaVerdict{Quota: name}
	usedBy, limitBy := amounts(used), amounts(limited)
	asked := amounts(requested)
	names := make([]string, 0, len(asked))
	for r := range asked {
		names = append(names, r)
	}
	slices.Sort(names)
	for _, r := range names {
		limit, known := limitBy[r]
		if !known {
			continue
		}
		v.Lines = append(v.Lines, QuotaLine{Resource: r, Requested: asked[r], Used: usedBy[r], Limit: limit})
	}
	return v, len(v.Lines) > 0
}

// amounts reads "a=1,b=2"; whatever is no amount is passed over, as the words
// that a wrapping error puts behind the last one.
func amounts(list string) map[string]resource.Quantity {
	out := map[string]resource.Quantity{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		value, _, _ = strings.Cut(value, " ")
		if !ok || name == "" || len(value) > 24 || strings.ContainsFunc(value, notAmount) {
			continue
		}
		if q, err := resource.ParseQuantity(value); err == nil {
			out[name] = q
		}
	}
	return out
}

// notAmount keeps exponents away from Kubernetes' parser, which may take hours
// over a large one.
func notAmount(r rune) bool {
	return (r < '0' || r > '9') && !strings.ContainsRune(".-mkMGTPiKu", r)
}

// Over is the line that passes its limit; the first one when none seems to.
func (v QuotaVerdict) Over() QuotaLine {
	for _, l := range v.Lines {
		sum := l.Requested.DeepCopy()
		sum.Add(l.Used)
		if sum.Cmp(l.Limit) > 0 {
			return l
		}
	}
	return v.Lines[0]
}

func (v QuotaVerdict) reason(text string) *spec.Reason {
	l := v.Over()
	return say(QuotaExceeded,
		"resource", "@resource."+kindOf(l.Resource),
		"requested", amount(l.Resource, l.Requested),
		"used", amount(l.Resource, l.Used),
		"limit", amount(l.Resource, l.Limit),
		"quota", v.Quota,
		"name", l.Resource,
		"detail", detail(text),
	)
}

// kindOf is the word for a resource of a quota.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "nvidia.com/gpu"):
		return "gpu"
	case strings.HasSuffix(name, "cpu"):
		return "cpu"
	case strings.HasSuffix(name, "memory"):
		return "memory"
	case strings.HasSuffix(name, "ephemeral-storage"):
		return "ephemeral"
	case strings.HasSuffix(name, "storage"):
		return "storage"
	case strings.HasSuffix(name, "persistentvolumeclaims"):
		return "volumes"
	case strings.HasSuffix(name, "pods"):
		return "pods"
	}
	return "other"
}

func amount(name string, q resource.Quantity) string {
	switch kindOf(name) {
	case "cpu":
		return quantity.CPU(q.MilliValue())
	case "memory", "storage", "ephemeral":
		return quantity.Memory(q.Value())
	case "gpu":
		return q.String() + " GPU"
	}
	return q.String()
}
