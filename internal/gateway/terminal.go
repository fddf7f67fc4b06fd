package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rs/xid"
	"k8s.io/client-go/tools/remotecommand"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// Bounds of a terminal's socket.
const (
	terminalMessage = 64 << 10 // bytes
	terminalPing    = 20 * time.Second
	terminalPong    = 50 * time.Second
	maxShells       = 20 // of one person, through this process
	defaultCols     = 80
	defaultRows     = 24
	maxSize         = 1000 // columns or rows
)

// terminals are the shells that are open, by whose they are and which tab.
type terminals struct {
	g     *Gateway
	mu    sync.Mutex
	known map[shellKey]*shell
}

type shellKey struct {
	userID, instanceID, tab string
	start                   int64
}

func newTerminals(g *Gateway) *terminals { return &terminals{g: g, known: map[shellKey]*shell{}} }

// control is a text frame: a resize from the browser, an end to it.
type control struct {
	Type    string `json:"type"`
	Cols    uint16 `json:"cols,omitempty"`
	Rows    uint16 `json:"rows,omitempty"`
	Code    *int   `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Terminal serves shells over sockets: GET /terminal/{instanceId}?cols=&rows=&tab=.
// Binary frames carry what is typed and put out; text frames carry control
// messages. The same tab comes back to the same shell.
func (g *Gateway) Terminal() http.Handler {
	up := websocket.Upgrader{HandshakeTimeout: writeWait, ReadBufferSize: 4096, WriteBufferSize: 4096}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := up.Upgrade(w, r, nil) // refuses other origins
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		ctx, stop := g.Account.Follow(r.Context())
		defer stop()
		if err := g.terminal(ctx, c, r); err != nil {
			_, text := words(r, err)
			say(c, control{Type: "error", Message: text})
		}
	})
}

// say sends the last word on a socket.
func say(c *websocket.Conn, m control) {
	until := time.Now().Add(writeWait)
	_ = c.SetWriteDeadline(until)
	_ = c.WriteJSON(m)
	_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), until)
}

func (g *Gateway) terminal(ctx context.Context, c *websocket.Conn, r *http.Request) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	id := r.PathValue("instanceId")
	if !ident.Is(ident.Instance, id) {
		return fault.Missing("instance", id)
	}
	d, err := g.admitViewer(ctx, v, id, appShell)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	tab := q.Get("tab")
	if len(tab) > 64 {
		return fault.New(fault.InvalidArgument, "gateway.tab", fault.Args{"limit": 64})
	}
	if tab == "" {
		tab = xid.New().String()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn := &connection{userID: v.UserID, sessionID: account.SessionID(ctx), instanceID: id, start: d.start, lasting: true, cancel: cancel}
	if err := g.live.add(conn); err != nil {
		return err
	}
	defer g.live.remove(conn)
	size := remotecommand.TerminalSize{Width: dimension(q.Get("cols"), defaultCols), Height: dimension(q.Get("rows"), defaultRows)}
	s, fresh, err := g.terminals.get(ctx, v, d, tab, size)
	if err != nil {
		return err
	}
	if !fresh {
		s.resize(size)
	}
	return serveShell(ctx, c, s)
}

func dimension(text string, fallback uint16) uint16 {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || n > maxSize {
		return fallback
	}
	return uint16(n)
}

// serveShell shows a shell to a browser until one of them is gone. An error is
// for the person to read.
func serveShell(ctx context.Context, c *websocket.Conn, s *shell) error {
	look := newScreen()
	tail := s.attach(look)
	defer s.detach(look)
	left := make(chan struct{})
	go func() {
		defer close(left)
		readTyped(c, s)
	}()
	write := func(kind int, b []byte) bool {
		return c.SetWriteDeadline(time.Now().Add(writeWait)) == nil && c.WriteMessage(kind, b) == nil
	}
	if len(tail) > 0 && !write(websocket.BinaryMessage, tail) {
		return nil
	}
	ping := time.NewTicker(terminalPing) // P32
	defer ping.Stop()
	for {
		select {
		case b := <-look.out:
			if !write(websocket.BinaryMessage, b) {
				return nil
			}
		case <-ping.C:
			if !write(websocket.PingMessage, nil) {
				return nil
			}
		case <-s.done:
			return finish(c, look, s, write)
		case <-look.gone:
			return fault.New(fault.Conflict, "gateway.elsewhere", nil)
		case <-left:
			select {
			case <-s.done:
				return finish(c, look, s, write)
			default:
				return nil
			}
		case <-ctx.Done():
			if cause := context.Cause(ctx); denied(cause) {
				s.end(cause)
				return cause
			}
			return nil
		}
	}
}

// finish sends what the shell still put out, and how it ended.
func finish(c *websocket.Conn, look *screen, s *shell, write func(int, []byte) bool) error {
	for {
		select {
		case b := <-look.out:
			if !write(websocket.BinaryMessage, b) {
				return nil
			}
			continue
		default:
		}
		break
	}
	if s.exit.err != nil {
		if denied(s.exit.err) {
			return s.exit.err
		}
		return fault.New(fault.Unavailable, "gateway.shell", nil).Wrap(s.exit.err)
	}
	say(c, control{Type: "exit", Code: &s.exit.code})
	return nil
}

func readTyped(c *websocket.Conn, s *shell) {
	c.SetReadLimit(terminalMessage)
	alive := func(string) error { return c.SetReadDeadline(time.Now().Add(terminalPong)) }
	_ = alive("")
	c.SetPongHandler(alive)
	for {
		kind, b, err := c.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.BinaryMessage {
			if s.typed(b) != nil {
				return // it ended, which the writing side tells
			}
			continue
		}
		var m control
		if json.Unmarshal(b, &m) == nil && m.Type == "resize" && m.Cols > 0 && m.Rows > 0 && m.Cols <= maxSize && m.Rows <= maxSize {
			s.resize(remotecommand.TerminalSize{Width: m.Cols, Height: m.Rows})
		}
	}
}

// get finds the shell of a tab, or starts one.
func (ts *terminals) get(ctx context.Context, v *authz.Viewer, d *door, tab string, size remotecommand.TerminalSize) (s *shell, fresh bool, err error) {
	k := shellKey{v.UserID, d.row.ID, tab, d.start}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if s := ts.known[k]; s != nil {
		return s, false, nil
	}
	mine := 0
	for o := range ts.known {
		if o.userID == v.UserID {
			mine++
		}
	}
	if mine >= maxShells {
		return nil, false, fault.New(fault.ResourceExhausted, "gateway.shells", fault.Args{"limit": maxShells})
	}
	// It lives longer than this request, as the person who opened it.
	own := context.WithoutCancel(ctx)
	opened := time.Now()
	if err := ts.record(own, d, "instance.open-terminal", nil); err != nil {
		return nil, false, err
	}
	s = startShell(own, ts.g.Shells, d, size, func(s *shell) {
		ts.mu.Lock()
		if ts.known[k] == s {
			delete(ts.known, k)
		}
		ts.mu.Unlock()
		in, out := s.passed()
		err := ts.record(own, d, "instance.close-terminal", map[string]any{"seconds": int(time.Since(opened).Seconds()), "bytesIn": in, "bytesOut": out})
		if err != nil {
			slog.Error("end of a terminal not written down", "instance_id", d.row.ID, "err", err)
		}
	})
	ts.known[k] = s
	return s, true, nil
}

func (ts *terminals) record(ctx context.Context, d *door, action string, after map[string]any) error {
	return ts.g.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: d.row.TeamID, ObjectID: d.row.ID, After: after})
	})
}

var errForgotten = errors.New("nobody came back to the shell")

// sweep ends shells that nobody needs, and those whose instance is no longer
// the owner's to use: a shell without a browser is no open connection.
func (ts *terminals) sweep() {
	now := time.Now()
	for k, s := range ts.all() {
		if s.forgotten(now) {
			s.end(errForgotten)
			continue
		}
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		d, err := ts.g.admit(ctx, grant{UserID: k.userID, InstanceID: k.instanceID, App: appShell}, "")
		stop()
		if err != nil && denied(err) {
			s.end(err)
		} else if err == nil && d.start != k.start {
			s.end(notRunning(nil))
		}
	}
}

func (ts *terminals) closeAll() {
	late := time.After(writeWait)
	for _, s := range ts.all() {
		s.end(errForgotten)
		select {
		case <-s.settled:
		case <-late:
			return
		}
	}
}

func (ts *terminals) all() map[shellKey]*shell {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	out := make(map[shellKey]*shell, len(ts.known))
	for k, s := range ts.known {
		out[k] = s
	}
	return out
}
