package history

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent/event"
)

const maxType = 128 // of the column

// FromCluster is a cluster's event as an entry about one of our rows, to be
// kept with Observe: the cluster forgets it after an hour (P6).
func FromCluster(e *corev1.Event, teamID, subjectID string) Entry {
	severity := event.SeverityInfo
	if e.Type == corev1.EventTypeWarning {
		severity = event.SeverityWarning
	}
	typ := e.Reason
	if typ == "" {
		typ = e.InvolvedObject.Kind
	}
	return Entry{
		TeamID: teamID, SubjectID: subjectID, At: LastTime(e), Severity: severity, Source: event.SourceCluster,
		Type: clip(typ, maxType), Message: strings.ToValidUTF8(e.Message, "\uFFFD"),
		Args:      map[string]any{"kind": e.InvolvedObject.Kind, "name": e.InvolvedObject.Name},
		DedupeKey: "cluster/" + string(e.UID), Count: Count(e),
	}
}

// LastTime is when a cluster's event happened last; each API that writes
// events has a field of its own for it.
func LastTime(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	default:
		return e.CreationTimestamp.Time
	}
}

// FirstTime is when it happened first.
func FirstTime(e *corev1.Event) time.Time {
	switch {
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	case !e.FirstTimestamp.IsZero():
		return e.FirstTimestamp.Time
	default:
		return e.CreationTimestamp.Time
	}
}

// Count is how often it happened.
func Count(e *corev1.Event) int {
	n := int(e.Count)
	if e.Series != nil {
		n = max(n, int(e.Series.Count))
	}
	return max(n, 1)
}

func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
