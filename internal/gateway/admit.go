package gateway

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/instance"
)

// Names of what is no web app.
const (
	appShell = ""     // terminals
	appSSH   = "sshd" // reached by its own port
)

// Names of apps that the gateway knows more about.
const (
	appJupyter = "jupyterlab"
	appCode    = "code-server"
	appBoard   = "tensorboard"
	portPrefix = "port-" // and a number: one of the instance's extra ports
)

// door is a way into an instance that somebody may take now.
type door struct {
	row       *ent.Instance
	namespace string
	pod       string
	port      int32 // of the app; 0 for a shell
	start     int64
}

// denied tells a refusal from a failure to find out.
func denied(err error) bool {
	switch fault.KindOf(err) {
	case fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.FailedPrecondition:
		return true
	}
	return false
}

func notRunning(i *ent.Instance) error {
	f := fault.New(fault.FailedPrecondition, "gateway.not-running", nil)
	if i != nil {
		switch i.State {
		case entinstance.StatePending, entinstance.StateStarting:
			return fault.New(fault.FailedPrecondition, "gateway.starting", nil)
		}
	}
	return f
}

// admit finds the door to an app of an instance (appShell for a terminal) for a
// person: a fault when they may not pass, or when there is nothing behind it.
func (g *Gateway) admit(ctx context.Context, gr grant, address string) (*door, error) {
	if err := g.Account.CheckSession(ctx, gr.SessionID); err != nil {
		return nil, err
	}
	v, err := g.Account.Viewer(ctx, gr.UserID, address)
	if err != nil {
		return nil, err
	}
	return g.admitViewer(authz.With(ctx, v), v, gr.InstanceID, gr.App)
}

func (g *Gateway) admitViewer(ctx context.Context, v *authz.Viewer, instanceID, app string) (*door, error) {
	i, err := g.DB.Client.Instance.Query().Where(entinstance.ID(instanceID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("instance", instanceID)
	}
	if err != nil {
		return nil, fmt.Errorf("instance %s: %w", instanceID, err)
	}
	if !v.MayConnect(i.TeamID, i.OwnerID) {
		return nil, fault.New(fault.Forbidden, "gateway.owner", nil)
	}
	if !running(i) {
		return nil, notRunning(i)
	}
	d := &door{row: i, pod: instance.PodName(i), start: i.StartNumber}
	if app != appShell {
		if d.port = webPort(i, app); d.port == 0 {
			return nil, fault.New(fault.FailedPrecondition, "gateway.no-app", fault.Args{"app": app})
		}
	}
	t, err := g.DB.Client.Team.Query().Where(entteam.ID(i.TeamID)).Select(entteam.FieldID, entteam.FieldNamespace).Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("team of %s: %w", instanceID, err)
	}
	d.namespace = t.Namespace
	return d, nil
}

// running reports whether there is a pod to connect to.
func running(i *ent.Instance) bool {
	return i.Desired == entinstance.DesiredRunning &&
		(i.State == entinstance.StateRunning || i.State == entinstance.StateUnhealthy)
}

// webPort is the port of a web app, 0 when the instance has none of that name.
func webPort(i *ent.Instance, app string) int32 {
	if app == appSSH {
		return 0
	}
	for _, a := range i.Apps {
		if a.Name == app && a.State != "absent" {
			return a.Port
		}
	}
	if n, ok := strings.CutPrefix(app, portPrefix); ok && i.StartedSpec != nil {
		for _, p := range i.StartedSpec.Ports {
			if strconv.Itoa(int(p.Number)) == n {
				return p.Number
			}
		}
	}
	return 0
}

// doors remembers for a moment who may pass where: a page of an app makes many
// requests at once.
type doors struct {
	mu    sync.Mutex
	known map[grant]*known
}

type known struct {
	door *door
	err  error
	at   time.Time
}

const doorLife = 3 * time.Second

func newDoors() *doors { return &doors{known: map[grant]*known{}} }

func (ds *doors) get(k grant, find func() (*door, error)) (*door, error) {
	ds.mu.Lock()
	got := ds.known[k]
	ds.mu.Unlock()
	if got != nil && time.Since(got.at) < doorLife {
		return got.door, got.err
	}
	at := time.Now()
	d, err := find()
	if err == nil || denied(err) {
		ds.mu.Lock()
		ds.known[k] = &known{d, err, at}
		ds.mu.Unlock()
	}
	return d, err
}

func (ds *doors) forget(instanceID string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for k := range ds.known {
		if k.InstanceID == instanceID {
			delete(ds.known, k)
		}
	}
}

func (ds *doors) forgetAll() {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	clear(ds.known)
}

func (ds *doors) sweep() {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for k, d := range ds.known {
		if time.Since(d.at) > doorLife {
			delete(ds.known, k)
		}
	}
}

// live are the connections that are open now.
type live struct {
	mu    sync.Mutex
	conns map[*connection]struct{}
	users map[string]int // long-lived ones by user
}

// connection is one of somebody's into an instance.
type connection struct {
	userID, sessionID, instanceID, app string
	start                              int64
	lasting                            bool // a socket, not a request
	cancel                             context.CancelCauseFunc
}

func newLive() *live { return &live{conns: map[*connection]struct{}{}, users: map[string]int{}} }

// maxLasting bounds the sockets of one person through this process (P38).
const maxLasting = 200

func (l *live) add(c *connection) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.lasting {
		if l.users[c.userID] >= maxLasting {
			return fault.New(fault.ResourceExhausted, "gateway.too-many", fault.Args{"limit": maxLasting})
		}
		l.users[c.userID]++
	}
	l.conns[c] = struct{}{}
	return nil
}

func (l *live) remove(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	if c.lasting {
		if l.users[c.userID]--; l.users[c.userID] == 0 {
			delete(l.users, c.userID)
		}
	}
}

func (l *live) of(instanceID string) []*connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*connection
	for c := range l.conns {
		if instanceID == "" || c.instanceID == instanceID {
			out = append(out, c)
		}
	}
	return out
}
