package nearest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"command", "args", "imageId", "workingDir", "resources"}
	for name, want := range map[string][]string{
		"comand":   {"command"},
		"IMAGEID":  {"imageId"},
		"image":    {"imageId"},
		"agrs":     {"args"},
		"xyzzy":    {"command", "args", "imageId"},
		"":         {"command", "args", "imageId"},
		"resource": {"resources"},
	} {
		if diff := cmp.Diff(want, Names(name, known)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	if got := Names("x", nil); got != nil {
		t.Errorf("of nothing it finds %v", got)
	}
}

// The distance is one as mathematics has it, but for the triangle, which a swap of neighbours breaks.
func TestDistanceIsSymmetricAndZeroForTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[a-c]{0,70}`).Draw(t, "a"), rapid.StringMatching(`[a-c]{0,70}`).Draw(t, "b")
		if distance(a, b) != distance(b, a) {
			t.Fatalf("%d there and %d back", distance(a, b), distance(b, a))
		}
		if (distance(a, b) == 0) != (a[:min(64, len(a))] == b[:min(64, len(b))]) {
			t.Fatalf("%q and %q are %d apart", a, b, distance(a, b))
		}
	})
}
