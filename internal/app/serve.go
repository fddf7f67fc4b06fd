package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/goblinlab/goblinlab/frontend"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/gateway"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/localcluster"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/server"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Listen takes the address, so that a busy one is told before anything starts.
func (a *App) Listen(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", a.Config.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", a.Config.Listen, err)
	}
	proxies := a.Config.TrustedProxies()
	a.listener = server.Fair(l, server.MaxPerAddress, func(from netip.Addr) bool {
		return from.IsLoopback() || slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(from) })
	})
	a.closers = append(a.closers, func() error { _ = l.Close(); return nil })
	if a.Config.MetricsListen == "" {
		return nil
	}
	if a.collectors, err = lc.Listen(ctx, "tcp", a.Config.MetricsListen); err != nil {
		return fmt.Errorf("listen on %s for metrics: %w; choose another address with --metricslisten", a.Config.MetricsListen, err)
	}
	a.closers = append(a.closers, func() error { _ = a.collectors.Close(); return nil })
	return nil
}

func (a *App) serve(ctx context.Context) error {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	g := gateway.New(gateway.Deps{
		DB: a.DB, Broker: a.Broker, Redis: a.Redis, Config: a.Config, Account: a.Accounts,
		Secrets: a.Instances, Dialer: a.Kube, Shells: a.Kube,
	})
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { g.Run(ctx) })
	h := server.New(server.Deps{
		Config: a.Config, DB: a.DB, Account: a.Accounts, Audit: a.Audit,
		API: graph.New(graph.Deps{
			DB: a.DB, Broker: a.Broker, Config: a.Config, Account: a.Accounts, Audit: a.Audit, Teams: a.Teams, Persons: a.People, Images: a.Images,
			Volumes: a.Volumes, PlatformVolumes: a.PlatformVolumes, Instances: a.Instances, Cluster: a.Cluster, Secrets: a.Secrets, Shares: a.Shares, Flows: a.Flows, Runs: a.Runs, Logs: a.Logs, Settings: a.Settings, Apps: g,
		}),
		Apps: g, Terminal: g.Terminal(), Logs: a.Logs, Files: a.Files, Page: frontend.Dist(), Cluster: a.Kube.Ping, Proxies: a.Config.TrustedProxies(), Registry: reg,
	})
	a.serveInner(ctx, &wg, h)
	if a.collectors != nil {
		wg.Go(func() {
			if err := server.Serve(ctx, a.collectors, server.Metrics(reg)); err != nil && ctx.Err() == nil {
				slog.Error("metrics are not shown any more", "err", err)
			}
		})
	}
	slog.Info("serving", "address", a.listener.Addr().String(), "url", a.Config.URL)
	return server.Serve(ctx, a.listener, h)
}

// Secrets is the service of secrets alone, for commands beside a running server.
func Secrets(d *db.DB, c config.Config) (*secret.Service, error) {
	keys, err := secret.OpenKeys(c)
	if err != nil {
		return nil, err
	}
	return secret.New(secret.Deps{DB: d, Broker: event.NewLocal(), Keys: keys}), nil
}

// Volumes is the service of volumes alone, for commands beside a running server.
func Volumes(d *db.DB, c config.Config) (*volume.Service, error) {
	k, err := Cluster(c)
	if err != nil {
		return nil, err
	}
	return volume.New(volume.Deps{DB: d, Broker: event.NewLocal(), Kicker: quiet{}, Kube: k, Config: c}), nil
}

// quiet wakes nobody: what a command leaves to do is in the outbox, which the server sweeps.
type quiet struct{}

// Kick implements outbox.Kicker.
func (quiet) Kick(string, string) {}

// Cluster is the cluster of a configuration; without one that is given, the
// local Kubernetes that runs on the data folder.
func Cluster(c config.Config) (*kube.Client, error) {
	path := c.Cluster.Kubeconfig
	if path == "" && os.Getenv("KUBECONFIG") == "" {
		if st, ok := localcluster.Running(local(c)); ok {
			path = st.Kubeconfig
		}
	}
	k, err := kube.Connect(path, c.Cluster.QPS, c.Cluster.Burst)
	if err != nil {
		return nil, fmt.Errorf("%w; give --cluster.kubeconfig, or start the local Kubernetes", err)
	}
	return k, nil
}

// Accounts is the service of people alone, for commands beside a running server.
func Accounts(d *db.DB, c config.Config) *account.Service {
	return account.New(account.Deps{DB: d, Broker: event.NewLocal(), Config: c})
}
