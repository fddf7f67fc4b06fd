package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
)

// Found is what Read found beside the value.
type Found struct {
	Problems []fault.Field
	open     map[string]bool
}

// Read checks raw against a shape, as it is saved: texts may hold macros. What
// is right of it comes out as a value.
func Read[T any](s Shape, raw json.RawMessage) (T, *Found) {
	sample, open, err := macro.Sample(raw)
	if err != nil {
		var none T
		return none, &Found{Problems: []fault.Field{{ID: "shape.json"}}}
	}
	return read[T](s, sample, open)
}

// Expanded is Read for what was expanded: a text is what it is.
func Expanded[T any](s Shape, raw json.RawMessage) (T, *Found) { return read[T](s, raw, nil) }

func read[T any](s Shape, raw json.RawMessage, open map[string]bool) (out T, found *Found) {
	found = &Found{open: open}
	var tree any = map[string]any{}
	if len(bytes.TrimSpace(raw)) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil || d.More() {
			found.Problems = []fault.Field{{ID: "shape.json"}}
			return out, found
		}
	}
	c := checker{open: open}
	pruned, keep := c.value(s, "", tree)
	found.Problems = c.found
	if !keep {
		return out, found
	}
	clean, err := json.Marshal(pruned)
	if err == nil {
		err = json.Unmarshal(clean, &out)
	}
	if err != nil { // the shape takes what the struct does not: an error of ours
		panic(fmt.Sprintf("shape and %T differ: %v", out, err))
	}
	return out, found
}

// Note adds what the owner's own checks found, but for what nobody can know
// before the text is expanded, and what was told of the same input already.
func (f *Found) Note(more []fault.Field) {
	told := len(f.Problems)
	for _, m := range more {
		if !f.covers(m.Path, told) {
			f.Problems = append(f.Problems, m)
		}
	}
}

// Add notes one problem under the same rule.
func (f *Found) Add(path, id string, args fault.Args) {
	f.Note([]fault.Field{{Path: path, ID: id, Args: args}})
}

// Open reports whether the value of a text is not known yet.
func (f *Found) Open(path string) bool { return f.open[path] }

// Err is one fault of all problems, nil when there are none.
func (f *Found) Err() error {
	if len(f.Problems) == 0 {
		return nil
	}
	return &fault.Error{Kind: fault.InvalidArgument, Fields: f.Problems}
}

func (f *Found) covers(path string, told int) bool {
	for open := range f.open {
		if below(path, open) || path != "" && below(open, path) { // of a list with an unknown entry little can be said
			return true
		}
	}
	for _, p := range f.Problems[:told] {
		if p.Path != "" && below(path, p.Path) {
			return true
		}
	}
	return false
}

// below holds for a path itself and what lies in it.
func below(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
