package devinit

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"time"
)

const (
	lookAgain = 30 * time.Second // for a program that the user may install
	holdFirst = 10 * time.Second // a request, before it is told to come again
)

// awaitDemand waits until the app's program is there and somebody asks for the
// app, and returns the program; ok is false when the container ends before.
// From then on the port is held until ctx ends.
func (s *supervisor) awaitDemand(ctx context.Context) (path string, ok bool) {
	var listener net.Listener
	for listener == nil {
		if path, ok = s.find(); !ok {
			s.board.Set(s.app.Name, StateAbsent, "the image has no "+s.app.Program)
		} else {
			var err error
			if listener, err = net.Listen("tcp", fmt.Sprintf(":%d", s.app.Port)); err == nil {
				break
			}
			if s.board.Set(s.app.Name, StateCrashed, err.Error()) {
				s.log("cannot hold its port: " + err.Error())
			}
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return "", false
		}
	}
	asked := make(chan struct{})
	s.board.Set(s.app.Name, StateIdle, "")
	s.demand.Go(func() {
		if err := serveUntil(ctx, listener, s.front(sync.OnceFunc(func() { close(asked) }))); err != nil {
			s.log("its port is lost: " + err.Error())
		}
	})
	select {
	case <-asked:
		s.log("is asked for")
		return path, true
	case <-ctx.Done():
		s.board.Set(s.app.Name, StateStopped, "")
		return "", false
	}
}

// find looks also where "pip install --user" puts programs.
func (s *supervisor) find() (string, bool) {
	if path, ok := lookPath(s.app.Program, s.settings.Environ); ok {
		return path, true
	}
	own := filepath.Join(s.settings.Home, ".local/bin", s.app.Program)
	return own, executable(own)
}

// front asks for the password, wakes the app, and passes on to it once it
// answers.
func (s *supervisor) front(wake func()) http.Handler {
	target := &url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", s.app.Inner)}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(s.output.about(s.app.Name), s.app.Name+": ", 0),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(target)
			pr.Out.Host = pr.In.Host
			pr.Out.Header.Del("Authorization")
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.secrets.Carries(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="the instance's password, with any name", charset="UTF-8"`)
			http.Error(w, s.app.Name+" takes the password of this start", http.StatusUnauthorized)
			return
		}
		wake()
		if !s.holdUntilReady(r.Context()) {
			w.Header().Set("Retry-After", "3")
			w.Header().Set("Refresh", "3") // browsers show this page and come again
			http.Error(w, s.app.Name+" is starting", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

// holdUntilReady keeps a request for a while and reports whether the app is ready.
func (s *supervisor) holdUntilReady(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, holdFirst)
	defer stop()
	tick := time.NewTicker(probeStarting)
	defer tick.Stop()
	for {
		if a, _ := s.board.App(s.app.Name); a.State == StateReady {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
