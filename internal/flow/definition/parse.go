package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Document is a flow with its name, as it is exported and imported.
type Document struct {
	Name string    `json:"name"`
	Team string    `json:"team,omitempty"`
	Flow spec.Flow `json:"spec"`

	places map[string]place // of the values of the text it was read from, by path
}

type place struct{ line, column int }

const maxDepth = 64 // of lists and objects in one another

// Parse reads a document. Its problems are those of the document's form; what it
// says is for Check. What is right of it is there in any case.
func Parse(text []byte) (Document, []Problem) {
	if len(text) > MaxBytes {
		return Document{}, []Problem{{Field: fault.Field{ID: "flow.too-large", Args: fault.Args{"value": quantity.Memory(int64(len(text))), "limit": quantity.Memory(MaxBytes)}}}}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var root, second yaml.Node
	err := d.Decode(&root)
	if err == nil {
		if next := d.Decode(&second); next == nil {
			return Document{}, []Problem{{Field: fault.Field{ID: "yaml.documents"}, Line: second.Line, Column: second.Column}}
		} else if !errors.Is(next, io.EOF) {
			err = next
		}
	}
	if errors.Is(err, io.EOF) {
		return Document{}, []Problem{{Field: fault.Field{ID: "yaml.empty"}}}
	}
	if err != nil {
		return Document{}, []Problem{syntax(err)}
	}
	r := tree{places: map[string]place{}}
	v := r.value(&root, "", 0)
	raw, err := json.Marshal(v)
	if err != nil {
		return Document{}, append(r.found, Problem{Field: fault.Field{ID: "shape.json"}})
	}
	doc, found := shape.Expanded[Document](documentShape(), raw)
	doc.places = r.places
	for _, p := range found.Problems {
		r.found = append(r.found, doc.locate(p, p.Path))
	}
	return doc, r.found
}

var line = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// The library counts the lines of these from 0, and of all others from 1.
var fromZero = regexp.MustCompile(`^did not find expected (node content|key|',' or|'-' indicator|<)`)

// syntax makes a problem of what the library says.
func syntax(err error) Problem {
	text := err.Error()
	detail := strings.TrimPrefix(text, line.FindString(text))
	p := Problem{Field: fault.Field{ID: "yaml.syntax", Args: fault.Args{"detail": short(detail)}}}
	if m := line.FindStringSubmatch(text); m != nil && m[1] != "" {
		p.Line, _ = strconv.Atoi(m[1])
		p.Column = 1
		if fromZero.MatchString(detail) {
			p.Line++
		}
	}
	return p
}

// Locate gives problems of the flow the line and column where they stand in the
// text that the document was read from.
func (d Document) Locate(problems []Problem) []Problem {
	out := make([]Problem, len(problems))
	for i, p := range problems {
		out[i] = d.locate(p.Field, macro.Join("spec", p.Path))
	}
	return out
}

// locate finds a path, or the nearest around it that stands in the text. Paths
// of problems are the flow's own, without the "spec" of the document.
func (d Document) locate(f fault.Field, path string) Problem {
	f.Path = inFlow(path)
	for at := path; ; {
		if p, ok := d.places[at]; ok {
			return Problem{f, p.line, p.column}
		}
		if at == "" {
			return Problem{Field: f}
		}
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
}

// inFlow is the flow's own path of one of the document; what is not the flow's keeps its own.
func inFlow(path string) string {
	if path == "spec" {
		return ""
	}
	return strings.TrimPrefix(path, "spec.")
}

// tree makes JSON's values of YAML's nodes, and keeps where they stand.
type tree struct {
	places map[string]place
	found  []Problem
}

func (r *tree) bad(n *yaml.Node, path, id string, args fault.Args) {
	r.found = append(r.found, Problem{fault.Field{Path: inFlow(path), ID: id, Args: args}, n.Line, n.Column})
}

func (r *tree) value(n *yaml.Node, path string, depth int) any {
	if _, ok := r.places[path]; !ok { // a key stands before its value and is what people look for
		r.places[path] = place{n.Line, n.Column}
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.bad(n, path, "yaml.alias", nil)
		return nil
	case depth > maxDepth:
		r.bad(n, path, "yaml.deep", fault.Args{"limit": maxDepth})
		return nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], path, depth)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			out[i] = r.value(c, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
		return out
	case yaml.MappingNode:
		return r.mapping(n, path, depth)
	case yaml.ScalarNode:
		return r.scalar(n, path)
	}
	return nil
}

func (r *tree) mapping(n *yaml.Node, path string, depth int) any {
	out := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge" || k.Anchor != "" {
			r.bad(k, path, "yaml.key", nil)
			continue
		}
		at := macro.Join(path, k.Value)
		if _, twice := out[k.Value]; twice {
			r.bad(k, at, "yaml.twice", fault.Args{"name": short(k.Value)})
			continue
		}
		if _, known := r.places[at]; !known {
			r.places[at] = place{k.Line, k.Column}
		}
		out[k.Value] = r.value(v, at, depth+1)
	}
	return out
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$`)

func (r *tree) scalar(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.Number(n.Value)
		}
		var whole int64
		var f float64
		if n.Decode(&whole) == nil {
			return whole
		}
		if n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	r.bad(n, path, "yaml.value", fault.Args{"value": short(n.Value)})
	return nil
}
