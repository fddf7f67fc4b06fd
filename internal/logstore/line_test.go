package logstore

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func someTime(r *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(0, 4e9).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds")).UTC()
}

func TestLineComesBackAsItWasStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		in := Line{
			Time: someTime(r), Source: rapid.SampledFrom([]Source{Output, Platform}).Draw(r, "source"),
			Text: string(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "text")), Partial: rapid.Bool().Draw(r, "partial"),
		}
		b := appendLine(nil, in)
		if bytes.Count(b, []byte{'\n'}) != 1 || b[len(b)-1] != '\n' || !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
			r.Fatalf("stored as %q", b)
		}
		if len(b) > maxStored {
			r.Fatalf("%d bytes stored of %d", len(b), len(in.Text))
		}
		out, err := parseLine(b[:len(b)-1])
		if err != nil {
			r.Fatal(err)
		}
		in.Text = clean(in.Text)
		if !out.Time.Equal(in.Time) || out.Text != in.Text || out.Source != in.Source || out.Partial != in.Partial {
			r.Fatalf("%+v became %+v", in, out)
		}
		if again := appendLine(nil, out); !bytes.Equal(again, b) {
			r.Fatalf("%q became %q", b, again)
		}
	})
}

func TestCleanKeepsWhatTerminalsUse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\x1b[31mred\x1b[0m":      "\x1b[31mred\x1b[0m",
		"12%\r34%":                "12%\r34%",
		"a\tb":                    "a\tb",
		"NUL\x00here":             "NUL\uFFFDhere",
		"two\nlines":              "two lines",
		"broken \xff\xfe, fine":   "broken \uFFFD, fine",
		"训练完成 ✓":                  "训练完成 ✓",
		strings.Repeat("\xff", 9): "\uFFFD",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestCutTearsNoCharacter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Repeat("x", rapid.IntRange(0, 3).Draw(r, "shift")) +
			strings.Repeat(rapid.SampledFrom([]string{"a", "é", "训", "🙂"}).Draw(r, "letter"), 3*MaxLine)
		text = text[:rapid.IntRange(0, len(text)).Draw(r, "length")]
		for len(text) > 0 && !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		for _, l := range split([]Line{{Source: Output, Text: text}}) {
			if !utf8.ValidString(l.Text) || len(l.Text) > MaxLine {
				r.Fatalf("a part of %d bytes, valid %v", len(l.Text), utf8.ValidString(l.Text))
			}
		}
	})
}

func TestSplitKeepsTheTextAndMarksParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		pieces := rapid.SliceOfN(rapid.IntRange(0, 3*MaxLine), 1, 4).Draw(r, "sizes")
		var lines []string
		for i, n := range pieces {
			lines = append(lines, strings.Repeat(string(rune('a'+i)), n))
		}
		var got []string
		open := false
		for _, l := range split([]Line{{Source: Platform, Text: strings.Join(lines, "\n")}}) {
			if open {
				got[len(got)-1] += l.Text
			} else {
				got = append(got, l.Text)
			}
			open = l.Partial
		}
		if open || strings.Join(got, "\n") != strings.Join(lines, "\n") {
			r.Fatalf("%d lines became %d, open %v", len(lines), len(got), open)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	for _, s := range []string{
		"2026-11-29T18:00:00.123456789Z OF hello", "2026-11-29T18:00:00Z PP ", "2026-11-29T18:00:00Z OX x", "", " ", "  OF ",
		"2026-13-29T18:00:00Z OF x", "2026-11-29T18:00:00Z O", "x OF \x00\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLine(b)
		if err != nil {
			return
		}
		if l.Source != Output && l.Source != Platform {
			t.Fatalf("source %q", l.Source)
		}
		again, err := parseLine(bytes.TrimSuffix(appendLine(nil, l), []byte{'\n'}))
		if err != nil || !again.Time.Equal(l.Time) || again.Text != clean(l.Text) || again.Partial != l.Partial {
			t.Fatalf("%+v became %+v, %v", l, again, err)
		}
	})
}

func TestCursorComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := place{rapid.Int64Min(0).Draw(r, "line"), rapid.Int64Min(0).Draw(r, "byte")}
		got, err := parseCursor(p.String())
		if err != nil || got != p {
			r.Fatalf("%+v became %+v, %v", p, got, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", "AQAA", place{5, 70}.String(), "AQ", "====", "AgAA", "AQCAAA", "\x00", "AQD_____________AQA"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parseCursor(s)
		if err != nil {
			return
		}
		if p.line < 0 || p.byte < 0 {
			t.Fatalf("%q is %+v", s, p)
		}
		if s != "" && p.String() != s {
			t.Fatalf("%q and %q are one place", s, p.String())
		}
	})
}
