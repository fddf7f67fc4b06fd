package kube

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream" //nolint:staticcheck // client-go 0.37 itself still speaks this package's types
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// Dial opens a connection to a port of a pod through the cluster's API, which
// works from anywhere the API does. Each connection has a tunnel of its own.
func (c *Client) Dial(ctx context.Context, namespace, pod string, port int32) (net.Conn, error) {
	u := c.podURL(namespace, pod, "portforward", nil)
	tr, up, err := spdy.RoundTripperFor(c.REST)
	if err != nil {
		return nil, fmt.Errorf("tunnel to %s/%s: %w", namespace, pod, err)
	}
	d := spdy.NewDialer(up, &http.Client{Transport: tr}, http.MethodPost, u)
	if w, err := portforward.NewSPDYOverWebsocketDialer(u, c.REST); err == nil {
		d = portforward.NewFallbackDialer(w, d, func(err error) bool {
			return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
		})
	}
	s, _, err := d.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("tunnel to %s/%s port %d: %w", namespace, pod, port, err)
	}
	conn, err := stream(s, port)
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("tunnel to %s/%s port %d: %w", namespace, pod, port, err)
	}
	return conn, nil
}

// stream opens the error and data streams of one forwarded connection; see
// the port-forward protocol v1 of the kubelet.
func stream(s httpstream.Connection, port int32) (net.Conn, error) {
	h := http.Header{}
	h.Set(corev1.StreamType, corev1.StreamTypeError)
	h.Set(corev1.PortHeader, strconv.Itoa(int(port)))
	h.Set(corev1.PortForwardRequestIDHeader, "0")
	errs, err := s.CreateStream(h)
	if err != nil {
		return nil, err
	}
	_ = errs.Close() // we do not write to it
	h.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := s.CreateStream(h)
	if err != nil {
		return nil, err
	}
	t := &tunnel{Stream: data, session: s, port: port, failed: make(chan error, 1)}
	go func() {
		msg, err := io.ReadAll(io.LimitReader(errs, 4096))
		if err == nil && len(msg) > 0 {
			err = fmt.Errorf("%s", msg)
		}
		if err != nil {
			t.failed <- err
			_ = t.Close()
		}
	}()
	return t, nil
}

// tunnel is one forwarded connection as a net.Conn. It has no deadlines of its
// own: a deadline closes it.
type tunnel struct {
	httpstream.Stream
	session httpstream.Connection
	port    int32
	failed  chan error

	once  sync.Once
	mu    sync.Mutex
	timer *time.Timer
}

var _ net.Conn = (*tunnel)(nil)

func (t *tunnel) Read(b []byte) (int, error) {
	n, err := t.Stream.Read(b)
	if err != nil && n == 0 {
		select {
		case cause := <-t.failed:
			return 0, cause
		default:
		}
	}
	return n, err
}

func (t *tunnel) Close() error {
	t.once.Do(func() {
		_ = t.Stream.Reset()
		_ = t.session.Close()
	})
	return nil
}

// CloseWrite says that nothing more will be sent.
func (t *tunnel) CloseWrite() error { return t.Stream.Close() }

func (t *tunnel) LocalAddr() net.Addr  { return tunnelAddr(0) }
func (t *tunnel) RemoteAddr() net.Addr { return tunnelAddr(t.port) }

// SetDeadline closes the tunnel at the deadline; the zero time takes it back.
func (t *tunnel) SetDeadline(at time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	if !at.IsZero() {
		t.timer = time.AfterFunc(time.Until(at), func() { _ = t.Close() })
	}
	return nil
}

func (t *tunnel) SetReadDeadline(at time.Time) error  { return t.SetDeadline(at) }
func (t *tunnel) SetWriteDeadline(at time.Time) error { return nil }

type tunnelAddr int32

func (tunnelAddr) Network() string  { return "pod" }
func (a tunnelAddr) String() string { return "pod:" + strconv.Itoa(int(a)) }
