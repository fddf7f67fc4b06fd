package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

// drawPart draws a part of an expression together with the values it means.
func drawPart(t *rapid.T, name string, low, high int) (text string, values []int, star, stepped bool) {
	var items []string
	for range rapid.IntRange(1, 3).Draw(t, name+" items") {
		from, to, step := low, high, 1
		item := "*"
		switch rapid.IntRange(0, 5).Draw(t, name+" kind") {
		case 0:
			star = true
		case 1, 2:
			from = rapid.IntRange(low, high).Draw(t, name+" value")
			to, item = from, fmt.Sprint(from)
		case 3:
			from = rapid.IntRange(low, high-1).Draw(t, name+" first")
			to = rapid.IntRange(from+1, high).Draw(t, name+" last")
			item = fmt.Sprintf("%d-%d", from, to)
		case 4:
			star, stepped = true, true
			step = rapid.IntRange(2, (high-low)/2).Draw(t, name+" step")
			item = fmt.Sprintf("*/%d", step)
		case 5:
			stepped = true
			from = rapid.IntRange(low, high-5).Draw(t, name+" first")
			step = rapid.IntRange(2, 5).Draw(t, name+" step")
			item = fmt.Sprintf("%d/%d", from, step)
		}
		items = append(items, item)
		for v := from; v <= to; v += step {
			values = append(values, v)
		}
	}
	return strings.Join(items, ","), values, star, stepped
}

func drawExpression(t *rapid.T, seconds bool) expression {
	x := expression{second: []int{0}}
	var parts []string
	if seconds {
		text, values, _, _ := drawPart(t, "second", 0, 59)
		parts, x.second = append(parts, text), values
	}
	text, values, _, _ := drawPart(t, "minute", 0, 59)
	parts, x.minute = append(parts, text), values
	text, values, star, stepped := drawPart(t, "hour", 0, 23)
	parts, x.hour = append(parts, text), values
	unique := slices.Compact(slices.Sorted(slices.Values(values)))
	x.beat = star || stepped || len(unique) == 24
	monthDay, monthDays, monthStar := "*", upTo(32, 1), true
	if rapid.Bool().Draw(t, "days of the month") {
		monthDay, monthDays, monthStar, _ = drawPart(t, "day", 1, 31)
	}
	weekday, weekdays, weekStar := "*", upTo(7, 1), true
	if rapid.Bool().Draw(t, "days of the week") {
		weekday, weekdays, weekStar, _ = drawPart(t, "weekday", 0, 6)
	}
	x.days = func(wall time.Time) bool {
		ofMonth, ofWeek := slices.Contains(monthDays, wall.Day()), slices.Contains(weekdays, int(wall.Weekday()))
		if monthStar || weekStar {
			return ofMonth && ofWeek
		}
		return ofMonth || ofWeek
	}
	x.text = strings.Join(append(parts, monthDay, "*", weekday), " ")
	return x
}

// A second opinion on what expressions mean, in a zone whose clock never changes.
func TestExpressionsMeanWhatAnotherParserReads(t *testing.T) {
	t.Parallel()
	other := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{
		"0 2 * * *", "*/8 * * * *", "5/10 4-20/3 * * *", "0 0 13 * FRI", "0 0 1-7 JAN,jun,Dec mon-fri", "0 0 31 * *", "0 0 29 2 *",
		"1,2,3 4 5-9 6 *", "0 0 ? * 0", "0 0 * 2-4/2 6", "*/15 30 22 * * *", "7/20 */9 3 1 1 ?", "59 59 23 31 12 *",
		"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
	} {
		reference, err := other.Parse("TZ=UTC " + text)
		if err != nil {
			t.Fatal(err)
		}
		p := compile(t, schedule.Spec{Cron: text})
		for range 200 {
			at := utc("2000-01-01").Add(time.Duration(random.Int64N(int64(50 * 365 * 24 * time.Hour))))
			next, _ := p.Next(at)
			if want := reference.Next(at); !next.Equal(want) {
				t.Fatalf("%q after %v: %v, the other says %v", text, at, next, want)
			}
		}
	}
}

// The days that one number cannot name, against their definitions.
func TestSpecialDays(t *testing.T) {
	t.Parallel()
	last := func(d time.Time) int { return d.AddDate(0, 1, -d.Day()).Day() }
	workday := func(d time.Time) bool { return d.Weekday() >= time.Monday && d.Weekday() <= time.Friday }
	// nearest tells whether d is the workday nearest to a day of its month.
	nearest := func(d time.Time, day int) bool {
		if day > last(d) {
			return false
		}
		for distance := range 3 {
			for _, n := range []int{day - distance, day + distance} {
				if n >= 1 && n <= last(d) && workday(d.AddDate(0, 0, n-d.Day())) {
					return d.Day() == n
				}
			}
		}
		return false
	}
	for text, want := range map[string]func(d time.Time) bool{
		"L * *":       func(d time.Time) bool { return d.AddDate(0, 0, 1).Day() == 1 },
		"l-3 * *":     func(d time.Time) bool { return d.Day() == last(d)-3 },
		"L-30 * *":    func(d time.Time) bool { return last(d) == 31 && d.Day() == 1 },
		"LW * *":      func(d time.Time) bool { return nearest(d, last(d)) },
		"15W * *":     func(d time.Time) bool { return nearest(d, 15) },
		"1w * *":      func(d time.Time) bool { return nearest(d, 1) },
		"31W * *":     func(d time.Time) bool { return nearest(d, 31) },
		"1,15W,L * *": func(d time.Time) bool { return d.Day() == 1 || nearest(d, 15) || d.Day() == last(d) },
		"* * FRI#2":   func(d time.Time) bool { return d.Weekday() == time.Friday && d.Day() > 7 && d.Day() <= 14 },
		"* * 1#5":     func(d time.Time) bool { return d.Weekday() == time.Monday && d.Day() > 28 },
		"* * 7#1":     func(d time.Time) bool { return d.Weekday() == time.Sunday && d.Day() <= 7 },
		"* * FRIL":    func(d time.Time) bool { return d.Weekday() == time.Friday && d.Day()+7 > last(d) },
		"* * fri#l":   func(d time.Time) bool { return d.Weekday() == time.Friday && d.Day()+7 > last(d) },
		"* * 0l,MON":  func(d time.Time) bool { return d.Weekday() == time.Monday || d.Weekday() == 0 && d.Day()+7 > last(d) },
		"* 2 MON#5": func(d time.Time) bool {
			return d.Month() == time.February && d.Day() == 29 && d.Weekday() == time.Monday
		},
		"L * FRI":       func(d time.Time) bool { return d.Day() == last(d) || d.Weekday() == time.Friday },
		"*/2 * FRI":     func(d time.Time) bool { return d.Day()%2 == 1 && d.Weekday() == time.Friday },
		"* * SAT-SUN":   func(d time.Time) bool { return !workday(d) },
		"* * FRI-1":     func(d time.Time) bool { return d.Weekday() == time.Friday || !workday(d) || d.Weekday() == time.Monday },
		"* * FRI-MON/2": func(d time.Time) bool { return d.Weekday() == time.Friday || d.Weekday() == time.Sunday },
		"* * 5-7":       func(d time.Time) bool { return d.Weekday() == time.Friday || !workday(d) },
		"* * 7":         func(d time.Time) bool { return d.Weekday() == time.Sunday },
		"* * 7/2":       func(d time.Time) bool { return d.Weekday()%2 == 0 },
		"* NOV-FEB *":   func(d time.Time) bool { return d.Month() >= time.November || d.Month() <= time.February },
		"29 2 *":        func(d time.Time) bool { return d.Month() == time.February && d.Day() == 29 },
		"* 1-6/2 3":     func(d time.Time) bool { return d.Month() < 7 && d.Month()%2 == 1 && d.Weekday() == time.Wednesday },
		"1-7,29-31 * *": func(d time.Time) bool { return d.Day() <= 7 || d.Day() >= 29 },
		"2-30/7 * *":    func(d time.Time) bool { return d.Day()%7 == 2 },
		"? 12 ?":        func(d time.Time) bool { return d.Month() == time.December },
		"LW,L-1,2 1-3 ?": func(d time.Time) bool {
			return d.Month() < 4 && (nearest(d, last(d)) || d.Day() == last(d)-1 || d.Day() == 2)
		},
	} {
		p := compile(t, schedule.Spec{Cron: "0 0 " + text})
		for d := utc("1999-12-30"); d.Year() < 2030; d = d.AddDate(0, 0, 1) {
			if got := p.Count(d, d.AddDate(0, 0, 1)) == 1; got != want(d) {
				t.Errorf("%q on %s: %v", text, d.Format("Mon 2006-01-02"), got)
				break
			}
		}
	}
	p := compile(t, schedule.Spec{Cron: "30 22-2/2 * * *", Zone: "Asia/Tokyo"})
	var got []string
	for _, f := range p.Preview(utc("2026-01-01 03:00"), 4) {
		got = append(got, f.Local.Format("02 15:04"))
	}
	if strings.Join(got, ", ") != "01 22:30, 02 00:30, 02 02:30, 02 22:30" {
		t.Errorf("22-2/2 fires at %v", got)
	}
}
