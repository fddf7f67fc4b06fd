//go:build bench

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube/kubetest"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	runservice "github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

const (
	inFlight   = 100
	recoverMax = 4 * time.Minute
)

// benchRecover is B6: a worker is killed with runs in flight, which end while
// nobody looks; from the start of another until the end of each is known.
func benchRecover(t *testing.T) outcome {
	var kept *flight
	o := compare(5,
		contender{"a process that starts and reads their rows (the limit)", func() series {
			kept = takeOff(t)
			return series{kept.again(t, "scan", kept.scanned)}
		}},
		contender{"GoblinLab's worker, until it knows how each of the 100 ended", func() series {
			defer kept.land()
			took := kept.again(t, "worker", kept.over)
			kept.once(t)
			return series{took}
		}},
	)
	o.note = fmt.Sprintf("None ran twice: the cluster's own books show %d pods for %d runs, each round. The database is %s. The cluster is one in memory, which keeps such books, so that what it takes itself is small.\n\n"+
		"asynq, a server with 100 tasks in their handlers that is killed and started again, once: the last task was handed out anew after %s. It knows that they are lost when their lease of 30 s has run out and its recoverer has looked, each minute, and delays them as it does a failure.",
		inFlight, inFlight, database(), short(asynqRecovers(t)))
	return o
}

// runsOf is the service of runs without a cluster.
func runsOf(t *testing.T, d *db.DB, broker event.Broker) *runservice.Service {
	t.Helper()
	bucket, _ := logtest.Bucket(t)
	kicks, c := &testkit.Kicks{}, config.Default()
	return runservice.New(runservice.Deps{DB: d, Broker: broker, Kicker: kicks, Config: c, Logs: logstore.New(d, bucket, broker, 0),
		Volumes: volume.New(volume.Deps{DB: d, Broker: broker, Kicker: kicks, Config: c}), Secrets: secrettest.New(t, d, broker, kicks)})
}

// errand is what a process of the bench is told.
type errand struct{ Mode, Database, Kubeconfig, Data, Redis string }

const envErrand = "GOBLINLAB_BENCH_PROCESS"

// flight is a worker's runs.
type flight struct {
	errand
	db   *db.DB
	sys  context.Context
	api  *kubetest.Server
	last *exec.Cmd
}

// takeOff has a worker start runs, kills it, and lets them end.
func takeOff(t *testing.T) *flight {
	t.Helper()
	f := &flight{sys: testkit.System(t)}
	end := make(chan struct{})
	f.api = kubetest.New(t, func(string) (<-chan struct{}, int) { return end, 0 })
	f.errand = errand{Database: testkit.DatabaseURL(t), Kubeconfig: f.api.Kubeconfig(), Data: t.TempDir()}
	d, err := db.Open(t.Context(), f.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.db = d
	cast, image := testkit.NewCast(t, d), logtest.Image(t, d, "img:1")
	runs, as := runsOf(t, d, event.NewLocal()), testkit.As(t, d, cast.Member)
	for i := range inFlight {
		if _, err := runs.RunNow(as, runservice.Input{TeamID: cast.Team.ID, Name: fmt.Sprint("r", i), ImageID: image.ID, Command: []string{"sleep"}, Resources: runservice.Resources{CPU: "10m", Memory: "16Mi"}}); err != nil {
			t.Fatal(err)
		}
	}
	f.again(t, "worker", func() bool { return f.count(t, run.StateRunning) == inFlight })
	time.Sleep(time.Second)
	f.land()
	close(end)
	for last := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		open := 0
		for _, p := range f.api.Pods() {
			if p.Ended.IsZero() {
				open++
			}
		}
		if open == 0 {
			return f
		}
		if time.Now().After(last) {
			t.Fatalf("%d pods do not end", open)
		}
	}
}

func (f *flight) count(t *testing.T, s run.State) int {
	t.Helper()
	n, err := f.db.Client.Run.Query().Where(run.StateEQ(s)).Count(f.sys)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (f *flight) over() bool {
	n, err := f.db.Client.Run.Query().Where(run.StateEQ(run.StateSucceeded)).Count(f.sys)
	return err == nil && n == inFlight
}

func (f *flight) scanned() bool {
	_, err := os.Stat(filepath.Join(f.Data, "scanned"))
	return err == nil
}

// once: no run had a second pod.
func (f *flight) once(t *testing.T) {
	t.Helper()
	seen := map[string]int{}
	for _, p := range f.api.Pods() {
		seen[p.RunID]++
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s ran %d times", id, n)
		}
	}
	if len(seen) != inFlight {
		t.Errorf("%d runs ran", len(seen))
	}
}

// land kills the process that was started last.
func (f *flight) land() {
	if f.last != nil {
		_ = f.last.Process.Kill()
		_ = f.last.Wait()
	}
	f.last = nil
}

// again starts a process and says how long it takes until something is so.
func (f *flight) again(t *testing.T, mode string, done func() bool) time.Duration {
	t.Helper()
	f.land()
	f.Mode = mode
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f.errand)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.CreateTemp(f.Data, "log-")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	f.last = exec.Command(self, "-test.run=^TestProcess$", "-test.timeout=0")
	f.last.Env = append(os.Environ(), envErrand+"="+string(text))
	f.last.Stdout, f.last.Stderr = log, log
	f.last.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begin := time.Now()
	if err := f.last.Start(); err != nil {
		t.Fatal(err)
	}
	for ; !done(); time.Sleep(2 * time.Millisecond) {
		if time.Since(begin) > recoverMax {
			f.land()
			t.Fatalf("%s is not there after %s: %s", mode, recoverMax, told(log.Name()))
		}
	}
	return time.Since(begin)
}

// TestProcess is a process of its own that the bench starts and kills.
func TestProcess(t *testing.T) {
	var e errand
	text := os.Getenv(envErrand)
	if text == "" {
		t.Skip("the bench starts it")
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	switch e.Mode {
	case "worker":
		cfg := config.Default()
		cfg.Data, cfg.Database, cfg.Blobs, cfg.Cluster.Kubeconfig = e.Data, e.Database, "file://"+e.Data, e.Kubeconfig
		a, err := app.New(t.Context(), cfg, app.Roles{Work: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	case "scan":
		d, err := db.Open(t.Context(), e.Database)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := d.Client.Run.Query().Where(run.StateEQ(run.StateRunning)).WithTask().WithAttempts().All(testkit.System(t))
		if err != nil || len(rows) != inFlight {
			t.Fatal(len(rows), err)
		}
		if err := os.WriteFile(filepath.Join(e.Data, "scanned"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	case "tasks", "tasks again":
		e.tasks(t)
	}
}

// tasks is a server of asynq at its defaults, but for room for all tasks at once;
// in its first life no task ends.
func (e errand) tasks(t *testing.T) {
	o, err := redis.ParseURL(e.Redis)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	srv := asynq.NewServerFromRedisClient(c, asynq.Config{LogLevel: asynq.ErrorLevel, Concurrency: inFlight})
	err = srv.Start(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		if err := c.Incr(ctx, "bench:"+e.Mode).Err(); err != nil {
			return err
		}
		if e.Mode == "tasks" {
			<-t.Context().Done()
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	<-t.Context().Done()
}

// asynqRecovers is how long asynq takes to hand out what a killed server had.
func asynqRecovers(t *testing.T) time.Duration {
	t.Helper()
	f := &flight{errand: errand{Redis: testkit.RedisURL(t), Data: t.TempDir()}}
	o, err := redis.ParseURL(f.Redis)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	client := asynq.NewClientFromRedisClient(c)
	for i := range inFlight {
		if _, err := client.Enqueue(asynq.NewTask("bench", []byte(fmt.Sprint(i)))); err != nil {
			t.Fatal(err)
		}
	}
	reached := func(key string) func() bool {
		return func() bool {
			n, err := c.Get(t.Context(), "bench:"+key).Int()
			return err == nil && n == inFlight
		}
	}
	f.again(t, "tasks", reached("tasks"))
	defer f.land()
	return f.again(t, "tasks again", reached("tasks again"))
}
