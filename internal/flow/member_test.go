package flow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"gocloud.dev/blob/fileblob"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/outbox"
	runservice "github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
	"github.com/goblinlab/goblinlab/worker"
)

// envMember holds what a process is told that is a member.
const envMember = "GOBLINLAB_TEST_MEMBER"

// orders are what members are told: where everything is, and what time it is.
type orders struct {
	Name, Database, Redis, Kubeconfig, Bucket, Key string

	Logical time.Time // what the clock showed
	Began   time.Time // when it did
	Factor  float64   // how much faster it runs
}

// now is the time that all processes share.
func (o orders) now() time.Time {
	return o.Logical.Add(time.Duration(float64(time.Since(o.Began)) * o.Factor))
}

// start starts this test's program again, as a process that fires and drives.
func (o orders) start(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(o.Bucket, "..", o.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(self, "-test.run=^TestMember$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), envMember+"="+string(text))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestMember is a process that fires and drives until it is killed, with the
// parts that `goblinlab work` has, wired as it wires them. Only the scheduler is
// not kept for who leads: all members fire everything, which is harder.
func TestMember(t *testing.T) {
	text := os.Getenv(envMember)
	if text == "" {
		t.Skip("it is started by the test that kills processes")
	}
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), o.Database)
	if err != nil {
		t.Fatal(err)
	}
	ro, err := redis.ParseURL(o.Redis)
	if err != nil {
		t.Fatal(err)
	}
	m := member{orders: o, db: d, redis: redis.NewClient(ro), queue: work.New(), changes: make(chan kube.Change, 16384), holder: fmt.Sprint(o.Name, "-", os.Getpid())}
	m.broker = event.NewRedis(m.redis, m.holder)
	m.watch(t)
	w, flows := m.wire(t)
	var wg sync.WaitGroup
	wg.Go(func() { m.broker.Run(t.Context()) })
	wg.Go(func() { m.cache.Run(t.Context()) })
	wg.Go(func() { flows.RunScheduler(t.Context()) })
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

// member is what such a process holds.
type member struct {
	orders
	db      *db.DB
	redis   *redis.Client
	broker  *event.Redis
	queue   *work.Queue
	kube    *kube.Client
	cache   *kube.Cache
	changes chan kube.Change
	holder  string
}

// watch connects to the cluster.
func (m *member) watch(t *testing.T) {
	t.Helper()
	var err error
	if m.kube, err = kube.Connect(m.Kubeconfig, 1000, 1000); err != nil {
		t.Fatal(err)
	}
	m.cache, err = kube.NewCache(m.kube, func(c kube.Change) {
		select {
		case m.changes <- c:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wire makes the services and the worker that calls them.
func (m *member) wire(t *testing.T) (*worker.Worker, *flow.Service) {
	t.Helper()
	bucket, err := fileblob.OpenBucket(m.Bucket, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := envelope.ParseRing(m.Key)
	if err != nil {
		t.Fatal(err)
	}
	executors, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	d, q, c := m.db, m.queue, config.Default()
	volumes := volume.New(volume.Deps{DB: d, Broker: m.broker, Kicker: q, Kube: m.kube, Cache: m.cache, Config: c})
	admits := admission.New(admission.Deps{DB: d, Kicker: q})
	runs := runservice.New(runservice.Deps{DB: d, Broker: m.broker, Kicker: q, Kube: m.kube, Cache: m.cache, Config: c, Admission: admits,
		Logs: logstore.New(d, bucket, m.broker, 0), Volumes: volumes, Secrets: secret.New(secret.Deps{DB: d, Broker: m.broker, Kicker: q, Keys: secret.Fixed(ring)})})
	flows := flow.New(flow.Deps{DB: d, Broker: m.broker, Kicker: q, Config: c, Runs: runs, Executors: executors, Now: m.now,
		Viewers: account.New(account.Deps{DB: d, Broker: m.broker, Config: c})})
	return worker.New(worker.Deps{DB: d, Redis: m.redis, Queue: q, Cache: m.cache, Changes: m.changes, Holder: m.holder,
		Parts: []worker.Part{
			{Kind: outbox.Reservation, Reconciler: admits, Sweeper: admits},
			{Kind: outbox.Volume, Reconciler: volumes, Watcher: volumes, Sweeper: volumes},
			{Kind: outbox.Run, Reconciler: runs, Watcher: runs, Sweeper: runs},
			{Kind: outbox.Flow, Reconciler: flows},
			{Kind: outbox.FlowRun, Reconciler: flow.Driver{Service: flows}, Sweeper: flow.Driver{Service: flows}},
			{Kind: outbox.FlowAfter, Reconciler: flow.Upstream{Service: flows}},
		}, Leading: func(ctx context.Context) { runs.ShipLogs(authz.AsSystem(ctx)) }}), flows
}
