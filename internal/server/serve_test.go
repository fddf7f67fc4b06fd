package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/server"
)

// TestServeLetsRequestsEndAndEndsStreams stops a server in the middle of both.
func TestServeLetsRequestsEndAndEndsStreams(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	inside, release := make(chan string, 2), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/work", func(w http.ResponseWriter, _ *http.Request) {
		inside <- "work"
		<-release
		_, _ = io.WriteString(w, "done")
	})
	mux.HandleFunc("/stream", func(_ http.ResponseWriter, r *http.Request) {
		inside <- "stream"
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, l, mux) }()
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	answers := make(chan string, 2)
	for _, path := range []string{"/work", "/stream"} {
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s%s", l.Addr(), path), nil)
			if err != nil {
				answers <- err.Error()
				return
			}
			res, err := c.Do(req)
			if err != nil {
				answers <- path + " broke off"
				return
			}
			defer res.Body.Close()
			b, _ := io.ReadAll(res.Body)
			answers <- path + " " + string(b)
		}()
	}
	<-inside
	<-inside
	stop()
	close(release)
	if got := <-answers; got != "/work done" {
		t.Errorf("the request: %q", got)
	}
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	case <-time.After(15 * time.Second):
		t.Error("the stream keeps the server")
	}
	<-answers
}
