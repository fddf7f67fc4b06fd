// Package couriertest gives tests the data manager without a cluster: agents run
// in the test's process, each behind TLS as in a pod.
package couriertest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/goblinlab/goblinlab/internal/files/agent"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Lab starts agents as they are asked for.
type Lab struct {
	Dir string // holds a folder for each volume

	// Handler serves in an agent's place; nil for agents.
	Handler func(a volume.Access) http.Handler

	t       testing.TB
	mu      sync.Mutex
	servers map[string]*httptest.Server
	Starts  int // of agents
}

// New makes a lab.
func New(t testing.TB) *Lab {
	l := &Lab{Dir: t.TempDir(), t: t, servers: map[string]*httptest.Server{}}
	t.Cleanup(l.Kill)
	return l
}

// Kill ends all agents at once, as when their nodes are lost.
func (l *Lab) Kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, s := range l.servers {
		s.CloseClientConnections()
		s.Close()
		delete(l.servers, k)
	}
}

const secret = "the secret of an agent in a test"

// Find is Deps.Find.
func (l *Lab) Find(_ context.Context, a volume.Access) (courier.Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := a.Volume.ID + " " + string(a.Mode)
	s := l.servers[key]
	if s == nil {
		h, err := l.handler(a)
		if err != nil {
			return courier.Place{}, err
		}
		s = httptest.NewTLSServer(h)
		l.servers[key] = s
		l.Starts++
	}
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return courier.Place{Namespace: a.Namespace, Pod: "files", IP: s.Listener.Addr().String(), Secret: secret,
		TLS: &tls.Config{RootCAs: pool, ServerName: "example.com", MinVersion: tls.VersionTLS13}}, nil
}

func (l *Lab) handler(a volume.Access) (http.Handler, error) {
	if l.Handler != nil {
		return l.Handler(a), nil
	}
	dir := filepath.Join(l.Dir, a.Volume.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ag, err := agent.New(agent.Options{Dir: dir, Secret: secret, ReadOnly: a.Mode != volume.ReadWrite})
	if err != nil {
		return nil, err
	}
	return ag.Handler(), nil
}

// Reach is Deps.Reacher.
func (l *Lab) Reach(ctx context.Context, _, _, ip string, _ int32) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", ip)
}

// Deps lays the lab into the service's parts.
func (l *Lab) Deps(d courier.Deps) courier.Deps {
	d.Find, d.Reacher = l.Find, l
	d.Image = func() string { return "files:1" }
	return d
}
