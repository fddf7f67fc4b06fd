package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
)

// Dialer opens connections to ports of pods.
type Dialer interface {
	Dial(ctx context.Context, namespace, pod string, port int32) (net.Conn, error)
}

// Shells runs commands in containers.
type Shells interface {
	Exec(ctx context.Context, s kube.Shell) error
}

// Secrets knows the secret of an instance's current start.
type Secrets interface {
	LoginSecret(ctx context.Context, i *ent.Instance) (instance.Secret, error)
}

var (
	_ Dialer  = (*kube.Client)(nil)
	_ Shells  = (*kube.Client)(nil)
	_ Secrets = (*instance.Service)(nil)
)

// Deps are what the gateway works with.
type Deps struct {
	DB      *db.DB
	Broker  event.Broker
	Redis   redis.UniversalClient // codes and cookies of apps: several processes serve them
	Config  config.Config
	Account *account.Service
	Secrets Secrets
	Dialer  Dialer
	Shells  Shells
}

// Gateway leads into instances.
type Gateway struct {
	Deps
	site      *url.URL
	suffix    string // of the apps' hosts: "." and the platform's host
	doors     *doors
	live      *live
	upstreams *upstreams
	terminals *terminals
	forwards  *forwards
}

// New makes a Gateway; Run must be running for connections to end in time and
// for SSH.
func New(d Deps) *Gateway {
	u, err := url.Parse(d.Config.URL)
	if err != nil { // validated at start
		u = &url.URL{Scheme: "http", Host: "localhost"}
	}
	g := &Gateway{Deps: d, site: u, suffix: "." + u.Host, doors: newDoors(), live: newLive(), upstreams: newUpstreams(d.Dialer)}
	g.terminals = newTerminals(g)
	g.forwards = newForwards(g)
	return g
}

const (
	sweepEvery = 15 * time.Second
	// lookEvery is how often it looks for people and sessions of whose end no message came.
	lookEvery = 4 * time.Second
)

// Run ends connections whose right is gone and keeps the SSH ports, until ctx ends.
func (g *Gateway) Run(ctx context.Context) {
	instances := g.Broker.Subscribe(ctx, "instance", "")
	teams := g.Broker.Subscribe(ctx, "team", "") // memberships change with them
	sessions := g.Broker.Subscribe(ctx, account.Topic, "")
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	defer g.forwards.closeAll()
	defer g.terminals.closeAll()
	defer g.upstreams.closeAll()
	g.forwards.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case m, more := <-instances:
			if !more {
				return
			}
			g.doors.forget(m.ID)
			g.recheck(ctx, m.ID)
			g.forwards.look(ctx, m.ID)
		case _, more := <-teams:
			if !more {
				return
			}
			g.people(ctx)
		case m, more := <-sessions: // one has ended, or a person's right to be here
			if !more {
				return
			}
			if ident.Is(ident.User, m.ID) {
				g.people(ctx)
				continue
			}
			g.doors.forgetAll()
			g.recheck(ctx, "")
		case <-look.C:
			g.missed(ctx)
		case <-tick.C:
			g.doors.sweep()
			g.upstreams.sweep()
			g.terminals.sweep()
			g.recheck(ctx, "")
			g.forwards.sweep(ctx)
		}
	}
}

// people ends everything whose right went with a membership or a person.
func (g *Gateway) people(ctx context.Context) {
	g.doors.forgetAll()
	g.recheck(ctx, "")
	g.terminals.sweep() // shells without a browser are no open connections
	g.forwards.sweep(ctx)
}

// missed does what a lost message would have done: who was disabled is out within seconds.
func (g *Gateway) missed(ctx context.Context) {
	if err := g.Account.EndLapsed(ctx); err != nil {
		slog.Warn("lapsed sessions not looked for", "err", err)
	}
	some, err := g.Account.SomebodyDisabled(ctx, time.Now().UTC().Add(-3*lookEvery))
	if err != nil {
		slog.Warn("disabled people not looked for", "err", err)
	}
	if some {
		g.people(ctx)
	}
}

// recheck asks again whether open connections into an instance (all of them for
// "") may stay, and ends those that may not.
func (g *Gateway) recheck(ctx context.Context, instanceID string) {
	for _, c := range g.live.of(instanceID) {
		door, err := g.admit(ctx, grant{c.userID, c.sessionID, c.instanceID, c.app}, "")
		switch {
		case err != nil && !denied(err):
			slog.Warn("right of a connection not checked", "instance_id", c.instanceID, "err", err)
		case err != nil:
			c.cancel(err)
		case door.start != c.start:
			c.cancel(notRunning(nil))
		}
	}
}
