package audit

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
)

// Format is how entries are written out.
type Format string

// Formats of an export: RFC 4180 with a header line, and one JSON object a line.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// line is one entry as it is written out. Actor and address are empty for the
// platform itself; times are RFC 3339 in UTC.
type line struct {
	ID      string         `json:"id"`
	At      string         `json:"at"`
	Actor   string         `json:"actorId"`
	Team    string         `json:"teamId,omitempty"`
	Action  string         `json:"action"`
	Object  string         `json:"objectId"`
	Address string         `json:"address"`
	Before  map[string]any `json:"before,omitempty"`
	After   map[string]any `json:"after,omitempty"`
}

func newLine(a *ent.Audit) line {
	l := line{ID: a.ID, At: a.At.UTC().Format(time.RFC3339Nano), Actor: a.ActorID, Action: a.Action, Object: a.ObjectID,
		Address: a.Address, Before: a.Before, After: a.After}
	if a.TeamID != nil {
		l.Team = *a.TeamID
	}
	return l
}

// Export writes what a filter lets pass, the newest first.
func (s *Service) Export(ctx context.Context, w io.Writer, f Filter, as Format) error {
	if as == JSONLines {
		enc := json.NewEncoder(w)
		return s.Walk(ctx, f, func(rows []*ent.Audit) error {
			for _, a := range rows {
				if err := enc.Encode(newLine(a)); err != nil {
					return fmt.Errorf("write the audit log: %w", err)
				}
			}
			return nil
		})
	}
	out := csv.NewWriter(w)
	header := true
	return s.Walk(ctx, f, func(rows []*ent.Audit) error {
		if header { // not before the first rows came: until then an error can still be answered
			header = false
			_ = out.Write([]string{"id", "at", "actorId", "teamId", "action", "objectId", "address", "before", "after"})
		}
		for _, a := range rows {
			l := newLine(a)
			cells := []string{l.ID, l.At, l.Actor, l.Team, l.Action, l.Object, l.Address, values(l.Before), values(l.After)}
			for i := range cells {
				cells[i] = harmless(cells[i])
			}
			_ = out.Write(cells) // the writer keeps its first error
		}
		out.Flush()
		if err := out.Error(); err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
		return nil
	})
}

func values(m map[string]any) string {
	if len(m) == 0 {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "" // it came from JSON
	}
	return string(b)
}

// harmless keeps a spreadsheet from taking a cell for a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
