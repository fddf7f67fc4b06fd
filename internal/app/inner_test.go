package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/goblinlab/goblinlab/internal/account"
)

func TestTheAddressForProgramsIsForThemAlone(t *testing.T) {
	t.Parallel()
	token := new(account.Service).NewInsideText()
	h := programsOnly(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for header, want := range map[string]int{
		"":                           http.StatusUnauthorized,
		"Bearer x":                   http.StatusUnauthorized,
		"Basic " + token:             http.StatusUnauthorized,
		"Bearer " + token[:42] + "7": http.StatusUnauthorized,
		"Bearer " + token:            http.StatusTeapot,
		"bearer  " + token:           http.StatusTeapot,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", nil)
		r.Header.Set("Authorization", header)
		r.AddCookie(&http.Cookie{Name: "goblinlab", Value: "x"})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want && !(header == "Bearer "+token[:42]+"7" && token[42] == '7') {
			t.Errorf("%.12s… gives %d, want %d", header, w.Code, want)
		}
	}
}

func TestWhichClustersAreOnThisMachine(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]bool{
		"https://127.0.0.1:40123": true, "https://localhost:6443": true, "https://[::1]:6443": true,
		"https://10.0.0.1:6443": false, "https://k8s.example.org": false, "": false, "::": false,
	} {
		if got := onThisMachine(server); got != want {
			t.Errorf("%q: %v", server, got)
		}
	}
	if !ours("127.0.0.1") || ours("192.0.2.1") {
		t.Error("it does not know this machine's addresses")
	}
}
