package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// scopes refuses mutations of a program that may only read, or do little, before anything
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
	v, id := authz.From(ctx), ""
	switch {
	case v == nil || oc.Operation.Operation != ast.Mutation:
	case v.ReadsOnly():
		id = "token.reads-only"
	case v.Inside() && !slices.ContainsFunc(oc.Operation.SelectionSet, beyondRuns):
	case v.Inside():
		id = "token.inside"
	}
	if id == "" {
		return nil
	}
	return refused(ctx, fault.New(fault.Forbidden, id, nil))
}

// insideMay are the mutations of a program inside of an instance or a run.
var insideMay = []string{"runNow", "rerun", "stopRun", "deleteRun", "__typename"}

// beyondRuns reports what such a program may not do; a fragment, which could
// hold anything, counts as that.
func beyondRuns(s ast.Selection) bool {
	f, ok := s.(*ast.Field)
	return !ok || !slices.Contains(insideMay, f.Name)
}
