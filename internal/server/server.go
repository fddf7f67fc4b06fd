package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/logstore"
)

// Apps serves the hosts of apps.
type Apps interface {
	http.Handler
	// Serves reports whether a host is one of an app.
	Serves(host string) bool
}

// Deps are what the server works with.
type Deps struct {
	Config   config.Config
	DB       *db.DB
	Account  *account.Service
	Audit    *audit.Service
	API      http.Handler // graph.New
	Apps     Apps         // gateway.Apps
	Terminal http.Handler // gateway.Terminal; reads the path value "instanceId"
	Logs     *logstore.Store
	Files    *courier.Service
	Page     fs.FS // built page with index.html; frontend.Dist()
	// Cluster says whether the cluster answers, for people who look at /readyz; nil for unknown.
	Cluster func(context.Context) error
	// Registry gets the server's metrics and is shown at /metrics, to who reads everything.
	Registry *prometheus.Registry
	// Proxies are the addresses of proxies whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
}

// Bounds of requests to the page and the API; apps have none of these.
const (
	maxBody       = 2 << 20
	signInPath    = "/sign-in"
	programs      = "/api/" // routes of files and of programs; all else that is asked with GET is the page's
	signInsMinute = 20      // tries to redeem a link a minute, of one address
)

// New makes the handler of everything.
func New(d Deps) http.Handler {
	s := &server{Deps: d, page: newPage(d.Page), languages: newLanguages(), metrics: newMetrics(d.Registry), limited: newOnce(time.Minute)}
	r := s.routes()
	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if d.Apps != nil && d.Apps.Serves(req.Host) {
			d.Apps.ServeHTTP(w, req) // it lifts the bound on arrival for whom it lets in
			return
		}
		r.ServeHTTP(w, req)
	}))
}

// Route is a method with a pattern of a path.
type Route struct{ Method, Pattern string }

// Routes are all routes but the page's, for the account of who may use them.
func Routes(d Deps) []Route {
	var out []Route
	s := &server{Deps: d, metrics: newMetrics(nil)}
	_ = chi.Walk(s.routes(), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		out = append(out, Route{method, pattern})
		return nil
	})
	return out
}

func (s *server) routes() chi.Router {
	d := s.Deps
	r := chi.NewRouter()
	r.Use(s.secure, http.NewCrossOriginProtection().Handler, bounded)

	r.Group(func(r chi.Router) {
		r.Use(s.session)
		r.Method(http.MethodPost, graphPath, d.API)
		r.Method(http.MethodGet, graphPath, d.API) // sockets, and queries without effect
		r.Get(programs+"logs/{attemptId}", s.downloadLog)
		r.Get(programs+"audit", s.exportAudit)
		r.Get("/metrics", s.collect)
		r.Get("/terminal/{instanceId}", d.Terminal.ServeHTTP)
		r.With(s.limit(signInsMinute)).Post("/auth/link", s.signIn)
		r.With(s.limit(signInsMinute)).Post(signInPath, s.signIn)
		r.With(s.limit(signInsMinute)).Post("/auth/revoke", s.revoke)
		s.providerRoutes(r)
		s.fileRoutes(r)
	})
	s.deviceRoutes(r)
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	r.Get("/readyz", s.ready)
	r.NotFound(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, programs) || strings.HasPrefix(req.URL.Path, filesPrefix) {
			http.NotFound(w, req) // a program that asks for the wrong thing reads no page
			return
		}
		s.page.ServeHTTP(w, req)
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == signInPath && (req.Method == http.MethodGet || req.Method == http.MethodHead) {
			s.page.ServeHTTP(w, req) // a path of the page's, too
			return
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	})
	return r
}

type server struct {
	Deps
	page      *page
	languages *languages
	metrics   *metrics
	limited   *once // addresses whose sign-ins were refused for being too many
}

// How Serve stops: requests may end by themselves first, then streams are ended.
const (
	graceRequests = 3 * time.Second
	graceTotal    = 10 * time.Second
)

// How long a request may take to arrive. Where large ones are meant to – in
// apps, for whom they belong to – the gateway lifts it.
const (
	headerWithin = 10 * time.Second
	arriveWithin = 30 * time.Second
)

// HTTP is a server of a handler with the bounds that keep it for everybody.
func HTTP(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerWithin, ReadTimeout: arriveWithin, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
}

// Serve serves until ctx ends, and cuts off who does not read (Unstalled). Then
// it lets requests finish and ends sockets and streams. It returns nil after an
// orderly stop.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	srv := HTTP(h)
	srv.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(Unstalled(l, stalledAfter)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), graceTotal)
	defer stop()
	t := time.AfterFunc(graceRequests, cut)
	defer t.Stop()
	if err := srv.Shutdown(late); err != nil {
		_ = srv.Close()
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stop serving: %w", err)
		}
	}
	return nil
}
