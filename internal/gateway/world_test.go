package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"go.uber.org/goleak"
	utilexec "k8s.io/client-go/util/exec"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOBLINLAB_TEST_LOG") == "" {
		slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	}
	// The cluster's client keeps its connection.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run"))
}

// pods leads to servers of this machine in place of pods, and runs shells here.
type pods struct {
	mu      sync.Mutex
	ports   map[string]string // "namespace/pod:port" to an address
	dialed  []string
	widths  chan uint16
	started chan string // command of each shell
}

func (p *pods) Dial(ctx context.Context, namespace, pod string, port int32) (net.Conn, error) {
	key := fmt.Sprintf("%s/%s:%d", namespace, pod, port)
	p.mu.Lock()
	p.dialed = append(p.dialed, key)
	address, ok := p.ports[key]
	p.mu.Unlock()
	if !ok {
		return nil, errors.New("nothing listens at " + key)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

// Exec runs the command on this machine, in place of a container.
func (p *pods) Exec(ctx context.Context, s kube.Shell) error {
	p.started <- s.Namespace + "/" + s.Pod + "/" + s.Container
	go func() {
		for size := s.Sizes.Next(); size != nil; size = s.Sizes.Next() {
			p.widths <- size.Width
		}
	}()
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/", "PS1="}
	cmd.Stdout, cmd.Stderr = s.Stdout, s.Stdout
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, s.Stdin)
		_ = in.Close()
	}()
	err = cmd.Run()
	var ee *exec.ExitError
	if ctx.Err() == nil && errors.As(err, &ee) {
		return utilexec.CodeExitError{Code: ee.ExitCode(), Err: err}
	}
	return err
}

// LoginSecret is the same for each instance; the number of the start is in it.
func (p *pods) LoginSecret(_ context.Context, i *ent.Instance) (instance.Secret, error) {
	return instance.Secret{Password: fmt.Sprintf("s3cret-%d", i.StartNumber)}, nil
}

type world struct {
	*servertest.Site
	t    *testing.T
	pods *pods
	sys  context.Context
}

func newWorld(t *testing.T, edit ...func(*config.Config)) *world {
	t.Helper()
	return newWorldWith(t, servertest.Options{}, edit...)
}

func newWorldWith(t *testing.T, o servertest.Options, edit ...func(*config.Config)) *world {
	t.Helper()
	p := &pods{ports: map[string]string{}, widths: make(chan uint16, 100), started: make(chan string, 100)}
	o.Dialer, o.Shells, o.Secrets = p, p, p
	o.Config = func(c *config.Config) {
		for _, e := range edit {
			e(c)
		}
	}
	s := servertest.Start(t, o)
	return &world{s, t, p, authz.AsSystem(t.Context())}
}

// instance makes a running one of Member's whose notebook is the handler.
func (w *world) instance(notebook http.Handler) *ent.Instance {
	w.t.Helper()
	i := w.instanceOf(w.Cast.Member)
	if notebook != nil {
		w.listen(i, 8888, notebook)
	}
	return i
}

// instanceOf makes a running one of somebody's.
func (w *world) instanceOf(owner *ent.User) *ent.Instance {
	w.t.Helper()
	img, err := w.DB.Client.Image.Create().SetName("dev").SetReference("dev:1").Save(w.sys)
	if err != nil {
		w.t.Fatal(err)
	}
	sp := spec.Instance{ImageID: img.ID, Ports: []spec.Port{{Name: "app", Number: 5000}}}
	i, err := w.DB.Client.Instance.Create().SetTeamID(w.Cast.Team.ID).SetOwnerID(owner.ID).SetName("lab").
		SetObjectName("lab-" + xid.New().String()).SetImageID(img.ID).SetSpec(sp).SetStartedSpec(&sp).SetStartNumber(1).
		SetDesired(entinstance.DesiredRunning).SetState(entinstance.StateRunning).
		SetApps([]spec.App{{Name: "jupyterlab", Port: 8888, State: "ready"}, {Name: "sshd", Port: 22, State: "ready"}}).Save(w.sys)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// listen puts a web server behind a port of the instance's pod.
func (w *world) listen(i *ent.Instance, port int, h http.Handler) {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l)
	}()
	w.t.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
	w.expose(i, port, l.Addr().String())
}

func (w *world) expose(i *ent.Instance, port int, address string) {
	w.pods.mu.Lock()
	defer w.pods.mu.Unlock()
	w.pods.ports[fmt.Sprintf("%s/%s-0:%d", w.Cast.Team.Namespace, i.ObjectName, port)] = address
}

// change edits an instance's row and says so.
func (w *world) change(i *ent.Instance, edit func(*ent.InstanceUpdateOne)) {
	w.t.Helper()
	u := i.Update().AddVersion(1)
	edit(u)
	if err := u.Exec(w.sys); err != nil {
		w.t.Fatal(err)
	}
	w.Broker.Publish(w.sys, event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID})
}

func (w *world) stop(i *ent.Instance) {
	w.t.Helper()
	w.change(i, func(u *ent.InstanceUpdateOne) {
		u.SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopping)
	})
}

// open asks the API for the way into an app.
func (w *world) open(b *servertest.Browser, i *ent.Instance, app string) string {
	w.t.Helper()
	var got struct{ OpenInstanceApp struct{ URL string } }
	b.Get(`mutation($id: ID!, $app: String!) { openInstanceApp(id: $id, app: $app) { url } }`, map[string]any{"id": i.ID, "app": app}, &got)
	return got.OpenInstanceApp.URL
}

func (w *world) host(i *ent.Instance, app string) string {
	return strings.Replace(w.URL, "localhost", app+"--"+i.ID+".localhost", 1)
}

func get(t *testing.T, c *http.Client, address string, header ...string) (servertest.Reply, string) {
	t.Helper()
	return send(t, c, http.MethodGet, address, nil, header...)
}

func send(t *testing.T, c *http.Client, method, address string, body io.Reader, header ...string) (servertest.Reply, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return servertest.Fetch(t, c, r)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}
