package check

import (
	"encoding/json"
	"time"

	"github.com/goblinlab/goblinlab/internal/macro"
)

// LooksAt is the flow that settings look at, "" for none, and the earliest
// logical time of it that they look at from one of their own. back is nil when
// the settings alone do not tell, as with a macro in the offset. A flow that is
// named by a macro is none.
func LooksAt(with json.RawMessage, zone *time.Location) (flowID string, back func(time.Time) time.Time) {
	var w struct {
		Flow *Flow `json:"flow"`
	}
	if err := json.Unmarshal(with, &w); err != nil || w.Flow == nil {
		return "", nil
	}
	offset, err := macro.ParseOffset(w.Flow.Offset)
	if err != nil {
		return w.Flow.FlowID, nil
	}
	return w.Flow.FlowID, func(at time.Time) time.Time {
		from, ok := offset.Apply(at.In(zone))
		if !ok {
			return time.Time{}
		}
		if w.Flow.Match == day {
			y, m, d := from.Date()
			from = time.Date(y, m, d, 0, 0, 0, 0, zone)
		}
		return from.UTC()
	}
}
