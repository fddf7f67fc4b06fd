package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/schedule"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Definition is what somebody says a flow is: as data, or as a document.
type Definition struct {
	Spec json.RawMessage // nil for none
	YAML string          // empty for none
}

// Parsed is a definition that was read.
type Parsed struct {
	Name     string // of the document; empty when it was given as data
	Spec     spec.Flow
	Problems []definition.Problem
	Readable bool // as far as there is something to show
}

// Parse reads a definition and says everything that is wrong with it. Data is
// read as the document that it would be: JSON is YAML.
func (s *Service) Parse(d Definition) (Parsed, error) {
	if (len(d.Spec) == 0) == (d.YAML == "") {
		return Parsed{}, fault.New(fault.InvalidArgument, "flow.one-definition", nil)
	}
	text := []byte(d.YAML)
	if d.YAML == "" {
		text = []byte(fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":"flow","spec":%s}`, definition.APIVersion, definition.Kind, d.Spec))
	}
	doc, problems := definition.Parse(text)
	p := Parsed{Spec: doc.Flow, Readable: !slices.ContainsFunc(problems, func(p definition.Problem) bool { return unreadable(p.ID) })}
	if p.Readable { // what is right of it is there, whatever else is wrong
		more := definition.Check(doc.Flow, s.Executors, definition.Lookups{CheckSchedule: CheckSchedule})
		if d.YAML != "" {
			more = doc.Locate(more)
		}
		problems = append(problems, more...)
	}
	p.Problems = once(problems)
	if d.YAML != "" {
		p.Name = doc.Name
		return p, nil
	}
	for i := range p.Problems {
		p.Problems[i].Line, p.Problems[i].Column = 0, 0
	}
	return p, nil
}

// unreadable are the problems after which nothing of a document is known.
func unreadable(id string) bool {
	return strings.HasPrefix(id, "yaml.") || id == "flow.too-large" || id == "shape.json"
}

// once keeps the first problem of each place.
func once(list []definition.Problem) []definition.Problem {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(p definition.Problem) bool {
		had := seen[p.Path]
		seen[p.Path] = true
		return had
	})
}

// Print writes a definition as a document that can be read again.
func Print(name string, f spec.Flow) string {
	return string(definition.Print(definition.Document{Name: name, Flow: f}))
}

// visible is a flow that the viewer may see.
func (s *Service) visible(ctx context.Context, id string) (*ent.Flow, error) {
	row, err := s.DB.Client.Flow.Query().Where(flow.ID(id), flow.DeletedAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("flow", id)
	}
	if err != nil {
		return nil, fmt.Errorf("flow %s: %w", id, err)
	}
	return row, nil
}

// Version is one version of a flow that the viewer may see.
func (s *Service) Version(ctx context.Context, flowID string, number int) (*ent.FlowVersion, error) {
	v, err := s.DB.Client.FlowVersion.Query().Where(flowversion.FlowID(flowID), flowversion.Number(number)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.New(fault.NotFound, "flow.no-version", fault.Args{"number": number})
	}
	if err != nil {
		return nil, fmt.Errorf("version %d of flow %s: %w", number, flowID, err)
	}
	return v, nil
}

// nameKey makes names that look the same one name.
func nameKey(teamID, name string) string {
	return teamID + "/" + strings.ToLower(norm.NFKC.String(strings.Join(strings.Fields(name), " ")))
}

// Plan compiles a schedule; it is nil for one that never fires by the clock.
func Plan(s spec.Schedule) (*schedule.Plan, error) {
	if s.Manual() || len(s.After) > 0 {
		return nil, nil
	}
	p, err := schedule.Compile(scheduleOf(s))
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	return p, nil
}

// zone is the schedule's zone by name.
func zone(s spec.Schedule) string {
	if s.Timezone == "" {
		return "UTC"
	}
	return s.Timezone
}
