package server_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/server"
)

const soon = 500 * time.Millisecond

// stalling serves a handler that cuts stalled readers off soon.
func stalling(t *testing.T, h http.HandlerFunc) net.Addr {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Listener = server.Unstalled(srv.Listener, soon)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr()
}

// ask asks for /.
func ask(t *testing.T, to net.Addr) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	to := stalling(t, func(w http.ResponseWriter, _ *http.Request) {
		b := make([]byte, 1<<20)
		for range 1000 {
			if _, err := w.Write(b); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	})
	ask(t, to)
	select {
	case err := <-ended:
		if !os.IsTimeout(err) {
			t.Errorf("the answer ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the answer waits for a reader who never reads")
	}
}

// TestWhoReadsSlowlyIsNot reads for many times as long as a piece may take; the
// quiet between two pieces of a stream does not count either.
func TestWhoReadsSlowlyIsNot(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	to := stalling(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("first"))
		_ = http.NewResponseController(w).Flush()
		time.Sleep(2 * soon)
		_, _ = w.Write(make([]byte, size)) // at once: it takes longer than one piece may
	})
	c, start := ask(t, to), time.Now()
	b := make([]byte, 128<<10)
	got := 0
	for got < size {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, err := c.Read(b)
		if err != nil {
			t.Fatalf("after %d bytes and %v: %v", got, time.Since(start), err)
		}
		got += n
		if time.Since(start) < 6*soon {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// TestATakenConnectionHasItsOwnDeadlines hijacks: what is asked for counts when it is sooner.
func TestATakenConnectionHasItsOwnDeadlines(t *testing.T) {
	t.Parallel()
	type end struct {
		err  error
		took time.Duration
	}
	ended := make(chan end, 2)
	to := stalling(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			ended <- end{err: err}
			return
		}
		defer c.Close()
		_ = c.SetWriteDeadline(time.Now().Add(-time.Second))
		start := time.Now()
		_, err = c.Write([]byte("x"))
		ended <- end{err, time.Since(start)}
		_ = c.SetDeadline(time.Time{}) // for ever is no longer than the others'
		_, err = c.Write(bytes.Repeat([]byte("x"), 256<<20))
		ended <- end{err: err}
	})
	ask(t, to)
	if e := <-ended; !os.IsTimeout(e.err) || e.took > soon {
		t.Errorf("%v after %v", e.err, e.took)
	}
	if e := <-ended; !os.IsTimeout(e.err) {
		t.Errorf("without a deadline: %v", e.err)
	}
}

// TestServeBoundsItsAnswers looks at the connection that a handler gets.
func TestServeBoundsItsAnswers(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bounds := make(chan bool, 1)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				bounds <- false
				return
			}
			defer c.Close()
			within, ok := c.(interface{ Within() time.Duration })
			bounds <- ok && within.Within() > 0 && within.Within() <= time.Minute
		}))
	}()
	ask(t, l.Addr())
	if !<-bounds {
		t.Error("an answer may wait for its reader for ever")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
