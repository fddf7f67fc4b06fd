package ident_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/ident"
)

func TestIDsAreUniqueSortableAndTellTheirKind(t *testing.T) {
	t.Parallel()
	var ids []string
	for range 1000 {
		ids = append(ids, ident.New(ident.Instance))
	}
	if !slices.IsSorted(ids) {
		t.Error("ids made one after another are not in order")
	}
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("an id was made twice")
	}
	for _, id := range ids {
		if kind, ok := ident.Kind(id); !ok || kind != ident.Instance {
			t.Fatalf("Kind(%q) is %q, %v", id, kind, ok)
		}
		if wrong := validation.IsDNS1123Label(id); wrong != nil {
			t.Fatalf("%q: %v", id, wrong)
		}
	}
}

func TestKindRefusesWhatIsNoID(t *testing.T) {
	t.Parallel()
	good := ident.New(ident.Run)
	for name, id := range map[string]string{
		"empty":              "",
		"no dash":            "run",
		"no unique part":     "run-",
		"no kind":            good[3:],
		"kind too long":      "flows-" + good[4:],
		"upper-case kind":    "Run-" + good[4:],
		"upper-case xid":     strings.ToUpper(good),
		"too short":          good[:len(good)-1],
		"too long":           good + "0",
		"letters beyond v":   "run-zzzzzzzzzzzzzzzzzzzz",
		"another dash":       "run--" + good[5:],
		"path":               "run-../../../etc/passwd",
		"not canonical":      "run-0000000000000000000v",
		"space":              " " + good,
		"letter that is not": "rún-" + good[4:],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if kind, ok := ident.Kind(id); ok || kind != "" {
				t.Errorf("Kind(%q) is %q, %v", id, kind, ok)
			}
		})
	}
	if ident.Is(ident.Flow, good) || !ident.Is(ident.Run, good) {
		t.Error("Is does not tell a run from a flow")
	}
}

func TestNewRefusesAKindThatIsNone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "x", "flows", "A1", "a-"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%q) made an id", kind)
				}
			}()
			ident.New(kind)
		}()
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"plain":                      {"resnet50", "resnet50"},
		"spaces and case":            {"My  First Model ", "my-first-model"},
		"P40 underscore, at, hash":   {"li_lei@example.org#1", "li-lei-example-org-1"},
		"P40 accents":                {"Café Zoë Łódź straße", "cafe-zoe-lodz-strasse"},
		"mixed alphabets":            {"训练 ResNet 模型", "resnet"},
		"another alphabet alone":     {"训练模型", "x"},
		"emoji":                      {"🚀", "x"},
		"emoji between":              {"a🚀b", "a-b"},
		"quotes":                     {`"'; DROP TABLE--`, "drop-table"},
		"path":                       {"../../etc/passwd", "etc-passwd"},
		"empty":                      {"", "x"},
		"dashes alone":               {"----", "x"},
		"P39 two hundred characters": {strings.Repeat("ab ", 66), strings.TrimRight(strings.Repeat("ab-", 13)+"a", "-")},
		"broken UTF-8":               {"a\xff\xfeb", "a-b"},
		"full width":                 {"ＡＢＣ１２", "abc12"},
		"dotless i":                  {"Iıİi", "iiii"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ident.Slug(c.in); got != c.want {
				t.Errorf("Slug(%q) is %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// checkName states what is promised of every name.
func checkName(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string) {
	t.Helper()
	if len(name) > ident.MaxName {
		t.Fatalf("%q has %d characters", name, len(name))
	}
	if wrong := validation.IsDNS1035Label(name); wrong != nil { // starts with a letter too
		t.Fatalf("%q: %v", name, wrong)
	}
	for _, suffix := range []string{"-0", "-abcde", "-5d8b9c7f6d"} {
		if wrong := validation.IsValidLabelValue(name + suffix); wrong != nil {
			t.Fatalf("%q: %v", name+suffix, wrong)
		}
	}
}

func TestP39P40NamesAreValidWhateverPeopleType(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.String().Draw(t, "typed")
		id := ident.New(rapid.SampledFrom([]string{ident.Instance, ident.Team, ident.Task}).Draw(t, "kind"))
		slug := ident.Slug(typed)
		if slug != ident.Slug(slug) {
			t.Fatalf("the slug of the slug %q is another", slug)
		}
		for _, name := range []string{ident.ObjectName(slug, id), ident.ObjectName(typed, id), ident.Namespace(typed, id)} {
			checkName(t, name)
			if !strings.HasSuffix(name, "-"+id) {
				t.Fatalf("%q does not hold the id %q whole", name, id)
			}
		}
		if strings.HasPrefix(ident.Namespace(typed, id), "kube-") {
			t.Fatalf("the namespace of %q is one that Kubernetes reserves", typed)
		}
	})
}

func TestP41TwoIDsNeverShareAName(t *testing.T) {
	t.Parallel()
	anyID := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return ident.New(rapid.SampledFrom([]string{"ins", "team"}).Draw(t, "kind")) }),
		rapid.StringMatching(`[a-z]{1,5}-[0-9a-v]{19,21}`),
		rapid.String(),
	)
	anySlug := rapid.OneOf(rapid.StringMatching(`[a-z0-9-]{0,60}`), rapid.String(), anyID)
	rapid.Check(t, func(t *rapid.T) {
		idA, idB := anyID.Draw(t, "a"), anyID.Draw(t, "b")
		slugA, slugB := anySlug.Draw(t, "slug of a"), anySlug.Draw(t, "slug of b")
		same := idA == idB
		if !same && ident.ObjectName(slugA, idA) == ident.ObjectName(slugB, idB) {
			t.Fatalf("%q and %q share %q", idA, idB, ident.ObjectName(slugA, idA))
		}
		if !same && ident.Namespace(slugA, idA) == ident.Namespace(slugB, idB) {
			t.Fatalf("%q and %q share %q", idA, idB, ident.Namespace(slugA, idA))
		}
	})
}

func TestP25ANameUsedAgainIsAnotherObject(t *testing.T) {
	t.Parallel()
	a, b := ident.New(ident.Volume), ident.New(ident.Volume)
	if ident.ObjectName("data", a) == ident.ObjectName("data", b) {
		t.Error("a new volume of an old name gets the old disk")
	}
}

func FuzzNames(f *testing.F) {
	id := ident.New(ident.Instance)
	for _, s := range []string{"", "训练", "../x", "--a--", strings.Repeat("é", 200), "a\x00b", "kube-system", "9lives"} {
		f.Add(s, id)
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, slug, id string) {
		checkName(t, ident.ObjectName(slug, id))
		checkName(t, ident.Namespace(slug, id))
		if _, ok := ident.Kind(id); ok && !strings.HasSuffix(ident.ObjectName(slug, id), id) {
			t.Fatalf("%q is not in %q", id, ident.ObjectName(slug, id))
		}
	})
}
