package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/fault"
)

const (
	bodyExample = `{"query": "{ viewer { id } }"}`
	maxDetail   = 400 // characters of what a library says, which repeats what was sent
)

// persisted are the words of the extension for persisted queries about its own
// part of a request.
var persisted = []string{"invalid APQ extension data", "unsupported APQ version", "provided APQ hash does not match query"}

// languageFault is what the GraphQL language itself refused, as a fault of ours
// around the library's English detail: only the words around it are the
// viewer's. It is nil for an error that has a code of its own.
func languageFault(g *gqlerror.Error) *fault.Error {
	detail := fault.Args{"detail": cut(g.Message, maxDetail)}
	code, _ := g.Extensions["code"].(string)
	switch {
	case code == errcode.ParseFailed && strings.HasPrefix(g.Message, "exceeded token limit"):
		return fault.New(fault.ResourceExhausted, "api.tokens", fault.Args{"limit": maxTokens})
	case code == errcode.ParseFailed:
		return fault.New(fault.InvalidArgument, "api.syntax", detail)
	case code == errcode.ValidationFailed && len(g.Path) > 0: // of variables alone
		return fault.New(fault.InvalidArgument, "api.variable", fault.Args{"name": cut(variable(g), maxDetail), "detail": detail["detail"]})
	case code == errcode.ValidationFailed:
		return fault.New(fault.InvalidArgument, "api.validation", detail)
	case code != "":
		return nil
	case g.Path != nil: // of the executor: a value that the schema promises is not there
		return fault.New(fault.Internal, "api.internal", nil).Wrap(g)
	}
	for _, words := range persisted {
		if g.Message == words {
			return fault.New(fault.InvalidArgument, "api.persisted", detail)
		}
	}
	// Of the transport, whose words hold the body.
	return fault.New(fault.InvalidArgument, "api.json", fault.Args{"example": bodyExample})
}

// presentLanguage keeps where in the text it is wrong, what the library said,
// and GraphQL's own code, for programs that know it.
func presentLanguage(ctx context.Context, g *gqlerror.Error, f *fault.Error) *gqlerror.Error {
	out := Present(ctx, f)
	out.Path, out.Locations = g.Path, g.Locations
	if detail := f.Args["detail"]; detail != nil {
		out.Extensions["detail"] = detail
	}
	if code := g.Extensions["code"]; code != nil {
		out.Extensions["graphql"] = code
	}
	return out
}

// variable is the name of a variable at fault with the place inside of it, as
// in "input.mounts[0].path".
func variable(g *gqlerror.Error) string {
	return strings.TrimPrefix(g.Path.String(), "variable.")
}

// cut makes what somebody sent fit into a message.
func cut(s string, most int) string {
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
