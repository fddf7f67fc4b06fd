package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// policy allows the page what it has and nothing else; Mantine needs inline styles.
const policy = "default-src 'self'; object-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

// observe gives each request an id and a language, logs it without its query,
// counts it, and turns a panic into an answer.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := xid.New().String()
		ctx := context.WithValue(r.Context(), middleware.RequestIDKey, id)
		ctx = lang.With(ctx, s.languages.parse(r.Header.Get("Accept-Language")))
		rc := chi.NewRouteContext()
		r = r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, rc))
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		ww.Header().Set("X-Request-Id", id)
		s.metrics.open.Inc()
		defer func() {
			s.metrics.open.Dec()
			p := recover()
			err, _ := p.(error)
			if p != nil && !errors.Is(err, http.ErrAbortHandler) {
				slog.Error("request failed", "request_id", id, "path", r.URL.Path, "err", fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
				if ww.Status() == 0 {
					ww.WriteHeader(http.StatusInternalServerError)
				}
			} else if p != nil {
				s.log(r, ww, rc, id, start)
				panic(p) // a proxied answer that broke off must break off here too
			}
			s.log(r, ww, rc, id, start)
		}()
		next.ServeHTTP(ww, r)
	})
}

func (s *server) log(r *http.Request, ww middleware.WrapResponseWriter, rc *chi.Context, id string, start time.Time) {
	took := time.Since(start)
	route := rc.RoutePattern()
	if route == "" {
		route = "page"
		if s.Apps != nil && s.Apps.Serves(r.Host) {
			route = "app"
		}
	}
	s.metrics.count(route, r.Method, ww.Status(), took)
	level := slog.LevelInfo
	switch route {
	case "page", "app", "/healthz", "/readyz", "/metrics":
		level = slog.LevelDebug
	}
	slog.Log(r.Context(), level, "request", "request_id", id, "method", r.Method, "host", r.Host, "path", r.URL.Path, // never the query: it may hold a token
		"status", ww.Status(), "bytes", ww.BytesWritten(), "ms", took.Milliseconds(), "address", s.address(r))
}

// secure sets what browsers are told about everything of ours.
func (s *server) secure(next http.Handler) http.Handler {
	https := strings.HasPrefix(s.Config.URL, "https://")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store") // the page's files say otherwise
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		if https {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// bounded reads what a request brings before anybody works on it: at most so
// much, and within the time that the server gives a request to arrive. After
// that the connection may be quiet for as long as the answer takes. What is
// brought to files is read when it is clear who brings it.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, filesPrefix) && r.Body != nil && r.Body != http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			var large *http.MaxBytesError
			switch {
			case err == nil:
				r.Body = io.NopCloser(bytes.NewReader(body))
			case errors.As(err, &large):
				w.Header().Set("Connection", "close")
				failAs(w, r, http.StatusRequestEntityTooLarge, fault.New(fault.InvalidArgument, "api.large", fault.Args{"limit": quantity.Memory(maxBody)}))
				return
			default:
				w.Header().Set("Connection", "close")
				failAs(w, r, http.StatusRequestTimeout, fault.New(fault.Unavailable, "api.slow", fault.Args{"limit": int(arriveWithin.Seconds())}))
				return
			}
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		next.ServeHTTP(w, r)
	})
}

// session loads who asks.
func (s *server) session(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := s.Account.Load(w, r, s.address(r))
		if err != nil {
			fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// address is where a request comes from: what proxies that we believe say about
// it, the connection's other end otherwise.
func (s *server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if len(s.Proxies) == 0 || !s.believed(host) {
		return host
	}
	// From the nearest to the farthest: the first that is no proxy of ours.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			return host
		}
		if host = hop; !s.believed(hop) {
			return hop
		}
	}
	return host
}

func (s *server) believed(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	for _, p := range s.Proxies {
		if p.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// languages remembers what headers mean: browsers send few different ones.
type languages struct {
	mu    sync.RWMutex
	known map[string]lang.Lang
}

const maxLanguages = 1000

func newLanguages() *languages { return &languages{known: map[string]lang.Lang{}} }

func (l *languages) parse(header string) lang.Lang {
	l.mu.RLock()
	got, ok := l.known[header]
	l.mu.RUnlock()
	if ok {
		return got
	}
	if len(header) > 512 {
		return lang.English
	}
	got = lang.Parse(header)
	l.mu.Lock()
	if len(l.known) < maxLanguages {
		l.known[header] = got
	}
	l.mu.Unlock()
	return got
}
