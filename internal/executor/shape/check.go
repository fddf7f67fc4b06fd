package shape

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/macro/nearest"
)

var spanText = regexp.MustCompile(spanPattern)

// checker walks a tree beside its shape; what is wrong it notes and prunes.
type checker struct {
	open  map[string]bool // texts whose value is not known yet
	found []fault.Field
}

func (c *checker) add(path, id string, args fault.Args) {
	c.found = append(c.found, fault.Field{Path: path, ID: "shape." + id, Args: args})
}

// value answers the value without what is wrong in it; keep is false when nothing of it can be used.
func (c *checker) value(s Shape, path string, v any) (_ any, keep bool) {
	switch s.kind {
	case object, mapping, anything:
		m, ok := v.(map[string]any)
		if !ok {
			return c.wrongType(path, v, "object")
		}
		switch s.kind {
		case object:
			return c.object(s, path, m), true
		case mapping:
			return c.mapping(s, path, m), true
		}
		return m, true
	case list:
		l, ok := v.([]any)
		if !ok {
			return c.wrongType(path, v, "list")
		}
		return c.list(s, path, l), true
	case boolean:
		if _, ok := v.(bool); !ok {
			return c.wrongType(path, v, "boolean")
		}
		return v, true
	case integer, number:
		return c.number(s, path, v)
	}
	t, ok := v.(string)
	if !ok {
		return c.wrongType(path, v, "text")
	}
	return t, c.text(s, path, t)
}

func (c *checker) wrongType(path string, v any, want string) (any, bool) {
	have := "null"
	switch v.(type) {
	case map[string]any:
		have = "object"
	case []any:
		have = "list"
	case string:
		have = "text"
	case json.Number:
		have = "number"
	case bool:
		have = "boolean"
	}
	c.add(path, "type", fault.Args{"value": "@shape." + have, "want": "@shape." + want})
	return nil, false
}

func (c *checker) object(s Shape, path string, m map[string]any) map[string]any {
	var names []string
	out := map[string]any{}
	for _, f := range s.fields {
		names = append(names, f.Name)
		v, given := m[f.Name]
		at := macro.Join(path, f.Name)
		if !given {
			if f.Required {
				c.add(at, "missing", fault.Args{"name": f.Name})
			}
			continue
		}
		if v, keep := c.value(f.Shape, at, v); keep {
			out[f.Name] = v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(names, k) {
			c.add(macro.Join(path, k), "unknown", fault.Args{"name": clip(k), "nearest": nearest.Names(k, names)})
		}
	}
	if given := slices.DeleteFunc(slices.Clone(s.exactly), func(n string) bool { _, ok := m[n]; return !ok }); len(s.exactly) > 0 && len(given) != 1 {
		c.add(path, "exactly", fault.Args{"value": given, "names": s.exactly})
	}
	return out
}

func (c *checker) mapping(s Shape, path string, m map[string]any) map[string]any {
	c.count(s, path, len(m))
	pattern := regexp.MustCompile(s.key)
	out := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := macro.Join(path, k)
		if !pattern.MatchString(k) {
			c.add(at, "key", fault.Args{"name": clip(k)})
		} else if v, keep := c.value(*s.item, at, m[k]); keep {
			out[k] = v
		}
	}
	return out
}

func (c *checker) list(s Shape, path string, l []any) []any {
	c.count(s, path, len(l))
	out := make([]any, len(l)) // an entry that is wrong leaves its place, so that the others keep their numbers
	for i := range l {
		out[i], _ = c.value(*s.item, path+"["+strconv.Itoa(i)+"]", l[i])
	}
	return out
}

func (c *checker) count(s Shape, path string, n int) {
	switch {
	case int64(n) < s.least:
		c.add(path, "few", fault.Args{"value": n, "limit": s.least})
	case s.most > 0 && int64(n) > s.most:
		c.add(path, "many", fault.Args{"value": n, "limit": s.most})
	}
}

func (c *checker) number(s Shape, path string, v any) (any, bool) {
	n, ok := v.(json.Number)
	want := "number"
	if s.kind == integer {
		want = "integer"
	}
	if !ok {
		return c.wrongType(path, v, want)
	}
	f, err := n.Float64()
	if s.kind == integer && err == nil {
		_, err = n.Int64()
	}
	if err != nil {
		c.add(path, "type", fault.Args{"value": clip(n.String()), "want": "@shape." + want})
		return nil, false
	}
	if f < float64(s.least) || f > float64(s.most) {
		c.add(path, "range", fault.Args{"value": n.String(), "least": s.least, "most": s.most})
		return nil, false
	}
	return v, true
}

// text reports whether the text can be used.
func (c *checker) text(s Shape, path, t string) bool {
	if c.open[path] {
		return s.kind == text || s.kind == choice
	}
	switch s.kind {
	case text:
		n := int64(utf8.RuneCountInString(t))
		if n < s.least || s.most > 0 && n > s.most {
			id := "long"
			if n == 0 {
				id = "empty"
			}
			c.add(path, id, fault.Args{"value": n, "limit": s.most})
			return false
		}
	case choice:
		if !slices.Contains(s.choices, t) {
			c.add(path, "choice", fault.Args{"value": clip(t), "choices": s.choices})
			return false
		}
	case span:
		d, err := time.ParseDuration(t)
		switch {
		case err != nil || !spanText.MatchString(t):
			c.add(path, "span", fault.Args{"value": clip(t)})
			return false
		case int64(d) < s.least || s.most > 0 && int64(d) > s.most:
			c.add(path, "span-range", fault.Args{"value": clip(t), "least": short(s.least), "most": short(s.most)})
			return false
		}
	case instant:
		var at time.Time
		if at.UnmarshalText([]byte(t)) != nil { // as strict as the decoder that comes after it
			c.add(path, "instant", fault.Args{"value": clip(t)})
			return false
		}
	}
	return true
}

// short writes a span without units that are zero.
func short(ns int64) string {
	s := time.Duration(ns).String()
	if trimmed, ok := strings.CutSuffix(s, "m0s"); ok {
		s = trimmed + "m"
	}
	if trimmed, ok := strings.CutSuffix(s, "h0m"); ok {
		s = trimmed + "h"
	}
	return s
}

func clip(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return '\uFFFD'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
