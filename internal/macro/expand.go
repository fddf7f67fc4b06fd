package macro

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro/nearest"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// Scope is what a text may name.
type Scope struct {
	Params []string // of the flow
	Above  []string // tasks that have ended whenever this text is expanded
	Tasks  []string // all tasks of the flow
	// Default is set for a parameter's default: it is made before there are
	// parameters and tasks, so that it sees the time, the run and the flow alone.
	Default bool
}

// Values are what a text is expanded with.
type Values struct {
	Time     time.Time      // the run's logical time
	Zone     *time.Location // of the schedule; nil means UTC
	Params   map[string]string
	RunID    string
	FlowID   string
	FlowName string
	TaskName string
	Attempt  int
	Outputs  map[string]map[string]string // by task and key
}

// Check holds a template against what it may name. The error is Errors.
func Check(t Template, s Scope) error {
	var errs Errors
	for _, p := range t.parts {
		n := p.name
		bad := func(id string, known []string) {
			args := fault.Args{"value": n.full, "nearest": nearest.Names(n.param+n.task, known)}
			errs = append(errs, fail(id, t.source, p.at+2, args))
		}
		switch {
		case n.full == "":
		case s.Default && (n.param != "" || strings.HasPrefix(n.full, "task")):
			bad("macro.not-here", nil)
		case n.param != "" && !slices.Contains(s.Params, n.param):
			bad("macro.unknown-param", s.Params)
		case n.task == "" || slices.Contains(s.Above, n.task):
		case slices.Contains(s.Tasks, n.task):
			bad("macro.not-above", s.Above)
		default:
			bad("macro.unknown-task", s.Above)
		}
	}
	return errs.err()
}

// Expand makes the text. The error is Errors with the first thing that is
// missing, or the text's size.
func (t Template) Expand(v Values) (string, error) {
	var b strings.Builder
	zone := v.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, p := range t.parts {
		s := p.literal
		switch {
		case p.name.full != "":
			var ok bool
			if s, ok = v.value(p.name); !ok {
				return "", Errors{fail("macro.missing", t.source, p.at+2, fault.Args{"value": p.name.full, "nearest": v.known(p.name)})}
			}
		case s == "":
			at, ok := p.offset.Apply(v.Time.In(zone))
			if !ok {
				return "", Errors{fail("macro.year", t.source, p.at+2, nil)}
			}
			s = format(p.time, at)
		}
		if b.Len()+len(s) > MaxText {
			return "", Errors{fail("macro.too-large", t.source, p.at, fault.Args{"limit": quantity.Memory(MaxText)})}
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

func (v Values) value(n name) (s string, ok bool) {
	switch {
	case n.param != "":
		s, ok = v.Params[n.param]
		return s, ok
	case n.task != "":
		s, ok = v.Outputs[n.task][n.key]
		return s, ok
	}
	switch n.full {
	case "run.id":
		return v.RunID, true
	case "run.logicalTime":
		zone := v.Zone
		if zone == nil {
			zone = time.UTC
		}
		return v.Time.In(zone).Format(time.RFC3339), true
	case "flow.id":
		return v.FlowID, true
	case "flow.name":
		return v.FlowName, true
	case "task.name":
		return v.TaskName, true
	case "task.attempt":
		return strconv.Itoa(v.Attempt), true
	}
	return "", false
}

// known are values near to one that is missing: what the task did leave.
func (v Values) known(n name) []string {
	if n.task != "" {
		return nearest.Names(n.key, slices.Sorted(maps.Keys(v.Outputs[n.task])))
	}
	return nearest.Names(n.param, slices.Sorted(maps.Keys(v.Params)))
}

func format(pattern []piece, t time.Time) string {
	var b strings.Builder
	for _, p := range pattern {
		if p.literal {
			b.WriteString(p.text)
			continue
		}
		switch p.text {
		case "yyyy":
			fmt.Fprintf(&b, "%04d", t.Year())
		case "yy":
			fmt.Fprintf(&b, "%02d", t.Year()%100)
		case "MM":
			fmt.Fprintf(&b, "%02d", int(t.Month()))
		case "dd":
			fmt.Fprintf(&b, "%02d", t.Day())
		case "HH":
			fmt.Fprintf(&b, "%02d", t.Hour())
		case "mm":
			fmt.Fprintf(&b, "%02d", t.Minute())
		case "ss":
			fmt.Fprintf(&b, "%02d", t.Second())
		case "unix":
			fmt.Fprintf(&b, "%d", t.Unix())
		case "week":
			year, week := t.ISOWeek()
			fmt.Fprintf(&b, "%04d-W%02d", year, week)
		case "yearday":
			fmt.Fprintf(&b, "%03d", t.YearDay())
		}
	}
	return b.String()
}
