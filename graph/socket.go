package graph

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// Bounds of one socket.
const (
	socketMessage   = 256 << 10 // bytes
	socketOps       = 200       // operations at once
	socketAnonymous = time.Minute
	socketWrite     = 10 * time.Second
	socketInit      = 10 * time.Second
)

// newSocket is the transport of subscriptions. Who does not answer a ping is
// gone (P106).
func newSocket(every time.Duration) transport.Websocket {
	limit := int64(socketMessage)
	return transport.Websocket{
		Implementation:        gorilla{},
		InitFunc:              initSocket,
		InitTimeout:           socketInit,
		PingPongInterval:      every,
		KeepAlivePingInterval: every, // of the older protocol
		PayloadReadLimit:      &limit,
		ErrorFunc: func(ctx context.Context, err error) {
			var ne net.Error
			if errors.As(err, &ne) || websocket.IsUnexpectedCloseError(err) {
				slog.Debug("socket ended", "err", err)
			}
		},
	}
}

type openOps struct{ n atomic.Int32 }

type openOpsKey struct{}

// initSocket takes the language from the first message, since a browser cannot
// set headers on a socket. A socket without a viewer gets its refusals, and ends.
func initSocket(ctx context.Context, p transport.InitPayload) (context.Context, *transport.InitPayload, error) {
	if l := p.GetString("language"); l != "" {
		ctx = lang.With(ctx, lang.Parse(l))
	}
	ctx = context.WithValue(ctx, openOpsKey{}, &openOps{})
	if authz.From(ctx) == nil {
		short, stop := context.WithTimeout(ctx, socketAnonymous)
		context.AfterFunc(short, stop)
		ctx = short
	}
	return ctx, nil, nil
}

// perSocket bounds how many operations one socket carries at once.
type perSocket struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
} = perSocket{}

// ExtensionName implements graphql.HandlerExtension.
func (perSocket) ExtensionName() string { return "perSocket" }

// Validate implements graphql.HandlerExtension.
func (perSocket) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation counts a subscription for as long as its context lasts.
func (perSocket) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	ops, ok := ctx.Value(openOpsKey{}).(*openOps)
	if !ok || graphql.GetOperationContext(ctx).Operation.Operation != ast.Subscription {
		return next(ctx)
	}
	if ops.n.Add(1) > socketOps {
		ops.n.Add(-1)
		e := Present(ctx, fault.New(fault.ResourceExhausted, "api.socket", fault.Args{"limit": socketOps}))
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{e}})
	}
	context.AfterFunc(ctx, func() { ops.n.Add(-1) })
	return next(ctx)
}

// gorilla lets gqlgen speak through gorilla/websocket.
type gorilla struct{}

var _ transport.WebsocketImplementation = gorilla{}

// Accept upgrades a request of our own origin: the upgrader's own check, which
// compares Origin with Host, is kept.
func (gorilla) Accept(w http.ResponseWriter, r *http.Request, o transport.WebsocketAcceptOptions) (transport.WebsocketConn, error) {
	up := websocket.Upgrader{HandshakeTimeout: socketInit, ReadBufferSize: 1024, WriteBufferSize: 1024, WriteBufferPool: buffers}
	// gorilla picks the first of the server's protocols that the client offers: the newer one first.
	for _, p := range []string{"graphql-transport-ws", "graphql-ws"} {
		if slices.Contains(o.Subprotocols, p) {
			up.Subprotocols = append(up.Subprotocols, p)
		}
	}
	c, err := up.Upgrade(w, r, o.ResponseHeader)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

var buffers = &sync.Pool{}

type conn struct {
	*websocket.Conn
	mu sync.Mutex // one writer at a time
}

var (
	_ transport.WebsocketConn          = (*conn)(nil)
	_ transport.WebsocketReadLimiter   = (*conn)(nil)
	_ transport.WebsocketReadDeadliner = (*conn)(nil)
)

// NextReader tells an ordinary close from a fault.
func (c *conn) NextReader() (int, io.Reader, error) {
	t, r, err := c.Conn.NextReader()
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived) {
		err = transport.ErrWebsocketClosed
	}
	return t, r, err
}

// WriteJSON gives a reader that does not read some time, then the connection up.
func (c *conn) WriteJSON(v any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Conn.SetWriteDeadline(time.Now().Add(socketWrite)); err != nil {
		return err
	}
	if err := c.Conn.WriteJSON(v); err != nil {
		_ = c.Conn.Close() // the reading side notices and ends what is subscribed
		return err
	}
	return nil
}

// WriteClose says goodbye.
func (c *conn) WriteClose(code int, msg string) error {
	return c.Conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, msg), time.Now().Add(time.Second))
}
