package graph

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/graph/generated"
)

// slow are the fields that call a service or have arguments: a plan leaves them to gqlgen.
var slow = []string{"Team.quota", "Instance.events", "Run.events", "Volume.usageHistory",
	"Flow.events", "Flow.version", "Flow.versions", "Flow.lastRuns", "FlowVersion.changes"}

func TestPlansKnowEveryFieldOfTheirKinds(t *testing.T) {
	t.Parallel()
	s := generated.NewExecutableSchema(generated.Config{}).Schema()
	for name, k := range kinds {
		def := s.Types[name]
		if def == nil {
			t.Errorf("%s is no type", name)
			continue
		}
		for _, f := range def.Fields {
			full := name + "." + f.Name
			got, ok := k.fields[f.Name]
			if ok == slices.Contains(slow, full) {
				t.Errorf("%s: written by a plan: %v", full, ok)
				continue
			}
			if !ok {
				continue
			}
			composite := s.Types[f.Type.Name()].IsCompositeType()
			list := f.Type.Elem != nil
			switch {
			case composite && list && got.many == nil, composite && !list && got.one == nil, !composite && got.leaf == nil:
				t.Errorf("%s is written as another kind of field", full)
			case composite && kinds[f.Type.Name()] == nil:
				t.Errorf("%s leads to %s, which no plan writes", full, f.Type.Name())
			}
		}
		for f := range k.fields {
			if def.Fields.ForName(f) == nil {
				t.Errorf("%s.%s is no field", name, f)
			}
		}
	}
}

func compileQuery(t *testing.T, query string) *plan {
	t.Helper()
	s := generated.NewExecutableSchema(generated.Config{}).Schema()
	doc, err := gqlparser.LoadQueryWithRules(s, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, ok := doc.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok {
		t.Fatal("no field")
	}
	return newPlanner(s).compile(f.Definition.Type.Name(), f.SelectionSet)
}

func TestWhatGoesByAPlanAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		`{ instances { nodes { id __typename team { members { user { email } } } } } }`:                        true,
		`{ instances { ...c } } fragment c on InstanceConnection { edges { node { id ... on Node { id } } } }`: true,
		`{ instances { nodes { id @include(if: true) } } }`:                                                    false,
		`{ instances { nodes { ... @skip(if: false) { id } } } }`:                                              false,
		`{ instances { nodes { id events { nodes { id } } } } }`:                                               false,
		`{ teams { nodes { quota { items { used } } } } }`:                                                     false,
		`{ cluster { version } }`: false,
	} {
		if got := compileQuery(t, query) != nil; got != want {
			t.Errorf("%s goes by a plan: %v", query, got)
		}
	}
	merged := compileQuery(t, `{ instance(id: "x") { owner { id } ...a } } fragment a on Instance { owner { email } other: owner { id } }`)
	if merged == nil || len(merged.fields) != 2 || len(merged.fields[0].sub.fields) != 2 {
		t.Errorf("fields of one key are not merged: %+v", merged)
	}
}

func TestANullWhereNoneMayBeIsLeftToGqlgen(t *testing.T) {
	t.Parallel()
	pl := compileQuery(t, `{ instances { pageInfo { hasNextPage } } }`)
	w := jsonWriter{}
	pl.fields[0].one = func(any) any { return nil }
	if pl.write(&w, nil); !w.stuck {
		t.Errorf("%s", w.b)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "中文 émoji 😀", "\xff\xfe\xc0", "\u2028\u2029<>&", strings.Repeat("x", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := appendString(nil, s)
		var got string
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%q gives %s: %v", s, b, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && got != s || !utf8.ValidString(s) && strings.ReplaceAll(got, "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("%q comes back as %q", s, got)
		}
	})
}
