package gateway

import (
	"encoding/json"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

var statuses = map[fault.Kind]int{
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden, fault.NotFound: http.StatusNotFound,
	fault.InvalidArgument: http.StatusBadRequest, fault.FailedPrecondition: http.StatusServiceUnavailable,
	fault.ResourceExhausted: http.StatusTooManyRequests, fault.Unavailable: http.StatusBadGateway,
}

// words are a fault in the viewer's language; what is no fault stays in the log.
func words(r *http.Request, err error) (*fault.Error, string) {
	var f *fault.Error
	if !errors.As(err, &f) {
		slog.Error("gateway failed", "request_id", middleware.GetReqID(r.Context()), "err", err)
		f = fault.New(fault.Unavailable, "gateway.unavailable", nil)
	} else if f.Cause != nil {
		slog.Warn("gateway refused", "request_id", middleware.GetReqID(r.Context()), "err", err)
	}
	return f, lang.Text(lang.From(r.Context()), "fault."+f.ID, f.Args)
}

// refuse answers with a page for people and JSON for programs.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, instanceID string, err error) {
	f, text := words(r, err)
	status, ok := statuses[f.Kind]
	if !ok {
		status = http.StatusBadGateway
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"code": string(f.Kind), "message": text})
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	l := lang.From(r.Context())
	back := strings.TrimSuffix(g.Config.URL, "/") + "/"
	if instanceID != "" {
		back += "instances/" + instanceID
	}
	_ = refusal.Execute(w, map[string]any{
		"Lang": string(l), "Text": text, "Back": back, "BackText": lang.Text(l, "gateway.back", nil),
		"Again": f.ID == "gateway.starting" || f.ID == "gateway.no-answer",
		"Title": lang.Text(l, "gateway.title", nil),
	})
}

var refusal = template.Must(template.New("refusal").Parse(`<!doctype html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{{if .Again}}<meta http-equiv="refresh" content="4">{{end}}<title>{{.Title}}</title>
<style>:root{color-scheme:light dark}body{font:15px/1.6 system-ui,sans-serif;margin:18vh auto 0;max-width:34rem;padding:0 1.5rem}
a{color:#2563eb}@media(prefers-color-scheme:dark){a{color:#7aa7ff}}</style></head>
<body><main><p role="alert">{{.Text}}</p><p><a href="{{.Back}}">{{.BackText}}</a></p></main></body></html>
`))
