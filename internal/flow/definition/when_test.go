package definition_test

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/macro"
)

func TestWhen(t *testing.T) {
	t.Parallel()
	v := macro.Values{Time: time.Date(2026, 5, 17, 3, 0, 0, 0, time.UTC), Params: map[string]string{"p": `a" == "a`, "e": "", "x": "x"}}
	for text, want := range map[string]bool{
		"":                                    true,
		" ":                                   true,
		"a == a":                              true,
		"a==a":                                true,
		"a != a":                              false,
		"a!=b":                                true,
		`"a b" == 'a b'`:                      true,
		`"" == ''`:                            true,
		`${param.e} == ""`:                    true,
		"${dd} == 17":                         true,
		"${HH} != 03":                         false,
		`${yyyy-MM-dd HH} == "2026-05-17 03"`: true,
		`${param.p} == b`:                     false, // what is put in compares, and does no more
		`"${param.p}" != b`:                   true,
		`"'${param.x}'" == "'x'"`:             true,
		"$$ == '$$'":                          true,
	} {
		w, err := definition.ParseWhen(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := w.Holds(v); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for text, at := range map[string]int{
		"a": 1, "a ==": 4, "== a": 0, "a = b": 2, "a == b c": 7, `"a == b`: 7, `a == "b`: 7, `a"b == c`: 1, "a == b == c": 7, "a == ${nope": 5, "a == ${nope}": 7, "${x} == a": 2,
	} {
		_, err := definition.ParseWhen(text)
		all := macro.All(err)
		if len(all) != 1 || all[0].At != at {
			t.Errorf("%q: %v, want byte %d", text, err, at)
		}
	}
}

func FuzzWhen(f *testing.F) {
	for _, s := range []string{"a == b", `"${yyyy}" != '$$'`, "${", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, err := definition.ParseWhen(s)
		for _, e := range macro.All(err) {
			if e.At < 0 || e.At > len(s) {
				t.Fatalf("%q: byte %d", s, e.At)
			}
		}
		_ = w.Check(macro.Scope{})
		_, _ = w.Holds(macro.Values{Time: time.Unix(0, 0)})
	})
}
