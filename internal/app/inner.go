package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/localcluster"
	"github.com/goblinlab/goblinlab/internal/server"
)

// openInner finds the address at which programs inside of instances and runs
// reach the platform. That of people is of no use where it is this machine's
// "localhost": on the local Kubernetes an address of the machine's own is added,
// which pods reach and other machines do not; elsewhere an operator must say.
func (a *App) openInner(ctx context.Context) error {
	c := &a.Config
	switch {
	case c.PodURL != "":
		return nil
	case !c.Cluster.Local:
		slog.Warn("instances and runs do not reach the platform at " + c.URL + "; give --podurl with an address that pods reach")
		return nil
	case local(*c).HostOnly(): // pods have the machine's own network
		c.PodURL = c.URL
		return nil
	case !a.Roles.Serve:
		return nil
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(localcluster.ServiceAddress, port))
	if err != nil { // another program has it, or the machine refuses
		slog.Warn("instances and runs do not reach the platform", "err", err)
		return nil
	}
	a.inner, c.PodURL = l, "http://"+l.Addr().String()
	a.closers = append(a.closers, func() error { _ = l.Close(); return nil })
	return nil
}

// serveInner serves programs that show an access token, and nobody else: the
// page, sign-in and cookies are not for that address.
func (a *App) serveInner(ctx context.Context, wg *sync.WaitGroup, h http.Handler) {
	if a.inner == nil {
		return
	}
	wg.Go(func() {
		if err := server.Serve(ctx, a.inner, programsOnly(h)); err != nil && ctx.Err() == nil {
			slog.Error("instances and runs do not reach the platform any more", "err", err)
		}
	})
}

func programsOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || !account.IsToken(strings.TrimSpace(text)) {
			http.Error(w, "This address is for programs with an access token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
