package graph_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// FuzzSocketFrame sends whatever a socket can carry, after hello and instead of
// it. Nothing may come back that is not of the protocol, and the server lives.
func FuzzSocketFrame(f *testing.F) {
	for _, s := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":{"query":"{ __typename }"}}`, `{"type":"subscribe","id":"1","payload":{"query":"subscription { runsChanged { id } }","variables":{"a":[1]}}}`,
		`{"type":"complete","id":"1"}`, `{"type":"ping","payload":{}}`, `{"type":"pong"}`, `{"id":1,"type":2}`, "", "null", "[]", `{"type":"subscribe","id":"","payload":null}`, "{\"type\":\"\x00\"}", `{"type":"connection_init","payload":{"language":"zh-CN"}}`} {
		f.Add(s, true, true)
		f.Add(s, false, false)
	}
	w := newWorld(f)
	b := w.SignIn(f, w.Cast.Member)
	f.Fuzz(func(t *testing.T, frame string, hello, text bool) {
		c, status, err := b.For(t).Dial("/graphql", "", "graphql-transport-ws")
		if err != nil {
			t.Fatalf("%d %v", status, err)
		}
		defer func() { _ = c.Close() }()
		if hello {
			_ = c.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init"}`))
		}
		kind := websocket.BinaryMessage
		if text {
			kind = websocket.TextMessage
		}
		_ = c.WriteMessage(kind, []byte(frame))
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		for {
			var got servertest.Frame
			if err := c.ReadJSON(&got); err != nil {
				break
			}
			switch got.Type {
			case "connection_ack", "next", "error", "complete", "ping", "pong", "connection_error":
			default:
				t.Errorf("%q brought %+v", frame, got)
			}
			if strings.Contains(string(got.Payload), "panic") || strings.Contains(string(got.Payload), "INTERNAL") {
				t.Errorf("%q brought %s", frame, got.Payload)
			}
		}
		if res, err := b.HTTP.Get(w.URL + "/healthz"); err != nil || res.StatusCode != http.StatusOK { //nolint:noctx // of the test's own server
			t.Fatalf("%q ended the server: %v", frame, err)
		} else {
			_ = res.Body.Close()
		}
	})
}
