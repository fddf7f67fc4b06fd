package definition

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Change is one difference between two versions.
type Change struct {
	Task   string          // the task's name; empty for the flow itself
	Path   string          // in the task or the flow, as "with.command"; empty for a whole task
	Before json.RawMessage // nil when it was not there
	After  json.RawMessage // nil when it is not there any more
}

// Diff are the differences from a to b by task and field, those of the flow
// first, then the tasks in the order of b, then the tasks that are gone. Lists
// are compared as wholes, and the order of tasks means nothing.
func Diff(a, b spec.Flow) []Change {
	before, after := tasks(a), tasks(b)
	a.Tasks, b.Tasks = nil, nil
	out := compare("", "", generic(a), generic(b), nil)
	for _, name := range after.names {
		if _, was := before.by[name]; was {
			out = compare(name, "", generic(before.by[name]), generic(after.by[name]), out)
		} else {
			out = append(out, Change{Task: name, After: raw(generic(after.by[name]))})
		}
	}
	for _, name := range before.names {
		if _, is := after.by[name]; !is {
			out = append(out, Change{Task: name, Before: raw(generic(before.by[name]))})
		}
	}
	return out
}

type byName struct {
	names []string
	by    map[string]spec.FlowTask
}

func tasks(f spec.Flow) byName {
	out := byName{by: map[string]spec.FlowTask{}}
	for _, t := range f.Tasks {
		if _, twice := out.by[t.Name]; !twice {
			out.names = append(out.names, t.Name)
		}
		out.by[t.Name] = t
	}
	return out
}

// generic is a value as JSON has it. A version that was saved is sound.
func generic(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}

func raw(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func compare(task, path string, a, b any, out []Change) []Change {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		if before, after := raw(a), raw(b); !bytes.Equal(before, after) {
			out = append(out, Change{task, path, before, after})
		}
		return out
	}
	keys := map[string]bool{}
	for k := range x {
		keys[k] = true
	}
	for k := range y {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		at := macro.Join(path, k)
		was, hadIt := x[k]
		is, hasIt := y[k]
		switch {
		case !hadIt:
			out = append(out, Change{task, at, nil, raw(is)})
		case !hasIt:
			out = append(out, Change{task, at, raw(was), nil})
		default:
			out = compare(task, at, was, is, out)
		}
	}
	return out
}
