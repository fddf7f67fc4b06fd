// Package history keeps what happened to objects: acts of people, decisions of
// the platform, and the cluster's events, which the cluster itself forgets.
package history

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Entry is one thing that happened. Type is a message id without the prefix
// "event." for the platform's and people's own, the cluster's reason otherwise.
type Entry struct {
	TeamID    string
	SubjectID string
	At        time.Time // zero for now
	Severity  event.Severity
	Source    event.Source
	Type      string
	Message   string
	Args      map[string]any
	DedupeKey string // of a cluster's event
	Count     int
}

// Add writes an entry; a person's act carries the viewer as its actor.
func Add(ctx context.Context, c *ent.EventClient, e Entry) (*ent.Event, error) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if e.Severity == "" {
		e.Severity = event.SeverityInfo
	}
	q := c.Create().SetTeamID(e.TeamID).SetSubjectID(e.SubjectID).SetAt(e.At.UTC()).SetSeverity(e.Severity).
		SetSource(e.Source).SetType(e.Type).SetMessage(e.Message).SetCount(max(e.Count, 1))
	if e.Args != nil {
		q.SetArgs(e.Args)
	}
	if v := authz.From(ctx); e.Source == event.SourceUser && v != nil && v.UserID != "" {
		q.SetActorID(v.UserID)
	}
	if e.DedupeKey != "" {
		q.SetDedupeKey(e.DedupeKey)
	}
	row, err := q.Save(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("event %s of %s: %w", e.Type, e.SubjectID, err)
	}
	return row, nil
}

// Observe keeps a cluster's event once: the same event again only raises its
// count and time. It reports whether anything changed.
func Observe(ctx context.Context, c *ent.EventClient, e Entry) (bool, error) {
	ctx = authz.AsSystem(ctx)
	old, err := c.Query().Where(event.DedupeKey(e.DedupeKey)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		if _, err = Add(ctx, c, e); ent.IsConstraintError(err) {
			return false, nil // another process was first
		}
		return err == nil, err
	case err != nil:
		return false, fmt.Errorf("event %s of %s: %w", e.Type, e.SubjectID, err)
	case old.Count >= e.Count:
		return false, nil
	}
	if err := old.Update().SetCount(e.Count).SetAt(e.At.UTC()).SetMessage(e.Message).Exec(ctx); err != nil {
		return false, fmt.Errorf("event %s of %s: %w", e.Type, e.SubjectID, err)
	}
	return true, nil
}
