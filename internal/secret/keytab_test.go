package secret

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestWhoseKeysAKeytabHolds(t *testing.T) {
	t.Parallel()
	two := keytab(2, binary.BigEndian, "meng@EXAMPLE.ORG", "host/lab.example.org@EXAMPLE.ORG", "meng@EXAMPLE.ORG")
	hole := append(append([]byte{5, 2}, 0xff, 0xff, 0xff, 0xfc, 1, 2, 3, 4), keytab(2, binary.BigEndian, "mei@X")[2:]...)
	for name, c := range map[string]struct {
		file []byte
		want string // empty for no keytab
	}{
		"three keys of two":         {two, "host/lab.example.org@EXAMPLE.ORG meng@EXAMPLE.ORG"},
		"version 1":                 {keytab(1, binary.LittleEndian, "meng@EXAMPLE.ORG"), "meng@EXAMPLE.ORG"},
		"version 1, the other way":  {keytab(1, binary.BigEndian, "meng@EXAMPLE.ORG"), "meng@EXAMPLE.ORG"},
		"behind a hole":             {hole, "mei@X"},
		"zeros at the end":          {append(slices.Clone(two), 0, 0, 0, 0, 9, 9), "host/lab.example.org@EXAMPLE.ORG meng@EXAMPLE.ORG"},
		"what cannot be shown":      {keytab(2, binary.BigEndian, "a\x00\xffb\n@X"), "a??b?@X"},
		"nothing":                   {nil, ""},
		"no entry":                  {[]byte{5, 2}, ""},
		"a hole alone":              {hole[:10], ""},
		"another version":           {append([]byte{5, 3}, two[2:]...), ""},
		"a credential cache":        {append([]byte{5, 4}, two[2:]...), ""},
		"cut":                       {two[:len(two)-1], ""},
		"bytes behind":              {append(slices.Clone(two), 1, 2), ""},
		"a length of nearly all":    {[]byte{5, 2, 0x7f, 0xff, 0xff, 0xff, 1}, ""},
		"the least length":          {[]byte{5, 2, 0x80, 0, 0, 0, 1, 2, 3, 4}, ""},
		"no realm":                  {keytab(2, binary.BigEndian, "meng@"), ""},
		"more entries than anybody": {keytab(2, binary.BigEndian, slices.Repeat([]string{"a@X"}, maxKeytabEntries+1)...), ""},
	} {
		got, err := principalsOf(c.file)
		if strings.Join(got, " ") != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if !holds([]string{"meng@X"}, "meng") || !holds([]string{"meng@X"}, "meng@X") || holds([]string{"meng@X"}, "men") || holds([]string{"meng/admin@X"}, "meng") {
		t.Error("whose the keys are")
	}
	keys := keysOf(spec.SecretKeytab, map[string][]byte{keyKeytab: two, keyPrincipal: []byte("meng")})
	if len(keys) != 2 || len(keys[0].Principals) != 2 || keys[1].Principals != nil {
		t.Errorf("the facts are %+v", keys)
	}
}

func FuzzKeytab(f *testing.F) {
	f.Add(keytab(2, binary.BigEndian, "meng@EXAMPLE.ORG", "a/b@X"))
	f.Add(keytab(1, binary.LittleEndian, "meng@EXAMPLE.ORG"))
	f.Add([]byte{5, 2, 0xff, 0xff, 0xff, 0xfc, 1, 2, 3, 4})
	f.Add([]byte{5, 2, 0x80, 0, 0, 0})
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := principalsOf(file)
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("%q, %v", list, err)
		}
		for _, p := range list {
			if !strings.Contains(p, "@") || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("principal %q", p)
			}
		}
	})
}
