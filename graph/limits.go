package graph

import (
	"context"
	"encoding/json"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Bounds of one operation.
const (
	maxCost   = 20_000   // fields that it may give, lists at their full length
	maxDepth  = 16       // fields inside fields; introspection is not counted
	maxTokens = 8_000    // of its text
	maxText   = 64 << 10 // bytes of its text: a thousand of them are kept, read and parsed
	maxRoots  = 50       // fields of its own, which are resolved one by one
	maxErrors = 100      // of its answer
)

// limits refuses operations that would cost too much before anything is read.
type limits struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = limits{}

// ExtensionName implements graphql.HandlerExtension.
func (limits) ExtensionName() string { return "limits" }

// Validate implements graphql.HandlerExtension.
func (limits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters measures the text before anybody keeps it.
func (limits) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	if len(p.Query) <= maxText {
		return nil
	}
	return refused(ctx, fault.New(fault.ResourceExhausted, "api.text", fault.Args{"value": len(p.Query), "limit": maxText}))
}

// InterceptResponse keeps an answer from saying thousands of times what is wrong.
func (limits) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	r := next(ctx)
	if r != nil && len(r.Errors) > maxErrors {
		r.Errors = r.Errors[:maxErrors]
	}
	return r
}

// refused is a fault that the presenter leaves as it is.
func refused(ctx context.Context, f *fault.Error) *gqlerror.Error {
	e := Present(ctx, f)
	e.Err = nil
	return e
}

// MutateOperationContext measures an operation.
func (limits) MutateOperationContext(ctx context.Context, oc *graphql.OperationContext) *gqlerror.Error {
	m := meter{vars: oc.Variables, done: map[string]measure{}}
	got := m.set(oc.Operation.SelectionSet)
	var f *fault.Error
	roots := 0
	anyRoot(oc.Operation.SelectionSet, func(*ast.Field) bool {
		roots++
		return roots > maxRoots
	})
	switch {
	case roots > maxRoots:
		f = fault.New(fault.ResourceExhausted, "api.roots", fault.Args{"limit": maxRoots})
	case got.depth > maxDepth:
		f = fault.New(fault.ResourceExhausted, "api.depth", fault.Args{"value": got.depth, "limit": maxDepth})
	case got.cost > maxCost:
		f = fault.New(fault.ResourceExhausted, "api.cost", fault.Args{"value": got.cost, "limit": maxCost})
	default:
		return nil
	}
	return refused(ctx, f)
}

// measure is what a selection costs: how many fields it gives, how deep it goes.
type measure struct{ cost, depth int }

type meter struct {
	vars map[string]any
	done map[string]measure // by fragment: each is measured once
}

func (m *meter) set(set ast.SelectionSet) measure {
	var out measure
	join := func(x measure) {
		out.cost = add(out.cost, x.cost)
		out.depth = max(out.depth, x.depth)
	}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Name == "__schema" || s.Name == "__type" {
				continue // bounded by the schema itself, and by a rule of the validator
			}
			sub := m.set(s.SelectionSet)
			join(measure{add(1, mul(sub.cost, m.length(s))), sub.depth + 1})
		case *ast.InlineFragment:
			join(m.set(s.SelectionSet))
		case *ast.FragmentSpread:
			x, ok := m.done[s.Name]
			if !ok {
				x = m.set(s.Definition.SelectionSet)
				m.done[s.Name] = x
			}
			join(x)
		}
	}
	return out
}

// length is how many times a field's selection comes at most.
func (m *meter) length(f *ast.Field) int {
	if f.Definition == nil {
		return 1
	}
	arg := f.Definition.Arguments.ForName("first")
	if arg == nil {
		if arg = f.Definition.Arguments.ForName("last"); arg == nil || arg.DefaultValue == nil {
			return 1
		}
	}
	n := defaultPage
	if v, there := f.ArgumentMap(m.vars)[arg.Name]; there && v != nil {
		n = whole(v)
	}
	return min(max(n, 1), maxPage) // beyond that the list itself refuses
}

func whole(v any) int {
	switch x := v.(type) {
	case int64:
		return int(x)
	case int:
		return x
	case float64:
		return int(x)
	case json.Number:
		if n, err := strconv.Atoi(string(x)); err == nil {
			return n
		}
		return maxPage
	}
	return defaultPage
}

func add(a, b int) int { return min(a+b, math.MaxInt32) }
func mul(a, b int) int { return min(a*b, math.MaxInt32) }
