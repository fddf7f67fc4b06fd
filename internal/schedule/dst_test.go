package schedule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

// onDay lists the logical times of a local day, as its clock shows them with
// their offsets. "…" of the wanted list is for the reader.
func onDay(t *testing.T, p *schedule.Plan, day string) []string {
	t.Helper()
	first, err := time.ParseInLocation("2006-01-02", day, p.Zone())
	if err != nil {
		t.Fatal(err)
	}
	// Noon is an ordinary time everywhere; midnight may not exist.
	var out []string
	times, _ := p.Between(first.Add(-30*time.Hour), first.Add(54*time.Hour), 1_000_000)
	for _, at := range times {
		if local := at.In(p.Zone()); local.Format("2006-01-02") == day {
			out = append(out, local.Format("15:04-07:00"))
		}
	}
	return out
}

// P55: neither none nor two on the days on which clocks change.
func TestDaysOnWhichClocksChange(t *testing.T) {
	t.Parallel()
	const (
		berlin, newYork, lordHowe = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
		santiago, beirut, cairo   = "America/Santiago", "Asia/Beirut", "Africa/Cairo"
		nuuk, troll, apia         = "America/Nuuk", "Antarctica/Troll", "Pacific/Apia"
	)
	for _, c := range []struct {
		zone, day, cron string
		want            []string
	}{
		// 02:00 to 03:00 do not exist.
		{berlin, "2026-03-29", "0 2 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "30 2 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "59 59 2 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "0 3 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "59 1 * * *", []string{"01:59+01:00"}},
		{berlin, "2026-03-29", "*/30 2 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "* 2 * * *", []string{"03:00+02:00"}},
		{berlin, "2026-03-29", "0 1-4 * * *", []string{"01:00+01:00", "03:00+02:00", "04:00+02:00"}},
		{berlin, "2026-03-29", "30 1-4 * * *", []string{"01:30+01:00", "03:00+02:00", "03:30+02:00", "04:30+02:00"}},
		{berlin, "2026-03-29", "30 2,3 * * SUN", []string{"03:00+02:00", "03:30+02:00"}},
		{berlin, "2026-03-29", "30 */2 * * *", []string{"00:30+01:00", "04:30+02:00", "06:30+02:00", "08:30+02:00", "10:30+02:00",
			"12:30+02:00", "14:30+02:00", "16:30+02:00", "18:30+02:00", "20:30+02:00", "22:30+02:00"}},
		{berlin, "2026-03-29", "30 1-4/1 * * *", []string{"01:30+01:00", "03:30+02:00", "04:30+02:00"}},
		// 02:00 to 03:00 exist twice.
		{berlin, "2026-10-25", "0 2 * * *", []string{"02:00+02:00"}},
		{berlin, "2026-10-25", "30 2 * * *", []string{"02:30+02:00"}},
		{berlin, "2026-10-25", "0 3 * * *", []string{"03:00+01:00"}},
		{berlin, "2026-10-25", "*/30 2 * * *", []string{"02:00+02:00", "02:30+02:00"}},
		{berlin, "2026-10-25", "0 1-4 * * *", []string{"01:00+02:00", "02:00+02:00", "03:00+01:00", "04:00+01:00"}},
		{berlin, "2026-10-25", "30 1-3/1 * * *", []string{"01:30+02:00", "02:30+02:00", "02:30+01:00", "03:30+01:00"}},
		{berlin, "2026-10-25", "15 */12 * * *", []string{"00:15+02:00", "12:15+01:00"}},

		{newYork, "2026-03-08", "0 2 * * *", []string{"03:00-04:00"}},
		{newYork, "2026-03-08", "15,45 2 * * *", []string{"03:00-04:00"}},
		{newYork, "2026-03-08", "0 2,3 * * *", []string{"03:00-04:00"}},
		{newYork, "2026-03-08", "30 0-5/1 * * *", []string{"00:30-05:00", "01:30-05:00", "03:30-04:00", "04:30-04:00", "05:30-04:00"}},
		{newYork, "2026-11-01", "0 1 * * *", []string{"01:00-04:00"}},
		{newYork, "2026-11-01", "30 1 * * *", []string{"01:30-04:00"}},
		{newYork, "2026-11-01", "0 2 * * *", []string{"02:00-05:00"}},
		{newYork, "2026-11-01", "30 0-2/1 * * *", []string{"00:30-04:00", "01:30-04:00", "01:30-05:00", "02:30-05:00"}},

		// The clock goes by half an hour: 02:00 to 02:30 do not exist, 01:30 to 02:00 exist twice.
		{lordHowe, "2026-10-04", "0 2 * * *", []string{"02:30+11:00"}},
		{lordHowe, "2026-10-04", "15 2 * * *", []string{"02:30+11:00"}},
		{lordHowe, "2026-10-04", "45 2 * * *", []string{"02:45+11:00"}},
		{lordHowe, "2026-10-04", "*/15 2 * * *", []string{"02:30+11:00", "02:45+11:00"}},
		{lordHowe, "2026-10-04", "*/30 1-3/1 * * *", []string{"01:00+10:30", "01:30+10:30", "02:30+11:00", "03:00+11:00", "03:30+11:00"}},
		{lordHowe, "2026-04-05", "45 1 * * *", []string{"01:45+11:00"}},
		{lordHowe, "2026-04-05", "15 1 * * *", []string{"01:15+11:00"}},
		{lordHowe, "2026-04-05", "0 2 * * *", []string{"02:00+10:30"}},
		{lordHowe, "2026-04-05", "*/30 1-2/1 * * *", []string{"01:00+11:00", "01:30+11:00", "01:30+10:30", "02:00+10:30", "02:30+10:30"}},

		// Midnight does not exist; 23:00 to 24:00 of the day before exist twice.
		{santiago, "2026-09-06", "0 0 * * *", []string{"01:00-03:00"}},
		{santiago, "2026-09-06", "0 0 * * SUN", []string{"01:00-03:00"}},
		{santiago, "2026-09-06", "0 0 6 9 *", []string{"01:00-03:00"}},
		{santiago, "2026-09-06", "@daily", []string{"01:00-03:00"}},
		{santiago, "2026-04-04", "30 23 * * *", []string{"23:30-03:00"}},
		{santiago, "2026-04-04", "30 22-23/1 * * *", []string{"22:30-03:00", "23:30-03:00", "23:30-04:00"}},
		{santiago, "2026-04-05", "0 0 * * *", []string{"00:00-04:00"}},
		{beirut, "2026-03-29", "30 0 * * *", []string{"01:00+03:00"}},
		{beirut, "2026-10-24", "0 23 * * *", []string{"23:00+03:00"}},
		{cairo, "2026-04-24", "0 0 * * FRI", []string{"01:00+03:00"}},
		{cairo, "2026-10-29", "59 23 * * *", []string{"23:59+03:00"}},

		// The last hour of a day does not exist: what it names fires as the next day begins.
		{nuuk, "2027-03-27", "59 23 * * *", nil},
		{nuuk, "2027-03-28", "59 23 * * *", []string{"00:00-01:00", "23:59-01:00"}},
		{nuuk, "2027-03-28", "0 0 * * *", []string{"00:00-01:00"}},

		// The clock goes by two hours.
		{troll, "2026-03-29", "30 1,2 * * *", []string{"03:00+02:00"}},
		{troll, "2026-10-25", "30 1,2 * * *", []string{"01:30+02:00", "02:30+02:00"}},

		// A day does not exist: what it names falls on the next day's beginning.
		{apia, "2011-12-30", "0 9 * * *", nil},
		{apia, "2011-12-31", "0 9 * * *", []string{"00:00+14:00", "09:00+14:00"}},
		{apia, "2011-12-31", "0 0 * * *", []string{"00:00+14:00"}},
		{apia, "2011-12-31", "0 8-10/1 * * *", []string{"08:00+14:00", "09:00+14:00", "10:00+14:00"}},
	} {
		p := compile(t, schedule.Spec{Cron: c.cron, Zone: c.zone})
		if diff := cmp.Diff(c.want, onDay(t, p, c.day)); diff != "" {
			t.Errorf("%s, %s, %q (-want +got):\n%s", c.zone, c.day, c.cron, diff)
		}
	}
}

// P55: a beat goes on with elapsed time through 23 and 25 hours.
func TestBeatsFollowElapsedTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, day, cron string
		want            int
	}{
		{"Europe/Berlin", "2026-03-29", "0 * * * *", 23},
		{"Europe/Berlin", "2026-10-25", "0 * * * *", 25},
		{"Europe/Berlin", "2026-10-25", "0 0-23 * * *", 25},
		{"Europe/Berlin", "2026-10-25", "@hourly", 25},
		{"Europe/Berlin", "2026-03-29", "*/10 * * * *", 138},
		{"Europe/Berlin", "2026-10-25", "*/10 * * * *", 150},
		{"America/New_York", "2026-03-08", "*/10 * * * *", 138},
		{"America/New_York", "2026-11-01", "*/10 * * * *", 150},
		{"Australia/Lord_Howe", "2026-10-04", "*/10 * * * *", 141},
		{"Australia/Lord_Howe", "2026-04-05", "*/10 * * * *", 147},
		{"Europe/Berlin", "2026-06-01", "*/10 * * * *", 144},
	} {
		p := compile(t, schedule.Spec{Cron: c.cron, Zone: c.zone})
		if got := len(onDay(t, p, c.day)); got != c.want {
			t.Errorf("%s, %s, %q: %d times, want %d", c.zone, c.day, c.cron, got, c.want)
		}
	}
}

func TestPreviewNotesWhatClocksDo(t *testing.T) {
	t.Parallel()
	type note = schedule.Note
	for name, c := range map[string]struct {
		spec  schedule.Spec
		after string
		want  []string
		notes []*note
	}{
		"moved": {schedule.Spec{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, "2026-03-27T12:00:00Z",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
			[]*note{nil, {Kind: schedule.NoteMoved, Wall: "2026-03-29T02:30:00", Count: 1}, nil}},
		"several moved": {schedule.Spec{Cron: "*/15 2,3 * * *", Zone: "Europe/Berlin"}, "2026-03-29T00:00:00Z",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-29T03:15:00+02:00"},
			[]*note{{Kind: schedule.NoteMoved, Wall: "2026-03-29T02:00:00", Count: 4}, nil}},
		"at the gap's end by itself": {schedule.Spec{Cron: "0 3 * * *", Zone: "Europe/Berlin"}, "2026-03-29T00:00:00Z",
			[]string{"2026-03-29T03:00:00+02:00"}, []*note{nil}},
		"first of two": {schedule.Spec{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
			[]*note{{Kind: schedule.NoteFirst, Wall: "2026-10-25T02:30:00", Count: 1}, nil}},
		"beat in both": {schedule.Spec{Cron: "0 * * * *", Zone: "America/New_York"}, "2026-11-01T04:30:00Z",
			[]string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T02:00:00-05:00"},
			[]*note{{Kind: schedule.NoteFirst, Wall: "2026-11-01T01:00:00", Count: 1, Again: true},
				{Kind: schedule.NoteSecond, Wall: "2026-11-01T01:00:00", Count: 1}, nil}},
		"beat over a gap": {schedule.Spec{Cron: "*/20 * * * *", Zone: "America/New_York"}, "2026-03-08T06:30:00Z",
			[]string{"2026-03-08T01:40:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-08T03:20:00-04:00"},
			[]*note{nil, {Kind: schedule.NoteSkipped, Wall: "2026-03-08T02:00:00", Count: 3}, nil}},
		"beat after a gap of nothing": {schedule.Spec{Cron: "45 * * * *", Zone: "Australia/Lord_Howe"}, "2026-10-03T15:00:00Z",
			[]string{"2026-10-04T01:45:00+10:30", "2026-10-04T02:45:00+11:00"}, []*note{nil, nil}},
		"interval": {schedule.Spec{Every: "1h", Zone: "Europe/Berlin"}, "2026-03-29T00:30:00Z",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"}, []*note{nil, nil}},
	} {
		var got []string
		var notes []*note
		for _, f := range compile(t, c.spec).Preview(utc(c.after), len(c.want)) {
			if !f.Time.Equal(f.Local) || f.Time.Location() != time.UTC {
				t.Errorf("%s: %v and %v are not one", name, f.Time, f.Local)
			}
			got, notes = append(got, f.Local.Format(time.RFC3339)), append(notes, f.Note)
		}
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.notes, notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
