package devinit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// StatusHandler serves what is known about the apps. It is meant for probes and
// for the platform, carries no secret and changes nothing.
//
//	GET /livez              200 while goblin-init runs
//	GET /readyz             200 when the instance can be used, else 503 (see Board.Ready)
//	GET /readyz?app=NAME    the same for one app; 404 for an unknown or absent one
//	GET /apps               the state of every app as JSON
func StatusHandler(board *Board) http.Handler {
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
	return mux
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

// serveStatus serves until ctx ends. The instance is not ready any more while
// it is being ended, but still alive.
func serveStatus(ctx context.Context, l net.Listener, board *Board) error {
	server := &http.Server{
		Handler:           StatusHandler(board),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      10 * time.Second,
		MaxHeaderBytes:    16 << 10,
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
