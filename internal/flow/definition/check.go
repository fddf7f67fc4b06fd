package definition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/macro/nearest"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Check tells everything that is wrong with a flow.
func Check(f spec.Flow, r executor.Registry, l Lookups) []Problem {
	raw, err := json.Marshal(f)
	if err != nil { // settings that are no JSON at all
		var out []Problem
		for i, t := range f.Tasks {
			if len(t.With) > 0 && !json.Valid(t.With) {
				out = append(out, Problem{Field: fault.Field{Path: fmt.Sprintf("tasks[%d].with", i), ID: "shape.json"}})
			}
		}
		return out
	}
	_, found := shape.Expanded[spec.Flow](flowShape(), raw)
	if len(raw) > MaxBytes {
		found.Add("", "flow.too-large", fault.Args{"value": quantity.Memory(int64(len(raw))), "limit": quantity.Memory(MaxBytes)})
	}
	if len(raw) > MaxBytes || len(f.Tasks) > MaxTasks { // it was told; the rest would take too long
		return problems(found.Problems)
	}
	c := checker{flow: f, registry: r, before: needs(f)}
	c.parameters()
	if l.CheckSchedule != nil {
		for _, p := range l.CheckSchedule(f.Schedule) {
			p.Path = macro.Join("schedule", p.Path)
			c.found = append(c.found, p)
		}
	}
	c.graph()
	for i := range f.Tasks {
		c.task(i)
	}
	found.Note(c.found)
	return problems(found.Problems)
}

func problems(fields []fault.Field) []Problem {
	var out []Problem
	for _, f := range fields {
		out = append(out, Problem{Field: f})
	}
	return out
}

type checker struct {
	flow     spec.Flow
	registry executor.Registry
	before   map[string][]string
	found    []fault.Field
}

func (c *checker) add(path, id string, args fault.Args) {
	c.found = append(c.found, fault.Field{Path: path, ID: id, Args: args})
}

func (c *checker) macros(path string, err error) {
	for _, e := range macro.All(err) {
		c.add(path, e.ID, e.Args)
	}
}

func (c *checker) parameters() {
	seen := map[string]bool{}
	for i, p := range c.flow.Parameters {
		at := fmt.Sprintf("parameters[%d]", i)
		switch {
		case !macro.ValidName(p.Name):
			c.add(at+".name", "flow.name", fault.Args{"value": short(p.Name)})
		case seen[p.Name]:
			c.add(at+".name", "flow.parameter-twice", fault.Args{"value": p.Name})
		}
		seen[p.Name] = true
		if p.Required && p.Default == "" && !c.flow.Schedule.Manual() {
			c.add(at+".default", "flow.parameter-default", fault.Args{"value": short(p.Name)})
		}
		t, err := macro.Parse(p.Default)
		if err == nil {
			err = macro.Check(t, macro.Scope{Default: true})
		}
		c.macros(at+".default", err)
	}
}

func (c *checker) names() []string {
	out := make([]string, len(c.flow.Tasks))
	for i, t := range c.flow.Tasks {
		out[i] = t.Name
	}
	return out
}

func (c *checker) graph() {
	names := c.names()
	first := map[string]int{}
	for i, t := range c.flow.Tasks {
		at := fmt.Sprintf("tasks[%d]", i)
		if !macro.ValidName(t.Name) {
			c.add(at+".name", "flow.name", fault.Args{"value": short(t.Name)})
		} else if _, twice := first[t.Name]; twice {
			c.add(at+".name", "flow.task-twice", fault.Args{"value": t.Name})
		} else {
			first[t.Name] = i
		}
		for j, n := range t.Needs[:min(len(t.Needs), MaxTasks)] {
			need := fmt.Sprintf("%s.needs[%d]", at, j)
			switch {
			case n == t.Name:
				c.add(need, "flow.needs-itself", fault.Args{"value": short(n)})
			case slices.Contains(t.Needs[:j], n):
				c.add(need, "flow.needs-twice", fault.Args{"value": short(n)})
			case !slices.Contains(names, n):
				c.add(need, "flow.needs-unknown", fault.Args{"value": short(n), "nearest": nearest.Names(n, without(names, t.Name))})
			}
		}
	}
	for _, circle := range cycles(c.flow) {
		c.add(fmt.Sprintf("tasks[%d].needs", first[circle[0]]), "flow.cycle", fault.Args{"value": strings.Join(circle, " → ")})
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

func (c *checker) task(i int) {
	t := c.flow.Tasks[i]
	at := fmt.Sprintf("tasks[%d]", i)
	scope := macro.Scope{Above: reach(c.flow, t.Needs, c.before), Tasks: c.names()}
	scope.Above = without(scope.Above, t.Name)
	for _, p := range c.flow.Parameters {
		scope.Params = append(scope.Params, p.Name)
	}
	if e, ok := c.registry.Get(t.Executor); ok {
		for _, p := range e.Check(t.With) {
			p.Path = macro.Join(at+".with", p.Path)
			c.found = append(c.found, p)
		}
	} else if t.Executor != "" {
		c.add(at+".executor", "flow.executor", fault.Args{"value": short(t.Executor), "nearest": nearest.Names(t.Executor, c.registry.Names())})
	}
	for _, l := range macro.CheckTree(t.With, scope) {
		c.found = append(c.found, l.Field(at+".with"))
	}
	w, err := ParseWhen(t.When)
	if err == nil {
		err = w.Check(scope)
	}
	c.macros(at+".when", err)
	if t.Group != "" && !macro.ValidName(t.Group) {
		c.add(at+".group", "flow.name", fault.Args{"value": short(t.Group)})
	}
	if t.Retry.Most != 0 && t.Retry.Most < t.Retry.Wait {
		c.add(at+".retry.most", "flow.retry-most", fault.Args{"value": t.Retry.Most.String(), "limit": t.Retry.Wait.String()})
	}
}

// short makes what somebody typed fit into a message.
func short(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > macro.MaxName {
		return string(r[:macro.MaxName]) + "…"
	}
	return s
}
