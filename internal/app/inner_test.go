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
