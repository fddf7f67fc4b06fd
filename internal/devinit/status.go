package devinit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How much of an app's log is told at once, in bytes.
const (
	defaultLog = 128 << 10
	maxLog     = 2 * maxLogFile
)

// StatusHandler serves what is known about the apps. It is meant for probes and
// for the platform, and changes nothing. What the apps wrote is the user's, so
// that it takes the password; the rest carries no secret.
//
//	GET /livez              200 while goblin-init runs
//	GET /readyz             200 when the instance can be used, else 503 (see Board.Ready)
//	GET /readyz?app=NAME    the same for one app; 404 for an unknown or absent one
//	GET /apps               the state of every app as JSON
//	GET /memory             limit, use and peak, and what was killed for want of it, as JSON
//	GET /apps/NAME/log      the end of an app's log, ?bytes=N of it at most
func StatusHandler(board *Board, kills *killWatch, secrets Secrets, out *Output) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("app"); name != "" {
			appReady(w, board, name)
			return
		}
		if ok, waiting := board.Ready(); !ok {
			http.Error(w, "waiting for "+strings.Join(waiting, ", "), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /apps", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(board.Apps()) // the reader may be gone
	})
	mux.HandleFunc("GET /memory", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(kills.status()) // the reader may be gone
	})
	mux.HandleFunc("GET /apps/{name}/log", func(w http.ResponseWriter, r *http.Request) {
		appLog(w, r, secrets, out)
	})
	return mux
}

// appLog tells the end of an app's log to whoever knows the password.
func appLog(w http.ResponseWriter, r *http.Request, secrets Secrets, out *Output) {
	if !secrets.Carries(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the log takes the password of this start", http.StatusUnauthorized)
		return
	}
	limit := int64(defaultLog)
	if text := r.URL.Query().Get("bytes"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > maxLog {
			http.Error(w, fmt.Sprintf("bytes=%q must be a number from 1 to %d", text, maxLog), http.StatusBadRequest)
			return
		}
		limit = n
	}
	data, ok, err := out.logOf(r.PathValue("name"), limit)
	switch {
	case !ok:
		http.Error(w, "no such app", http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(data) // the reader may be gone
	}
}

func appReady(w http.ResponseWriter, board *Board, name string) {
	app, ok := board.App(name)
	switch {
	case !ok || app.State == StateAbsent:
		http.Error(w, "no such app in this image", http.StatusNotFound)
	case app.State != StateReady:
		http.Error(w, string(app.State), http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ok")
	}
}

// serveUntil serves until ctx ends.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			return served
		}
		return err
	}
}
