package agent

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
)

// Headers between server and agent.
const (
	HeaderFault  = "Goblinlab-Fault" // the body is a WireFault
	HeaderActor  = "Goblinlab-Actor" // id of the person for whom the server asks
	HeaderOffset = "Upload-Offset"
	HeaderLength = "Upload-Length"
)

// Idle is how long an agent waits for another request.
const Idle = 30 * time.Second

// JSONLines is the type of answers in lines.
const JSONLines = "application/jsonl"

// Options of an agent.
type Options struct {
	Dir        string
	Secret     string
	ReadOnly   bool
	Idle       time.Duration
	CleanEvery time.Duration
}

// Agent serves a volume.
type Agent struct {
	v      *files.Volume
	secret [32]byte
	idle   time.Duration
	every  time.Duration
	mux    *http.ServeMux

	mu     sync.Mutex
	active int
	last   time.Time
}

// The files of an agent's credentials.
const (
	FileSecret = "secret"
	FileCert   = "tls.crt"
	FileKey    = "tls.key"
)

// ReadCredentials reads what callers have to know, and what proves to them that
// they reach this agent: the address of an ended pod may be another one's soon.
func ReadCredentials(dir string) (secret string, cert tls.Certificate, err error) {
	b, err := os.ReadFile(filepath.Join(dir, FileSecret))
	if err != nil {
		return "", cert, fmt.Errorf("secret: %w", err)
	}
	secret = strings.TrimSpace(string(b))
	if len(secret) < 26 {
		return "", cert, fmt.Errorf("the secret in %s has %d characters; it needs 26 or more", dir, len(secret))
	}
	cert, err = tls.LoadX509KeyPair(filepath.Join(dir, FileCert), filepath.Join(dir, FileKey))
	if err != nil {
		return "", cert, fmt.Errorf("certificate: %w", err)
	}
	return secret, cert, nil
}

// Listen listens with TLS.
func Listen(ctx context.Context, address string, cert tls.Certificate) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}), nil
}

// New opens the volume.
func New(o Options) (*Agent, error) {
	v, err := files.Open(o.Dir, o.ReadOnly)
	if err != nil {
		return nil, fmt.Errorf("volume: %w", err)
	}
	a := &Agent{v: v, secret: sha256.Sum256([]byte(o.Secret)), idle: o.Idle, every: o.CleanEvery, last: time.Now()}
	if a.idle <= 0 {
		a.idle = Idle
	}
	if a.every <= 0 {
		a.every = time.Hour
	}
	a.mux = a.routes()
	return a, nil
}

// Handler serves the agent's requests.
func (a *Agent) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" { // the kubelet's; does not keep us alive
			_, _ = io.WriteString(w, "ok\n")
			return
		}
		got := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		if subtle.ConstantTimeCompare(got[:], a.secret[:]) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		a.busy(1)
		defer a.busy(-1)
		a.mux.ServeHTTP(w, r)
	})
}

func (a *Agent) busy(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active += n
	a.last = time.Now()
}

// left is how long the agent still waits.
func (a *Agent) left() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active > 0 {
		return a.idle
	}
	return a.idle - time.Since(a.last)
}

// Serve serves until ctx ends or nobody has asked for a while, and leaves the
// volume clean.
func (a *Agent) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: a.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	defer a.v.Close()
	clean := time.NewTicker(a.every)
	defer clean.Stop()
	a.clean(false)
	for {
		wait := a.left()
		if wait <= 0 {
			slog.Info("nobody asks any more")
			break
		}
		select {
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-clean.C:
			a.clean(false)
			continue
		case <-time.After(wait):
			continue
		case <-ctx.Done():
		}
		break
	}
	// A request that comes while we end is better refused than begun.
	_ = l.Close()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if srv.Shutdown(stop) != nil {
		_ = srv.Close()
	}
	a.clean(true)
	return nil
}

func (a *Agent) clean(last bool) {
	if err := a.v.Clean(last); err != nil {
		slog.Warn("not cleaned", "err", err)
	}
}

var statuses = map[fault.Kind]int{
	fault.Forbidden: http.StatusForbidden, fault.NotFound: http.StatusNotFound, fault.InvalidArgument: http.StatusBadRequest,
	fault.Conflict: http.StatusConflict, fault.FailedPrecondition: http.StatusPreconditionFailed,
	fault.ResourceExhausted: http.StatusInsufficientStorage, fault.Unavailable: http.StatusServiceUnavailable,
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	if fault.Of(err) == nil || fault.KindOf(err) == fault.Unavailable {
		slog.Warn("request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	f := files.Wire(err)
	status := statuses[f.Kind]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	h := w.Header()
	for _, k := range []string{"Content-Disposition", "Content-Length", "ETag", "Last-Modified"} {
		h.Del(k)
	}
	h.Set(HeaderFault, "1")
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(f)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// lines is an answer in lines.
type lines struct {
	w     http.ResponseWriter
	begun bool
}

func (l *lines) put(v any) error {
	if !l.begun {
		l.w.Header().Set("Content-Type", JSONLines)
		l.begun = true
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := l.w.Write(append(b, '\n')); err != nil {
		return err
	}
	return http.NewResponseController(l.w).Flush()
}

func (l *lines) tell(p files.Progress) error { return l.put(p) }

// end writes the last line: what came out, or what went wrong.
func (l *lines) end(r *http.Request, v any, err error) {
	switch {
	case err != nil && !l.begun:
		fail(l.w, r, err)
	case err != nil:
		_ = l.put(map[string]any{"error": files.Wire(err)})
	default:
		_ = l.put(v)
	}
}

// body reads what a request brings; each part of it has its time, all of it has none.
type body struct {
	io.Reader
	c *http.ResponseController
}

const bodyPause = time.Minute

func (b body) Read(p []byte) (int, error) {
	_ = b.c.SetReadDeadline(time.Now().Add(bodyPause))
	n, err := b.Reader.Read(p)
	if err != nil { // the answer may take its time
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

func bodyOf(w http.ResponseWriter, r *http.Request) (context.Context, io.Reader) {
	c := http.NewResponseController(w)
	ctx := files.WithUnblock(r.Context(), func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	return ctx, body{r.Body, c}
}

const maxJSON = 64 << 10

func decode(r *http.Request, v any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, maxJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fault.New(fault.InvalidArgument, "files.json", nil).Wrap(err)
	}
	if d.More() {
		return fault.New(fault.InvalidArgument, "files.json", nil)
	}
	return nil
}
