package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// scopes refuses mutations of a program that may only read, before anything
// happens; the services and the rows' policies would, too.
type scopes struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = scopes{}

// ExtensionName implements graphql.HandlerExtension.
func (scopes) ExtensionName() string { return "scopes" }

// Validate implements graphql.HandlerExtension.
func (scopes) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext looks at who asks.
func (scopes) MutateOperationContext(ctx context.Context, oc *graphql.OperationContext) *gqlerror.Error {
	if v := authz.From(ctx); v == nil || !v.ReadsOnly() || oc.Operation.Operation != ast.Mutation {
		return nil
	}
	e := Present(ctx, fault.New(fault.Forbidden, "token.reads-only", nil))
	e.Err = nil // said already: the presenter leaves it as it is
	return e
}
