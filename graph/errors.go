package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// present turns an error into what people and programs see: a sentence in the
// viewer's language, a code, the fields at fault. What is no fault of ours to
// show stays in the log, under the request's id.
func present(ctx context.Context, err error) *gqlerror.Error {
	var g *gqlerror.Error
	if errors.As(err, &g) && g.Err == nil {
		if f := languageFault(g); f != nil {
			return presentLanguage(ctx, g, f)
		}
		return g // a refusal in our words, or what a client of persisted queries looks for
	}
	out := Present(ctx, err)
	if g != nil {
		out.Path, out.Locations = g.Path, g.Locations
	}
	if out.Path == nil {
		out.Path = graphql.GetPath(ctx)
	}
	return out
}

// Present is an error for people, without its place in a document.
func Present(ctx context.Context, err error) *gqlerror.Error {
	f := asFault(ctx, err)
	ext := map[string]any{"code": string(f.Kind)}
	if f.ID != "" {
		ext["id"] = f.ID
	}
	l := lang.From(ctx)
	if len(f.Fields) > 0 {
		ext["fields"] = fields(l, f.Fields)
	}
	switch f.Kind {
	case fault.Internal:
		id := middleware.GetReqID(ctx)
		ext["requestId"] = id
		slog.Error("request failed", "request_id", id, "path", graphql.GetPath(ctx).String(), "err", err)
	case fault.Unavailable:
		slog.Warn("request not served", "request_id", middleware.GetReqID(ctx), "path", graphql.GetPath(ctx).String(), "err", err)
	}
	return &gqlerror.Error{Err: err, Message: Message(l, f), Extensions: ext}
}

// asFault finds the fault in an error; what holds none is ours to mend.
func asFault(ctx context.Context, err error) *fault.Error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case ent.IsNotFound(err):
		return fault.Unknown("node")
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // drivers have words of their own for it
		return fault.New(fault.Unavailable, "api.timeout", nil)
	default:
		return fault.New(fault.Internal, "api.internal", nil).Wrap(err)
	}
}

// Message says a fault: its own sentence, then those of its fields, each with the field's name.
func Message(l lang.Lang, f *fault.Error) string {
	var parts []string
	if f.ID != "" {
		parts = append(parts, lang.Text(l, "fault."+f.ID, f.Args))
	}
	for _, x := range f.Fields {
		parts = append(parts, lang.Field(l, x.Path, lang.Text(l, "fault."+x.ID, x.Args)))
	}
	if l == lang.Chinese {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

func fields(l lang.Lang, in []fault.Field) []map[string]string {
	out := make([]map[string]string, len(in))
	for i, f := range in {
		out[i] = map[string]string{"path": f.Path, "message": lang.Text(l, "fault."+f.ID, f.Args)}
	}
	return out
}

// recovered makes an error of a panic, with its stack for the log.
func recovered(_ context.Context, p any) error {
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}
