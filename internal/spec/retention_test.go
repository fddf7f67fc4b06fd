package spec_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestWhatATeamKeeps(t *testing.T) {
	t.Parallel()
	own := func(log, run int) *spec.Retention { return &spec.Retention{LogDays: log, RunDays: run} }
	for name, c := range map[string]struct {
		own      *spec.Retention
		platform spec.Retention
		most     int
		want     spec.Retention
	}{
		"for ever":                       {nil, spec.Retention{}, 0, spec.Retention{}},
		"the platform's":                 {nil, spec.Retention{LogDays: 30, RunDays: 400}, 0, spec.Retention{LogDays: 30, RunDays: 400}},
		"its own, longer":                {own(90, 0), spec.Retention{LogDays: 30, RunDays: 400}, 0, spec.Retention{LogDays: 90}},
		"its own, above the most":        {own(90, 500), spec.Retention{}, 60, spec.Retention{LogDays: 60, RunDays: 60}},
		"for ever is above any":          {own(0, 0), spec.Retention{}, 60, spec.Retention{LogDays: 60, RunDays: 60}},
		"a log goes with its run":        {own(0, 10), spec.Retention{}, 0, spec.Retention{LogDays: 10, RunDays: 10}},
		"logs alone":                     {own(10, 0), spec.Retention{}, 0, spec.Retention{LogDays: 10}},
		"the platform's, above the most": {nil, spec.Retention{LogDays: 100}, 90, spec.Retention{LogDays: 90, RunDays: 90}},
	} {
		if got := spec.Effective(c.own, c.platform, c.most); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}

func TestNoLogOutlivesItsRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.OneOf(rapid.Just(0), rapid.IntRange(1, spec.MaxRetention))
		var own *spec.Retention
		if rapid.Bool().Draw(t, "own") {
			own = &spec.Retention{LogDays: days.Draw(t, "log"), RunDays: days.Draw(t, "run")}
		}
		platform, most := spec.Retention{LogDays: days.Draw(t, "log of all"), RunDays: days.Draw(t, "run of all")}, days.Draw(t, "most")
		got := spec.Effective(own, platform, most)
		if got.RunDays > 0 && (got.LogDays == 0 || got.LogDays > got.RunDays) {
			t.Errorf("a log outlives its run: %+v", got)
		}
		if most > 0 && (got.RunDays == 0 || got.RunDays > most) {
			t.Errorf("%+v is above %d", got, most)
		}
		if again := spec.Effective(&got, platform, most); again != got {
			t.Errorf("%+v counts as %+v", got, again)
		}
	})
}
