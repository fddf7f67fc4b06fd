package kube

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// Reacher opens connections to pods: over their own network where this process
// is part of it, which is fastest, and through the cluster's API elsewhere.
// Whoever connects must make sure of the other end: the address of a pod that
// has ended may belong to another one.
type Reacher struct {
	Client *Client

	tunnelUntil atomic.Int64 // unix nanoseconds; the pods' network was not there
}

const (
	reachWithin = 700 * time.Millisecond
	reachAgain  = 5 * time.Minute
)

// Reach connects to a port of a pod at its address.
func (r *Reacher) Reach(ctx context.Context, namespace, pod, ip string, port int32) (net.Conn, error) {
	if ip != "" && time.Now().UnixNano() > r.tunnelUntil.Load() {
		d := net.Dialer{Timeout: reachWithin}
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(ip, strconv.Itoa(int(port))))
		if err == nil || errors.Is(err, syscall.ECONNREFUSED) || ctx.Err() != nil {
			return conn, err
		}
		r.tunnelUntil.Store(time.Now().Add(reachAgain).UnixNano())
	}
	return r.Client.Dial(ctx, namespace, pod, port)
}
