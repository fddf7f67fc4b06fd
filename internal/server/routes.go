package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/logstore"
)

var statuses = map[fault.Kind]int{
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden, fault.NotFound: http.StatusNotFound,
	fault.InvalidArgument: http.StatusBadRequest, fault.Conflict: http.StatusConflict, fault.FailedPrecondition: http.StatusPreconditionFailed,
	fault.ResourceExhausted: http.StatusTooManyRequests, fault.Unavailable: http.StatusServiceUnavailable, fault.Internal: http.StatusInternalServerError,
}

const graphPath = "/graphql"

// fail answers with an error as JSON, with the words and codes of the API.
func fail(w http.ResponseWriter, r *http.Request, err error) { failAs(w, r, 0, err) }

// failAs is fail with a status of its own; 0 for that of the error's code.
func failAs(w http.ResponseWriter, r *http.Request, status int, err error) {
	e := graph.Present(r.Context(), err)
	body := map[string]any{"message": e.Message}
	for k, v := range e.Extensions {
		body[k] = v
	}
	if r.URL.Path == graphPath { // its clients read nothing else
		body = map[string]any{"errors": []any{map[string]any{"message": e.Message, "extensions": e.Extensions}}}
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Disposition")
	if code, ok := e.Extensions["code"].(string); ok && status == 0 {
		status = statuses[fault.Kind(code)]
	}
	if status == 0 {
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *server) tooMany(w http.ResponseWriter, r *http.Request) {
	address := s.address(r)
	if s.limited.first(address) { // once a minute: an attack must not fill the log
		if err := s.Account.NoteLimited(r.Context(), address); err != nil {
			slog.Error("refused sign-ins not written down", "err", err)
		}
	}
	fail(w, r, fault.New(fault.ResourceExhausted, "api.too-many", nil))
}

const signInExample = `{"token":"…"} or {"email":"…","password":"…"}`

// signIn redeems a link, POST {"token": "…"}, or takes an address and a password.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	in, err := readSignIn(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	if in.Token == "" && (in.Email != "" || in.Password != "") {
		err = s.Account.SignInWithPassword(r.Context(), in.Email, in.Password, s.address(r))
	} else {
		err = s.Account.SignIn(r.Context(), in.Token, s.address(r))
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

const maxSignIn = 4096 // bytes

// proof is what lets somebody in.
type proof struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// readSignIn reads the body of a sign-in.
func readSignIn(r *http.Request) (in proof, err error) {
	wrong := fault.New(fault.InvalidArgument, "api.json", fault.Args{"example": signInExample})
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return in, wrong
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxSignIn)).Decode(&in); err != nil {
		return in, wrong
	}
	return in, nil
}

// ready tells whether requests can be served: with the database. The cluster's
// state is shown and does not count, since most of the API works without it.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, stop := context.WithTimeout(r.Context(), 5*time.Second)
	defer stop()
	out, status := map[string]string{"database": "ok", "cluster": "unknown"}, http.StatusOK
	if err := s.DB.SQL.PingContext(ctx); err != nil {
		out["database"], status = "unreachable", http.StatusServiceUnavailable
		slog.Warn("database does not answer", "err", err)
	}
	if s.Cluster != nil {
		out["cluster"] = "ok"
		if err := s.Cluster(ctx); err != nil {
			out["cluster"] = "unreachable"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

// downloadLog sends an attempt's whole log as text, with times if asked (?times=1),
// and without the platform's own lines if asked (?platform=0).
func (s *server) downloadLog(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("attemptId")
	if _, err := authz.Require(r.Context()); err != nil {
		fail(w, r, err)
		return
	}
	if !ident.Is(ident.Attempt, id) {
		fail(w, r, fault.Missing("attempt", id))
		return
	}
	attach(w, "text/plain", id+".log")
	finish(w, r, s.Logs.WriteTo(r.Context(), id, w, logstore.Form{
		Times: r.URL.Query().Get("times") == "1", OutputOnly: r.URL.Query().Get("platform") == "0", Lang: lang.From(r.Context()),
	}))
}

// exportAudit sends the audit log (?format=csv or jsonl), narrowed by the words
// of the API's filter: teamId, actorId, objectId, action, since, until.
func (s *server) exportAudit(w http.ResponseWriter, r *http.Request) {
	f, as, err := auditQuery(r.URL.Query())
	if err != nil {
		fail(w, r, err)
		return
	}
	kind := "text/csv"
	if as == audit.JSONLines {
		kind = "application/jsonl"
	}
	attach(w, kind, "audit."+string(as))
	finish(w, r, s.Audit.Export(r.Context(), w, f, as))
}

func auditQuery(q url.Values) (audit.Filter, audit.Format, error) {
	var bad fault.Fields
	as := audit.Format(q.Get("format"))
	if as != audit.CSV && as != audit.JSONLines {
		bad.Add("format", "audit.format", fault.Args{"value": string(as)})
	}
	f := audit.Filter{TeamID: q.Get("teamId"), ActorID: q.Get("actorId"), ObjectID: q.Get("objectId"), Action: q.Get("action")}
	for name, at := range map[string]**time.Time{"since": &f.Since, "until": &f.Until} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			bad.Add(name, "audit.time", fault.Args{"value": text})
			continue
		}
		*at = &t
	}
	return f, as, bad.Err()
}

func attach(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// finish ends a download: by an answer that says what went wrong, or, when it is
// too late for that, by breaking off, so that nobody takes it for whole.
func finish(w http.ResponseWriter, r *http.Request, err error) {
	ww, ok := w.(middleware.WrapResponseWriter)
	switch {
	case err == nil:
	case ok && ww.BytesWritten() > 0:
		if !errors.Is(err, context.Canceled) {
			slog.Warn("download broke off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler)
	default:
		fail(w, r, err)
	}
}
