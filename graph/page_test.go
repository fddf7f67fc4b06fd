package graph

import (
	"slices"
	"testing"
)

func FuzzParseCursor(f *testing.F) {
	f.Add("", "a", "b")
	f.Add("WyJ0ZWFtcyIsImEiLCJiIl0", "teams", "\xff\"' OR 1=1 --")
	f.Add("bnVsbA", "", "")
	f.Fuzz(func(t *testing.T, raw, a, b string) {
		if keys, ok := parseCursor(raw, "teams", 2); ok {
			if again, ok := parseCursor(cursor("teams", keys...), "teams", 2); !ok || !slices.Equal(keys, again) {
				t.Errorf("%q gives %q, which comes back as %q", raw, keys, again)
			}
		}
		c := cursor("teams", a, b)
		if _, ok := parseCursor(c, "users", 2); ok {
			t.Errorf("%q is taken for another list", c)
		}
		if _, ok := parseCursor(c, "teams", 1); ok {
			t.Errorf("%q is taken for a shorter key", c)
		}
	})
}
