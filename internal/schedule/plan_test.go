package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

// P61: each step is as long as any other, over the hour, the day and changes of clocks.
func TestIntervalsNeverStartAnew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Int64Range(1, 100_000).Draw(t, "step")
		anchor := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "anchor"), 0).UTC()
		after := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "after"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		p, err := schedule.Compile(schedule.Spec{Every: fmt.Sprintf("%ds", step), Anchor: anchor, Zone: "Europe/Berlin"})
		if err != nil {
			t.Fatal(err)
		}
		first, ok := p.Next(after)
		if !ok || !first.After(after) || first.Sub(after) > time.Duration(step)*time.Second || (first.Unix()-anchor.Unix())%step != 0 {
			t.Fatalf("%v follows %v", first, after)
		}
		for range 20 {
			next, _ := p.Next(first)
			back, _ := p.Prev(next)
			if next.Sub(first) != time.Duration(step)*time.Second || !back.Equal(first) {
				t.Fatalf("%v, %v, back %v", first, next, back)
			}
			first = next
		}
		from := after.Truncate(time.Second).Add(time.Second)
		times, _ := p.Between(from, from.Add(time.Duration(step)*10*time.Second), 100)
		if n := p.Count(from, from.Add(time.Duration(step)*10*time.Second+1)); n != int64(len(times)) || n < 10 || n > 11 {
			t.Fatalf("%d counted, %d listed", n, len(times))
		}
	})
	p := compile(t, schedule.Spec{Every: "8m", Anchor: utc("2026-01-01 00:00")})
	times, _ := p.Between(utc("2026-01-01 00:50"), utc("2026-01-01 01:10"), 10)
	if !slices.EqualFunc(times, []time.Time{utc("2026-01-01 00:56"), utc("2026-01-01 01:04")}, time.Time.Equal) {
		t.Errorf("every 8 minutes over the hour: %v", times)
	}
}

func TestIntervalsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1s": time.Second, "90s": 90 * time.Second, "8m": 8 * time.Minute,
		"1h30m": 90 * time.Minute, "36h": 36 * time.Hour, "1h1s": 3601 * time.Second, "0h5m": 5 * time.Minute} {
		p := compile(t, schedule.Spec{Every: text})
		first, _ := p.Next(utc("2026-01-01"))
		second, _ := p.Next(first)
		if got := second.Sub(first); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestOnceFiresOnce(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 29, 2, 30, 0, 0, time.FixedZone("", 3600))
	p := compile(t, schedule.Spec{At: at, Zone: "Europe/Berlin"})
	if next, ok := p.Next(at.Add(-1)); !ok || !next.Equal(at) || next.Location() != time.UTC {
		t.Errorf("fires at %v", next)
	}
	if next, ok := p.Next(at); ok {
		t.Errorf("fires again at %v", next)
	}
	if prev, ok := p.Prev(at.Add(1)); !ok || !prev.Equal(at) {
		t.Errorf("has fired at %v", prev)
	}
	if _, ok := p.Prev(at); ok || p.Count(at, at.Add(1)) != 1 || p.Count(at.Add(1), at.Add(time.Hour)) != 0 {
		t.Error("fired before its time, or is counted wrongly")
	}
}

func TestBoundsHoldBothWays(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Cron: "0 * * * *", From: utc("2026-01-01 10:00"), Until: utc("2026-01-01 13:00")})
	var got []string
	for _, f := range p.Preview(utc("2025-01-01"), 10) {
		got = append(got, f.Time.Format("15"))
	}
	if !slices.Equal(got, []string{"10", "11", "12"}) {
		t.Errorf("fires at %v", got)
	}
	if last, _ := p.Prev(utc("2027-01-01")); !last.Equal(utc("2026-01-01 12:00")) {
		t.Errorf("fires last at %v", last)
	}
	if _, ok := p.Prev(utc("2026-01-01 10:00")); ok || p.Count(utc("2000-01-01"), utc("2100-01-01")) != 3 {
		t.Error("fires before its beginning, or is counted wrongly")
	}
	at := compile(t, schedule.Spec{Every: "1h", From: utc("2026-01-01T10:00:00.5Z")})
	if first, _ := at.Next(utc("2026-01-01")); !first.Equal(utc("2026-01-01 11:00")) {
		t.Errorf("fires first at %v, before its beginning", first)
	}
}

func TestBackfillGoesEitherWay(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Cron: "0 0 * * *"})
	from, to := utc("2026-01-01"), utc("2026-01-04")
	up, more := p.Between(from, to, 10)
	if more || len(up) != 4 || !up[0].Equal(from) || !up[3].Equal(to) {
		t.Errorf("upwards %v, more %v", up, more)
	}
	down, more := p.Between(to, from, 10)
	if more || len(down) != 4 || !down[0].Equal(to) || !down[3].Equal(from) {
		t.Errorf("downwards %v, more %v", down, more)
	}
	if some, more := p.Between(to, from, 3); !more || len(some) != 3 || !some[2].Equal(utc("2026-01-02")) {
		t.Errorf("three downwards %v, more %v", some, more)
	}
	if all, more := p.Between(from, to, 4); more || len(all) != 4 {
		t.Errorf("four of four %v, more %v", all, more)
	}
	if none, more := p.Between(from, to, 0); !more || none != nil {
		t.Errorf("none %v, more %v", none, more)
	}
	if one, _ := p.Between(from, from, 10); len(one) != 1 {
		t.Errorf("from an instant to itself %v", one)
	}
}

func TestRareAndFarTimes(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Cron: "0 12 * 2 MON#5", Zone: "America/New_York"})
	next, _ := p.Next(utc("2072-01-01"))
	if prev, _ := p.Prev(utc("2110-01-01")); !next.Equal(utc("2072-02-29 17:00")) {
		t.Errorf("five Mondays of February: %v, before 2110 %v", next, prev)
	}
	if _, ok := p.Next(utc("9999-12-31")); ok {
		t.Error("fires after the year 9999")
	}
	daily := compile(t, schedule.Spec{Cron: "@daily"})
	if first, ok := daily.Next(time.Time{}); !ok || !first.Equal(time.Unix(0, 0)) {
		t.Errorf("the first day is %v", first)
	}
	for _, at := range []time.Time{{}, time.Unix(-1<<62, 0), time.Unix(1<<62, 0), utc("1969-12-31")} {
		next, ok := daily.Next(at)
		if ok && (next.Year() < 1970 || next.Year() > 9999) {
			t.Errorf("fires at %v", next)
		}
		if prev, ok := daily.Prev(at); ok && (prev.Year() < 1970 || prev.Year() > 9999) {
			t.Errorf("has fired at %v", prev)
		}
	}
}
