package check_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/check"
)

// asked notes how far back a check looks.
type asked struct{ from time.Time }

func (a *asked) Runs(_ context.Context, _ executor.Ask, _ string, from, _ time.Time) ([]check.FlowState, error) {
	a.from = from
	return nil, nil
}

func TestItIsKnownHowFarBackACheckLooks(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, "time"), 0).UTC()
		with := json.RawMessage(`{"flow":{"flowId":"flw-1","offset":"` + rapid.SampledFrom([]string{"", "-1d", "-1M", "-36h", "+1d,-2h", "-1y"}).Draw(t, "offset") +
			`","match":"` + rapid.SampledFrom([]string{"exact", "day"}).Draw(t, "match") + `"}}`)
		id, back := check.LooksAt(with, zone)
		if id != "flw-1" || back == nil {
			t.Fatalf("%s: %q", with, id)
		}
		var a asked
		if _, err := (check.Check{Flows: &a}).Poll(context.Background(), with, executor.Ask{Time: at, Zone: zone}); err != nil {
			t.Fatal(err)
		}
		if got := back(at); !got.Equal(a.from) {
			t.Errorf("%s at %s: it looks at %s, and %s was told", with, at, a.from, got)
		}
	})
}

func TestWhatNobodyCanTellHowFarACheckLooks(t *testing.T) {
	t.Parallel()
	for with, want := range map[string]struct {
		id    string
		known bool
	}{
		`{"flow":{"flowId":"flw-1"}}`:                          {"flw-1", true},
		`{"flow":{"flowId":"flw-1","offset":"${param.back}"}}`: {"flw-1", false},
		`{"path":{"volumeId":"v","path":"a"}}`:                 {"", false},
		`[`:                                                    {"", false},
	} {
		id, back := check.LooksAt(json.RawMessage(with), time.UTC)
		if id != want.id || (back != nil) != want.known {
			t.Errorf("%s: %q, known %v", with, id, back != nil)
		}
	}
}
