package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// tree is what was selected below a field, whatever the fragments it stands in.
// A field that @skip leaves out may be in it: then a little too much is read.
type tree map[string]tree

// selected is what was selected below the field that is being resolved.
func selected(ctx context.Context) tree {
	t := tree{}
	fc := graphql.GetFieldContext(ctx)
	if fc == nil {
		return t
	}
	t.add(fc.Field.Selections)
	return t
}

func (t tree) add(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			sub := t[s.Name]
			if sub == nil {
				sub = tree{}
				t[s.Name] = sub
			}
			sub.add(s.SelectionSet)
		case *ast.InlineFragment:
			t.add(s.SelectionSet)
		case *ast.FragmentSpread:
			t.add(s.Definition.SelectionSet)
		}
	}
}

// has reports whether one of the fields was selected.
func (t tree) has(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return t[f] != nil })
}

// merge is what is selected in either.
func merge(a, b tree) tree {
	if len(a) == 0 {
		return b
	}
	out := tree{}
	for _, t := range []tree{a, b} {
		for k, v := range t {
			out[k] = merge(v, out[k])
		}
	}
	return out
}

// nodes is what a connection's nodes are asked for, directly or through edges.
func (t tree) nodes() tree { return merge(t["nodes"], t["edges"]["node"]) }

// beyondID reports whether more than the id was selected: only then is there something to read.
func (t tree) beyondID() bool {
	for k := range t {
		if k != "id" && k != "__typename" {
			return true
		}
	}
	return false
}

// columns are those always wanted with those behind the selected fields. A
// field that is not in the map needs none of its own.
func (t tree) columns(always []string, by map[string][]string) []string {
	out := slices.Clone(always)
	for k := range t {
		for _, c := range by[k] {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// numbersOf are the values that an argument has in all selections of a field,
// whatever their aliases, and the greatest of them: what is read for all is
// enough for each. Defaults are among them.
func numbersOf(ctx context.Context, field, arg string) (numbers []int, most int) {
	fc := graphql.GetFieldContext(ctx)
	if fc == nil {
		return nil, 0
	}
	vars := graphql.GetOperationContext(ctx).Variables
	var look func(set ast.SelectionSet)
	look = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if v, there := s.ArgumentMap(vars)[arg]; s.Name == field && there && v != nil {
					n := whole(v)
					numbers, most = append(numbers, n), max(most, n)
				}
				look(s.SelectionSet)
			case *ast.InlineFragment:
				look(s.SelectionSet)
			case *ast.FragmentSpread:
				look(s.Definition.SelectionSet)
			}
		}
	}
	look(fc.Field.Selections)
	return numbers, most
}
