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

// Err is one fault of all problems, nil when there are none.
func Err(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	e := &fault.Error{Kind: fault.InvalidArgument}
	for _, p := range problems {
		e.Fields = append(e.Fields, p.Field)
	}
	return e
}

// Lookups are checks of others.
type Lookups struct {
	// CheckSchedule tells what is wrong with the fields of a schedule, by paths inside of it.
	CheckSchedule func(spec.Schedule) []fault.Field
}
