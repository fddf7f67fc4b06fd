package spec_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestDurationsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "0s", 90 * time.Second: "1m30s", time.Hour: "1h", 90 * time.Minute: "1h30m", time.Hour + time.Second: "1h0m1s", 10 * time.Minute: "10m"} {
		if got := spec.Duration(d).String(); got != want {
			t.Errorf("%v is written %q, not %q", d, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := spec.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "d"))
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back spec.Duration
		if err := json.Unmarshal(b, &back); err != nil || back != d {
			t.Fatalf("%s is read as %v, %v", b, back, err)
		}
	})
	var d spec.Duration
	for _, bad := range []string{"", "5", "-1s", "1d", "abc"} {
		if err := d.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken as %v", bad, d)
		}
	}
}
