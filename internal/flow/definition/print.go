package definition

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Print writes a document, always the same for the same flow: fields in the
// order of the data, those of settings by their names.
func Print(d Document) []byte {
	raw, err := json.Marshal(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Document
	}{APIVersion, Kind, d})
	if err != nil { // settings that are no JSON, which Check refuses
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	root, err := node(dec, false)
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if enc.Encode(root) != nil || enc.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// node reads one value of JSON as a node of YAML.
func node(d *json.Decoder, sorted bool) (*yaml.Node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return scalar(t), nil
	}
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if delim == '{' {
		out = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for d.More() {
		below := sorted
		if delim == '{' {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			out.Content = append(out.Content, scalar(k))
			below = sorted || k == "with"
		}
		v, err := node(d, below)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if sorted && delim == '{' {
		sortFields(out)
	}
	if len(out.Content) == 0 {
		out.Style = yaml.FlowStyle
	}
	return out, nil
}

// sortFields sorts the fields of an object.
func sortFields(n *yaml.Node) {
	values, keys := map[string]*yaml.Node{}, map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys[n.Content[i].Value], values[n.Content[i].Value] = n.Content[i], n.Content[i+1]
	}
	n.Content = nil
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		n.Content = append(n.Content, keys[k], values[k])
	}
}

func scalar(t json.Token) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := t.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if v {
			n.Value = "true"
		}
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case string:
		n.Tag, n.Value = "!!str", v
		switch {
		case block(v):
			n.Style = yaml.LiteralStyle
		case strings.ContainsFunc(v, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff'
		}):
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

// block holds for text of several lines that YAML keeps as it is when it is
// written line by line: no blanks at the ends of lines, nothing that cannot be seen.
func block(s string) bool {
	if !strings.Contains(s, "\n") || strings.HasPrefix(s, "\n") || strings.HasPrefix(s, " ") {
		return false
	}
	for l := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(l, " ") || strings.ContainsFunc(l, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff'
		}) {
			return false
		}
	}
	return !strings.HasSuffix(s, "\n\n")
}
