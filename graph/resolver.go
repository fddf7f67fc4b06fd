// Package graph is the API: resolvers that decode, call one service and return,
// lists by keyset that read exactly what was selected in a constant number of
// queries, and subscriptions that say "read again" through the viewer's own eyes.
package graph

import (
	"context"
	"net/url"
	"time"

	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/platformvolume"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

//go:generate go tool gqlgen generate
//go:generate go run ./print ../schema.graphql

// Apps opens an app of an instance on an origin of its own.
type Apps interface {
	Open(ctx context.Context, instanceID, app string) (address string, err error)
}

// Deps are what the API works with.
type Deps struct {
	DB      *db.DB
	Broker  event.Broker
	Config  config.Config
	Account *account.Service
	Audit   *audit.Service
	Teams   *team.Service
	Persons *person.Service
	Images  *image.Service
	Volumes *volume.Service

	PlatformVolumes *platformvolume.Service

	Instances *instance.Service
	Cluster   *cluster.Service
	Runs      *run.Service
	Secrets   *secret.Service
	Shares    *share.Service
	Flows     *flow.Service
	Logs      *logstore.Store
	Settings  *setting.Service
	Apps      Apps
	// KeepAlive is how often sockets are asked whether somebody is there; 15 s if zero.
	KeepAlive time.Duration
}

// Resolver answers the API's fields.
type Resolver struct {
	Deps
	site    *model.Site
	viewers *viewers
}

// NewResolver makes one.
func NewResolver(d Deps) *Resolver {
	u, err := url.Parse(d.Config.URL)
	if err != nil { // validated at start
		u = &url.URL{Scheme: "http", Host: "localhost"}
	}
	return &Resolver{Deps: d, site: &model.Site{URL: u, Config: d.Config}, viewers: newViewers(d.Account)}
}
