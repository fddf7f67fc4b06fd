package definition

import (
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Problem is one thing that is wrong. The path is in the flow, as
// "tasks[2].needs[0]"; line and column are there when it came from a document.
type Problem struct {
	fault.Field
	Line, Column int // from 1; 0 when not known
}

// Lookups are checks of others.
type Lookups struct {
	// CheckSchedule tells what is wrong with the fields of a schedule, by paths inside of it.
	CheckSchedule func(spec.Schedule) []fault.Field
}
