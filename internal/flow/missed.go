package flow

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/schedule"
)

// tellMissed keeps in the flow's history that logical times were left out.
func (s *Service) tellMissed(ctx context.Context, tx *ent.Tx, row *ent.Flow, d schedule.Firing, now time.Time) error {
	if d.Skipped == 0 {
		return nil
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: row.TeamID, SubjectID: row.ID, At: now, Severity: event.SeverityWarning,
		Source: event.SourcePlatform, Type: "flow-missed", Args: map[string]any{
			"count": d.Skipped, "from": d.SkippedFrom.Format(time.RFC3339), "to": d.SkippedTo.Format(time.RFC3339),
		}})
	return err
}
