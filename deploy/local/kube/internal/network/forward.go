package network

import (
	"context"
	"io"
	"net"
	"time"
)

// Forward passes TCP connections to one address on to another until ctx ends. Pods reach the API server by it, which
// listens on loopback only.
func Forward(ctx context.Context, from, to string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", from)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { l.Close() })
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
			go join(in, to)
		}
	}()
	return nil
}

func join(in net.Conn, to string) {
	defer in.Close()
	out, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		return
	}
	defer out.Close()
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
