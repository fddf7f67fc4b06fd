//go:build cluster

package system

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// person is somebody signed in, with a cookie and a language.
type person struct {
	t    testing.TB
	url  string
	lang string
	http *http.Client
}

// loopback reaches every name below localhost, as browsers do and Go's resolver does not.
var loopback = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}}

func ready(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz says %s", res.Status)
	}
	return nil
}

// signedIn redeems a sign-in link.
func signedIn(t testing.TB, address, link string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, url: address, lang: "en", http: &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: loopback}}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]string{"token": u.Query().Get("token")})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/auth/link", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := p.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("sign-in: %s", res.Status)
	}
	return p
}

// admin signs in with the link that the server printed.
func (l *lab) admin() *person { return signedIn(l.t, l.url, l.link()) }

type gqlError struct {
	Message    string `json:"message"`
	Extensions struct {
		Code   string `json:"code"`
		Fields []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"fields"`
	} `json:"extensions"`
}

type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors []gqlError      `json:"errors"`
}

type vars map[string]any

// try sends an operation and gives its errors.
func (p *person) try(query string, v vars, into any) []gqlError {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": v})
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, p.url+"/graphql", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Language", p.lang)
	res, err := p.http.Do(req)
	if err != nil {
		return []gqlError{{Message: err.Error()}}
	}
	defer res.Body.Close()
	var a answer
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		return []gqlError{{Message: fmt.Sprintf("%s: %v", res.Status, err)}}
	}
	if into != nil && len(a.Errors) == 0 {
		if err := json.Unmarshal(a.Data, into); err != nil {
			p.t.Fatalf("answer: %v\n%s", err, a.Data)
		}
	}
	return a.Errors
}

// do sends an operation that must succeed.
func (p *person) do(query string, v vars, into any) {
	p.t.Helper()
	if errs := p.try(query, v, into); len(errs) > 0 {
		p.t.Fatalf("%s\n%v: %+v", strings.TrimSpace(query), v, errs)
	}
}

type frame struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// subscription is one over graphql-transport-ws.
type subscription struct {
	t    testing.TB
	conn *websocket.Conn
}

func (p *person) subscribe(query string, v vars) *subscription {
	p.t.Helper()
	u, err := url.Parse(p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	d := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, Jar: p.http.Jar, HandshakeTimeout: 10 * time.Second}
	conn, res, err := d.Dial("ws://"+u.Host+"/graphql", http.Header{"Origin": {p.url}})
	if err != nil {
		p.t.Fatalf("socket: %v", err)
	}
	defer res.Body.Close()
	s := &subscription{p.t, conn}
	p.t.Cleanup(s.close)
	s.send(frame{Type: "connection_init", Payload: json.RawMessage(`{"language":"` + p.lang + `"}`)})
	if f, err := s.read(10 * time.Second); err != nil || f.Type != "connection_ack" {
		p.t.Fatalf("socket not acknowledged: %+v, %v", f, err)
	}
	payload, err := json.Marshal(map[string]any{"query": query, "variables": v})
	if err != nil {
		p.t.Fatal(err)
	}
	s.send(frame{ID: "1", Type: "subscribe", Payload: payload})
	return s
}

func (s *subscription) send(f frame) {
	s.t.Helper()
	if err := s.conn.WriteJSON(f); err != nil {
		s.t.Fatalf("socket: %v", err)
	}
}

func (s *subscription) close() { _ = s.conn.Close() }

func (s *subscription) read(limit time.Duration) (frame, error) {
	var f frame
	if err := s.conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return f, err
	}
	err := s.conn.ReadJSON(&f)
	return f, err
}

// next is the next payload's data; done when the subscription is complete.
func (s *subscription) next(limit time.Duration, into any) (done bool, err error) {
	for {
		f, err := s.read(limit)
		if err != nil {
			return false, err
		}
		switch f.Type {
		case "ping":
			s.send(frame{Type: "pong"})
		case "next":
			var a answer
			if err := json.Unmarshal(f.Payload, &a); err != nil {
				return false, err
			}
			if len(a.Errors) > 0 {
				return false, fmt.Errorf("%+v", a.Errors)
			}
			return false, json.Unmarshal(a.Data, into)
		case "complete":
			return true, nil
		case "error":
			return false, fmt.Errorf("subscription: %s", f.Payload)
		}
	}
}
