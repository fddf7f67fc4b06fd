package logstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	for i := 0; i < 300; i += 7 {
		b.write(t, w, outputs(i, min(7, 300-i)))
	}
	wantLines(t, b.all(t, 13), 300)
	for name, c := range map[string]struct {
		q           logstore.Query
		first, last int64
		n           int
	}{
		"from the start":       {logstore.Query{Limit: 10}, 0, 9, 10},
		"everything":           {logstore.Query{}, 0, 299, 300},
		"limit above the most": {logstore.Query{Limit: 1 << 30}, 0, 299, 300},
		"from a line":          {logstore.Query{FromLine: int64p(150), Limit: 5}, 150, 154, 5},
		"from the last line":   {logstore.Query{FromLine: int64p(299)}, 299, 299, 1},
		"from the end":         {logstore.Query{FromLine: int64p(300)}, 0, 0, 0},
		"from beyond the end":  {logstore.Query{FromLine: int64p(1 << 40)}, 0, 0, 0},
		"the last ones":        {logstore.Query{Last: 4}, 296, 299, 4},
		"more than there are":  {logstore.Query{Last: 4000}, 0, 299, 300},
		"last within limit":    {logstore.Query{Last: 50, Limit: 3}, 297, 299, 3},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.window(t, c.q)
			if len(got.Lines) != c.n || got.Complete {
				t.Fatalf("%d lines, complete %v, want %d", len(got.Lines), got.Complete, c.n)
			}
			if c.n > 0 && (got.Lines[0].Number != c.first || got.Lines[c.n-1].Number != c.last) {
				t.Errorf("lines %d to %d, want %d to %d", got.Lines[0].Number, got.Lines[c.n-1].Number, c.first, c.last)
			}
			for _, l := range got.Lines {
				if l.Text != fmt.Sprintf("line %d", l.Number) {
					t.Errorf("line %d is %q", l.Number, l.Text)
				}
			}
		})
	}
	// A cursor of a log without anything new gives nothing, and goes on later.
	end := b.window(t, logstore.Query{Last: 1})
	if got := b.window(t, logstore.Query{After: end.Cursor}); len(got.Lines) != 0 || got.Cursor != end.Cursor {
		t.Errorf("after the end: %+v", got)
	}
	b.write(t, w, outputs(300, 1))
	if got := b.window(t, logstore.Query{After: end.Cursor}); len(got.Lines) != 1 || got.Lines[0].Number != 300 {
		t.Errorf("after the end, one line later: %+v", got)
	}
}

func TestBadQueriesNameTheirField(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.write(t, b.writer(t), outputs(0, 10))
	for name, c := range map[string]struct {
		q    logstore.Query
		path string
	}{
		"no cursor":                {logstore.Query{After: "rubbish"}, "after"},
		"cursor of a longer log":   {logstore.Query{After: "AWTIAQ"}, "after"},
		"cursor within a line":     {logstore.Query{After: "AQEK"}, "after"},
		"cursor at a wrong number": {logstore.Query{After: "AQMA"}, "after"},
		"line below 0":             {logstore.Query{FromLine: int64p(-1)}, "fromLine"},
		"last below 0":             {logstore.Query{Last: -1}, "last"},
		"limit below 0":            {logstore.Query{Limit: -1}, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.store.Window(b.member, b.attempt.ID, c.q)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.InvalidArgument || len(f.Fields) != 1 || f.Fields[0].Path != c.path {
				t.Errorf("got %v, want a fault at %s", err, c.path)
			}
		})
	}
}

func TestWindowIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	text := strings.Repeat("y", logstore.MaxLine)
	for i := range 200 { // 3 MiB
		b.write(t, w, []logstore.Line{{Time: epoch.Add(time.Duration(i)), Source: logstore.Output, Text: text}})
	}
	for name, q := range map[string]logstore.Query{"from the start": {}, "the last": {Last: 200}} {
		got := b.window(t, q)
		if n := len(got.Lines); n < 60 || n > 65 {
			t.Errorf("%s: %d lines of 16 KiB in a window of 1 MiB", name, n)
		}
	}
	if got := b.window(t, logstore.Query{Last: 200}); got.Lines[len(got.Lines)-1].Number != 199 {
		t.Errorf("the last lines end at %d", got.Lines[len(got.Lines)-1].Number)
	}
	if n := len(b.all(t, 5000)); n != 200 {
		t.Errorf("%d lines by cursor", n)
	}
}

// TestWhoMayRead: the team's people and administrators; others hear that there is no such attempt.
func TestWhoMayRead(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.write(t, b.writer(t), outputs(0, 3))
	for name, c := range map[string]struct {
		ctx  context.Context
		want fault.Kind
	}{
		"owner of the team": {testkit.As(t, b.db, b.cast.Owner), ""},
		"member":            {b.member, ""},
		"viewer":            {testkit.As(t, b.db, b.cast.Viewer), ""},
		"administrator":     {testkit.As(t, b.db, b.cast.Admin), ""},
		"other team":        {testkit.As(t, b.db, b.cast.Other), fault.NotFound},
		"anonymous":         {t.Context(), fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(how string, err error) {
				if c.want == "" && err != nil || c.want != "" && (err == nil || fault.KindOf(err) != c.want) {
					t.Errorf("%s: %v, want %q", how, err, c.want)
				}
			}
			_, err := b.store.Window(c.ctx, b.attempt.ID, logstore.Query{})
			check("window", err)
			_, err = b.store.Search(c.ctx, b.attempt.ID, logstore.Search{Text: "line"})
			check("search", err)
			check("download", b.store.WriteTo(c.ctx, b.attempt.ID, &bytes.Buffer{}, logstore.Form{}))
			for w, err := range b.store.Follow(c.ctx, b.attempt.ID, "") {
				check("follow", err)
				if err == nil && len(w.Lines) != 3 {
					t.Errorf("follow gave %d lines", len(w.Lines))
				}
				break
			}
		})
	}
}

// TestReadersSurviveMerging: windows are read while chunks become others.
func TestReadersSurviveMerging(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	const n = 3000
	go func() {
		w, err := b.store.Writer(b.ctx, b.attempt.ID)
		for i := 0; err == nil && i < n; i++ {
			err = w.Write(b.ctx, outputs(i, 1))
		}
		if err == nil {
			err = b.store.Finish(b.ctx, b.attempt.ID, nil)
		}
		if err != nil && b.ctx.Err() == nil {
			t.Error(err)
		}
	}()
	var got []logstore.Line
	for w, err := range b.store.Follow(b.member, b.attempt.ID, "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, w.Lines...)
	}
	wantLines(t, got, n)
}

func TestDownloadJoinsParts(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	long := strings.Repeat("abcdefghi ", 5000)
	b.write(t, w, []logstore.Line{{Time: epoch, Source: logstore.Output, Text: long}, {Time: epoch.Add(time.Second), Source: logstore.Output, Text: "short"}})
	var plain, stamped bytes.Buffer
	if err := errors.Join(b.store.WriteTo(b.member, b.attempt.ID, &plain, logstore.Form{}), b.store.WriteTo(b.member, b.attempt.ID, &stamped, logstore.Form{Times: true})); err != nil {
		t.Fatal(err)
	}
	if plain.String() != long+"\nshort\n" {
		t.Errorf("%d bytes, want %d", plain.Len(), len(long)+7)
	}
	if want := "2026-11-29T08:00:00.000000000Z " + long + "\n2026-11-29T08:00:01.000000000Z short\n"; stamped.String() != want {
		t.Errorf("with times: %.80s", stamped.String())
	}
}

func TestMissingBlobIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.write(t, b.writer(t), outputs(0, 5))
	if err := os.RemoveAll(filepath.Join(b.dir, "logs")); err != nil {
		t.Fatal(err)
	}
	_, err := b.store.Window(b.member, b.attempt.ID, logstore.Query{})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want that it is not available", err)
	}
}

// TestHundredThousandLines over five reconnects of the reader (P81), while they are written.
func TestHundredThousandLines(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	const n, batch = 100_000, 250
	go func() {
		w, err := b.store.Writer(b.ctx, b.attempt.ID)
		for i := 0; err == nil && i < n; i += batch {
			err = w.Write(b.ctx, outputs(i, batch))
		}
		if err == nil {
			err = b.store.Finish(b.ctx, b.attempt.ID, nil)
		}
		if err != nil && b.ctx.Err() == nil {
			t.Error(err)
		}
	}()
	var got []logstore.Line
	after := ""
	for cut := 1; cut <= 6; cut++ {
		for w, err := range b.store.Follow(b.member, b.attempt.ID, after) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, w.Lines...)
			after = w.Cursor
			if cut <= 5 && len(got) > cut*n/7 {
				break
			}
		}
	}
	wantLines(t, got, n)
	if live := b.broker.Subscribers(); live > 0 {
		for range 50 {
			if live = b.broker.Subscribers(); live == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if live > 0 {
			t.Errorf("%d subscriptions are left", live)
		}
	}
}

// TestSlowReaderHoldsNobodyUp: who does not read gets later windows, and costs no memory.
func TestSlowReaderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	b.write(t, w, outputs(0, 1))
	next := 0
	for win, err := range b.store.Follow(b.member, b.attempt.ID, "") {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range win.Lines {
			if l.Number != int64(next) {
				t.Fatalf("line %d, want %d", l.Number, next)
			}
			next++
		}
		if next == 1 { // while this reader is busy
			for i := 1; i < 500; i++ {
				b.write(t, w, outputs(i, 1))
			}
			if err := b.store.Finish(b.ctx, b.attempt.ID, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if next != 500 {
		t.Errorf("%d lines", next)
	}
}
