package follow

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/mask"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

type bundle struct {
	db     *db.DB
	broker *event.Local
	store  *logstore.Store
	cast   testkit.Cast
	ctx    context.Context
}

func setup(t testing.TB) bundle {
	t.Helper()
	b := bundle{db: testkit.DB(t), broker: event.NewLocal(), ctx: testkit.System(t)}
	bucket, _ := logtest.Bucket(t)
	b.store = logstore.New(b.db, bucket, b.broker, 0)
	b.cast = testkit.NewCast(t, b.db)
	return b
}

func (b bundle) attempt(t testing.TB) *ent.Attempt {
	return logtest.Attempt(t, b.db, b.cast.Team, b.cast.Member)
}

func (b bundle) stored(t testing.TB, attemptID string) []logstore.Line {
	t.Helper()
	var out []logstore.Line
	for after := ""; ; {
		w, err := b.store.Window(b.ctx, attemptID, logstore.Query{After: after})
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Lines) == 0 {
			return out
		}
		out, after = append(out, w.Lines...), w.Cursor
	}
}

func diff(got, want []logstore.Line) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d lines, want %d; the next is %s %.40q", len(got), len(want), want[i].Time.Format(time.RFC3339Nano), want[i].Text)
		case i >= len(want):
			return fmt.Sprintf("%d lines, want %d; the next is %s %.40q", len(got), len(want), got[i].Time.Format(time.RFC3339Nano), got[i].Text)
		case !got[i].Time.Equal(want[i].Time) || clean(want[i].Text) != got[i].Text || got[i].Partial != want[i].Partial || got[i].Source != want[i].Source:
			return fmt.Sprintf("line %d is %s %.40q (%d bytes, partial %v), want %s %.40q (%d bytes, partial %v)", i,
				got[i].Time.Format(time.RFC3339Nano), got[i].Text, len(got[i].Text), got[i].Partial,
				want[i].Time.Format(time.RFC3339Nano), want[i].Text, len(want[i].Text), want[i].Partial)
		}
	}
	return ""
}

// TestRotationUnderAReader: the node ends the stream in the middle of a line and
// serves the rest from a new file.
func TestRotationUnderAReader(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		clean bool
		want  string
	}{
		"the node ended the stream": {true, "one\nbegin and end\n"},
		"the connection broke":      {false, "one\n[goblinlab] The node has put earlier output away before it was read: lines between 2026-11-29T08:00:00Z and 2026-11-29T08:01:00Z may be missing.\nbegin and end\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			a, src, n := b.attempt(t), newAttempts(b.store), newNode()
			n.add(piece{at, "one", false}, piece{at.Add(time.Second), "begin ", true})
			n.clean, n.cuts = c.clean, []int{len("2026-11-29T08:00:00Z one\n2026-11-29T08:00:01Z begin ")}
			n.broken = func() {
				n.pieces = []piece{{at.Add(time.Minute), "and end", false}}
				n.ended = true
				src.set(a.ID, Ended, pod(true, true))
			}
			src.set(a.ID, Running, pod(true, false))
			b.ship(t, b.crew(src, n), src)
			var out strings.Builder
			if err := b.store.WriteTo(b.ctx, a.ID, &out, logstore.Form{}); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("the log is\n%s", out.String())
			}
		})
	}
}

// attempts is a Source of attempts of which all is known to the test.
type attempts struct {
	mu       sync.Mutex
	store    *logstore.Store
	targets  map[string]*Target
	states   map[string]State
	missing  map[string]*Missing
	finished chan string
	masker   *mask.Masker
}

func newAttempts(s *logstore.Store) *attempts {
	return &attempts{store: s, targets: map[string]*Target{}, states: map[string]State{}, missing: map[string]*Missing{}, finished: make(chan string, 100)}
}

func (a *attempts) set(id string, s State, f func(*Target)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.targets[id] == nil {
		a.targets[id] = &Target{ID: id, RunID: "run-1", Container: "task"}
	}
	a.states[id] = s
	f(a.targets[id])
}

func (a *attempts) Unfinished(context.Context, string) ([]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ids []string
	for id, t := range a.targets {
		if !t.Complete {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (a *attempts) Target(_ context.Context, id string) (*Target, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := *a.targets[id]
	return &t, nil
}

func (a *attempts) Container(_ context.Context, t *Target) (State, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.states[t.ID], nil
}

func (a *attempts) Masker(context.Context, *Target) (*mask.Masker, error) { return a.masker, nil }

func (a *attempts) Finish(ctx context.Context, t *Target, m *Missing) error {
	if err := a.store.Finish(ctx, t.ID, nil); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.targets[t.ID].Complete, a.missing[t.ID] = true, m
	a.finished <- t.ID
	return nil
}

func (b bundle) crew(src *attempts, n Runtime) *Crew {
	return &Crew{Source: src, Runtime: n, Logs: b.store, Broker: b.broker, Drain: 500 * time.Millisecond}
}

// ship runs the crew until the attempt is finished.
func (b bundle) ship(t testing.TB, c *Crew, src *attempts) {
	t.Helper()
	ctx, stop := context.WithCancel(b.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx)
	}()
	select {
	case <-src.finished:
	case <-time.After(60 * time.Second):
		t.Fatal("not finished after a minute")
	}
	stop()
	<-done
}

func pod(started, ended bool) func(*Target) {
	return func(t *Target) {
		t.Pod, t.Started, t.Ended = "pod-1", started, ended
		if ended {
			t.EndedAt = time.Now()
		}
	}
}

// TestHundredThousandLinesOverFiveReconnects of the shipper, read while it ships (P80).
func TestHundredThousandLinesOverFiveReconnects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, src, n := b.attempt(t), newAttempts(b.store), newNode()
	const lines = 100_000
	n.cuts = []int{0, 100, 500_000, 1_500_000, 3_000_000}
	src.set(a.ID, Running, pod(true, false))
	go func() {
		at := time.Now().UTC()
		for i := range lines {
			n.add(piece{at.Add(time.Duration(i/3) * 20 * time.Microsecond), fmt.Sprintf("line %d with some words behind it", i), false})
		}
		src.set(a.ID, Ended, pod(true, true))
		n.end()
	}()
	var live []logstore.Line
	read := make(chan error, 1)
	go func() {
		for w, err := range b.store.Follow(b.ctx, a.ID, "") {
			if err != nil {
				read <- err
				return
			}
			live = append(live, w.Lines...)
		}
		read <- nil
	}()
	c := b.crew(src, n)
	c.Drain = time.Minute // slow machines read slowly
	b.ship(t, c, src)
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	if d := diff(live, want(n.pieces)); d != "" {
		t.Errorf("live: %s", d)
	}
	if d := diff(b.stored(t, a.ID), want(n.pieces)); d != "" {
		t.Errorf("stored: %s", d)
	}
	if n.opens < 6 {
		t.Errorf("%d connections, want five that broke and one more", n.opens)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	at := time.Now().UTC().Truncate(time.Second)
	for name, c := range map[string]struct {
		node    func(*node)
		state   State
		target  func(*Target)
		lines   int
		missing bool
	}{
		"never had a pod":               {func(*node) {}, Waiting, func(t *Target) { t.Ended, t.EndedAt = true, time.Now() }, 0, false},
		"no output":                     {func(*node) {}, Ended, pod(true, true), 0, false},
		"some output":                   {func(n *node) { n.add(piece{at, "a", false}, piece{at, "b", false}) }, Ended, pod(true, true), 2, false},
		"no newline at the end":         {func(n *node) { n.add(piece{at, "a", false}, piece{at, "b", true}) }, Ended, pod(true, true), 2, false},
		"pod gone before a byte":        {func(n *node) { n.gone = true }, Gone, pod(true, true), 0, true},
		"pod gone before it ran":        {func(n *node) { n.gone = true }, Gone, pod(false, true), 0, false},
		"log lost by the node":          {func(n *node) { n.gone = true }, Ended, pod(true, true), 0, true},
		"the node does not answer":      {func(n *node) { n.add(piece{at, "a", false}) }, Running, func(t *Target) { pod(true, true)(t); t.EndedAt = time.Now().Add(-time.Minute) }, 1, true},
		"the last byte was cut off":     {func(n *node) { n.add(piece{at, "a", false}); n.cuts = []int{31} }, Ended, pod(true, true), 1, false},
		"the last byte was cut cleanly": {func(n *node) { n.add(piece{at, "a", false}); n.cuts = []int{0}; n.clean = true }, Running, pod(true, false), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			a, src, n := b.attempt(t), newAttempts(b.store), newNode()
			c.node(n)
			src.set(a.ID, c.state, c.target)
			if strings.Contains(name, "cleanly") {
				go func() {
					time.Sleep(50 * time.Millisecond)
					n.end()
					src.set(a.ID, Ended, pod(true, true))
				}()
			}
			b.ship(t, b.crew(src, n), src)
			if got := b.stored(t, a.ID); len(got) != c.lines {
				t.Errorf("%d lines, want %d: %+v", len(got), c.lines, got)
			}
			if m := src.missing[a.ID]; (m != nil) != c.missing {
				t.Errorf("missing is %+v, want some: %v", m, c.missing)
			}
		})
	}
}

// TestTakeOver: a crew stops in the middle, another goes on (P69); a third that
// believes the same disturbs nothing.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, src, n := b.attempt(t), newAttempts(b.store), newNode()
	src.set(a.ID, Running, pod(true, false))
	const lines = 20_000
	at := time.Now().UTC()
	for i := range lines / 2 {
		n.add(piece{at.Add(time.Duration(i) * time.Microsecond), fmt.Sprint("line ", i), false})
	}
	first, stop := context.WithCancel(b.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.crew(src, n).Run(first)
	}()
	for len(b.stored(t, a.ID)) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	other, stop := context.WithCancel(b.ctx)
	defer stop()
	third := b.crew(src, n)
	third.Drain = time.Minute
	go third.Run(other)
	go func() {
		for i := lines / 2; i < lines; i++ {
			n.add(piece{at.Add(time.Duration(i) * time.Microsecond), fmt.Sprint("line ", i), false})
		}
		src.set(a.ID, Ended, pod(true, true))
		n.end()
	}()
	c := b.crew(src, n)
	c.Drain = time.Minute
	b.ship(t, c, src)
	if d := diff(b.stored(t, a.ID), want(n.pieces)); d != "" {
		t.Error(d)
	}
}

// TestMemoryStaysSmall over 200 MB of one line: parts come and go.
func TestMemoryStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("200 MB; run without -short")
	}
	b := setup(t)
	a := b.attempt(t)
	w, err := b.store.Writer(b.ctx, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	n := &endless{size: 200 << 20}
	s := &stream{w: w, batches: make(chan []logstore.Line, 1)}
	go s.read(b.ctx, n)
	if err := s.write(b.ctx, func() bool { return true }); err != nil || s.err != nil {
		t.Fatal(err, s.err)
	}
	row, err := b.db.Client.Attempt.Get(b.ctx, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if row.LogLines < 200<<20/logstore.MaxLine-1 || row.LogBytes < 200<<20 {
		t.Errorf("%d lines, %d bytes", row.LogLines, row.LogBytes)
	}
	if n.peak > 64<<20 {
		t.Errorf("%d MiB of memory for 200 MB of output", n.peak>>20)
	}
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
}
