package server

import (
	"net"
	"sync"
	"time"
)

const (
	// stalledAfter is how long a reader may take for a piece of an answer: a
	// phone in a tunnel does, and nobody holds an answer for good.
	stalledAfter = 60 * time.Second
	// piece is what must flow within that: some 500 bytes a second.
	piece = 32 << 10
)

// Unstalled cuts connections off whose other side does not read: each piece of
// what is written must be taken within a time. Streams and downloads may last
// for as long as they flow, and nothing has to be written. Whoever takes a
// connection over may set shorter deadlines.
func Unstalled(l net.Listener, within time.Duration) net.Listener { return &unstalled{l, within} }

type unstalled struct {
	net.Listener
	within time.Duration
}

// Accept implements net.Listener.
func (u *unstalled) Accept() (net.Conn, error) {
	c, err := u.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &flowing{Conn: c, within: u.within}, nil
}

// flowing is a connection whose writes end.
type flowing struct {
	net.Conn
	within time.Duration

	mu    sync.Mutex
	asked time.Time // deadline that its user set; zero for none
}

// Within is how long a piece may take.
func (c *flowing) Within() time.Duration { return c.within }

// Write implements net.Conn.
func (c *flowing) Write(b []byte) (n int, err error) {
	for {
		next := b[n:min(n+piece, len(b))]
		if err := c.extend(); err != nil {
			return n, err
		}
		wrote, err := c.Conn.Write(next)
		n += wrote
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// extend gives the next piece its time, or less if the user wants less.
func (c *flowing) extend() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := time.Now().Add(c.within)
	if !c.asked.IsZero() && c.asked.Before(until) {
		until = c.asked
	}
	return c.Conn.SetWriteDeadline(until)
}

// SetDeadline implements net.Conn.
func (c *flowing) SetDeadline(t time.Time) error {
	if err := c.Conn.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetWriteDeadline implements net.Conn. It also ends a write that is under way.
func (c *flowing) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = t
	if t.IsZero() {
		t = time.Now().Add(c.within)
	}
	return c.Conn.SetWriteDeadline(t)
}
