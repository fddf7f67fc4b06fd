package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/goblinlab/goblinlab/internal/server"
)

// TestCollectorsHaveAnAddressThatShowsNothingElse asks as a collector does.
func TestCollectorsHaveAnAddressThatShowsNothingElse(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector())
	h := server.Metrics(reg)
	for path, want := range map[string]int{"/metrics": http.StatusOK, "/": http.StatusNotFound, "/graphql": http.StatusNotFound} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != want || (want == http.StatusOK) != strings.Contains(w.Body.String(), "go_goroutines") {
			t.Errorf("%s: %d %.60q", path, w.Code, w.Body)
		}
	}
}
