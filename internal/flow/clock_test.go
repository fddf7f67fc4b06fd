package flow_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/flowrun"
)

func (c *clock) set(at time.Time) { c.move(at.Sub(c.now())) }

// scheduled makes a flow of a name with a schedule.
func (b bundle) scheduled(t *testing.T, name, schedule string) *ent.Flow {
	t.Helper()
	return b.create(t, strings.Replace(b.document("  concurrency: allow\n  schedule: {"+schedule+"}\n", ""), "name: nightly", "name: "+name, 1))
}

// fired are the logical times of a flow's rows, as its zone's clock showed them.
func (b bundle) fired(t *testing.T, f *ent.Flow, zone, layout string) []string {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range b.runsOf(t, f.ID) {
		if r.Cause != flowrun.CauseSchedule || r.FireKey != "s:"+r.LogicalTime.UTC().Format(time.RFC3339) { // P53: instants, in UTC
			t.Errorf("%s fired by %s with the key %q for %s", f.Name, r.Cause, r.FireKey, r.LogicalTime)
		}
		out = append(out, r.LogicalTime.In(loc).Format(layout))
	}
	return out
}

// missed are what the history of a flow says was left out: how many, from when, until when.
func (b bundle) missed(t *testing.T, f *ent.Flow) []string {
	t.Helper()
	rows, err := b.db.Client.Event.Query().Where(event.SubjectID(f.ID), event.Type("flow-missed")).Order(ent.Asc(event.FieldID)).All(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprint(r.Args["count"], " ", r.Args["from"], " ", r.Args["to"]))
	}
	return out
}

func every(step time.Duration, from, to time.Time) (out []string) {
	for at := from; !at.After(to); at = at.Add(step) {
		out = append(out, at.Format("15:04"))
	}
	return out
}

// P51, P52: a clock that is set back fires nothing twice and loses nothing,
// whatever is to happen to what was missed: nothing was.
func TestP51AClockThatStepsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begin := b.clock.now()
	for _, back := range []time.Duration{10 * time.Minute, time.Hour} {
		for _, policy := range []string{"skip", "latest", "all, limit: 100"} {
			b.clock.set(begin)
			f := b.scheduled(t, fmt.Sprintf("f-%.0f-%.3s", back.Minutes(), policy), `cron: "*/5 * * * *", misfire: {policy: `+policy+"}")
			walk := func(minutes int) {
				for range minutes {
					b.clock.move(time.Minute)
					b.fire(t, f.ID)
				}
			}
			walk(60)
			b.clock.move(-back)
			n := len(b.runsOf(t, f.ID))
			walk(int(back.Minutes()))
			if got := len(b.runsOf(t, f.ID)); got != n {
				t.Errorf("back by %s, %s: %d fired again until the clock showed what it had", back, policy, got-n)
			}
			walk(60)
			if diff := cmp.Diff(every(5*time.Minute, begin.Add(5*time.Minute), begin.Add(2*time.Hour)), b.fired(t, f, "UTC", "15:04")); diff != "" {
				t.Errorf("back by %s, %s (-want +got):\n%s", back, policy, diff)
			}
			if m := b.missed(t, f); m != nil {
				t.Errorf("back by %s, %s: it says that it missed %v", back, policy, m)
			}
		}
	}
}

// P51: the scheduler's heap follows a clock that jumps, both ways.
func TestP51TheSchedulerFollowsAClockThatJumps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begin := b.clock.now()
	f := b.scheduled(t, "f", `cron: "*/5 * * * *", misfire: {policy: all, limit: 100}`)
	ctx, stop := context.WithCancel(b.sys)
	var wg sync.WaitGroup
	wg.Go(func() { b.flows.RunScheduler(ctx) })
	defer func() { stop(); wg.Wait() }()
	upTo := func(at time.Time) {
		t.Helper()
		want := every(5*time.Minute, begin.Add(5*time.Minute), at)
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			got := b.fired(t, f, "UTC", "15:04")
			if slices.Equal(got, want) {
				return
			}
			if time.Now().After(end) || len(got) > len(want) {
				t.Fatalf("fired %v, want %v", got, want)
			}
		}
	}
	for _, jump := range []time.Duration{6 * time.Minute, time.Hour, -10 * time.Minute, -time.Hour, 50 * time.Minute, 40 * time.Minute} {
		b.clock.move(jump)
		most := begin.Add(66 * time.Minute)
		if now := b.clock.now(); jump == 6*time.Minute || now.After(most) {
			most = now
		}
		upTo(most)
		time.Sleep(1500 * time.Millisecond) // it has looked again
		upTo(most)
	}
}

// P54, P58, P59: a process that slept for an hour does what the policy says.
func TestP54AnHourOfSleep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begin := b.clock.now() // half past one
	for name, c := range map[string]struct {
		schedule string
		want     []string
		missed   []string
	}{
		"skip":     {"misfire: {policy: skip}", nil, []string{"6 2026-11-29T01:50:00Z 2026-11-29T02:40:00Z"}},
		"latest":   {"misfire: {policy: latest}", []string{"02:40"}, []string{"5 2026-11-29T01:50:00Z 2026-11-29T02:30:00Z"}},
		"all-3":    {"misfire: {policy: all, limit: 3}", []string{"02:20", "02:30", "02:40"}, []string{"3 2026-11-29T01:50:00Z 2026-11-29T02:10:00Z"}},
		"all-10":   {"misfire: {policy: all, limit: 10}", []string{"01:50", "02:00", "02:10", "02:20", "02:30", "02:40"}, nil},
		"deadline": {"misfire: {policy: all, limit: 10}, startDeadline: 25m", []string{"02:30", "02:40"}, []string{"4 2026-11-29T01:50:00Z 2026-11-29T02:20:00Z"}},
	} {
		b.clock.set(begin)
		f := b.scheduled(t, name, `cron: "*/10 * * * *", `+c.schedule)
		b.clock.move(10*time.Minute + time.Second)
		b.fire(t, f.ID)
		b.clock.set(begin.Add(80*time.Minute + 10*time.Second)) // ten seconds after ten to three: that one is on time
		b.fire(t, f.ID)
		b.fire(t, f.ID)
		row, err := b.db.Client.Flow.Get(b.sys, f.ID)
		if err != nil || row.NextFireAt == nil || !row.NextFireAt.Equal(begin.Add(90*time.Minute)) {
			t.Errorf("%s: it fires next at %v, %v", name, row.NextFireAt, err)
		}
		b.clock.set(begin.Add(90 * time.Minute))
		b.fire(t, f.ID)
		want := slices.Concat([]string{"01:40"}, c.want, []string{"02:50", "03:00"})
		if diff := cmp.Diff(want, b.fired(t, f, "UTC", "15:04")) + cmp.Diff(c.missed, b.missed(t, f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// P55, P53: nights on which clocks change, in rows: an expression that names hours
// fires once a day, a beat and an interval go by elapsed time. It is the same for
// who looks each ten minutes and for who slept through the night.
func TestP55NightsOnWhichClocksChange(t *testing.T) {
	t.Parallel()
	type night struct {
		zone, from, to string // local, with offsets
		kinds          map[string][]string
	}
	cron := func(s string) string { return `cron: "` + s + `"` }
	hourly := func(anchor string) string { return `every: 1h, anchor: "` + anchor + `"` }
	for _, n := range []night{
		{"Europe/Berlin", "2026-03-29T00:30:00+01:00", "2026-03-29T05:10:00+02:00", map[string][]string{
			cron("30 2 * * *"):                  {"03:00+02:00"},
			cron("0 1-4 * * *"):                 {"01:00+01:00", "03:00+02:00", "04:00+02:00"},
			cron("0 * * * *"):                   {"01:00+01:00", "03:00+02:00", "04:00+02:00", "05:00+02:00"},
			hourly("2026-03-28T23:00:00+01:00"): {"01:00+01:00", "03:00+02:00", "04:00+02:00", "05:00+02:00"},
		}},
		{"Europe/Berlin", "2026-10-25T00:30:00+02:00", "2026-10-25T04:10:00+01:00", map[string][]string{
			cron("30 2 * * *"):                  {"02:30+02:00"},
			cron("0 1-4 * * *"):                 {"01:00+02:00", "02:00+02:00", "03:00+01:00", "04:00+01:00"},
			cron("0 * * * *"):                   {"01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00", "04:00+01:00"},
			hourly("2026-10-24T23:00:00+02:00"): {"01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00", "04:00+01:00"},
		}},
		{"America/New_York", "2026-03-08T00:40:00-05:00", "2026-03-08T05:10:00-04:00", map[string][]string{
			cron("15 2 * * *"):                  {"03:00-04:00"},
			cron("30 0-5/1 * * *"):              {"01:30-05:00", "03:30-04:00", "04:30-04:00"},
			hourly("2026-03-07T23:00:00-05:00"): {"01:00-05:00", "03:00-04:00", "04:00-04:00", "05:00-04:00"},
		}},
		{"America/New_York", "2026-11-01T00:40:00-04:00", "2026-11-01T03:10:00-05:00", map[string][]string{
			cron("30 1 * * *"):                  {"01:30-04:00"},
			cron("30 0-2/1 * * *"):              {"01:30-04:00", "01:30-05:00", "02:30-05:00"},
			hourly("2026-10-31T23:00:00-04:00"): {"01:00-04:00", "01:00-05:00", "02:00-05:00", "03:00-05:00"},
		}},
		{"Australia/Lord_Howe", "2026-10-04T00:40:00+10:30", "2026-10-04T04:10:00+11:00", map[string][]string{
			cron("15 2 * * *"):                  {"02:30+11:00"},
			cron("*/30 1-3/1 * * *"):            {"01:00+10:30", "01:30+10:30", "02:30+11:00", "03:00+11:00", "03:30+11:00"},
			hourly("2026-10-03T23:00:00+10:30"): {"01:00+10:30", "02:30+11:00", "03:30+11:00"},
		}},
		{"Australia/Lord_Howe", "2026-04-05T00:40:00+11:00", "2026-04-05T03:10:00+10:30", map[string][]string{
			cron("45 1 * * *"):                  {"01:45+11:00"},
			cron("*/30 1-2/1 * * *"):            {"01:00+11:00", "01:30+11:00", "01:30+10:30", "02:00+10:30", "02:30+10:30"},
			hourly("2026-04-04T23:00:00+11:00"): {"01:00+11:00", "01:30+10:30", "02:30+10:30"},
		}},
	} {
		b := setup(t)
		from, to := moment(t, n.from), moment(t, n.to)
		for i, kind := range slices.Sorted(maps.Keys(n.kinds)) {
			for how, step := range map[string]time.Duration{"awake": 10 * time.Minute, "asleep": to.Sub(from)} {
				b.clock.set(from)
				f := b.scheduled(t, fmt.Sprintf("%s-%d", how, i), kind+", timezone: "+n.zone+", misfire: {policy: all, limit: 100}")
				for b.clock.now().Before(to) {
					b.clock.move(step)
					b.fire(t, f.ID)
				}
				if diff := cmp.Diff(n.kinds[kind], b.fired(t, f, n.zone, "15:04-07:00")); diff != "" {
					t.Errorf("%s, the night to %s, %s, %s (-want +got):\n%s", n.zone, n.to[:10], kind, how, diff)
				}
			}
		}
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
