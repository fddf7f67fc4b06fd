package logstore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
)

// numbers of all lines that a search finds, in as many calls as it takes.
func (b bundle) numbers(t testing.TB, q logstore.Search) []int64 {
	t.Helper()
	var out []int64
	for {
		h, err := b.store.Search(b.member, b.attempt.ID, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range h.Lines {
			out = append(out, l.Number)
		}
		if h.End {
			return out
		}
		if h.Next <= q.FromLine {
			t.Fatalf("a search from line %d goes on at %d", q.FromLine, h.Next)
		}
		q.FromLine = h.Next
	}
}

// P83: the server searches all of a log, not the page what it has loaded.
func TestP83SearchIsOnTheServer(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	texts := []string{
		"Epoch 1: loss 0.5", "\x1b[31mERROR\x1b[0m: out of memory", "10 %\r50 %\r100 % done", "训练完成", "STRASSE und Straße",
		"a \x1b[1mbo\x1b[0mld word", "what was over\rwritten\r", "", "plain (text) [with] signs.*", "epoch 2",
	}
	for _, text := range texts { // a chunk each
		b.write(t, w, []logstore.Line{{Time: epoch, Source: logstore.Output, Text: text}})
	}
	for name, c := range map[string]struct {
		q    logstore.Search
		want []int64
	}{
		"any case":               {logstore.Search{Text: "EPOCH"}, []int64{0, 9}},
		"this case":              {logstore.Search{Text: "Epoch", Case: true}, []int64{0}},
		"between colours":        {logstore.Search{Text: "error: out"}, []int64{1}},
		"across a colour":        {logstore.Search{Text: "bold"}, []int64{5}},
		"the last state":         {logstore.Search{Text: "100 %"}, []int64{2}},
		"a state that is gone":   {logstore.Search{Text: "50 %"}, nil},
		"the last that is there": {logstore.Search{Text: "written"}, []int64{6}},
		"Chinese":                {logstore.Search{Text: "完成"}, []int64{3}},
		"beyond ASCII":           {logstore.Search{Text: "STRAßE"}, []int64{4}},
		"signs are signs":        {logstore.Search{Text: "(text) [with] signs.*"}, []int64{8}},
		"an expression":          {logstore.Search{Text: `epoch \d$`, Regexp: true}, []int64{9}},
		"an expression, case":    {logstore.Search{Text: `^[Ee]poch`, Regexp: true, Case: true}, []int64{0, 9}},
		"from a line":            {logstore.Search{Text: "epoch", FromLine: 1}, []int64{9}},
		"from beyond the end":    {logstore.Search{Text: "epoch", FromLine: 1 << 40}, nil},
		"one at a time":          {logstore.Search{Text: "o", Limit: 1}, []int64{0, 1, 2, 5, 9}},
		"a time is no text":      {logstore.Search{Text: "2026-11"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.numbers(t, c.q); !slices.Equal(got, c.want) {
				t.Errorf("lines %v, want %v", got, c.want)
			}
		})
	}
	h, err := b.store.Search(b.member, b.attempt.ID, logstore.Search{Text: "out of memory"})
	if err != nil || len(h.Lines) != 1 || h.Lines[0].Text != texts[1] {
		t.Errorf("the line that was found: %+v, %v", h.Lines, err)
	}
}

func TestASearchThatIsWrongNamesItsField(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	for name, c := range map[string]struct {
		q          logstore.Search
		path, code string
	}{
		"nothing":        {logstore.Search{}, "text", "log.search-empty"},
		"too long":       {logstore.Search{Text: strings.Repeat("好", logstore.MaxSearch+1)}, "text", "log.search-long"},
		"no expression":  {logstore.Search{Text: "a(b", Regexp: true}, "text", "log.search-regexp"},
		"a line below 0": {logstore.Search{Text: "a", FromLine: -1}, "fromLine", "log.negative"},
		"a limit":        {logstore.Search{Text: "a", Limit: -1}, "limit", "log.negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.store.Search(b.member, b.attempt.ID, c.q)
			var f *fault.Error
			if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Path != c.path || f.Fields[0].ID != c.code {
				t.Errorf("%v, want %s at %s", err, c.code, c.path)
			}
		})
	}
	if _, err := b.store.Search(b.member, b.attempt.ID, logstore.Search{Text: strings.Repeat("好", logstore.MaxSearch)}); err != nil {
		t.Errorf("the longest: %v", err)
	}
}

// A search finds what a look at each line finds, whatever the chunks, their
// merging and the limits.
func TestASearchFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	rapid.Check(t, func(r *rapid.T) {
		b := b
		b.attempt = logtest.Attempt(t, b.db, b.cast.Team, b.cast.Member)
		w := b.writer(t)
		var all []string
		for range rapid.IntRange(1, 6).Draw(r, "chunks") {
			texts := rapid.SliceOfN(rapid.StringMatching(`[abAB ]{0,6}`), 1, 20).Draw(r, "lines")
			lines := make([]logstore.Line, len(texts))
			for i, text := range texts {
				lines[i] = logstore.Line{Time: epoch, Source: logstore.Output, Text: text}
			}
			all = append(all, texts...)
			b.write(t, w, lines)
		}
		if rapid.Bool().Draw(r, "merged") {
			if err := b.store.Finish(b.ctx, b.attempt.ID, nil); err != nil {
				r.Fatal(err)
			}
		}
		q := logstore.Search{
			Text: rapid.StringMatching(`[abAB]{1,2}`).Draw(r, "text"), Case: rapid.Bool().Draw(r, "case"), Regexp: rapid.Bool().Draw(r, "regexp"),
			FromLine: rapid.Int64Range(0, int64(len(all))).Draw(r, "from"), Limit: rapid.IntRange(1, 9).Draw(r, "limit"),
		}
		var want []int64
		for n, text := range all {
			have, needle := text, q.Text
			if !q.Case {
				have, needle = strings.ToLower(have), strings.ToLower(needle)
			}
			if int64(n) >= q.FromLine && strings.Contains(have, needle) {
				want = append(want, int64(n))
			}
		}
		if got := b.numbers(t, q); !slices.Equal(got, want) {
			r.Fatalf("%+v: lines %v, want %v", q, got, want)
		}
	})
}
