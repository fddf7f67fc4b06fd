package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/fault"
)

func FuzzAuditQuery(f *testing.F) {
	for _, q := range []string{"format=csv", "format=jsonl&since=2026-01-31T08:00:00Z&until=2026-02-01T08:00:00Z", "format=xml&since=yesterday", "format=csv&format=jsonl", "a=%", "since=9999999999-01-01T00:00:00Z", "format=csv&action='%20OR%201=1", "format=csv&teamId=%00"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		filter, as, err := auditQuery(q)
		if err != nil {
			if fault.KindOf(err) != fault.InvalidArgument {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if as != audit.CSV && as != audit.JSONLines {
			t.Errorf("%q: format %q", raw, as)
		}
		for _, at := range []*time.Time{filter.Since, filter.Until} {
			if at != nil && (at.Year() < 0 || at.Year() > 9999) {
				t.Errorf("%q: %v", raw, at)
			}
		}
	})
}

// FuzzSignInBody: whatever is sent, the answer is a refusal with words, and no token comes back in it.
func FuzzSignInBody(f *testing.F) {
	for _, b := range []string{`{"token":"abc"}`, `{"token":""}`, `{"token":1}`, `{"token":null}`, `[]`, `null`, `"x"`, ``, `{"token":"a","token":"b"}`, `{"TOKEN":"x"}`, "{\"token\":\"\\u0000\"}", `{"token":{"a":1}}`, strings.Repeat("[", 10_000)} {
		f.Add("application/json", b)
	}
	f.Add("text/plain", `{"token":"abc"}`)
	f.Add("application/json; charset=utf-16", `{}`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		in, err := readSignIn(request(kind, body))
		token := in.Token
		if err == nil {
			if len(token) > maxSignIn {
				t.Errorf("a token of %d bytes", len(token))
			}
			return
		}
		w := httptest.NewRecorder()
		fail(w, request(kind, body), err)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "JSON") {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

func request(kind, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/auth/link", strings.NewReader(body))
	r.Header["Content-Type"] = []string{kind}
	return r
}
