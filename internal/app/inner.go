package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
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
	case c.Cluster.Local && local(*c).HostOnly(): // pods have the machine's own network
		c.PodURL = c.URL
		return nil
	case !onThisMachine(a.Kube.REST.Host) || !ours(localcluster.ServiceAddress):
		slog.Warn("instances and runs do not reach the platform at " + c.URL + "; give --podurl with an address that pods reach")
		return nil
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(localcluster.ServiceAddress, port)
	if !a.Roles.Serve { // the server beside it listens there
		c.PodURL = "http://" + address
		return nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil { // another program has it
		slog.Warn("instances and runs do not reach the platform", "err", err)
		return nil
	}
	a.inner, c.PodURL = l, "http://"+l.Addr().String()
	a.closers = append(a.closers, func() error { _ = l.Close(); return nil })
	return nil
}

// onThisMachine reports an API server that is reached by loopback.
func onThisMachine(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && a.IsLoopback()
}

// ours reports whether an address is one of this machine's.
func ours(address string) bool {
	all, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.String() == address
	})
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
