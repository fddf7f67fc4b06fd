package reason

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Verdict is the scheduler's sentence, taken apart: of Nodes nodes none takes
// the pod, each for a cause. A node may have several, so counts may add up to
// more than the nodes.
type Verdict struct {
	Nodes  int
	Causes []Cause  // the most frequent first
	Taints []string // those that the pod does not tolerate
	Claims []string // claims that do not exist
}

// Cause is why some of the nodes do not take a pod. Name is one of cpu,
// memory, gpu, ephemeral, pods, taint, selector, affinity, cordoned, not-ready,
// pressure, volume, volume-count, port, other; the words are "cause.<name>".
type Cause struct {
	Name  string
	Count int
}

var (
	verdictHead  = regexp.MustCompile(`^\s*\d{1,7}/(\d{1,7}) nodes are available[:.]?\s*`)
	counted      = regexp.MustCompile(`^(\d{1,7}) (.*)$`)
	taint        = regexp.MustCompile(`taints? \{([^}]*)\}`)
	missingClaim = regexp.MustCompile(`persistentvolumeclaim "([^"]*)" not found`)
)

// ParseVerdict reads "0/3 nodes are available: 1 Insufficient cpu, 2 node(s)
// had untolerated taint {…}. preemption: …".
func ParseVerdict(message string) (Verdict, bool) {
	head := verdictHead.FindStringSubmatch(message)
	if head == nil {
		return Verdict{}, false
	}
	nodes, _ := strconv.Atoi(head[1]) // at most seven digits
	v := Verdict{Nodes: nodes}
	counts := map[string]int{}
	for _, part := range sentences(message[len(head[0]):]) {
		n, text := nodes, part
		if m := counted.FindStringSubmatch(part); m != nil {
			n, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		for _, m := range taint.FindAllStringSubmatch(text, -1) {
			v.Taints = append(v.Taints, cut(strings.TrimSuffix(strings.TrimSpace(m[1]), ":"), maxLogLine))
		}
		for _, m := range missingClaim.FindAllStringSubmatch(text, -1) {
			v.Claims = append(v.Claims, m[1])
		}
		name := causeOf(text)
		counts[name] = min(counts[name]+n, nodes)
	}
	for name, n := range counts {
		v.Causes = append(v.Causes, Cause{Name: name, Count: n})
	}
	slices.SortFunc(v.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return v, true
}

// sentences splits the causes, which are joined by commas that a cause may
// hold as well: only one before a number parts. The verdict on preemption, which
// follows, says nothing about why.
func sentences(text string) []string {
	for _, end := range []string{" preemption:", " no new claims to deallocate"} {
		if i := strings.Index(" "+text, end); i >= 0 {
			text = text[:max(i-1, 0)]
		}
	}
	text = strings.TrimRight(text, ". ")
	var parts []string
	start := 0
	for i := 0; i+2 < len(text); i++ {
		if text[i] == ',' && text[i+1] == ' ' && text[i+2] >= '0' && text[i+2] <= '9' {
			parts = append(parts, text[start:i])
			start = i + 2
		}
	}
	if text[start:] != "" {
		parts = append(parts, text[start:])
	}
	return parts
}

// What the scheduler's plug-ins write, and the cause that it is; the first match counts.
var causes = []struct{ text, name string }{
	{"insufficient cpu", "cpu"},
	{"insufficient memory", "memory"},
	{"insufficient nvidia.com/gpu", "gpu"},
	{"insufficient ephemeral-storage", "ephemeral"},
	{"too many pods", "pods"},
	{"node.kubernetes.io/unreachable", "not-ready"},
	{"node.kubernetes.io/not-ready", "not-ready"},
	{"node.kubernetes.io/unschedulable", "cordoned"},
	{"-pressure", "pressure"},
	{"untolerated taint", "taint"},
	{"were unschedulable", "cordoned"},
	{"node affinity/selector", "selector"},
	{"node selector", "selector"},
	{"max volume count", "volume-count"},
	{"volume", "volume"}, // node affinity of volumes, unbound claims, zones
	{"affinity", "affinity"},
	{"topology spread", "affinity"},
	{"free ports", "port"},
}

func causeOf(text string) string {
	low := strings.ToLower(text)
	for _, c := range causes {
		if strings.Contains(low, c.text) {
			return c.name
		}
	}
	return "other"
}

// unscheduled says why the pod has no node.
func unscheduled(v view) *spec.Reason {
	if v.pod == nil || v.scheduled() {
		return nil
	}
	c := v.condition(corev1.PodScheduled)
	if c != nil && c.Reason == corev1.PodReasonSchedulingGated {
		return say(SchedulingGated, "detail", detail(c.Message))
	}
	if r := v.noFit(); r != nil {
		return r
	}
	if v.pod.Status.NominatedNodeName != "" {
		return say(Preempting, "node", v.pod.Status.NominatedNodeName)
	}
	message := ""
	if e, ok := v.newest("FailedScheduling"); ok {
		message = e.Message
	}
	if c != nil && c.Status == corev1.ConditionFalse && c.Message != "" {
		message = c.Message // the pod's own is never older
	}
	if message == "" {
		return nil
	}
	verdict, ok := ParseVerdict(message)
	if !ok {
		if m := missingClaim.FindStringSubmatch(message); m != nil {
			return say(VolumeMissing, "volume", m[1], "detail", detail(message))
		}
		return say(Unknown, "detail", detail(message))
	}
	if len(verdict.Claims) > 0 {
		return say(VolumeMissing, "volume", verdict.Claims[0], "detail", detail(message))
	}
	return verdict.reason(v.Requests, message)
}

// noFit says that no node could hold the pod even when empty (P10, P11).
func (v view) noFit() *spec.Reason {
	if v.Requests == (spec.Resources{}) {
		return nil
	}
	var f fault.Fields
	preflight.CheckFit(&f, "", v.Requests, v.Placement, v.Nodes)
	var err *fault.Error
	if !errors.As(f.Err(), &err) {
		return nil
	}
	field := err.Fields[0]
	r := &spec.Reason{Args: map[string]any(field.Args)}
	switch kind := strings.TrimPrefix(field.ID, "preflight.fit."); kind {
	case "shape":
		r.Code = FitsNoNode
	case "no-node":
		r.Code = NoNodeTakesIt
	default:
		r.Code = LargerThanAnyNode
		r.Args["resource"] = "@resource." + kind
	}
	return r
}

const letters = "ABCDEF" // as many causes as the words have places for

// reason puts the causes into places of the words, since a list could not be
// said in every language; "causes" holds them for programs.
func (v Verdict) reason(requests spec.Resources, message string) *spec.Reason {
	r := say(Unschedulable, "nodes", v.Nodes, "detail", detail(message))
	list := []any{}
	for i, letter := range letters {
		count, cause, separator := "", "", ""
		if i < len(v.Causes) {
			count, cause = strconv.Itoa(v.Causes[i].Count), "@cause."+v.Causes[i].Name
			if i > 0 {
				separator = "@cause.separator"
			}
		}
		r.Args["count"+string(letter)] = count
		r.Args["cause"+string(letter)] = cause
		if i > 0 {
			r.Args["sep"+string(letter)] = separator
		}
	}
	for _, c := range v.Causes {
		list = append(list, map[string]any{"cause": c.Name, "count": c.Count})
	}
	r.Args["causes"] = list
	if len(v.Taints) > 0 {
		r.Args["taints"] = v.Taints
	}
	if requests != (spec.Resources{}) {
		r.Args["requested"] = preflight.Shape(requests)
	}
	return r
}
