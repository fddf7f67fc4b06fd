// Package lang says every message of the platform in the user's language. The
// catalogue is two flat files of id and text with {placeholders}; a test keeps
// their ids and placeholders equal.
package lang

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/language"
	"sigs.k8s.io/yaml"
)

// Lang is a language of the catalogue.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh-CN"
)

//go:embed en/*.yaml zh-CN/*.yaml
var files embed.FS

var catalogues = map[Lang]map[string]string{English: load(English), Chinese: load(Chinese)}

func load(l Lang) map[string]string {
	out := map[string]string{}
	entries, err := files.ReadDir(string(l))
	if err != nil {
		panic(err) // embedded: a broken build
	}
	for _, e := range entries {
		b, err := files.ReadFile(string(l) + "/" + e.Name())
		if err != nil {
			panic(err)
		}
		part := map[string]string{}
		if err := yaml.UnmarshalStrict(b, &part); err != nil {
			panic(fmt.Sprintf("%s/%s: %v", l, e.Name(), err))
		}
		for k, v := range part {
			if _, dup := out[k]; dup {
				panic("message " + k + " stands twice in " + string(l))
			}
			out[k] = v
		}
	}
	return out
}

var placeholder = regexp.MustCompile(`\{([a-zA-Z]+)(\??)\}`)

// Text is message id in language l with {name} replaced by args[name]. An
// unknown id gives the id itself, so that nothing is ever empty. An argument
// that starts with "@" is a message id itself, as in "@noun.instance"; one that
// is empty is said to be, so that it leaves no hole in the sentence – but for
// one that the sentence can do without, {name?}.
func Text(l Lang, id string, args map[string]any) string {
	t, ok := catalogues[l][id]
	if !ok {
		if t, ok = catalogues[English][id]; !ok {
			return id
		}
	}
	return placeholder.ReplaceAllStringFunc(t, func(m string) string {
		name, optional := strings.CutSuffix(m[1:len(m)-1], "?")
		v, ok := args[name]
		if !ok {
			return "?"
		}
		if id, more := nested(v); id != "" {
			return Text(l, id, more)
		}
		if s, isText := v.(string); isText && strings.HasPrefix(s, "@") && Has(s[1:]) {
			return Text(l, s[1:], nil)
		}
		if s := Value(v); strings.TrimSpace(s) != "" || optional {
			return s
		}
		if Has("empty." + name) {
			return Text(l, "empty."+name, nil)
		}
		return Text(l, "empty", nil)
	})
}

// Nested is an argument that is a message of its own, with arguments: it is said
// in the language of the message around it, also after it was stored as JSON.
func Nested(id string, args map[string]any) map[string]any {
	return map[string]any{"message": id, "args": args}
}

// nested is what Nested made; an empty id for every other argument.
func nested(v any) (id string, args map[string]any) {
	m, ok := v.(map[string]any)
	if !ok {
		return "", nil
	}
	id, _ = m["message"].(string)
	args, _ = m["args"].(map[string]any)
	return id, args
}

// Has reports whether the catalogue knows the id.
func Has(id string) bool { _, ok := catalogues[English][id]; return ok }

// Value writes an argument as people read it; lists are joined with commas.
func Value(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case []string:
		return strings.Join(x, ", ")
	case []any:
		s := make([]string, len(x))
		for i := range x {
			s[i] = Value(x[i])
		}
		return strings.Join(s, ", ")
	case float64: // what JSON makes of a number
		if x == float64(int64(x)) {
			return fmt.Sprint(int64(x))
		}
		return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
	default:
		return fmt.Sprint(v)
	}
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})

// Parse picks the language for an Accept-Language header or a tag; English when it says nothing usable.
func Parse(accept string) Lang {
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(tags) == 0 {
		return English
	}
	if _, i, c := matcher.Match(tags...); i == 1 && c > language.No {
		return Chinese
	}
	return English
}

type key struct{}

// With puts the viewer's language into the context.
func With(ctx context.Context, l Lang) context.Context { return context.WithValue(ctx, key{}, l) }

// From is the viewer's language, English by default.
func From(ctx context.Context) Lang {
	if l, ok := ctx.Value(key{}).(Lang); ok {
		return l
	}
	return English
}
