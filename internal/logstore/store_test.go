package logstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

type bundle struct {
	db      *db.DB
	store   *logstore.Store
	broker  *event.Local
	bucket  *blob.Bucket
	dir     string
	cast    testkit.Cast
	attempt *ent.Attempt
	ctx     context.Context // of the platform
	member  context.Context
}

func setup(t testing.TB, limit int64) bundle {
	t.Helper()
	b := bundle{db: testkit.DB(t), broker: event.NewLocal(), ctx: testkit.System(t)}
	b.bucket, b.dir = logtest.Bucket(t)
	b.store = logstore.New(b.db, b.bucket, b.broker, limit)
	b.cast = testkit.NewCast(t, b.db)
	b.attempt = logtest.Attempt(t, b.db, b.cast.Team, b.cast.Member)
	b.member = testkit.As(t, b.db, b.cast.Member)
	return b
}

var epoch = time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)

func outputs(from, n int) []logstore.Line {
	lines := make([]logstore.Line, n)
	for i := range lines {
		lines[i] = logstore.Line{Time: epoch.Add(time.Duration(from+i) * time.Millisecond), Source: logstore.Output, Text: fmt.Sprintf("line %d", from+i)}
	}
	return lines
}

func (b bundle) writer(t testing.TB) *logstore.Writer {
	t.Helper()
	w, err := b.store.Writer(b.ctx, b.attempt.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (b bundle) write(t testing.TB, w *logstore.Writer, lines []logstore.Line) {
	t.Helper()
	if err := w.Write(b.ctx, lines); err != nil {
		t.Fatal(err)
	}
}

func (b bundle) window(t testing.TB, q logstore.Query) logstore.Window {
	t.Helper()
	w, err := b.store.Window(b.member, b.attempt.ID, q)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// all reads the log by cursors, n lines at a time.
func (b bundle) all(t testing.TB, n int) []logstore.Line {
	t.Helper()
	var out []logstore.Line
	for after := ""; ; {
		w := b.window(t, logstore.Query{After: after, Limit: n})
		if len(w.Lines) == 0 {
			return out
		}
		if len(w.Lines) > n {
			t.Fatalf("%d lines in a window of %d", len(w.Lines), n)
		}
		out = append(out, w.Lines...)
		after = w.Cursor
	}
}

func wantLines(t testing.TB, got []logstore.Line, n int) {
	t.Helper()
	if len(got) != n {
		t.Fatalf("%d lines, want %d", len(got), n)
	}
	for i, l := range got {
		if l.Number != int64(i) || l.Text != fmt.Sprintf("line %d", i) || !l.Time.Equal(epoch.Add(time.Duration(i)*time.Millisecond)) {
			t.Fatalf("line %d is %+v", i, l)
		}
	}
}

func (b bundle) chunks(t testing.TB) int {
	t.Helper()
	n, err := b.db.Client.LogChunk.Query().Where(logchunk.AttemptID(b.attempt.ID)).Count(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (b bundle) blobs(t testing.TB) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(b.dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func int64p(n int64) *int64 { return &n }

func TestPlatformLinesGoBetween(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	say := func(text string) logstore.Line {
		return logstore.Line{Time: epoch, Source: logstore.Platform, Text: text}
	}
	if err := b.store.Append(b.ctx, b.attempt.ID, []logstore.Line{say("created")}); err != nil {
		t.Fatal(err)
	}
	b.write(t, w, outputs(0, 2))
	if err := b.store.Append(b.ctx, b.attempt.ID, []logstore.Line{say("asked to stop")}); err != nil {
		t.Fatal(err)
	}
	b.write(t, w, outputs(2, 1)) // the writer is not disturbed
	if err := b.store.Finish(b.ctx, b.attempt.ID, []logstore.Line{say("ended")}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.store.WriteTo(b.member, b.attempt.ID, &out, logstore.Form{}); err != nil {
		t.Fatal(err)
	}
	want := "[goblinlab] created\nline 0\nline 1\n[goblinlab] asked to stop\nline 2\n[goblinlab] ended\n"
	if out.String() != want {
		t.Errorf("the log is\n%s", out.String())
	}
	if got := b.window(t, logstore.Query{}); !got.Complete || len(got.Lines) != 6 {
		t.Errorf("complete %v with %d lines", got.Complete, len(got.Lines))
	}
	if err := b.store.Append(b.ctx, b.attempt.ID, []logstore.Line{say("late")}); !errors.Is(err, logstore.ErrComplete) {
		t.Errorf("append after the end: %v", err)
	}
	if err := w.Write(b.ctx, outputs(3, 1)); !errors.Is(err, logstore.ErrComplete) {
		t.Errorf("write after the end: %v", err)
	}
	if err := b.store.Finish(b.ctx, b.attempt.ID, []logstore.Line{say("again")}); err != nil {
		t.Errorf("finish twice: %v", err)
	}
}

func TestChunksStayFew(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	for i := range 2000 {
		b.write(t, w, outputs(i, 1))
	}
	if n := b.chunks(t); n > 64 {
		t.Errorf("%d chunks of 2,000 small ones while the log grows", n)
	}
	wantLines(t, b.all(t, 300), 2000)
	if err := b.store.Finish(b.ctx, b.attempt.ID, nil); err != nil {
		t.Fatal(err)
	}
	if n, m := b.chunks(t), b.blobs(t); n != 1 || m != 1 {
		t.Errorf("%d chunks and %d blobs of a finished log of 80 KB", n, m)
	}
	wantLines(t, b.all(t, 300), 2000)
}

// TestOrphanBlobs: a crash between the blob and its row costs nothing; the
// next one who writes begins where the rows end.
func TestOrphanBlobs(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	b.write(t, w, outputs(0, 5))
	if _, err := b.store.Stage(b.ctx, b.attempt.ID, outputs(5, 5)); err != nil { // and no commit
		t.Fatal(err)
	}
	crash := errors.New("crash")
	err := b.db.Tx(b.ctx, func(tx *ent.Tx) error {
		st, err := b.store.Stage(b.ctx, b.attempt.ID, outputs(5, 5))
		if err != nil {
			return err
		}
		if err := st.Commit(b.ctx, tx); err != nil {
			return err
		}
		return crash // between the row and the commit
	})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	wantLines(t, b.all(t, 100), 5)
	b.write(t, b.writer(t), outputs(5, 5))
	wantLines(t, b.all(t, 100), 10)
	if err := b.store.Delete(b.ctx, b.attempt.ID); err != nil {
		t.Fatal(err)
	}
	if n := b.blobs(t); n != 0 {
		t.Errorf("%d blobs of a deleted log", n)
	}
	if got := b.window(t, logstore.Query{}); len(got.Lines) != 0 || !got.Complete {
		t.Errorf("a deleted log has %d lines", len(got.Lines))
	}
}

func TestSecondShipperGivesWay(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	first := b.writer(t)
	b.write(t, first, outputs(0, 5))
	second := b.writer(t)
	b.write(t, second, outputs(5, 5))
	if err := first.Write(b.ctx, outputs(5, 5)); !errors.Is(err, logstore.ErrOvertaken) {
		t.Errorf("the first writer stored again what the second had: %v", err)
	}
	wantLines(t, b.all(t, 100), 10)
}

func TestLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, 100_000)
	w := b.writer(t)
	for i := 0; i < 10_000; i += 100 {
		b.write(t, w, outputs(i, 100))
	}
	if !w.Truncated() || !b.writer(t).Truncated() {
		t.Error("the writer does not know that the log is cut")
	}
	a, err := b.db.Client.Attempt.Get(b.ctx, b.attempt.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !a.LogTruncated || a.LogBytes > 100_200 || a.LogBytes < 80_000 {
		t.Errorf("truncated %v at %d bytes", a.LogTruncated, a.LogBytes)
	}
	last := b.window(t, logstore.Query{Last: 1}).Lines[0]
	if last.Source != logstore.Platform || !strings.Contains(last.Text, "97.65 KiB") {
		t.Errorf("the last line is %+v", last)
	}
	if err := b.store.Append(b.ctx, b.attempt.ID, []logstore.Line{{Time: epoch, Source: logstore.Platform, Text: "ended"}}); err != nil {
		t.Errorf("the platform's own lines: %v", err)
	}
}
