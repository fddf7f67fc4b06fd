package registry

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const tokenPath = "/token"

// Answer answers everything with a status and an error of a registry.
func Answer(status int, code, message string) Behaviour {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, code, message) })
	}
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, message)
}

// Basic asks for a user's password.
func Basic(user, password string) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if u, p, ok := req.BasicAuth(); !ok || u != user || p != password {
				w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
				refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "authentication required")
				return
			}
			next.ServeHTTP(w, req)
		})
	}
}

// Bearer asks for a token, as public registries do: everybody gets one, and
// only the one of the right user opens the repository.
func (r *Registry) Bearer(user, password string) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == tokenPath {
				r.token(w, req, user, password)
				return
			}
			switch req.Header.Get("Authorization") {
			case "Bearer good":
				next.ServeHTTP(w, req)
			case "":
				r.challenge(w, req, "")
				refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "authentication required")
			default:
				r.challenge(w, req, `,error="insufficient_scope"`)
				refuse(w, http.StatusUnauthorized, "DENIED", "requested access to the resource is denied")
			}
		})
	}
}

func (r *Registry) challenge(w http.ResponseWriter, req *http.Request, more string) {
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s%s",service="registry",scope="repository:%s:pull"%s`,
		r.base, tokenPath, repositoryOf(req.URL.Path), more))
}

func (r *Registry) token(w http.ResponseWriter, req *http.Request, user, password string) {
	u, p, ok := req.BasicAuth()
	if req.Method == http.MethodPost { // OAuth 2
		u, p, ok = req.FormValue("username"), req.FormValue("password"), true
	}
	token := "anonymous"
	if ok && u != "" {
		if u != user || p != password {
			refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "incorrect username or password")
			return
		}
		token = "good"
	}
	fmt.Fprintf(w, `{"token":%q,"access_token":%q,"expires_in":300}`, token, token)
}

// layer reports requests for the content of something big.
func layer(req *http.Request, next http.Handler) ([]byte, bool) {
	if req.Method != http.MethodGet || !strings.Contains(req.URL.Path, "/blobs/") {
		return nil, false
	}
	whole := req.Clone(req.Context())
	whole.Header.Del("Range")
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, whole)
	b, err := io.ReadAll(rec.Body)
	return b, err == nil && rec.Code == http.StatusOK && len(b) >= bigLayer
}

// bigLayer is what no configuration of an image reaches.
const bigLayer = 64 << 10

// Held sends half of each layer and the rest once the channel is closed.
func Held(release <-chan struct{}) Behaviour {
	return halves(func(w http.ResponseWriter, req *http.Request, rest []byte) {
		select {
		case <-release:
			_, _ = w.Write(rest)
		case <-req.Context().Done():
		}
	})
}

// Trickling sends the second half of each layer in small pieces.
func Trickling(pause time.Duration) Behaviour {
	return halves(func(w http.ResponseWriter, req *http.Request, rest []byte) {
		for piece := len(rest)/20 + 1; len(rest) > 0 && req.Context().Err() == nil; time.Sleep(pause) {
			n := min(piece, len(rest))
			_, _ = w.Write(rest[:n])
			flush(w)
			rest = rest[n:]
		}
	})
}

// Cut ends the first connections that ask for a layer in its middle, and later
// ones at once: a runtime resumes, and gives up when nothing more comes.
func Cut(times int32) Behaviour {
	var left atomic.Int32
	left.Store(times)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			b, ok := layer(req, next)
			if !ok || left.Add(-1) < 0 {
				next.ServeHTTP(w, req)
				return
			}
			if req.Header.Get("Range") == "" {
				w.Header().Set("Content-Length", strconv.Itoa(len(b)))
				_, _ = w.Write(b[:len(b)/2])
				flush(w)
			}
			panic(http.ErrAbortHandler)
		})
	}
}

func halves(rest func(http.ResponseWriter, *http.Request, []byte)) Behaviour {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			b, ok := layer(req, next)
			if !ok {
				next.ServeHTTP(w, req)
				return
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(b)))
			_, _ = w.Write(b[:len(b)/2])
			flush(w)
			rest(w, req, b[len(b)/2:])
		})
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
