package schedule_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

func TestDue(t *testing.T) {
	t.Parallel()
	const skip, latest, all = schedule.PolicySkip, schedule.PolicyLatest, schedule.PolicyAll
	hourly, minutely := schedule.Spec{Cron: "0 * * * *"}, schedule.Spec{Cron: "* * * * *"}
	for name, c := range map[string]struct {
		spec        schedule.Spec
		cursor, now string
		misfire     schedule.Misfire
		deadline    time.Duration
		fire        []string
		skipped     int64
		from, to    string
		next        string
		after       string // the cursor, if it is not the one before
	}{
		"nothing yet":       {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 10:59:59", next: "2026-01-01 11:00"},
		"on the second":     {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 11:00", fire: []string{"2026-01-01 11:00"}, next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"a little late":     {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 11:01", misfire: schedule.Misfire{Policy: skip}, fire: []string{"2026-01-01 11:00"}, next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"too late":          {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01T11:01:00.001Z", misfire: schedule.Misfire{Policy: skip}, skipped: 1, from: "2026-01-01 11:00", to: "2026-01-01 11:00", next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"a longer grace":    {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 11:05", misfire: schedule.Misfire{Grace: 5 * time.Minute}, fire: []string{"2026-01-01 11:00"}, next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"P54: latest":       {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 15:30", misfire: schedule.Misfire{Policy: latest}, fire: []string{"2026-01-01 15:00"}, skipped: 4, from: "2026-01-01 11:00", to: "2026-01-01 14:00", next: "2026-01-01 16:00", after: "2026-01-01 15:00"},
		"P54: all of three": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 13:30", misfire: schedule.Misfire{Policy: all, Limit: 5}, fire: []string{"2026-01-01 11:00", "2026-01-01 12:00", "2026-01-01 13:00"}, next: "2026-01-01 14:00", after: "2026-01-01 13:00"},
		"P54: two of three": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 13:30", misfire: schedule.Misfire{Policy: all, Limit: 2}, fire: []string{"2026-01-01 12:00", "2026-01-01 13:00"}, skipped: 1, from: "2026-01-01 11:00", to: "2026-01-01 11:00", next: "2026-01-01 14:00", after: "2026-01-01 13:00"},
		"P54: skip":         {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 13:30", skipped: 3, from: "2026-01-01 11:00", to: "2026-01-01 13:00", next: "2026-01-01 14:00", after: "2026-01-01 13:00"},
		"missed and on time": {spec: minutely, cursor: "2026-01-01 10:00", now: "2026-01-01 10:05", misfire: schedule.Misfire{Policy: latest}, fire: []string{"2026-01-01 10:03", "2026-01-01 10:04", "2026-01-01 10:05"},
			skipped: 2, from: "2026-01-01 10:01", to: "2026-01-01 10:02", next: "2026-01-01 10:06", after: "2026-01-01 10:05"},
		"P58: past the deadline": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 13:30", misfire: schedule.Misfire{Policy: all, Limit: 9}, deadline: 2 * time.Hour, fire: []string{"2026-01-01 12:00", "2026-01-01 13:00"},
			skipped: 1, from: "2026-01-01 11:00", to: "2026-01-01 11:00", next: "2026-01-01 14:00", after: "2026-01-01 13:00"},
		"P58: the latest past the deadline": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 13:30", misfire: schedule.Misfire{Policy: latest}, deadline: 20 * time.Minute,
			skipped: 3, from: "2026-01-01 11:00", to: "2026-01-01 13:00", next: "2026-01-01 14:00", after: "2026-01-01 13:00"},
		"P58: a deadline within the grace": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 11:00:30", deadline: 10 * time.Second,
			skipped: 1, from: "2026-01-01 11:00", to: "2026-01-01 11:00", next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"P58: just at the deadline": {spec: hourly, cursor: "2026-01-01 10:00", now: "2026-01-01 11:30", misfire: schedule.Misfire{Policy: latest}, deadline: 30 * time.Minute,
			fire: []string{"2026-01-01 11:00"}, next: "2026-01-01 12:00", after: "2026-01-01 11:00"},
		"P59: a year of minutes": {spec: minutely, cursor: "2025-01-01", now: "2026-01-01 00:00:30", misfire: schedule.Misfire{Policy: skip}, fire: []string{"2026-01-01"},
			skipped: 525_599, from: "2025-01-01 00:01", to: "2025-12-31 23:59", next: "2026-01-01 00:01", after: "2026-01-01"},
		"P59: a year of seconds, the latest": {spec: schedule.Spec{Every: "1s"}, cursor: "2025-01-01", now: "2026-01-01", misfire: schedule.Misfire{Policy: latest, Grace: time.Second},
			fire: []string{"2025-12-31 23:59:58", "2025-12-31 23:59:59", "2026-01-01"}, skipped: 365*86400 - 3, from: "2025-01-01 00:00:01", to: "2025-12-31 23:59:57", next: "2026-01-01 00:00:01", after: "2026-01-01"},
		"clock set back":    {spec: hourly, cursor: "2026-01-01 11:00", now: "2026-01-01 10:30", misfire: schedule.Misfire{Policy: all, Limit: 9}, next: "2026-01-01 12:00"},
		"once, missed":      {spec: schedule.Spec{At: utc("2026-01-01 10:00")}, cursor: "2026-01-01", now: "2026-01-02", misfire: schedule.Misfire{Policy: latest}, fire: []string{"2026-01-01 10:00"}, after: "2026-01-01 10:00"},
		"once, done":        {spec: schedule.Spec{At: utc("2026-01-01 10:00")}, cursor: "2026-01-01 10:00", now: "2026-01-02", misfire: schedule.Misfire{Policy: latest}},
		"manual":            {spec: schedule.Spec{}, cursor: "2026-01-01 10:00", now: "2026-01-02", misfire: schedule.Misfire{Policy: latest}},
		"P55: night moved":  {spec: schedule.Spec{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, cursor: "2026-03-28 01:30", now: "2026-03-29 01:00", fire: []string{"2026-03-29 01:00"}, next: "2026-03-30 00:30", after: "2026-03-29 01:00"},
		"P55: second 02:30": {spec: schedule.Spec{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, cursor: "2026-10-25 00:30", now: "2026-10-25 01:30", next: "2026-10-26 01:30"},
	} {
		p := compile(t, c.spec)
		got := schedule.Due(p, utc(c.cursor), utc(c.now), c.misfire, c.deadline)
		want := schedule.Firing{Skipped: c.skipped, Cursor: utc(c.cursor), HasNext: c.next != ""}
		for _, at := range c.fire {
			want.Fire = append(want.Fire, utc(at))
		}
		for text, to := range map[string]*time.Time{c.from: &want.SkippedFrom, c.to: &want.SkippedTo, c.next: &want.Next, c.after: &want.Cursor} {
			if text != "" {
				*to = utc(text)
			}
		}
		if c.from != "" {
			want.SkippedFrom, want.SkippedTo = utc(c.from), utc(c.to)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNewScheduleOwesNothing(t *testing.T) {
	t.Parallel()
	p, now := compile(t, schedule.Spec{Cron: "* * * * *"}), utc("2026-01-01 10:00:30")
	got := schedule.Due(p, time.Time{}, now, schedule.Misfire{Policy: schedule.PolicyAll, Limit: 5}, 0)
	if got.Fire != nil || got.Skipped != 0 || !got.Cursor.Equal(now) || !got.Next.Equal(utc("2026-01-01 10:01")) {
		t.Errorf("a new schedule gets %+v", got)
	}
	if b := schedule.Unpause(p, time.Time{}, now); b.Count != 0 || !b.Cursor.Equal(now) {
		t.Errorf("a new schedule has a backlog: %+v", b)
	}
}

// P51, P54, P59: whatever the clock does, each logical time is considered once:
// it fires once or is skipped, and what fires was chosen as the policy says.
func TestEachLogicalTimeIsConsideredOnce(t *testing.T) {
	t.Parallel()
	specs := []schedule.Spec{{Cron: "* * * * *"}, {Cron: "*/20 * * * * *"}, {Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		{Cron: "*/30 1-3/1 * * *", Zone: "Australia/Lord_Howe"}, {Every: "7m"}, {Cron: "0 0 * * *", Zone: "America/Santiago"}}
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(specs).Draw(t, "spec")
		misfire := schedule.Misfire{Policy: rapid.SampledFrom([]string{"", "skip", "latest", "all"}).Draw(t, "policy"),
			Limit: rapid.IntRange(1, 30).Draw(t, "limit"), Grace: time.Duration(rapid.IntRange(0, 300).Draw(t, "grace")) * time.Second}
		deadline := time.Duration(rapid.IntRange(0, 3).Draw(t, "deadline")) * 20 * time.Minute
		p, err := schedule.Compile(spec)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Unix(utc("2026-03-27").Unix()+rapid.Int64Range(0, 300*86400).Draw(t, "start"), 0).UTC()
		now, newest, cursor := start, start, start
		var fired []time.Time
		var skipped int64
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			// Mostly forward, from a tick to an outage of two days; at times back.
			now = now.Add(time.Duration(rapid.SampledFrom([]int64{1, 10, 60, 601, 3600, 40_000, 172_800, -30, -7200}).Draw(t, "step"))*time.Second +
				time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "more")))
			newest = later(newest, now)
			f := schedule.Due(p, cursor, now, misfire, deadline)
			checkLook(t, p, cursor, now, misfire, deadline, f)
			fired, skipped, cursor = append(fired, f.Fire...), skipped+f.Skipped, f.Cursor
		}
		for i := 1; i < len(fired); i++ {
			if !fired[i].After(fired[i-1]) {
				t.Fatalf("%v fires after %v", fired[i], fired[i-1])
			}
		}
		var total []time.Time
		if newest.After(start) {
			total, _ = p.Between(start.Add(time.Second), newest, 1_000_000)
		}
		if int64(len(total)) != int64(len(fired))+skipped {
			t.Fatalf("%d logical times: %d fired, %d skipped", len(total), len(fired), skipped)
		}
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// checkLook compares one look with a list of all that was due.
func checkLook(t *rapid.T, p *schedule.Plan, cursor, now time.Time, m schedule.Misfire, deadline time.Duration, got schedule.Firing) {
	var due []time.Time
	if now.After(cursor) {
		due, _ = p.Between(cursor.Add(1), now, 1_000_000)
	}
	grace := m.Grace
	if grace == 0 {
		grace = schedule.DefaultGrace
	}
	may := map[string]int{"latest": 1, "all": m.Limit}[m.Policy]
	var want []time.Time
	for _, at := range slices.Backward(due) {
		age := now.Sub(at)
		if deadline > 0 && age > deadline {
			break
		}
		if age > grace {
			if may--; may < 0 {
				break
			}
		}
		want = append([]time.Time{at}, want...)
	}
	if !slices.EqualFunc(got.Fire, want, time.Time.Equal) || got.Skipped != int64(len(due)-len(want)) {
		t.Fatalf("from %v to %v: fires %v, skips %d; want %v of %d", cursor, now, got.Fire, got.Skipped, want, len(due))
	}
	if got.Skipped > 0 && (!got.SkippedFrom.Equal(due[0]) || !got.SkippedTo.Equal(due[got.Skipped-1])) {
		t.Fatalf("skips from %v to %v, want %v to %v", got.SkippedFrom, got.SkippedTo, due[0], due[got.Skipped-1])
	}
	wantCursor := cursor
	if len(due) > 0 {
		wantCursor = due[len(due)-1]
	}
	next, _ := p.Next(later(cursor, now))
	if !got.Cursor.Equal(wantCursor) || !got.Next.Equal(next) || !got.HasNext {
		t.Fatalf("cursor %v, next %v; want %v, %v", got.Cursor, got.Next, wantCursor, next)
	}
}

// P62: what unpausing would start is listed, and by default starts nothing.
func TestUnpauseListsWhatItWouldStart(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Cron: "0 * * * *"})
	cursor, now := utc("2026-01-01 10:00"), utc("2026-03-01 10:00:20")
	b := schedule.Unpause(p, cursor, now)
	if b.Count != 59*24 || len(b.First) != schedule.MaxBacklog || !b.First[0].Equal(utc("2026-01-01 11:00")) || !b.Last.Equal(utc("2026-03-01 10:00")) {
		t.Errorf("the backlog is %+v", b)
	}
	if f := schedule.Due(p, b.Cursor, now, schedule.Misfire{Policy: schedule.PolicyAll, Limit: 9}, 0); f.Fire != nil || f.Skipped != 0 {
		t.Errorf("after a plain unpause %+v", f)
	}
	if f := schedule.Due(p, cursor, now, schedule.Misfire{Policy: schedule.PolicyAll, Limit: 1}, 0); len(f.Fire) != 2 || f.Skipped != b.Count-2 {
		t.Errorf("after an unpause with what is owed %+v", f)
	}
	for _, at := range []string{"2026-01-01 10:59", "2026-01-01 09:00"} {
		if b := schedule.Unpause(p, cursor, utc(at)); b.Count != 0 || b.First != nil || !b.Cursor.Equal(cursor) {
			t.Errorf("nothing was missed at %s, but %+v", at, b)
		}
	}
}

func TestMisfireIsValidated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		misfire schedule.Misfire
		want    []string
	}{
		"nothing":          {schedule.Misfire{}, nil},
		"skip":             {schedule.Misfire{Policy: "skip"}, nil},
		"all":              {schedule.Misfire{Policy: "all", Limit: 1000, Grace: 10 * time.Minute}, nil},
		"all of none":      {schedule.Misfire{Policy: "all"}, []string{"schedule.misfire.limit"}},
		"too many":         {schedule.Misfire{Policy: "all", Limit: 1001}, []string{"schedule.misfire.limit"}},
		"everything wrong": {schedule.Misfire{Policy: "some", Limit: -1, Grace: time.Hour}, []string{"schedule.misfire.policy", "schedule.misfire.limit", "schedule.misfire.grace"}},
	} {
		var got []string
		for _, e := range schedule.All(c.misfire.Validate()) {
			got = append(got, e.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	p := compile(t, schedule.Spec{Cron: "* * * * * *"})
	f := schedule.Due(p, utc("2020-01-01"), utc("2026-01-01"), schedule.Misfire{Policy: "all", Limit: 1 << 40, Grace: 1 << 60}, 0)
	if want := schedule.MaxLimit + 601; len(f.Fire) != want {
		t.Errorf("a misfire beyond its limits starts %d, want %d", len(f.Fire), want)
	}
}
