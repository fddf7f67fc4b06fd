package courier

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Reacher connects to pods; kube.Reacher.
type Reacher interface {
	Reach(ctx context.Context, namespace, pod, ip string, port int32) (net.Conn, error)
}

// Place is where an agent is, and what it takes to speak with it.
type Place struct {
	Namespace, Pod, IP string
	Secret             string
	TLS                *tls.Config
}

// String keeps the secret out of logs.
func (p Place) String() string { return p.Namespace + "/" + p.Pod }

// GoString keeps the secret out of logs.
func (p Place) GoString() string { return p.String() }

// place is an agent that was seen to answer.
type place struct {
	Place
	client *http.Client
}

func newPlace(r Reacher, at Place) *place {
	t := &http.Transport{
		TLSClientConfig: at.TLS, TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true,
		MaxIdleConnsPerHost: 16, IdleConnTimeout: 20 * time.Second, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return r.Reach(ctx, at.Namespace, at.Pod, at.IP, manifest.PortFiles)
		},
	}
	return &place{Place: at, client: &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// send asks the agent; path is as the agent's routes have it.
func (p *place) send(ctx context.Context, method, path, query string, h http.Header, body io.Reader, size int64) (*http.Response, error) {
	u := url.URL{Scheme: "https", Host: agentName, Path: path, RawQuery: query}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.ContentLength = size
	}
	for k, v := range h {
		r.Header[k] = v
	}
	r.Header.Set("Authorization", "Bearer "+p.Secret)
	return p.client.Do(r)
}

const pingWithin = 3 * time.Second

// ping asks whether the agent is there, which also keeps it for a while.
func (p *place) ping(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, pingWithin)
	defer stop()
	resp, err := p.send(ctx, http.MethodGet, "/ping", "", nil, nil, 0)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("agent %s answers %s", p.Pod, resp.Status)
	}
	return nil
}

func (p *place) close() { p.client.CloseIdleConnections() }

type linkKey struct {
	namespace, volumeID string
	mode                volume.Mode
}

// link is the way to the agent of one volume and mode.
type link struct {
	turn chan struct{} // one at a time looks for the agent
	mu   sync.Mutex
	at   *place
	seen time.Time // when it last answered
	used time.Time
}

// An agent that answered this lately is there: it waits for much longer.
const fresh = 5 * time.Second

func (l *link) known() *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = time.Now()
	if l.at != nil && time.Since(l.seen) < fresh {
		return l.at
	}
	return nil
}

func (l *link) set(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at != nil && l.at != p {
		l.at.close()
	}
	l.at, l.seen, l.used = p, time.Now(), time.Now()
}

func (l *link) answered(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == p {
		l.seen = time.Now()
	}
}

func (l *link) lost(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == p {
		l.at = nil
		p.close()
	}
}

// links are the ways that were used lately.
type links struct {
	mu    sync.Mutex
	known map[linkKey]*link
}

const linkLife = 5 * time.Minute

func (ls *links) get(k linkKey) *link {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.known == nil {
		ls.known = map[linkKey]*link{}
	}
	l := ls.known[k]
	if l == nil {
		l = &link{turn: make(chan struct{}, 1)}
		ls.known[k] = l
	}
	return l
}

func (ls *links) sweep() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for k, l := range ls.known {
		l.mu.Lock()
		if time.Since(l.used) > linkLife {
			if l.at != nil {
				l.at.close()
			}
			delete(ls.known, k)
		}
		l.mu.Unlock()
	}
}

// agent gives an agent that is there, within ctx.
func (s *Service) agent(ctx context.Context, a volume.Access) (*place, *link, error) {
	l := s.links.get(linkKey{a.Namespace, a.Volume.ID, a.Mode})
	if p := l.known(); p != nil {
		return p, l, nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, nil, s.late(ctx, a, errors.New("others wait for it"))
	}
	if p := l.known(); p != nil {
		return p, l, nil
	}
	l.mu.Lock()
	p := l.at
	l.mu.Unlock()
	if p != nil && p.ping(ctx) == nil {
		l.set(p)
		return p, l, nil
	}
	if p != nil {
		l.lost(p)
	}
	if s.Find != nil {
		at, err := s.Find(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		p = newPlace(s.Reacher, at)
	} else {
		var err error
		if p, err = s.ensure(ctx, a); err != nil {
			return nil, nil, err
		}
	}
	l.set(p)
	return p, l, nil
}
