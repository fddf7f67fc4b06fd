package server

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/agent"
	"github.com/goblinlab/goblinlab/internal/files/courier"
)

// filesPrefix is where the files of volumes are (docs/adr/0016-files.md).
const filesPrefix = "/files/v1/"

const oneVolume = filesPrefix + "volumes/{volumeId}"

// filesPolicy keeps what people have in their volumes from being anything on our
// origin, should a browser show it.
const filesPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

func (s *server) fileRoutes(r chi.Router) {
	r.Get(oneVolume+"/", s.openVolume)
	for _, w := range courier.Ways() {
		r.Method(w.Method, oneVolume+w.Path, http.HandlerFunc(s.files))
	}
}

// openVolume starts the agent of a volume and tells how it stands.
func (s *server) openVolume(w http.ResponseWriter, r *http.Request) {
	o, err := s.Files.Open(r.Context(), r.PathValue("volumeId"))
	if err != nil {
		fail(w, r, err)
		return
	}
	out := map[string]any{"access": o.Mode, "ready": o.Ready, "message": "",
		"limits": map[string]any{"textBytes": files.MaxText, "chunkBytes": files.MaxChunk, "imageBytes": files.MaxImage}}
	if o.Why != nil {
		out["message"] = graph.Present(r.Context(), o.Why).Message
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(out)
}

// files carries a request to the files of a volume.
func (s *server) files(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("volumeId")
	path := strings.TrimPrefix(r.URL.EscapedPath(), filesPrefix+"volumes/"+id)
	q := courier.Request{Method: r.Method, Path: path, Query: r.URL.RawQuery, Header: r.Header, Size: r.ContentLength}
	if r.Body != nil && r.Body != http.NoBody {
		if r.ContentLength > files.MaxChunk {
			w.Header().Set("Connection", "close")
			failAs(w, r, http.StatusRequestEntityTooLarge, fault.New(fault.InvalidArgument, "files.chunk", fault.Args{"limit": files.MaxChunk >> 20}))
			return
		}
		q.Body = &arriving{r: io.LimitReader(r.Body, files.MaxChunk+1), c: http.NewResponseController(w)}
	}
	ans, err := s.Files.Do(r.Context(), id, q)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer ans.Close()
	h := w.Header()
	for k, v := range ans.Header {
		h[k] = v
	}
	h.Set("Content-Security-Policy", filesPolicy)
	if h.Get("Content-Disposition") == "" {
		h.Set("Content-Disposition", "attachment")
	}
	w.WriteHeader(ans.Status)
	c := http.NewResponseController(w)
	err = ans.Copy(w, func() { _ = c.Flush() }, func(err error) any { return words(r, err) })
	if err != nil {
		if r.Context().Err() == nil {
			slog.Warn("answer about files broke off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler) // so that nobody takes it for whole
	}
}

// words are an error as the API says it.
func words(r *http.Request, err error) map[string]any {
	e := graph.Present(r.Context(), err)
	out := map[string]any{"message": e.Message}
	for k, v := range e.Extensions {
		out[k] = v
	}
	return out
}

// refuse answers with an error, and with what an upload goes on with.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := 0
	var refused *courier.Refusal
	if errors.As(err, &refused) && refused.Offset != "" {
		w.Header().Set(agent.HeaderOffset, refused.Offset)
	}
	f := fault.Of(err)
	switch {
	case f == nil:
	case f.Kind == fault.Conflict && r.Method == http.MethodPut:
		status = http.StatusPreconditionFailed
	case f.Kind == fault.ResourceExhausted:
		status = http.StatusInsufficientStorage
	case f.Kind == fault.Unavailable:
		w.Header().Set("Retry-After", "1")
	}
	if r.Body != nil && r.Body != http.NoBody { // it may still come
		w.Header().Set("Connection", "close")
	}
	failAs(w, r, status, err)
}

// arrivePause is how long a part of what is brought may let wait for the next one.
const arrivePause = time.Minute

// arriving is what a request brings: each part of it has its time, all of it has
// none. Nothing is read before it is clear who asks.
type arriving struct {
	r io.Reader
	c *http.ResponseController
}

func (a *arriving) Read(p []byte) (int, error) {
	_ = a.c.SetReadDeadline(time.Now().Add(arrivePause))
	n, err := a.r.Read(p)
	if err != nil { // the answer may take its time
		_ = a.c.SetReadDeadline(time.Time{})
	}
	return n, err
}
