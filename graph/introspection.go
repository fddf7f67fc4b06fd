package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// introspection answers questions about the schema to whom the setting
// api.introspection says. The schema is no secret – it is printed in the
// repository – but a stranger's large questions would cost for nothing.
type introspection struct{ config config.Config }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = introspection{}

// ExtensionName implements graphql.HandlerExtension.
func (introspection) ExtensionName() string { return "introspection" }

// Validate implements graphql.HandlerExtension.
func (introspection) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext lets the operation ask, or refuses it with words.
func (i introspection) MutateOperationContext(ctx context.Context, oc *graphql.OperationContext) *gqlerror.Error {
	who := i.config.Now().API.Introspection
	if introspects(who, authz.From(ctx)) {
		oc.DisableIntrospection = false
		return nil
	}
	if !anyRoot(oc.Operation.SelectionSet, func(f *ast.Field) bool { return f.Name == "__schema" || f.Name == "__type" }) {
		return nil
	}
	f := fault.New(fault.Forbidden, "api.introspection", fault.Args{"who": "@introspection." + who})
	if who == "signed-in" {
		f = fault.New(fault.Unauthenticated, "sign-in", nil)
	}
	return refused(ctx, f)
}

func introspects(who string, v *authz.Viewer) bool {
	switch who {
	case "everybody":
		return true
	case "signed-in":
		return v != nil
	case "administrators":
		return v != nil && v.Administrator()
	}
	return false
}

// anyRoot reports whether one of an operation's own fields is of a kind,
// whatever the fragments it stands in. Each fragment is looked at once: what it
// gives twice is the same fields.
func anyRoot(set ast.SelectionSet, is func(*ast.Field) bool) bool {
	seen := map[string]bool{}
	var look func(ast.SelectionSet) bool
	look = func(set ast.SelectionSet) bool {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if is(s) {
					return true
				}
			case *ast.InlineFragment:
				if look(s.SelectionSet) {
					return true
				}
			case *ast.FragmentSpread:
				if !seen[s.Name] {
					seen[s.Name] = true
					if look(s.Definition.SelectionSet) {
						return true
					}
				}
			}
		}
		return false
	}
	return look(set)
}
