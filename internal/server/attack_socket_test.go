package server_test

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

func TestForeignOriginsOpenNoSocket(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Member)
	for _, path := range []string{"/graphql", "/terminal/ins-x"} {
		for _, origin := range []string{"https://evil.example", "null", s.URL + ".evil.example", "http://localhost", strings.Replace(s.URL, "localhost", "jupyterlab--ins-x.localhost", 1),
			strings.Replace(s.URL, "http:", "https:", 1) + "0", "file://"} {
			c, status, err := b.Dial(path, origin, "graphql-transport-ws")
			if err == nil {
				_ = c.Close()
				t.Errorf("%s from %s was let in", path, origin)
			} else if status != http.StatusForbidden {
				t.Errorf("%s from %s: %d", path, origin, status)
			}
		}
	}
}

func TestBadFramesHarmNobody(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Member)
	const hello = `{"type":"connection_init","payload":{}}`
	for name, frames := range map[string][]string{
		"no JSON":                 {"nonsense"},
		"nothing":                 {""},
		"a list":                  {"[]"},
		"an unknown type":         {hello, `{"type":"explode","id":"1"}`},
		"before hello":            {`{"type":"subscribe","id":"1","payload":{"query":"{ __typename }"}}`},
		"hello twice":             {hello, hello},
		"hello with nonsense":     {`{"type":"connection_init","payload":[1,2]}`},
		"a language of nonsense":  {`{"type":"connection_init","payload":{"language":{"a":1}}}`},
		"no payload":              {hello, `{"type":"subscribe","id":"1"}`},
		"a payload of nonsense":   {hello, `{"type":"subscribe","id":"1","payload":"x"}`},
		"no query":                {hello, `{"type":"subscribe","id":"1","payload":{"query":""}}`},
		"the same id twice":       {hello, `{"type":"subscribe","id":"1","payload":{"query":"subscription { instancesChanged { id } }"}}`, `{"type":"subscribe","id":"1","payload":{"query":"subscription { instancesChanged { id } }"}}`},
		"complete of nothing":     {hello, `{"type":"complete","id":"x"}`},
		"a huge frame":            {hello, `{"type":"subscribe","id":"1","payload":{"query":"` + strings.Repeat("x", 300<<10) + `"}}`},
		"brackets without end":    {hello, strings.Repeat("[", 200_000)},
		"pings without end":       {hello, `{"type":"ping"}`, `{"type":"ping"}`, `{"type":"pong"}`, `{"type":"pong"}`},
		"an answer from a client": {hello, `{"type":"next","id":"1","payload":{}}`, `{"type":"connection_ack"}`},
	} {
		for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
			c, _, err := b.Dial("/graphql", "", "graphql-transport-ws")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range frames {
				_ = c.WriteMessage(kind, []byte(f))
			}
			_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			for {
				_, text, err := c.ReadMessage()
				if err != nil {
					break
				}
				if bytes.Contains(text, []byte("panic")) || bytes.Contains(text, []byte("goroutine")) {
					t.Errorf("%s: %s", name, text)
				}
			}
			_ = c.Close()
		}
	}
	if got := b.Ask(`{ viewer { user { id } } }`, nil); len(got.Errors) > 0 {
		t.Errorf("afterwards: %+v", got.Errors)
	}
}

func TestASocketThatSaysNothingIsClosed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c, _, err := s.Stranger(t).Dial("/graphql", "", "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetReadDeadline(time.Now().Add(15 * time.Second))
	for {
		if _, _, err = c.ReadMessage(); err != nil {
			break
		}
	}
	if ne, ok := err.(net.Error); ok && ne.Timeout() { //nolint:errorlint // of the deadline itself
		t.Error("it stays open")
	}
}
