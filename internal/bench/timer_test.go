//go:build bench

package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/flow/agenda"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const (
	manyTimers = 10_000
	dueFew     = 1_000
	dueLanes   = 8           // as the scheduler of flows has
	dueAhead   = time.Second // between everything is set and the instant: nobody may be late for it
)

// benchTimer is B3: so many schedules due at one instant, to the first line of each.
func benchTimer(t *testing.T) outcome {
	ids := make([]string, manyTimers)
	for i := range ids {
		ids[i] = ident.New(ident.Flow)
	}
	o := compare(7,
		contender{"a sleep and a channel to eight goroutines (the limit)", func() series { return bareDue(ids) }},
		contender{"GoblinLab's heap", func() series { s, _ := ourDue(ids); return s }},
		contender{"robfig/cron's timer", func() series { s, _ := robfigDue(manyTimers); return s }},
	)
	_, ours := ourDue(ids)
	_, theirs := robfigDue(manyTimers)
	edits := benchEdits(t)
	o.note = fmt.Sprintf("10,000 schedules take %.1f MB in GoblinLab's heap, and %.1f MB in robfig/cron's list with their closures.\n\n"+
		"Editing one schedule: saving a new version of one flow of so many, with its check, its rows and the heap; for robfig/cron, which keeps nothing, taking one out of the list and putting it in. The goal is 1.3 × from 1,000 to 10,000. Seven rounds of 40, in turn.\n\n%s",
		float64(ours)/1e6, float64(theirs)/1e6, edits.table())
	return o
}

// lateness notes when each of so many began.
type lateness struct {
	due  time.Time
	mu   sync.Mutex
	all  series
	want int
	done chan struct{}
}

func newLateness(n int) *lateness {
	return &lateness{want: n, done: make(chan struct{}), all: make(series, 0, n)}
}

// soon sets the instant.
func (l *lateness) soon() time.Time {
	l.due = time.Now().Add(dueAhead)
	return l.due
}

func (l *lateness) note() {
	late := time.Since(l.due)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all = append(l.all, late); len(l.all) == l.want {
		close(l.done)
	}
}

func bareDue(ids []string) series {
	l := newLateness(len(ids))
	queue := make(chan string)
	var wg sync.WaitGroup
	for range dueLanes {
		wg.Go(func() {
			for range queue {
				l.note()
			}
		})
	}
	time.Sleep(time.Until(l.soon()))
	for _, id := range ids {
		queue <- id
	}
	<-l.done
	close(queue)
	wg.Wait()
	return l.all
}

// held is what the heap of this program holds.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func ourDue(ids []string) (series, int64) {
	before := held()
	a := agenda.New()
	for _, id := range ids {
		a.Set(id, time.Now().Add(time.Hour))
	}
	size := held() - before
	l := newLateness(len(ids))
	due := l.soon()
	for _, id := range ids {
		a.Set(id, due)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Run(ctx, agenda.Loop{Now: time.Now, Lanes: dueLanes, Every: time.Hour, Look: func(context.Context) {}, Fire: func(context.Context, string) { l.note() }})
	})
	<-l.done
	stop()
	wg.Wait()
	return l.all, size
}

// once is a schedule of robfig/cron that fires at one instant, which is asked for
// when it starts.
type once struct{ at *time.Time }

func (o once) Next(now time.Time) time.Time {
	if now.Before(*o.at) {
		return *o.at
	}
	return time.Time{}
}

func robfigDue(n int) (series, int64) {
	before := held()
	c := cron.New()
	l := newLateness(n)
	for range n {
		c.Schedule(once{&l.due}, cron.FuncJob(l.note))
	}
	size := held() - before
	l.soon()
	c.Start()
	<-l.done
	<-c.Stop().Done()
	return l.all, size
}

// benchEdits is what it costs to change one schedule of many.
func benchEdits(t *testing.T) outcome {
	const n = 40
	few, many := newFlowing(t, dueFew), newFlowing(t, manyTimers)
	fewRobfig, manyRobfig := newListed(dueFew), newListed(manyTimers)
	o := compare(7,
		contender{"GoblinLab, one of 1,000", func() series { return few.edit(t, n) }},
		contender{"GoblinLab, one of 10,000", func() series { return many.edit(t, n) }},
		contender{"robfig/cron, one of 1,000", func() series { return fewRobfig.edit(n) }},
		contender{"robfig/cron, one of 10,000", func() series { return manyRobfig.edit(n) }},
	)
	o.base = "one of 1,000"
	return o
}

// flowing is a scheduler with so many flows.
type flowing struct {
	flows *flow.Service
	ctx   context.Context // of the owner
	sys   context.Context
	row   *ent.Flow
	image string
	n     int
}

func (f *flowing) text() string {
	f.n++
	return fmt.Sprintf("apiVersion: goblinlab.io/v1\nkind: Flow\nname: one\nspec:\n  schedule: {cron: \"%d %d 1 1 *\"}\n  tasks:\n  - {name: a, executor: container, with: {imageId: %s, command: [a], resources: {cpu: 10m, memory: 16Mi}}}\n",
		f.n%60, f.n/60%24, f.image)
}

func newFlowing(t *testing.T, n int) *flowing {
	t.Helper()
	d := testkit.DB(t)
	cast, broker := testkit.NewCast(t, d), event.NewLocal()
	executors, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	f := &flowing{ctx: testkit.As(t, d, cast.Member), sys: testkit.System(t), image: logtest.Image(t, d, "img:1").ID}
	c := config.Default()
	f.flows = flow.New(flow.Deps{DB: d, Broker: broker, Kicker: &testkit.Kicks{}, Config: c, Runs: runsOf(t, d, broker),
		Viewers: account.New(account.Deps{DB: d, Broker: broker, Config: c}), Executors: executors})
	if f.row, err = f.flows.Create(f.ctx, flow.CreateInput{TeamID: cast.Team.ID, Definition: flow.Definition{YAML: f.text()}}); err != nil {
		t.Fatal(err)
	}
	one, err := f.flows.Version(f.sys, f.row.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	next := time.Now().UTC().AddDate(1, 0, 0)
	for i := 0; i < n-1; {
		err := d.Tx(f.sys, func(tx *ent.Tx) error {
			var flows []*ent.FlowCreate
			var versions []*ent.FlowVersionCreate
			for ; i < n-1 && len(flows) < 500; i++ {
				id := ident.New(ident.Flow)
				flows = append(flows, tx.Flow.Create().SetID(id).SetTeamID(cast.Team.ID).SetOwnerID(cast.Member.ID).SetName(fmt.Sprint("f", i)).SetNameKey(fmt.Sprint(cast.Team.ID, "/f", i)).
					SetSchedule(one.Spec.Schedule).SetConcurrency(f.row.Concurrency).SetLatest(1).SetCursor(time.Now().UTC()).SetNextFireAt(next.Add(time.Duration(i)*time.Second)))
				versions = append(versions, tx.FlowVersion.Create().SetFlowID(id).SetTeamID(cast.Team.ID).SetNumber(1).SetSpec(one.Spec).SetAuthorID(cast.Member.ID))
			}
			if err := tx.Flow.CreateBulk(flows...).Exec(f.sys); err != nil {
				return err
			}
			return tx.FlowVersion.CreateBulk(versions...).Exec(f.sys)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(f.sys, 2*time.Second) // long enough for it to read all rows
	defer stop()
	f.flows.RunScheduler(ctx)
	return f
}

func (f *flowing) edit(t *testing.T, n int) (out series) {
	t.Helper()
	for range n {
		text := f.text()
		begin := time.Now()
		row, err := f.flows.Save(f.ctx, flow.SaveInput{ID: f.row.ID, Base: f.row.Latest, Definition: flow.Definition{YAML: text}})
		if err == nil {
			_, err = f.flows.Reconcile(f.sys, row.ID)
		}
		out = append(out, time.Since(begin))
		if err != nil || row.Latest != f.row.Latest+1 {
			t.Fatal(row, err)
		}
		f.row = row
	}
	return out
}

// listed is robfig/cron with so many entries, running.
type listed struct {
	cron *cron.Cron
	last cron.EntryID
}

func newListed(n int) *listed {
	l := &listed{cron: cron.New()}
	for i := range n {
		at := time.Now().Add(time.Hour + time.Duration(i)*time.Second)
		l.last = l.cron.Schedule(once{&at}, cron.FuncJob(func() {}))
	}
	l.cron.Start()
	return l
}

func (l *listed) edit(n int) (out series) {
	for range n {
		begin := time.Now()
		l.cron.Remove(l.last)
		at := begin.Add(time.Hour)
		l.last = l.cron.Schedule(once{&at}, cron.FuncJob(func() {}))
		out = append(out, time.Since(begin))
	}
	return out
}
