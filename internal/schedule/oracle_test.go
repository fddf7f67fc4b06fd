package schedule_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

// change is an instant at which a zone's clock goes forward or back.
type change struct {
	zone *time.Location
	at   time.Time
}

// changes are all of 2024 to 2030, in all zones of the IANA database.
var changes = sync.OnceValue(func() []change {
	b, err := os.ReadFile("testdata/zones.txt")
	if err != nil {
		panic(err)
	}
	var out []change
	for _, name := range strings.Fields(string(b)) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		for t := utc("2024-01-01").In(zone); ; {
			_, end := t.ZoneBounds()
			if end.IsZero() || end.Year() > 2030 {
				break
			}
			_, before := end.Add(-time.Second).Zone()
			if _, after := end.Zone(); after != before {
				out = append(out, change{zone, end.UTC()})
			}
			t = end
		}
	}
	return out
})

// expression is a cron expression and, written independently, what it means.
type expression struct {
	text                 string
	second, minute, hour []int
	days                 func(wall time.Time) bool
	beat                 bool
}

func (x expression) matches(wall time.Time) bool {
	h, m, s := wall.Clock()
	return slices.Contains(x.minute, m) && slices.Contains(x.hour, h) && slices.Contains(x.second, s) && x.days(wall)
}

// oracle walks a window step by step. A beat fires when the clock shows a match.
// A named time fires at the first instant at which the clock shows it or more.
func (x expression) oracle(zone *time.Location, from, to time.Time, step time.Duration) []time.Time {
	var out []time.Time
	if x.beat {
		for t := from; t.Before(to); t = t.Add(step) {
			if x.matches(t.In(zone)) {
				out = append(out, t)
			}
		}
		return out
	}
	// seen is the latest time that the clock has shown so far.
	seen := wallOf(from.Add(-step), zone)
	for t := from; t.Before(to); t = t.Add(step) {
		shown, fires := wallOf(t, zone), false
		for ; seen.Before(shown); seen = seen.Add(step) {
			fires = fires || x.matches(seen.Add(step))
		}
		if fires {
			out = append(out, t)
		}
	}
	return out
}

// wallOf is what the zone's clock shows, in a calendar without zones.
func wallOf(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func anyDay(time.Time) bool { return true }

func upTo(n, step int) []int {
	var out []int
	for i := 0; i < n; i += step {
		out = append(out, i)
	}
	return out
}

// agree compares a plan with what the oracle found in [from, to).
func agree(t rapid.TB, x expression, zone *time.Location, from, to time.Time, want []time.Time) {
	t.Helper()
	p, err := schedule.Compile(schedule.Spec{Cron: x.text, Zone: zone.String()})
	if err != nil {
		t.Fatalf("%q: %v", x.text, err)
	}
	last := to.Add(-time.Second)
	got, _ := p.Between(from, last, len(want)+2)
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Fatalf("%q in %s from %v:\n got %v\nwant %v", x.text, zone, from, got, want)
	}
	back, _ := p.Between(last, from, len(want)+2)
	slices.Reverse(back)
	if !slices.EqualFunc(back, want, time.Time.Equal) {
		t.Fatalf("%q in %s from %v, backwards:\n got %v\nwant %v", x.text, zone, from, back, want)
	}
	if n := p.Count(from, to); n != int64(len(want)) {
		t.Fatalf("%q in %s: %d counted from %v to %v, want %d", x.text, zone, n, from, to, len(want))
	}
}

// P55: every change of every zone's clock from 2024 to 2030.
func TestEveryChangeOfClocksAgreesWithAWalk(t *testing.T) {
	t.Parallel()
	all := changes()
	if len(all) < 1000 {
		t.Fatalf("only %d changes of clocks are known", len(all))
	}
	zero := []int{0}
	expressions := []expression{
		{"30 0-3,23 * * *", zero, []int{30}, []int{0, 1, 2, 3, 23}, anyDay, false},
		{"*/20 1,2 * * *", zero, upTo(60, 20), []int{1, 2}, anyDay, false},
		{"0 0 * * *", zero, zero, zero, anyDay, false},
		{"*/30 * * * *", zero, upTo(60, 30), upTo(24, 1), anyDay, true},
		{"15 */2 * * *", zero, []int{15}, upTo(24, 2), anyDay, true},
	}
	// Most zones are copies or share their rules: the same walk is walked once.
	walked := map[string][]time.Time{}
	for _, c := range all {
		from, to := c.at.Add(-4*time.Hour), c.at.Add(4*time.Hour)
		for _, x := range expressions {
			key := x.text + wallOf(from, c.zone).String() + from.String() + wallOf(to, c.zone).String()
			want, ok := walked[key]
			if !ok {
				want = x.oracle(c.zone, from, to, time.Minute)
				walked[key] = want
			}
			agree(t, x, c.zone, from, to, want)
		}
	}
}

// P55: what is named fires once for each day of every zone whose clock changes; a
// day on which the named time does not exist is no exception.
func TestNamedTimesFireOnceADay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(changes()).Draw(t, "change")
		near := wallOf(c.at, c.zone).Add(time.Duration(rapid.IntRange(-120, 120).Draw(t, "minutes")) * time.Minute)
		p := compileIn(t, near.Format("4 15 * * *"), c.zone)
		perDay := map[string]int{}
		first := c.at.Add(-72 * time.Hour)
		times := p.Preview(first, 6)
		for _, f := range times {
			// A gap before midnight ends on the next day.
			if f.Note != nil && f.Note.Kind == schedule.NoteMoved {
				perDay[f.Note.Wall[:len("2006-01-02")]]++
				continue
			}
			perDay[f.Local.Format("2006-01-02")]++
		}
		for day := -1; day <= 1; day++ {
			name := wallOf(c.at, c.zone).AddDate(0, 0, day).Format("2006-01-02")
			if perDay[name] != 1 {
				t.Fatalf("%s: %d times on %s: %v", near.Format("15:04"), perDay[name], name, times)
			}
		}
	})
}

func compileIn(t *rapid.T, cron string, zone *time.Location) *schedule.Plan {
	p, err := schedule.Compile(schedule.Spec{Cron: cron, Zone: zone.String()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAnyExpressionAgreesWithAWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(changes()).Draw(t, "change")
		x := drawExpression(t, false)
		shift := time.Duration(rapid.IntRange(-1800, 1800).Draw(t, "minutes")) * time.Minute
		from := c.at.Add(shift - 20*time.Hour)
		to := from.Add(40 * time.Hour)
		agree(t, x, c.zone, from, to, x.oracle(c.zone, from, to, time.Minute))
	})
}

func TestAnyExpressionWithSecondsAgreesWithAWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(changes()).Draw(t, "change")
		x := drawExpression(t, true)
		shift := time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "seconds")) * time.Second
		from := c.at.Add(shift - 100*time.Minute)
		to := from.Add(200 * time.Minute)
		agree(t, x, c.zone, from, to, x.oracle(c.zone, from, to, time.Second))
	})
}

// The rule of named times counts on this; see wallRule.
func TestPeriodsOfOneOffsetAreLongerThanTheirChanges(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(readZones(t)) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := utc("1970-01-01").In(zone); at.Year() < 2040; {
			start, end := at.ZoneBounds()
			if end.IsZero() {
				break
			}
			if !start.IsZero() && end.Sub(start) < 36*time.Hour {
				t.Errorf("%s has one offset for only %v from %v", name, end.Sub(start), start)
			}
			at = end
		}
	}
}

func readZones(t *testing.T) string {
	b, err := os.ReadFile("testdata/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
