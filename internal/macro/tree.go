package macro

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// Located is an error in one of the texts of a value of JSON.
type Located struct {
	Path string // as "env[0].value"; empty for the value itself
	What *Error
}

// Error is for logs.
func (l Located) Error() string { return l.Path + ": " + l.What.Error() }

// Unwrap gives what is wrong.
func (l Located) Unwrap() error { return l.What }

// Field is the error as one at fault, below a prefix as "tasks[2].with".
func (l Located) Field(prefix string) fault.Field {
	return fault.Field{Path: Join(prefix, l.Path), ID: l.What.ID, Args: l.What.Args}
}

// Join puts paths together: "with" and "env[0]" are "with.env[0]", "tasks" and "[0]" are "tasks[0]".
func Join(prefix, path string) string {
	if prefix == "" || path == "" || path[0] == '[' {
		return prefix + path
	}
	return prefix + "." + path
}

// CheckTree parses and checks every text inside of a value of JSON, in the order
// of their paths; names of fields must be plain. What is no JSON has no texts.
func CheckTree(raw json.RawMessage, s Scope) []Located {
	var out []Located
	v, err := decode(raw)
	if err != nil {
		return nil
	}
	_, _ = walk(v, "", func(path, text string, key bool) (string, error) {
		t, err := Parse(text)
		if key {
			if err != nil || !t.Plain() {
				out = append(out, Located{path, fail("macro.key", text, 0, fault.Args{"value": clip(text)})})
			}
			return text, nil
		}
		if err == nil {
			err = Check(t, s)
		}
		for _, e := range All(err) {
			out = append(out, Located{path, e})
		}
		return text, nil
	})
	return out
}

// ExpandTree expands every text inside of a value of JSON; names of fields stay
// as they are. The error is a Located.
func ExpandTree(raw json.RawMessage, v Values) (json.RawMessage, error) {
	tree, err := decode(raw)
	if err != nil {
		return nil, err
	}
	size := 0
	tree, err = walk(tree, "", func(path, text string, key bool) (string, error) {
		if key {
			return text, nil
		}
		t, err := Parse(text)
		if err == nil {
			text, err = t.Expand(v)
		}
		if size += len(text); err == nil && size > MaxTree {
			err = Errors{fail("macro.too-large", text, 0, fault.Args{"limit": quantity.Memory(MaxTree)})}
		}
		if all := All(err); len(all) > 0 {
			return "", Located{path, all[0]}
		}
		return text, err
	})
	if err != nil {
		return nil, err
	}
	return encode(tree)
}

// Sample expands a value of JSON for a look at its shape before there is a run:
// times are those of any moment, and open are the paths of texts whose value is
// not known yet, or that cannot be read.
func Sample(raw json.RawMessage) (_ json.RawMessage, open map[string]bool, err error) {
	tree, err := decode(raw)
	if err != nil {
		return nil, nil, err
	}
	open = map[string]bool{}
	tree, err = walk(tree, "", func(path, text string, key bool) (string, error) {
		t, err := Parse(text)
		if key {
			return text, nil
		}
		if err != nil || len(t.Names()) > 0 {
			open[path] = true
		}
		if err != nil {
			return text, nil
		}
		t.parts = slices.Clone(t.parts)
		for i := range t.parts {
			if n := t.parts[i].name.full; n != "" { // a different word for each, so that no two paths meet by chance
				t.parts[i] = part{literal: strings.ReplaceAll(n, ".", "-")}
			}
		}
		out, err := t.Expand(Values{Time: time.Date(2026, 5, 17, 10, 30, 0, 0, time.UTC)})
		if err != nil {
			open[path] = true
			return text, nil
		}
		return out, nil
	})
	if err != nil {
		return nil, nil, err
	}
	out, err := encode(tree)
	return out, open, err
}

// walk gives every text and name of a field to visit, in the order of their
// paths, and puts what it answers in a text's place.
func walk(v any, path string, visit func(path, text string, key bool) (string, error)) (any, error) {
	switch x := v.(type) {
	case string:
		return visit(path, x, false)
	case []any:
		for i := range x {
			one, err := walk(x[i], path+"["+strconv.Itoa(i)+"]", visit)
			if err != nil {
				return nil, err
			}
			x[i] = one
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if _, err := visit(Join(path, k), k, true); err != nil {
				return nil, err
			}
			one, err := walk(x[k], Join(path, k), visit)
			if err != nil {
				return nil, err
			}
			x[k] = one
		}
	}
	return v, nil
}

func decode(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode: more than one value")
	}
	return v, nil
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
