package server

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// MaxPerAddress bounds the connections of one address: an office behind one
// address has hundreds, and the process some ten thousands in all.
const MaxPerAddress = 1000

// Fair bounds how many connections one address holds at once, so that nobody
// takes them all: what is beyond is closed. IPv6 counts by network, of which
// everybody has one. Exempt are addresses that stand for many, as a proxy's.
func Fair(l net.Listener, most int, exempt func(netip.Addr) bool) net.Listener {
	return &fair{Listener: l, most: most, exempt: exempt, open: map[netip.Addr]int{}, told: newOnce(time.Minute)}
}

type fair struct {
	net.Listener
	most   int
	exempt func(netip.Addr) bool
	told   *once

	mu   sync.Mutex
	open map[netip.Addr]int
}

// Accept implements net.Listener.
func (f *fair) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		a, ok := remote(c)
		if !ok || f.exempt != nil && f.exempt(a) {
			return c, nil
		}
		a = network(a)
		if f.take(a) {
			return &counted{Conn: c, done: sync.OnceFunc(func() { f.give(a) })}, nil
		}
		_ = c.Close()
		if f.told.first(a.String()) {
			slog.Warn("connections of one address refused", "address", a.String(), "limit", f.most)
		}
	}
}

func remote(c net.Conn) (netip.Addr, bool) {
	a, err := netip.ParseAddrPort(c.RemoteAddr().String())
	return a.Addr().Unmap(), err == nil
}

func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

func (f *fair) take(a netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[a] >= f.most {
		return false
	}
	f.open[a]++
	return true
}

func (f *fair) give(a netip.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[a]--; f.open[a] <= 0 {
		delete(f.open, a)
	}
}

type counted struct {
	net.Conn
	done func()
}

// Close gives the place back.
func (c *counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// once tells the first of equal things in a while from the others.
type once struct {
	every time.Duration
	mu    sync.Mutex
	seen  map[string]time.Time
}

const maxOnce = 10_000

func newOnce(every time.Duration) *once { return &once{every: every, seen: map[string]time.Time{}} }

func (o *once) first(what string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if at, ok := o.seen[what]; ok && now.Sub(at) < o.every {
		return false
	}
	if len(o.seen) >= maxOnce {
		for k, at := range o.seen {
			if now.Sub(at) >= o.every {
				delete(o.seen, k)
			}
		}
		if len(o.seen) >= maxOnce {
			return false
		}
	}
	o.seen[what] = now
	return true
}
