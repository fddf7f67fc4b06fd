package network

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// Way passes TCP connections to one address on to another.
type Way struct {
	ctx   context.Context
	mu    sync.Mutex
	conns context.Context // ends with Reset
	reset context.CancelFunc
}

// Reset ends the present connections. Those who had them connect anew.
func (w *Way) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reset != nil {
		w.reset()
	}
	w.conns, w.reset = context.WithCancel(w.ctx)
}

func (w *Way) context() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.conns
}

// Forward passes TCP connections to one address on to another until ctx ends, and the connections with it. Pods and further
// nodes reach the API server by it, which listens on loopback only.
func Forward(ctx context.Context, from, to string) (*Way, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", from)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	w := &Way{ctx: ctx}
	w.Reset()
	go func() {
		for {
			in, err := l.Accept()
			if ctx.Err() != nil {
				return
			}
			if err != nil { // out of file descriptors, for instance: it passes
				time.Sleep(50 * time.Millisecond)
				continue
			}
			go join(w.context(), in, to)
		}
	}()
	return w, nil
}

func join(ctx context.Context, in net.Conn, to string) {
	defer in.Close()
	out, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		return
	}
	defer out.Close()
	defer context.AfterFunc(ctx, func() { in.Close(); out.Close() })()
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyAndClose(out, in)
	}()
	copyAndClose(in, out)
	<-done
}

// copyAndClose copies one direction and passes its end on. An error ends the connection, which is all that can be done.
func copyAndClose(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if t, ok := to.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}
