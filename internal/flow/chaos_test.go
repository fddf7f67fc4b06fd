package flow_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/kube/kubetest"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/worker"
)

// storm is how much of it there is.
type storm struct {
	flows, minutes, teams int
	minute                time.Duration // what a minute takes
	life                  [2]time.Duration
}

const (
	forbids = 5                // each fifth flow forbids two runs at once
	calm    = 90 * time.Second // without any news: something is stuck
)

// theStorm is a small one, or with GOBLINLAB_TEST_CHAOS=500 one of so many schedules.
func theStorm() storm {
	s := storm{flows: 12, minutes: 6, teams: 3, minute: 2500 * time.Millisecond, life: [2]time.Duration{2 * time.Second, 7 * time.Second}}
	if n, err := strconv.Atoi(os.Getenv("GOBLINLAB_TEST_CHAOS")); err == nil {
		s = storm{flows: n, minutes: 15, teams: 10, minute: 30 * time.Second, life: [2]time.Duration{3 * time.Second, 12 * time.Second}}
	}
	if d, err := time.ParseDuration(os.Getenv("GOBLINLAB_TEST_CHAOS_MINUTE")); err == nil {
		s.minute = d
	}
	if n, err := strconv.Atoi(os.Getenv("GOBLINLAB_TEST_CHAOS_MINUTES")); err == nil {
		s.minutes = n
	}
	return s
}

// P51, P57, P70, P104: three processes fire and drive, with a PostgreSQL and a
// Redis; each is killed at random again and again, and Redis is emptied twice.
// GOBLINLAB_TEST_CHAOS=500 takes so many schedules a minute, for a quarter of an
// hour or GOBLINLAB_TEST_CHAOS_MINUTES; GOBLINLAB_TEST_CHAOS_MINUTE says what a
// minute of theirs takes.
func TestChaosFiresOnceAndLosesNothing(t *testing.T) {
	if os.Getenv(testkit.EnvDatabase) == "" || os.Getenv(testkit.EnvRedis) == "" {
		t.Skip("processes of their own share a PostgreSQL and a Redis; SQLite and its Redis belong to one: `make test-postgres` runs it")
	}
	size := theStorm()
	b := setup(t)
	address := testkit.RedisURL(t)
	ro, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(ro)
	t.Cleanup(func() { _ = client.Close() })
	api := kubetest.New(t, lives)
	dir := t.TempDir()
	o := orders{Database: b.url, Redis: address, Kubeconfig: api.Kubeconfig(), Bucket: filepath.Join(dir, "blobs"), Key: envelope.NewKey(), Logical: b.clock.now()}
	if err := os.Mkdir(o.Bucket, 0o700); err != nil {
		t.Fatal(err)
	}
	flows := b.scatter(t, size)
	o.Began, o.Factor = time.Now(), float64(time.Minute)/float64(size.minute)

	ctx, stop := context.WithCancel(b.sys)
	defer stop()
	var all sync.WaitGroup
	over := time.Now().Add(size.minute * time.Duration(size.minutes))
	var kills atomic.Int64
	for i := range 3 {
		all.Go(func() { o.named(i).mortal(t, ctx, over, size.life, &kills) })
	}
	all.Go(func() { flush(ctx, t, client, size.minute*time.Duration(size.minutes)) })
	byHand := b.serve(ctx, t, client, o, flows, over)
	want := size.flows*size.minutes + byHand
	b.settles(t, want)
	took := time.Since(o.Began)
	stop()
	all.Wait()
	b.judge(t, api.Pods(), want, size)
	t.Logf("%d flow runs of %d flows, %d by hand among them, %d pods; %d processes were killed; all was over after %s, %s after the last was due",
		want, size.flows, byHand, len(api.Pods()), kills.Load(), took.Round(time.Second), time.Since(over).Round(time.Second))
	if t.Failed() {
		logsOf(t, dir)
	}
}

func (o orders) named(i int) orders {
	o.Name = fmt.Sprintf("member-%d", i)
	return o
}

// lives is a pod of a moment; one of eight fails.
func lives(job string) (<-chan struct{}, int) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(job))
	code := 0
	if h.Sum32()%8 == 0 {
		code = 1
	}
	return kubetest.For(time.Duration(h.Sum32()%400)*time.Millisecond, code)
}

// scatter makes the flows, over several teams as real use does. Half of them are
// due together.
func (b bundle) scatter(t *testing.T, size storm) []*ent.Flow {
	t.Helper()
	teams := []*ent.Team{b.cast.Team}
	for i := 1; i < size.teams; i++ {
		team := testkit.Team(t, b.db, fmt.Sprint("team ", i))
		testkit.Join(t, b.db, team, b.cast.Member, authz.RoleMember)
		teams = append(teams, team)
	}
	as := testkit.As(t, b.db, b.cast.Member)
	until := b.clock.now().Add(time.Duration(size.minutes)*time.Minute + time.Second).Format(time.RFC3339)
	out := make([]*ent.Flow, size.flows)
	for i := range out {
		second, concurrency := 0, "allow"
		if i%2 == 1 {
			second = i % 60
		}
		if i%forbids == forbids-1 {
			concurrency = "forbid"
		}
		yaml := fmt.Sprintf("apiVersion: goblinlab.io/v1\nkind: Flow\nname: f%d\nspec:\n  concurrency: %s\n  schedule: {cron: \"%d * * * * *\", until: %q, misfire: {policy: all, limit: 100}}\n"+
			"  tasks:\n  - {name: a, executor: container, retry: {count: 1, wait: 1s}, with: {imageId: %[5]s, command: [a], resources: {cpu: 10m, memory: 16Mi}}}\n"+
			"  - {name: b, executor: container, needs: [a], with: {imageId: %[5]s, command: [b], resources: {cpu: 10m, memory: 16Mi}}}\n", i, concurrency, second, until, b.image.ID)
		f, err := b.flows.Create(as, flow.CreateInput{TeamID: teams[i%len(teams)].ID, Definition: flow.Definition{YAML: yaml}})
		if err != nil {
			t.Fatal(err)
		}
		out[i] = f
	}
	return out
}

// mortal keeps a process alive, which it kills at random until everything was
// due, and once more at the end.
func (o orders) mortal(t *testing.T, ctx context.Context, over time.Time, life [2]time.Duration, kills *atomic.Int64) {
	for ctx.Err() == nil {
		cmd := o.start(t)
		end := make(chan struct{})
		go func() {
			defer close(end)
			_ = cmd.Wait()
		}()
		after := life[0] + rand.N(life[1]-life[0])
		if time.Now().After(over) {
			after = time.Hour
		}
		select {
		case <-ctx.Done():
		case <-time.After(after):
			kills.Add(1)
		case <-end:
			t.Errorf("%s ended by itself: %s", o.Name, cmd.ProcessState)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		<-end
	}
}

// flush empties Redis twice.
func flush(ctx context.Context, t *testing.T, client *redis.Client, whole time.Duration) {
	for range 2 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(whole / 3):
		}
		if err := client.FlushAll(ctx).Err(); err != nil && ctx.Err() == nil {
			t.Errorf("flush: %v", err)
		}
	}
}

// serve is a process that works not, but takes what people ask for: its wake-ups
// reach the others by a list in Redis. It gives how many runs were asked for.
func (b bundle) serve(ctx context.Context, t *testing.T, client *redis.Client, o orders, flows []*ent.Flow, over time.Time) (n int) {
	t.Helper()
	remote, broker := worker.NewRemote(client), event.NewRedis(client, "server")
	serving, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { remote.Run(serving) })
	wg.Go(func() { broker.Run(serving) })
	defer func() { stop(); wg.Wait() }()
	d := b.deps
	d.Kicker, d.Broker, d.Now = remote, broker, o.now
	s := flow.New(d)
	as := testkit.As(t, b.db, b.cast.Member)
	for time.Now().Before(over) && ctx.Err() == nil {
		if _, err := s.Run(as, flow.RunInput{FlowID: flows[n%len(flows)].ID}); err != nil {
			t.Errorf("by hand: %v", err)
		}
		n++
		time.Sleep(500 * time.Millisecond)
	}
	return n
}

// settles waits until everything fired and is over, or nothing moves any more.
func (b bundle) settles(t *testing.T, want int) {
	t.Helper()
	was, since := -1, time.Now()
	for next := time.Now(); ; {
		all, err := b.db.Client.FlowRun.Query().Count(b.sys)
		open, err2 := b.db.Client.FlowRun.Query().Where(flowrun.StateIn(flowrun.StateQueued, flowrun.StateRunning, flowrun.StateStopping)).Count(b.sys)
		switch {
		case err != nil || err2 != nil:
			t.Fatal(err, err2)
		case open == 0 && all >= want:
			return
		case time.Now().After(next):
			t.Logf("%d of %d flow runs, %d of them not over", all, want, open)
			next = time.Now().Add(10 * time.Second)
		case all-open != was:
			was, since = all-open, time.Now()
		case time.Since(since) > calm:
			t.Errorf("%d of %d flow runs, %d of them not over, and nothing has moved for %s", all, want, open, calm)
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// logsOf shows how the members ended.
func logsOf(t *testing.T, dir string) {
	logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, l := range logs {
		text, _ := os.ReadFile(l)
		t.Logf("%s: …%s", filepath.Base(l), text[max(0, len(text)-4000):])
	}
}
