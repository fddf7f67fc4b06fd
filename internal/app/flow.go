package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/executor/check"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// wireFlows makes the service of flows with every executor.
func (a *App) wireFlows() error {
	executors, err := builtin.New(builtin.Parts{Flows: flow.States{Client: a.DB.Client}, Paths: paths{a.Files}})
	if err != nil {
		return fmt.Errorf("executors: %w", err)
	}
	a.Flows = flow.New(flow.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Config: a.Config, Runs: a.Runs, Viewers: a.Accounts, Executors: executors, Code: code{a.Volumes, a.Files}})
	return nil
}

// code freezes folders of volumes, through the agent that serves their files.
type code struct {
	volumes *volume.Service
	files   *courier.Service
}

var _ flow.Code = code{}

// Freeze implements flow.Code.
func (c code) Freeze(ctx context.Context, volumeID, path, name string, most files.Bounds) (files.FrozenCopy, error) {
	a, err := c.volumes.PlatformAccess(ctx, volumeID)
	if err != nil {
		return files.FrozenCopy{}, err
	}
	return c.files.Freeze(ctx, a, path, name, most)
}

// Thaw implements flow.Code.
func (c code) Thaw(ctx context.Context, volumeID, name string) error {
	a, err := c.volumes.PlatformAccess(ctx, volumeID)
	if err != nil {
		return err
	}
	return c.files.Thaw(ctx, a, name)
}

// paths tells checks of volumes, through the agent that serves their files.
type paths struct{ files *courier.Service }

var _ check.Paths = paths{}

// Stat implements check.Paths, as the viewer of the context.
func (p paths) Stat(ctx context.Context, _ executor.Ask, volumeID, path string) (check.PathState, error) {
	a, err := p.files.Do(ctx, volumeID, courier.Request{Method: http.MethodGet, Path: "/stat", Query: url.Values{"path": {path}}.Encode()})
	if err != nil {
		if f := fault.Of(err); f != nil && f.ID == "files.missing" {
			return check.PathState{}, nil
		}
		return check.PathState{}, err
	}
	defer a.Close()
	var text bytes.Buffer
	if err := a.Copy(&text, func() {}, func(err error) any { return err.Error() }); err != nil {
		return check.PathState{}, err
	}
	var entry struct {
		Modified time.Time `json:"modified"`
	}
	if err := json.Unmarshal(text.Bytes(), &entry); err != nil {
		return check.PathState{}, fmt.Errorf("the agent's answer cannot be read: %w", err)
	}
	return check.PathState{Exists: true, Changed: entry.Modified}, nil
}
