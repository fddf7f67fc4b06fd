package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

type metrics struct {
	seconds *prometheus.HistogramVec
	open    prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "goblinlab_http_request_seconds", Help: "How long requests took, by route, method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method", "status"}),
		open: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "goblinlab_http_requests_open", Help: "Requests under way, sockets and streams among them.",
		}),
	}
	if r != nil {
		r.MustRegister(m.seconds, m.open)
	}
	return m
}

// count notes a request. Methods that HTTP does not know count as one, so that
// nobody can make series at will.
func (m *metrics) count(route, method string, status int, took time.Duration) {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		method = "other"
	}
	if status == 0 { // hijacked, or nothing was written
		status = 101
	}
	m.seconds.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// Metrics shows a registry at /metrics to whoever reaches it, and nothing else:
// for an address that collectors alone reach.
func Metrics(r *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	return mux
}

// collect shows the metrics to administrators and auditors: routes and rates
// tell much of who works here. Collectors have an address of their own (Metrics).
func (s *server) collect(w http.ResponseWriter, r *http.Request) {
	v, err := authz.Require(r.Context())
	switch {
	case err != nil:
		fail(w, r, err)
	case !v.ReadsAll():
		fail(w, r, fault.New(fault.Forbidden, "metrics", nil))
	default:
		promhttp.HandlerFor(s.Registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	}
}
