package ident_test

import (
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/ident"
)

func TestNamesThatLookAlikeHaveOneKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"case":                     {"Vision", "vISION", true},
		"German":                   {"STRASSE", "straße", true},
		"blanks around":            {"  vision\u00a0", "vision", true},
		"blanks inside":            {"deep\u3000 \u2009learning", "deep learning", true},
		"full width":               {"ＶＩＳＩＯＮ１", "vision1", true},
		"composed and not":         {"caf\u00e9", "cafe\u0301", true},
		"zero-width space":         {"vi\u200bsion", "vision", true},
		"soft hyphen":              {"vi\u00adsion", "vision", true},
		"joiner":                   {"vi\u2060sion", "vision", true},
		"byte order mark":          {"\ufeffvision", "vision", true},
		"right to left override":   {"\u202evision", "vision", true},
		"Hangul filler":            {"vision\u3164", "vision", true},
		"tag letters":              {"vision\U000e0041", "vision", true},
		"variation selector":       {"lab ❤\ufe0f", "lab ❤", true},
		"Cyrillic letters":         {"русо", "pyco", true},
		"one Cyrillic letter":      {"visiоn", "vision", true},
		"Cyrillic capitals":        {"ВАСК", "back", true},
		"Greek":                    {"ΑΒΕ", "abe", true},
		"ligature":                 {"ﬁle", "file", true},
		"other letters":            {"vision", "visions", false},
		"a blank or none":          {"deep learning", "deeplearning", false},
		"accents are letters":      {"café", "cafe", false},
		"Chinese":                  {"视觉", "语音", false},
		"numbers":                  {"lab 1", "lab 2", false},
		"a zero and an o":          {"lab0", "labo", false},
		"long ones, at their ends": {strings.Repeat("视觉", 50) + "a", strings.Repeat("视觉", 50) + "b", false},
		"long ones, by case":       {strings.Repeat("视觉", 50) + "a", strings.Repeat("视觉", 50) + "A", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := ident.NameKey(c.a), ident.NameKey(c.b); (a == b) != c.same {
				t.Errorf("%+q has the key %+q, %+q has %+q", c.a, a, c.b, b)
			}
		})
	}
}

func FuzzKey(f *testing.F) {
	for _, s := range []string{"", " ", "Vision", "straße", "ͅ", "ΐ", "ﷺ", "İ", "ϒ\u0301", "\xff", "a\u0300\u200b\u0301", "К\u0300"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k := ident.NameKey(s)
		if again := ident.NameKey(k); again != k {
			t.Errorf("%+q: %+q, then %+q", s, k, again)
		}
		if len(k) > 200 || k != ident.Clean(k) || strings.ContainsFunc(k, ident.Invisible) {
			t.Errorf("%+q: %+q", s, k)
		}
		if spaced := ident.NameKey("\u00a0" + s + "\u200b "); spaced != k {
			t.Errorf("%+q with blanks: %+q, not %+q", s, spaced, k)
		}
	})
}
