package servertest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Socket is an open graphql-transport-ws connection.
type Socket struct {
	t testing.TB
	*websocket.Conn
}

// Frame is one message of the protocol.
type Frame struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Dial opens a socket to a path of the site as the browser would, from an
// origin; empty for the site's own. It gives the status of the answer, too.
func (b *Browser) Dial(path, origin string, protocols ...string) (*websocket.Conn, int, error) {
	b.t.Helper()
	u, err := url.Parse(b.site.URL + path)
	if err != nil {
		b.t.Fatal(err)
	}
	h := http.Header{}
	if origin == "" {
		origin = b.site.URL
	}
	h.Set("Origin", origin)
	var cookies []string
	for _, c := range b.HTTP.Jar.Cookies(u) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if len(cookies) > 0 {
		h.Set("Cookie", strings.Join(cookies, "; "))
	}
	if b.Token != "" {
		h.Set("Authorization", "Bearer "+b.Token)
		h.Del("Origin") // programs send none
	}
	u.Scheme = "ws"
	d := websocket.Dialer{HandshakeTimeout: 10 * time.Second, Subprotocols: protocols}
	c, res, err := d.DialContext(b.t.Context(), u.String(), h)
	if res == nil {
		return c, 0, err
	}
	_ = res.Body.Close()
	return c, res.StatusCode, err
}

// Socket opens the API's socket and says hello.
func (b *Browser) Socket() *Socket {
	b.t.Helper()
	c, _, err := b.Dial("/graphql", "", "graphql-ws", "graphql-transport-ws")
	if err != nil {
		b.t.Fatalf("open socket: %v", err)
	}
	b.t.Cleanup(func() { _ = c.Close() })
	if p := c.Subprotocol(); p != "graphql-transport-ws" {
		b.t.Fatalf("protocol %q", p)
	}
	s := &Socket{b.t, c}
	s.Send(Frame{Type: "connection_init", Payload: mustJSON(b.t, map[string]string{"language": b.Language})})
	if f := s.Next(); f.Type != "connection_ack" {
		b.t.Fatalf("hello: %+v", f)
	}
	return s
}

func mustJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Send sends a frame.
func (s *Socket) Send(f Frame) {
	s.t.Helper()
	if err := s.WriteJSON(f); err != nil {
		s.t.Fatal(err)
	}
}

// Subscribe starts an operation.
func (s *Socket) Subscribe(id, query string, vars map[string]any) {
	s.t.Helper()
	s.Send(Frame{ID: id, Type: "subscribe", Payload: mustJSON(s.t, map[string]any{"query": query, "variables": vars})})
}

// Next is the next frame that is no ping; it answers those.
func (s *Socket) Next() Frame {
	s.t.Helper()
	f, ok := s.Within(10 * time.Second)
	if !ok {
		s.t.Fatal("nothing came")
	}
	return f
}

// Within is the next frame if one comes in time. After false the socket is of no use.
func (s *Socket) Within(d time.Duration) (Frame, bool) {
	s.t.Helper()
	for {
		_ = s.SetReadDeadline(time.Now().Add(d))
		var f Frame
		if err := s.ReadJSON(&f); err != nil {
			return Frame{}, false
		}
		if f.Type == "ping" {
			s.Send(Frame{Type: "pong"})
			continue
		}
		return f, true
	}
}

// Answer reads a frame's payload as an answer; errors of the protocol's own count as its errors.
func (f Frame) Answer(t testing.TB) Answer {
	t.Helper()
	var a Answer
	var err error
	if f.Type == "error" {
		err = json.Unmarshal(f.Payload, &a.Errors)
	} else {
		err = json.Unmarshal(f.Payload, &a)
	}
	if err != nil {
		t.Fatalf("%s: %v", f.Payload, err)
	}
	return a
}
