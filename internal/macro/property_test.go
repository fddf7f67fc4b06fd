package macro_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/macro"
)

// texts are made of what parses, and of what almost does.
var texts = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"$", "$$", "${", "}", "'", ",", "{", "a", "日", " ", "${yyyyMMdd,-1M,+2d}", "${yy''MM}", "${dd'a,}$'}", "${unix,+1s}", "${run.id}",
			"${param.a}", "${tasks.a.outputs.b}", "${week}"}),
		rapid.StringN(0, 3, -1),
	), 0, 12).Draw(t, "pieces"), "")
})

func TestWhatIsPrintedIsReadAsTheSame(t *testing.T) {
	t.Parallel()
	v := macro.Values{Time: time.Unix(1_800_000_000, 0), RunID: "$${r}", Params: map[string]string{"a": "${b}"}, Outputs: map[string]map[string]string{"a": {"b": "$"}}}
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		first, err := macro.Parse(text)
		if err != nil {
			return
		}
		second, err := macro.Parse(first.String())
		if err != nil || second.String() != first.String() {
			t.Fatalf("%q is printed %q, then %q, %v", text, first, second, err)
		}
		a, errA := first.Expand(v)
		b, errB := second.Expand(v)
		if a != b || errA != nil || errB != nil {
			t.Fatalf("%q is %q, and printed and read %q; %v, %v", text, a, b, errA, errB)
		}
	})
}

func TestTextWithoutDollarIsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "$", "")
		tpl, err := macro.Parse(text)
		if err != nil || !tpl.Plain() {
			t.Fatalf("%q: %v", text, err)
		}
		if got, err := tpl.Expand(macro.Values{}); err != nil || got != text {
			t.Fatalf("%q is %q, %v", text, got, err)
		}
	})
}

func TestDaysThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe", "Europe/Berlin"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		// At noon, which no clock has skipped since 1950.
		from := time.Date(1990, 1, 1+rapid.IntRange(0, 20000).Draw(t, "day"), 12, rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, loc)
		for _, unit := range []string{"d", "w"} {
			step := func(sign string, t time.Time) time.Time {
				o, err := macro.ParseOffset(sign + itoa(n) + unit)
				if err != nil {
					panic(err)
				}
				out, _ := o.Apply(t)
				return out
			}
			there := step("+", from)
			if back := step("-", there); !back.Equal(from) {
				t.Fatalf("%s and %d%s is %s, and back %s", from, n, unit, there, back)
			}
			if there.Format("15:04") != from.Format("15:04") {
				t.Fatalf("clocks show %s after %s", there, from)
			}
		}
	})
}

// Months clamp, and never leave the month that was meant.
func TestMonthsLandInTheirMonth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-600, 600).Draw(t, "n")
		from := time.Date(2000, 1, 1+rapid.IntRange(0, 20000).Draw(t, "day"), 12, 0, 0, 0, time.UTC)
		sign := "+"
		if n < 0 {
			sign = ""
		}
		o, err := macro.ParseOffset(sign + itoa(n) + "M")
		if err != nil {
			t.Fatal(err)
		}
		got, ok := o.Apply(from)
		months := func(t time.Time) int { return t.Year()*12 + int(t.Month()) }
		if !ok || months(got) != months(from)+n || got.Day() > from.Day() {
			t.Fatalf("%s and %d months is %s", from, n, got)
		}
	})
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "$", "${yyyy-MM-dd,-1d}", "${tasks.a.outputs.b}", "${'", "$$${'}'}", "${yyyy'''}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tpl, err := macro.Parse(s)
		for _, e := range macro.All(err) {
			if e.At < 0 || e.At > len(s) {
				t.Fatalf("%q: the error is at byte %d", s, e.At)
			}
		}
		if err != nil {
			return
		}
		_ = macro.Check(tpl, macro.Scope{})
		_, _ = tpl.Expand(macro.Values{Time: time.Unix(0, 0)})
		if again, err := macro.Parse(tpl.String()); err != nil || again.String() != tpl.String() {
			t.Fatalf("%q is printed %q: %v", s, tpl, err)
		}
	})
}

func FuzzTree(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a":["${yyyy}",1,null]}`, `"${"`, `[[[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := json.RawMessage(s)
		bad := macro.CheckTree(raw, macro.Scope{})
		out, err := macro.ExpandTree(raw, macro.Values{})
		if err == nil && !json.Valid(out) {
			t.Fatalf("%q becomes %q", s, out)
		}
		if _, _, err := macro.Sample(raw); err != nil && len(bad) > 0 {
			t.Fatalf("%q has texts %v and no sample: %v", s, bad, err)
		}
	})
}
