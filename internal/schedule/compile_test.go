package schedule_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

func utc(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	panic("no time: " + text)
}

func compile(t testing.TB, spec schedule.Spec) *schedule.Plan {
	t.Helper()
	p, err := schedule.Compile(spec)
	if err != nil {
		t.Fatalf("%+v: %v", spec, err)
	}
	return p
}

func TestCompileSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	cron := func(text string) schedule.Spec { return schedule.Spec{Cron: text} }
	every := func(text string) schedule.Spec { return schedule.Spec{Every: text} }
	zone := func(name string) schedule.Spec { return schedule.Spec{Cron: "0 2 * * *", Zone: name} }
	for name, c := range map[string]struct {
		spec  schedule.Spec
		id    string
		field string
		part  string
		value string
		at    int
	}{
		"minute out of range":      {cron("60 * * * *"), "schedule.cron.range", "cron", "minute", "60", 0},
		"second of a list":         {cron("0,75 * * * *"), "schedule.cron.range", "cron", "minute", "75", 2},
		"hour after blanks":        {cron("  0   24 * * *"), "schedule.cron.range", "cron", "hour", "24", 6},
		"end of a range":           {cron("0 1-30 * * *"), "schedule.cron.range", "cron", "hour", "30", 4},
		"second, six parts":        {cron("61 0 2 * * *"), "schedule.cron.range", "cron", "second", "61", 0},
		"day 0":                    {cron("0 0 0 * *"), "schedule.cron.range", "cron", "dayOfMonth", "0", 4},
		"month 13":                 {cron("0 0 1 13 *"), "schedule.cron.range", "cron", "month", "13", 6},
		"weekday 8":                {cron("0 0 * * 8"), "schedule.cron.range", "cron", "dayOfWeek", "8", 8},
		"number beyond ints":       {cron("99999999999999999999 * * * *"), "schedule.cron.range", "cron", "minute", "99999999999999999999", 0},
		"unknown name":             {cron("0 0 * FOO *"), "schedule.cron.unreadable", "cron", "month", "FOO", 6},
		"weekday as month":         {cron("0 0 * MON *"), "schedule.cron.unreadable", "cron", "month", "MON", 6},
		"a letter beyond ASCII":    {cron("0 0 * * ſun"), "schedule.cron.unreadable", "cron", "dayOfWeek", "ſun", 8},
		"negative":                 {cron("-5 * * * *"), "schedule.cron.value-missing", "cron", "minute", "", 0},
		"plus":                     {cron("+5 * * * *"), "schedule.cron.unreadable", "cron", "minute", "+5", 0},
		"star and range":           {cron("0 *-5 * * *"), "schedule.cron.unreadable", "cron", "hour", "*", 2},
		"range without end":        {cron("0 1- * * *"), "schedule.cron.value-missing", "cron", "hour", "", 4},
		"two hyphens":              {cron("0 1-2-3 * * *"), "schedule.cron.unreadable", "cron", "hour", "1-2-3", 2},
		"two slashes":              {cron("0 */2/3 * * *"), "schedule.cron.unreadable", "cron", "hour", "*/2/3", 2},
		"nothing between commas":   {cron("1,,2 * * * *"), "schedule.cron.item-empty", "cron", "minute", "", 2},
		"comma at the end":         {cron("1, * * * *"), "schedule.cron.item-empty", "cron", "minute", "", 2},
		"step 0":                   {cron("*/0 * * * *"), "schedule.cron.step-zero", "cron", "minute", "0", 2},
		"step beyond the hour":     {cron("*/90 * * * *"), "schedule.cron.step-large", "cron", "minute", "90", 2},
		"step of the whole hour":   {cron("*/60 * * * *"), "schedule.cron.step-large", "cron", "minute", "60", 2},
		"step missing":             {cron("*/ * * * *"), "schedule.cron.value-missing", "cron", "minute", "", 2},
		"days over the month":      {cron("0 0 28-3 * *"), "schedule.cron.reversed", "cron", "dayOfMonth", "28-3", 4},
		"question mark as hour":    {cron("0 ? * * *"), "schedule.cron.unreadable", "cron", "hour", "?", 2},
		"L as weekday":             {cron("0 0 * * L"), "schedule.cron.last-of-what", "cron", "dayOfWeek", "L", 8},
		"L as hour":                {cron("0 L * * *"), "schedule.cron.unreadable", "cron", "hour", "L", 2},
		"sixth Friday":             {cron("0 0 * * FRI#6"), "schedule.cron.range", "cron", "dayOfWeek", "6", 12},
		"no weekday before #":      {cron("0 0 * * #2"), "schedule.cron.value-missing", "cron", "dayOfWeek", "", 8},
		"workday of no day":        {cron("0 0 W * *"), "schedule.cron.value-missing", "cron", "dayOfMonth", "", 4},
		"32W":                      {cron("0 0 32W * *"), "schedule.cron.range", "cron", "dayOfMonth", "32", 4},
		"L-31":                     {cron("0 0 L-31 * *"), "schedule.cron.range", "cron", "dayOfMonth", "31", 6},
		"jenkins' H":               {cron("H * * * *"), "schedule.cron.unreadable", "cron", "minute", "H", 0},
		"blanks":                   {cron("   "), "schedule.cron.empty", "cron", "", "   ", 0},
		"four parts":               {cron("0 2 * *"), "schedule.cron.parts", "cron", "", "", 7},
		"a year":                   {cron("0 0 2 * * * 2026"), "schedule.cron.parts", "cron", "", "2026", 12},
		"30 February":              {cron("0 0 30 2 *"), "schedule.cron.never", "cron", "", "0 0 30 2 *", 0},
		"31 in short months":       {cron("0 0 31 4,6,9,11 *"), "schedule.cron.never", "cron", "", "0 0 31 4,6,9,11 *", 0},
		"31W in February":          {cron("0 0 31W 2 *"), "schedule.cron.never", "cron", "", "0 0 31W 2 *", 0},
		"L-29 in February":         {cron("0 0 L-29 2 *"), "schedule.cron.never", "cron", "", "0 0 L-29 2 *", 0},
		"zone in the text":         {cron("TZ=Europe/Berlin 0 2 * * *"), "schedule.cron.zone-prefix", "cron", "", "TZ=Europe/Berlin", 0},
		"zone and nothing":         {cron("CRON_TZ=UTC"), "schedule.cron.zone-prefix", "cron", "", "CRON_TZ=UTC", 0},
		"zone prefix, small":       {cron(" cron_tz= 0 2 * * *"), "schedule.cron.zone-prefix", "cron", "", "cron_tz=", 1},
		"an interval as cron":      {cron("@every 8m"), "schedule.cron.every", "cron", "", "@every", 0},
		"at a start":               {cron("@reboot"), "schedule.cron.descriptor", "cron", "", "@reboot", 0},
		"more than a descriptor":   {cron("@daily 5 *"), "schedule.cron.descriptor-rest", "cron", "", "5 *", 7},
		"very long":                {cron(strings.Repeat("1,", 200) + "1 * * * *"), "schedule.cron.long", "cron", "", "", 256},
		"interval without a unit":  {every("90"), "schedule.every.unit", "every", "", "", 2},
		"interval of days":         {every("1d"), "schedule.every.unit", "every", "", "d", 1},
		"interval of milliseconds": {every("1s500ms"), "schedule.every.unit", "every", "", "ms", 5},
		"units in disorder":        {every("5s1m"), "schedule.every.unit", "every", "", "m", 3},
		"fraction of an hour":      {every("1.5h"), "schedule.every.fraction", "every", "", ".5h", 1},
		"words":                    {every("often"), "schedule.every.unreadable", "every", "", "often", 0},
		"minus":                    {every("-5m"), "schedule.every.unreadable", "every", "", "-5m", 0},
		"no time at all":           {every("0s"), "schedule.every.short", "every", "", "0s", 0},
		"beyond durations":         {every("9999999h"), "schedule.every.long", "every", "", "9999999h", 0},
		"beyond ints":              {every("1h99999999999999999999s"), "schedule.every.long", "every", "", "99999999999999999999", 2},
		"the machine's zone":       {zone("Local"), "schedule.zone.local", "zone", "", "Local", 0},
		"the machine's file":       {zone("localtime"), "schedule.zone.local", "zone", "", "localtime", 0},
		"leap seconds":             {zone("right/Europe/Berlin"), "schedule.zone.local", "zone", "", "right/Europe/Berlin", 0},
		"an offset":                {zone("+02:00"), "schedule.zone.offset", "zone", "", "+02:00", 0},
		"an offset with a name":    {zone("UTC+2"), "schedule.zone.offset", "zone", "", "UTC+2", 0},
		"an offset with GMT":       {zone("gmt -0530"), "schedule.zone.offset", "zone", "", "gmt -0530", 0},
		"unknown zone":             {zone("Mars/Phobos"), "schedule.zone.unknown", "zone", "", "Mars/Phobos", 0},
		"a path":                   {zone("../../etc/passwd"), "schedule.zone.unknown", "zone", "", "../../etc/passwd", 0},
		"an abbreviation":          {zone("CEST"), "schedule.zone.unknown", "zone", "", "CEST", 0},
		"cron and interval": {schedule.Spec{Cron: "0 2 * * *", Every: "1h"},
			"schedule.several", "every", "", "", -1},
		"cron and once": {schedule.Spec{Cron: "0 2 * * *", At: utc("2026-01-01")}, "schedule.several", "at", "", "", -1},
		"anchor of nothing": {schedule.Spec{Cron: "0 2 * * *", Anchor: utc("2026-01-01")},
			"schedule.anchor.alone", "anchor", "", "", -1},
		"bounds of nothing": {schedule.Spec{Until: utc("2026-01-01")}, "schedule.bounds.alone", "until", "", "", -1},
		"part of a second":  {schedule.Spec{At: utc("2026-01-01T00:00:00.5Z")}, "schedule.time.fraction", "at", "", "2026-01-01T00:00:00.5Z", -1},
		"before 1970": {schedule.Spec{Every: "1h", Anchor: utc("1969-12-31")},
			"schedule.time.range", "anchor", "", "1969-12-31T00:00:00Z", -1},
		"ends before it begins": {schedule.Spec{Every: "1h", From: utc("2026-02-01"), Until: utc("2026-01-01")},
			"schedule.bounds.reversed", "until", "", "", -1},
		"nothing before the end": {schedule.Spec{Cron: "0 0 29 2 *", From: utc("2025-01-01"), Until: utc("2028-02-29")},
			"schedule.bounds.never", "until", "", "", -1},
		"once before it begins": {schedule.Spec{At: utc("2026-01-01"), From: utc("2026-01-02")},
			"schedule.bounds.never", "from", "", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schedule.Compile(c.spec)
			all := schedule.All(err)
			if len(all) != 1 {
				t.Fatalf("%d mistakes (%v), want one", len(all), err)
			}
			part, _ := all[0].Args["part"].(string)
			got := []any{all[0].ID, all[0].Field, part, all[0].Value, all[0].Position}
			if diff := cmp.Diff([]any{c.id, c.field, c.part, c.value, c.at}, got); diff != "" {
				t.Errorf("mistake (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompileFindsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := schedule.Compile(schedule.Spec{Cron: "99 * * * *", Zone: "Local", From: utc("1900-01-01"), Until: utc("2026-01-01T00:00:00.5Z")})
	var fields []string
	for _, e := range schedule.All(err) {
		fields = append(fields, e.Field)
	}
	if diff := cmp.Diff([]string{"from", "zone", "cron"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s\n%v", diff, err)
	}
	if schedule.All(nil) != nil {
		t.Error("there are mistakes in no error")
	}
}

func TestCompileWarnsOfWhatMayBeMeantOtherwise(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]schedule.Warning{
		"*/15 * * * *": nil,
		// P61: in cron, this is at :00, :08, … :56 and then at :00 again.
		"*/8 * * * *":    {{ID: "schedule.warning.uneven", Position: 0, Args: map[string]any{"part": "minute", "step": 8, "size": 60}}},
		"0 */5 * * *":    {{ID: "schedule.warning.uneven", Position: 2, Args: map[string]any{"part": "hour", "step": 5, "size": 24}}},
		"0 8-18/3 * * *": nil,
		"0 0 13 * FRI":   {{ID: "schedule.warning.either", Position: 4}},
		"0 0 */2 * FRI":  nil,
		"0 0 ? * FRI":    nil,
	} {
		if diff := cmp.Diff(want, compile(t, schedule.Spec{Cron: text}).Warnings()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestManualNeverFires(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Zone: "Asia/Shanghai"})
	if _, ok := p.Next(utc("2026-01-01")); ok || !p.Manual() || p.Zone().String() != "Asia/Shanghai" {
		t.Errorf("a schedule of nothing fires, is not manual, or has no zone")
	}
	if _, ok := p.Prev(utc("2026-01-01")); ok || p.Count(utc("2000-01-01"), utc("2026-01-01")) != 0 || p.Preview(utc("2026-01-01"), 3) != nil {
		t.Errorf("a schedule of nothing has fired")
	}
	if compile(t, schedule.Spec{Cron: "@daily"}).Manual() {
		t.Error("@daily is manual")
	}
}

func TestSpecIsReadAndWrittenAsItWas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]schedule.Spec{
		"cron: 0 2 * * MON-FRI\nzone: Europe/Berlin\n":      {Cron: "0 2 * * MON-FRI", Zone: "Europe/Berlin"},
		"anchor: \"2026-01-01T06:00:00Z\"\nevery: 8m\n":     {Every: "8m", Anchor: utc("2026-01-01 06:00")},
		"at: \"2026-01-01T06:00:00Z\"\n":                    {At: utc("2026-01-01 06:00")},
		"{}\n":                                              {},
		"cron: '@daily'\nuntil: \"2027-01-01T00:00:00Z\"\n": {Cron: "@daily", Until: utc("2027-01-01")},
	} {
		var got schedule.Spec
		if err := yaml.UnmarshalStrict([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		back, err := yaml.Marshal(got)
		if err != nil || string(back) != text {
			t.Errorf("written as %q (%v), was %q", back, err, text)
		}
	}
	if b, _ := json.Marshal(schedule.Spec{Every: "1h"}); string(b) != `{"every":"1h"}` {
		t.Errorf("as JSON %s", b)
	}
}

func FuzzCompile(f *testing.F) {
	for _, text := range []string{"0 2 * * *", "*/8 * * * *", "1-2/3,L * L-3,15W,LW JAN-DEC FRI#2,5L", "TZ=UTC 0 0 * * *", "CRON_TZ=",
		"@daily", "@every 1s", "0 0 30 2 *", "? ? ? ? ?", "22-2/2 SAT-SUN * * *", "-", "/", ",", "#", "0 0 29 2 MON#5", "* * * * * *"} {
		f.Add(text, "1h30m", "Europe/Berlin", int64(1_700_000_000))
	}
	f.Add("0 0 * * 7/2", "0s", "Local", int64(0))
	f.Add("0 0 * * ſun", "9223372036854775807s", "UTC+2", int64(1<<62))
	f.Fuzz(func(t *testing.T, cron, every, zone string, after int64) {
		for _, spec := range []schedule.Spec{{Cron: cron, Zone: zone}, {Cron: cron}, {Every: every}, {Cron: cron, Every: every}} {
			p, err := schedule.Compile(spec)
			if (p == nil) == (err == nil) {
				t.Fatalf("%+v: plan %v, error %v", spec, p, err)
			}
			for _, e := range schedule.All(err) {
				text := map[string]string{"cron": cron, "every": every, "zone": zone}[e.Field]
				if e.ID == "" || e.Position < -1 || e.Position > len(text) {
					t.Fatalf("%+v: %#v", spec, e)
				}
				if e.Position >= 0 && !strings.HasPrefix(text[e.Position:], e.Value) {
					t.Fatalf("%q is not at %d of %q", e.Value, e.Position, text)
				}
			}
			if err != nil {
				continue
			}
			at := time.Unix(after, 0)
			next, ok := p.Next(at)
			if ok && !next.After(at) {
				t.Fatalf("%+v: %v comes after %v", spec, next, at)
			}
			if back, found := p.Prev(next.Add(time.Nanosecond)); ok && (!found || !back.Equal(next)) {
				t.Fatalf("%+v: %v is not found backwards, but %v", spec, next, back)
			}
		}
	})
}
