package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"
)

// proxy passes a request on to an app, with its token and without our cookies.
func (g *Gateway) proxy(w http.ResponseWriter, r *http.Request, gr grant, d *door) {
	// An upload may take its time, and a socket is quiet for long.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	up := g.upstreams.get(d)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	c := &connection{userID: gr.UserID, sessionID: gr.SessionID, instanceID: gr.InstanceID, app: gr.App, start: d.start,
		lasting: r.Header.Get("Upgrade") != "", cancel: cancel}
	if err := g.live.add(c); err != nil {
		g.refuse(w, r, gr.InstanceID, err)
		return
	}
	defer g.live.remove(c)
	show := keys[gr.App]
	password := ""
	if show != nil {
		var err error
		if password, err = g.secret(ctx, d, up); err != nil {
			g.broken(w, r.WithContext(ctx), gr.InstanceID, err)
			return
		}
	}
	p := &httputil.ReverseProxy{
		Transport: up.transport, FlushInterval: -1,
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL.Scheme, pr.Out.URL.Host = "http", "pod"
			pr.Out.Host = pr.In.Host
			pr.SetXForwarded()
			stripCookies(pr.Out.Header, g.ourCookies())
			if show != nil {
				show(pr.Out.Header, password)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { g.broken(w, r, gr.InstanceID, err) },
	}
	p.ServeHTTP(w, r.WithContext(ctx))
}

// keys show an app the password of the instance's start the way that the app
// wants to see it. What the browser shows instead is taken out.
var keys = map[string]func(h http.Header, password string){
	appJupyter: func(h http.Header, password string) { h.Set("Authorization", "token "+password) },
	appBoard:   func(h http.Header, password string) { h.Set("Authorization", "Bearer "+password) },
	appCode: func(h http.Header, password string) {
		stripCookies(h, []string{codeCookie})
		sum := sha256.Sum256([]byte(password))
		cookie := codeCookie + "=" + hex.EncodeToString(sum[:])
		if others := h.Get("Cookie"); others != "" {
			cookie = others + "; " + cookie
		}
		h.Set("Cookie", cookie)
	},
}

// codeCookie is code-server's session: the SHA-256 of its password, which its
// start-up program configured (docs/images.md).
const codeCookie = "code-server-session"

// stripCookies takes cookies of these names out and leaves the others as they came.
func stripCookies(h http.Header, names []string) {
	lines := h.Values("Cookie")
	if len(lines) == 0 {
		return
	}
	var kept []string
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ";") {
			part = strings.TrimSpace(part)
			name, _, _ := strings.Cut(part, "=")
			if part != "" && !slices.Contains(names, strings.TrimSpace(name)) {
				kept = append(kept, part)
			}
		}
	}
	h.Del("Cookie")
	if len(kept) > 0 {
		h.Set("Cookie", strings.Join(kept, "; "))
	}
}

// upstreams are the ways to apps that are in use, each with its idle tunnels.
type upstreams struct {
	dialer Dialer
	mu     sync.Mutex
	known  map[upstreamKey]*upstream
}

type upstreamKey struct {
	instanceID string
	start      int64
	port       int32
}

type upstream struct {
	transport *http.Transport
	used      time.Time // guarded by upstreams.mu

	mu    sync.Mutex
	token string
}

const upstreamLife = 2 * time.Minute // unused

func newUpstreams(d Dialer) *upstreams {
	return &upstreams{dialer: d, known: map[upstreamKey]*upstream{}}
}

func (us *upstreams) get(d *door) *upstream {
	k := upstreamKey{d.row.ID, d.start, d.port}
	us.mu.Lock()
	defer us.mu.Unlock()
	up := us.known[k]
	if up == nil {
		up = &upstream{transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dial(ctx, us.dialer, d.namespace, d.pod, d.port)
			},
			MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, DisableCompression: true,
		}}
		us.known[k] = up
	}
	up.used = time.Now()
	return up
}

func (us *upstreams) sweep() {
	us.mu.Lock()
	defer us.mu.Unlock()
	for k, up := range us.known {
		if time.Since(up.used) > upstreamLife {
			up.transport.CloseIdleConnections()
			delete(us.known, k)
		}
	}
}

func (us *upstreams) closeAll() {
	us.mu.Lock()
	defer us.mu.Unlock()
	for k, up := range us.known {
		up.transport.CloseIdleConnections()
		delete(us.known, k)
	}
}

const dialTimeout = 15 * time.Second

// dial bounds a tunnel's opening; one that comes too late is closed.
func dial(ctx context.Context, d Dialer, namespace, pod string, port int32) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	type result struct {
		c   net.Conn
		err error
	}
	got := make(chan result, 1)
	go func() {
		c, err := d.Dial(ctx, namespace, pod, port)
		got <- result{c, err}
	}()
	select {
	case r := <-got:
		return r.c, r.err
	case <-ctx.Done():
		go func() {
			if r := <-got; r.c != nil {
				_ = r.c.Close()
			}
		}()
		return nil, fmt.Errorf("reach %s port %d: %w", pod, port, ctx.Err())
	}
}
