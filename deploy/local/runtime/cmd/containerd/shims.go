package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/containerd/containerd/v2/core/events/exchange"
	"github.com/containerd/containerd/v2/core/metadata"
	shims "github.com/containerd/containerd/v2/core/runtime/v2"
	"github.com/containerd/containerd/v2/core/sandbox"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/containerd/v2/plugins"
	"github.com/containerd/errdefs"
	"github.com/containerd/plugin"
	"github.com/containerd/plugin/registry"
)

// When it starts, containerd asks its shims for their containers. One without processes it takes for a left-over of a start
// that failed, deletes it, and says later that its container ended with code 255, of unknown reason. But a shim keeps the
// end of a container until somebody asks for it, and the rest of containerd does ask.
//
// The decision is made by way of the store of sandboxes: what it finds there stays. So this manager of shims, which takes
// the place of containerd's own (the configuration turns that off), has a store that knows the created tasks as well.
func init() {
	registry.Register(&plugin.Registration{
		Type:     plugins.ShimPlugin,
		ID:       "goblinlab",
		Requires: []plugin.Type{plugins.EventPlugin, plugins.MetadataPlugin},
		InitFn:   newManager,
	})
}

// Where containerd and its shims are used to meet.
const (
	socketDir = "/run/containerd/s"
	tasks     = "/run/containerd/io.containerd.runtime.v2.task"
)

func newManager(c *plugin.InitContext) (any, error) {
	db, err := c.GetSingle(plugins.MetadataPlugin)
	if err != nil {
		return nil, err
	}
	events, err := c.GetByID(plugins.EventPlugin, "exchange")
	if err != nil {
		return nil, err
	}
	return shims.NewShimManager(&shims.ManagerConfig{
		Address:      c.Properties[plugins.PropertyGRPCAddress],
		TTRPCAddress: c.Properties[plugins.PropertyTTRPCAddress],
		SocketDir:    socketDir,
		Events:       events.(*exchange.Exchange),
		Store:        metadata.NewContainerStore(db.(*metadata.DB)),
		SandboxStore: keeper{Store: metadata.NewSandboxStore(db.(*metadata.DB)), tasks: tasks},
	})
}

// keeper is a store of sandboxes that does not say of a created task that it is not there.
type keeper struct {
	sandbox.Store
	tasks string // folder of the tasks' bundles
}

func (k keeper) Get(ctx context.Context, id string) (sandbox.Sandbox, error) {
	s, err := k.Store.Get(ctx, id)
	if !errdefs.IsNotFound(err) || !k.created(ctx, id) {
		return s, err
	}
	return s, fmt.Errorf("%s is a task: %w", id, errdefs.ErrFailedPrecondition)
}

// created says whether a task was made in full: the shim then knows its process.
func (k keeper) created(ctx context.Context, id string) bool {
	namespace, ok := namespaces.Namespace(ctx)
	if !ok {
		return false
	}
	_, err := os.Stat(filepath.Join(k.tasks, namespace, id, "init.pid"))
	return err == nil
}
