package graph

import (
	"context"
	"io"
	"reflect"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
)

// planner writes what a root field gives straight to JSON. Everything that was
// selected is in memory by then, but for a few fields that call a service, so
// that a context, a closure and two allocations a field would only cost: a page
// of fifty rows has a thousand fields. A selection with such a field, with a
// directive, or with a null where none may be goes the ordinary way, which
// gives the same answer (a test compares them).
type planner struct {
	schema *ast.Schema
	plans  graphql.Cache[*plan]
}

var _ interface {
	graphql.HandlerExtension
	graphql.FieldInterceptor
} = (*planner)(nil)

func newPlanner(s *ast.Schema) *planner { return &planner{schema: s, plans: lru.New[*plan](1000)} }

// ExtensionName implements graphql.HandlerExtension.
func (*planner) ExtensionName() string { return "planner" }

// Validate implements graphql.HandlerExtension.
func (*planner) Validate(graphql.ExecutableSchema) error { return nil }

// written is JSON that was written already.
type written []byte

// MarshalGQL implements graphql.Marshaler.
func (w written) MarshalGQL(out io.Writer) { _, _ = out.Write(w) }

// InterceptField replaces the value of a root field by its JSON.
func (p *planner) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	fc := graphql.GetFieldContext(ctx)
	root := fc.Object == "Query" || fc.Object == "Mutation"
	res, err := next(ctx)
	if !root || err != nil || res == nil || fc.Field.Definition.Type.Elem != nil {
		return res, err
	}
	if v := reflect.ValueOf(res); v.Kind() == reflect.Pointer && v.IsNil() {
		return res, nil
	}
	oc := graphql.GetOperationContext(ctx)
	pl := p.plan(ctx, oc, fc.Field)
	if pl == nil {
		return res, nil
	}
	w := jsonWriter{b: make([]byte, 0, 4096)}
	if pl.write(&w, res); w.stuck || len(w.b) == 0 {
		return res, nil
	}
	return written(w.b), nil
}

// plan is how the fields of one type of object are written; nil for a selection
// that goes the ordinary way.
type plan struct {
	kind   *kind
	fields []planned
}

type planned struct {
	key []byte // `"alias":`
	field
	sub *plan // of an object or a list of them
}

// plan finds the plan of a root field, made once for each operation.
func (p *planner) plan(ctx context.Context, oc *graphql.OperationContext, f graphql.CollectedField) *plan {
	key := oc.OperationName + "\x00" + f.Alias + "\x00" + oc.RawQuery
	if pl, ok := p.plans.Get(ctx, key); ok {
		return pl
	}
	pl := p.compile(f.Definition.Type.Name(), f.Selections)
	p.plans.Add(ctx, key, pl)
	return pl
}

// compile makes the plan of a selection on a type of object.
func (p *planner) compile(typ string, set ast.SelectionSet) *plan {
	k := kinds[typ]
	def := p.schema.Types[typ]
	if k == nil || def == nil {
		return nil
	}
	c := collector{schema: p.schema, def: def, index: map[string]int{}}
	if !c.add(set) {
		return nil
	}
	out := &plan{kind: k}
	for _, f := range c.fields {
		pf := planned{key: append(appendString(nil, f.alias), ':')}
		if f.name == "__typename" {
			name := appendString(nil, typ)
			pf.leaf = func(w *jsonWriter, _ any) { w.b = append(w.b, name...) }
			out.fields = append(out.fields, pf)
			continue
		}
		var ok bool
		if pf.field, ok = k.fields[f.name]; !ok {
			return nil
		}
		pf.nonNull = def.Fields.ForName(f.name).Type.NonNull
		if pf.leaf == nil {
			if pf.sub = p.compile(def.Fields.ForName(f.name).Type.Name(), f.set); pf.sub == nil {
				return nil
			}
		}
		out.fields = append(out.fields, pf)
	}
	return out
}

// collector merges what is selected of an object under one key, through fragments.
type collector struct {
	schema *ast.Schema
	def    *ast.Definition
	fields []collected
	index  map[string]int
}

type collected struct {
	alias, name string
	set         ast.SelectionSet
}

func (c *collector) add(set ast.SelectionSet) bool {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if len(s.Directives) > 0 {
				return false
			}
			if i, dup := c.index[s.Alias]; dup {
				c.fields[i].set = append(append(ast.SelectionSet{}, c.fields[i].set...), s.SelectionSet...)
				continue
			}
			c.index[s.Alias] = len(c.fields)
			c.fields = append(c.fields, collected{s.Alias, s.Name, s.SelectionSet})
		case *ast.InlineFragment:
			if len(s.Directives) > 0 || c.applies(s.TypeCondition) && !c.add(s.SelectionSet) {
				return false
			}
		case *ast.FragmentSpread:
			if len(s.Directives) > 0 || c.applies(s.Definition.TypeCondition) && !c.add(s.Definition.SelectionSet) {
				return false
			}
		}
	}
	return true
}

// applies reports whether a fragment on a type is about this object.
func (c *collector) applies(condition string) bool {
	if condition == "" || condition == c.def.Name {
		return true
	}
	for _, i := range c.def.Interfaces {
		if i == condition {
			return true
		}
	}
	return false
}

// write writes an object.
func (p *plan) write(w *jsonWriter, obj any) {
	w.b = append(w.b, '{')
	for i := range p.fields {
		if w.stuck {
			return
		}
		f := &p.fields[i]
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, f.key...)
		switch {
		case f.leaf != nil:
			f.leaf(w, obj)
		case f.one != nil:
			sub := f.one(obj)
			if sub == nil {
				w.null(f.nonNull)
				continue
			}
			f.sub.write(w, sub)
		default:
			w.b = append(w.b, '[')
			first := true
			f.many(obj, func(sub any) {
				if !first {
					w.b = append(w.b, ',')
				}
				first = false
				f.sub.write(w, sub)
			})
			w.b = append(w.b, ']')
		}
	}
	w.b = append(w.b, '}')
}
