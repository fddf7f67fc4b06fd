package schedule_test

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/schedule"
)

func BenchmarkNext(b *testing.B) {
	for name, spec := range map[string]schedule.Spec{
		"minutely": {Cron: "* * * * *", Zone: "Europe/Berlin"},
		"daily":    {Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		"rare":     {Cron: "0 0 * 2 MON#5", Zone: "Europe/Berlin"},
		"interval": {Every: "8m"},
	} {
		b.Run(name, func(b *testing.B) {
			p := compile(b, spec)
			start := utc("2026-01-01")
			at := start
			for b.Loop() {
				next, ok := p.Next(at)
				if at = next; !ok {
					at = start
				}
			}
		})
	}
}

// P59: a year of missed minutes.
func BenchmarkDue(b *testing.B) {
	p := compile(b, schedule.Spec{Cron: "* * * * *", Zone: "Europe/Berlin"})
	cursor, now := utc("2025-01-01"), utc("2026-01-01 00:00:30")
	for name, m := range map[string]schedule.Misfire{
		"skip": {Policy: schedule.PolicySkip}, "latest": {Policy: schedule.PolicyLatest}, "all100": {Policy: schedule.PolicyAll, Limit: 100},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				schedule.Due(p, cursor, now, m, 0)
			}
		})
	}
}

// P59 as a test: forty years of missed seconds are answered within a look.
func TestWorkDoesNotGrowWithWhatWasMissed(t *testing.T) {
	t.Parallel()
	p := compile(t, schedule.Spec{Cron: "* * * * * *", Zone: "Europe/Berlin"})
	start := time.Now()
	f := schedule.Due(p, utc("1986-01-01"), utc("2026-01-01"), schedule.Misfire{Policy: schedule.PolicyLatest}, 0)
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	if total := f.Skipped + int64(len(f.Fire)); total != utc("2026-01-01").Unix()-utc("1986-01-01").Unix() {
		t.Errorf("%d logical times", total)
	}
}
