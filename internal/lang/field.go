package lang

import (
	"strconv"
	"strings"
)

// FieldName is what people call the input at a path of the contract, as
// "Memory" for "resources.memory" and "Mount 2, path" for "mounts[1].path";
// empty when the catalogue has no word for it. A setting's path is its key.
func FieldName(l Lang, path string) string {
	if id := "setting." + path + ".name"; Has(id) {
		return Text(l, id, nil)
	}
	var words []string
	parts := strings.Split(path, ".")
	for i, part := range parts {
		name, number := index(part)
		switch {
		case number > 0:
			if id := "field." + name + ".item"; Has(id) {
				words = append(words, Text(l, id, map[string]any{"number": number}))
			}
		case i == len(parts)-1: // what it lies in is said for lists alone
			if id := "field." + name; Has(id) {
				words = append(words, Text(l, id, nil))
			}
		}
	}
	return strings.Join(words, Text(l, "field.comma", nil))
}

// Field says a sentence about the input at a path so that it names the input.
func Field(l Lang, path, sentence string) string {
	name := FieldName(l, path)
	if name == "" || strings.Contains(strings.ToLower(sentence), strings.ToLower(name)) {
		return sentence
	}
	return Text(l, "field.says", map[string]any{"name": name, "sentence": sentence})
}

// index takes "[1]" off a part, and counts as people do: 2. Without one it is 0.
func index(part string) (name string, number int) {
	name, rest, found := strings.Cut(part, "[")
	if !found {
		return part, 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil || n < 0 {
		return name, 0
	}
	return name, n + 1
}
