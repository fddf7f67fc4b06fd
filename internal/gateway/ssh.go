package gateway

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Bounds of SSH to one instance: connections at once, and new ones, each of
// which leaves two entries in the audit log. Who is faster waits.
const (
	maxSSH   = 64
	sshEvery = 500 * time.Millisecond
	sshBurst = 120
)

// sshGreets is how many bytes a client has sent once it asked for keys: less
// comes from who looks whether a port is open, and is no session.
const sshGreets = 256

// forwards are the ports that lead to running instances' sshd. Who comes in is
// for sshd to check, with the password of this start; a port is open while its
// owner may use the instance.
type forwards struct {
	g     *Gateway
	mu    sync.Mutex
	open  map[string]*forward // by instance
	tried map[string]string   // what was logged of ports that could not be had
}

func newForwards(g *Gateway) *forwards {
	return &forwards{g: g, open: map[string]*forward{}, tried: map[string]string{}}
}

// wanted is a forward as it should be.
type wanted struct {
	instanceID, teamID, namespace, pod string
	port                               int
	start                              int64
}

// sweep brings the ports to what the rows say.
func (fs *forwards) sweep(ctx context.Context) {
	want, err := fs.wanted(ctx, "")
	if err != nil {
		slog.Warn("ports for SSH not read", "err", err)
		return
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for id := range fs.open {
		if _, ok := want[id]; !ok {
			fs.drop(id)
		}
	}
	for id := range want {
		fs.have(ctx, want[id])
	}
}

// look brings the port of one instance to what its row says.
func (fs *forwards) look(ctx context.Context, instanceID string) {
	want, err := fs.wanted(ctx, instanceID)
	if err != nil {
		slog.Warn("port for SSH not read", "instance_id", instanceID, "err", err)
		return
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if w, ok := want[instanceID]; ok {
		fs.have(ctx, w)
	} else {
		fs.drop(instanceID)
	}
}

func (fs *forwards) wanted(ctx context.Context, instanceID string) (map[string]wanted, error) {
	ctx = authz.AsSystem(ctx)
	q := fs.g.DB.Client.Instance.Query().Where(entinstance.SSHPortNotNil(),
		entinstance.DesiredEQ(entinstance.DesiredRunning),
		entinstance.StateIn(entinstance.StateRunning, entinstance.StateUnhealthy)).
		WithTeam(func(q *ent.TeamQuery) { q.Select(entteam.FieldID, entteam.FieldNamespace) })
	if instanceID != "" {
		q.Where(entinstance.ID(instanceID))
	}
	q.Select(entinstance.FieldID, entinstance.FieldTeamID, entinstance.FieldOwnerID, entinstance.FieldObjectName, entinstance.FieldSSHPort, entinstance.FieldStartNumber, entinstance.FieldInherited)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]wanted, len(rows))
	owners := map[string]*authz.Viewer{} // nil for those who may not sign in
	for _, i := range rows {
		v, known := owners[i.OwnerID]
		if !known {
			if v, err = fs.g.Account.Viewer(ctx, i.OwnerID, ""); err != nil && !denied(err) {
				return nil, err
			}
			owners[i.OwnerID] = v
		}
		if i.Edges.Team != nil && v != nil && v.MayConnect(i.TeamID, i.OwnerID) && !instance.Handed(i) {
			out[i.ID] = wanted{i.ID, i.TeamID, i.Edges.Team.Namespace, instance.PodName(i), *i.SSHPort, i.StartNumber}
		}
	}
	return out, nil
}

// have opens the port of a running instance. Connections of an earlier start
// led to another pod: they end.
func (fs *forwards) have(ctx context.Context, w wanted) {
	if f := fs.open[w.instanceID]; f != nil {
		if f.wanted == w {
			return
		}
		fs.drop(w.instanceID)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(fs.g.Config.SSH.Listen, strconv.Itoa(w.port)))
	if err != nil {
		if fs.tried[w.instanceID] != err.Error() {
			fs.tried[w.instanceID] = err.Error()
			slog.Warn("port for SSH not opened", "instance_id", w.instanceID, "port", w.port, "err", err)
		}
		return
	}
	delete(fs.tried, w.instanceID)
	f := &forward{wanted: w, l: l, g: fs.g}
	f.ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	fs.open[w.instanceID] = f
	f.wg.Add(1)
	go f.accept()
	slog.Info("port for SSH opened", "instance_id", w.instanceID, "port", w.port)
}

func (fs *forwards) drop(instanceID string) {
	if f := fs.open[instanceID]; f != nil {
		delete(fs.open, instanceID)
		f.close()
		slog.Info("port for SSH closed", "instance_id", instanceID, "port", f.port)
	}
	delete(fs.tried, instanceID)
}

func (fs *forwards) closeAll() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for id := range fs.open {
		fs.drop(id)
	}
}

// forward is one port with its connections.
type forward struct {
	wanted
	l    net.Listener
	g    *Gateway
	ctx  context.Context //nolint:containedctx // of its goroutines
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func (f *forward) close() {
	f.stop()
	_ = f.l.Close()
	f.wg.Wait()
}

func (f *forward) accept() {
	defer f.wg.Done()
	slots := make(chan struct{}, maxSSH)
	pace := rate.NewLimiter(rate.Every(sshEvery), sshBurst)
	for {
		if pace.Wait(f.ctx) != nil {
			return
		}
		c, err := f.l.Accept()
		if err != nil {
			if f.ctx.Err() != nil {
				return
			}
			slog.Warn("connection for SSH not accepted", "instance_id", f.instanceID, "err", err)
			select { // as out of file descriptors: it may pass
			case <-time.After(time.Second):
				continue
			case <-f.ctx.Done():
				return
			}
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		f.wg.Add(1)
		go func() {
			defer f.wg.Done()
			defer func() { <-slots }()
			f.carry(c)
		}()
	}
}

// carry passes bytes both ways until both ends are done, or the port closes.
func (f *forward) carry(c net.Conn) {
	defer c.Close()
	pod, err := dial(f.ctx, f.g.Dialer, f.namespace, f.pod, manifest.PortSSH)
	if err != nil {
		slog.Info("instance does not take SSH", "instance_id", f.instanceID, "err", err)
		return
	}
	defer pod.Close()
	end := context.AfterFunc(f.ctx, func() {
		_ = c.Close()
		_ = pod.Close()
	})
	defer end()
	v := &visit{f: f, from: c.RemoteAddr()}
	there := make(chan struct{})
	go func() {
		defer close(there)
		_, _ = io.Copy(pod, meter{c, v.came})
		closeWrite(pod)
	}()
	_, _ = io.Copy(c, meter{pod, func(n int) { v.out.Add(int64(n)) }})
	// The pod's side is done: nothing that is still typed can be answered.
	_ = c.Close()
	_ = pod.Close()
	<-there
	v.end()
}

// visit is one connection as the audit log tells of it. Who it is, sshd alone
// knows: the entries name the address and nobody.
type visit struct {
	f       *forward
	from    net.Addr
	in, out atomic.Int64
	began   time.Time // zero while it is no session yet; of the reading goroutine until it ended
}

// came notes what the client sent.
func (v *visit) came(n int) {
	if v.in.Add(int64(n)) >= sshGreets && v.began.IsZero() {
		v.began = time.Now()
		v.note("instance.open-ssh", nil)
	}
}

func (v *visit) end() {
	if v.began.IsZero() {
		return
	}
	v.note("instance.close-ssh", map[string]any{"seconds": int(time.Since(v.began).Seconds()), "bytesIn": v.in.Load(), "bytesOut": v.out.Load()})
}

func (v *visit) note(action string, after map[string]any) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(v.f.ctx), 5*time.Second)
	defer stop()
	who := &authz.Viewer{}
	if host, _, err := net.SplitHostPort(v.from.String()); err == nil {
		who.Address = host
	}
	ctx = authz.With(ctx, who)
	err := v.f.g.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: v.f.teamID, ObjectID: v.f.instanceID, After: after})
	})
	if err != nil {
		slog.Error("SSH session not written down", "instance_id", v.f.instanceID, "action", action, "err", err)
	}
}

// meter tells how much was read.
type meter struct {
	io.Reader
	read func(n int)
}

func (m meter) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	m.read(n)
	return n, err
}

// closeWrite says that nothing more comes, and keeps the other direction.
func closeWrite(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite()
		return
	}
	_ = c.Close()
}
