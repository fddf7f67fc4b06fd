package graph

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/graph/generated"
)

// requestTimeout bounds queries and mutations; subscriptions last.
const requestTimeout = 30 * time.Second

const keepAlive = 15 * time.Second

// New makes the handler of the API. The request's context must hold its viewer,
// language and id, as internal/server puts them there.
func New(d Deps) http.Handler {
	if d.KeepAlive == 0 {
		d.KeepAlive = keepAlive
	}
	es := generated.NewExecutableSchema(generated.Config{Resolvers: NewResolver(d)})
	s := handler.New(es)
	s.AddTransport(transport.SSE{KeepAlivePingInterval: d.KeepAlive}) // before POST, which would take it
	s.AddTransport(newSocket(d.KeepAlive))
	s.AddTransport(transport.POST{})
	s.AddTransport(transport.GET{})
	s.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	s.SetParserTokenLimit(maxTokens)
	s.SetDisableSuggestion(true) // costs much for a text of nothing but mistakes
	s.Use(limits{})              // before what keeps the text
	s.Use(introspection{config: d.Config})
	s.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](1000)})
	s.Use(scopes{})
	s.Use(perSocket{})
	s.Use(newPlanner(es.Schema()))
	s.SetErrorPresenter(present)
	s.SetRecoverFunc(recovered)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var stop context.CancelFunc
		ctx := r.Context()
		if lasts(r) {
			ctx, stop = d.Account.Follow(ctx) // a signed-out browser hears nothing more
		} else {
			ctx, stop = context.WithTimeout(ctx, requestTimeout)
		}
		defer stop()
		s.ServeHTTP(w, r.WithContext(ctx))
	})
}

// lasts reports whether a request is for a stream.
func lasts(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}
