package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
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
	Page     fs.FS // built page with index.html; frontend.Dist()
	// Cluster says whether the cluster answers, for people who look at /readyz; nil for unknown.
	Cluster func(context.Context) error
	// Registry gets the server's metrics and is shown at /metrics.
	Registry *prometheus.Registry
	// Proxies are the addresses of proxies whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
}

// Bounds of requests to the page and the API; apps have none of these.
const (
	maxBody       = 1 << 20
	signInsMinute = 20 // tries to redeem a link a minute, of one address
)

// New makes the handler of everything.
func New(d Deps) http.Handler {
	s := &server{Deps: d, page: newPage(d.Page), languages: newLanguages(), metrics: newMetrics(d.Registry)}
	r := chi.NewRouter()
	r.Use(s.secure, limitBody, http.NewCrossOriginProtection().Handler)

	r.Group(func(r chi.Router) {
		r.Use(s.session)
		r.Handle(graphPath, d.API)
		r.Get("/logs/{attemptId}", s.downloadLog)
		r.Get("/audit", s.exportAudit)
		r.Get("/terminal/{instanceId}", d.Terminal.ServeHTTP)
		r.With(s.limit(signInsMinute)).Post("/auth/link", s.signIn)
		r.With(s.limit(signInsMinute)).Post("/auth/revoke", s.revoke)
		s.providerRoutes(r)
	})
	s.deviceRoutes(r)
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	r.Get("/readyz", s.ready)
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(d.Registry, promhttp.HandlerOpts{}))
	r.NotFound(s.page.ServeHTTP)
	r.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) })

	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if d.Apps != nil && d.Apps.Serves(req.Host) {
			d.Apps.ServeHTTP(w, req)
			return
		}
		r.ServeHTTP(w, req)
	}))
}

type server struct {
	Deps
	page      *page
	languages *languages
	metrics   *metrics
}

// How Serve stops: requests may end by themselves first, then streams are ended.
const (
	graceRequests = 3 * time.Second
	graceTotal    = 10 * time.Second
)

// Serve serves until ctx ends, then lets requests finish and ends sockets and
// streams. It returns nil after an orderly stop.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return base },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
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
