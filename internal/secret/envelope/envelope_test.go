package envelope

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ring(t testing.TB, lines ...string) Ring {
	t.Helper()
	r, err := ParseRing(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func keyOf(id string, b byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, keyBytes))
}

var here = Place{Row: "sec-1", Owner: "user:usr-1"}

// TestKnownAnswers opens what was sealed outside of this package, by plain
// AES-GCM over the bytes that the format promises, and reads the standard's own
// vector: a later version must read what an earlier one wrote.
func TestKnownAnswers(t *testing.T) {
	t.Parallel()
	// Test case 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega): AES-256 with additional data.
	un := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	k := un("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
	box := un("cafebabefacedbaddecaf888" +
		"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" +
		"76fc6ece0f4e1768cddf8853bb2d551b")
	plain, err := open(k, box, un("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
	if err != nil || hex.EncodeToString(plain) != "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39" {
		t.Errorf("the standard's vector: %x, %v", plain, err)
	}

	gcm := func(key, nonce, plain, bound []byte) []byte {
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cipher.NewGCM(block)
		if err != nil {
			t.Fatal(err)
		}
		return g.Seal(bytes.Clone(nonce), nonce, plain, bound)
	}
	master, data, nonce := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 12)
	s := Sealed{
		KeyID:   "a",
		Wrapped: gcm(master, nonce, data, []byte("\x00\x00\x00\x17goblinlab wrapped key 1\x00\x00\x00\x05sec-1\x00\x00\x00\x0auser:usr-1\x00\x00\x00\x01a")),
		Values: map[string][]byte{
			"token": gcm(data, nonce, []byte("s3cret"), []byte("\x00\x00\x00\x18goblinlab secret value 1\x00\x00\x00\x05sec-1\x00\x00\x00\x0auser:usr-1\x00\x00\x00\x05token")),
		},
	}
	got, err := ring(t, keyOf("a", 1)).Open(here, s)
	if err != nil || string(got["token"]) != "s3cret" {
		t.Errorf("what the format promises opens as %q, %v", got, err)
	}
}

func TestWhatWasSealedOpensAgainAndNowhereElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, err := ParseRing(keyOf("a", 1) + "\n" + keyOf("b", 2))
		if err != nil {
			t.Fatal(err)
		}
		at := Place{Row: rapid.String().Draw(t, "row"), Owner: rapid.String().Draw(t, "owner")}
		values := rapid.MapOfN(rapid.String(), rapid.SliceOf(rapid.Byte()), 1, 5).Draw(t, "values")
		s, err := r.Seal(at, values)
		if err != nil || s.KeyID != "b" {
			t.Fatalf("sealed by %q, %v", s.KeyID, err)
		}
		got, err := r.Open(at, s)
		if err != nil || !maps.EqualFunc(got, values, bytes.Equal) {
			t.Fatalf("opened %v, %v", got, err)
		}
		other := Place{Row: rapid.String().Draw(t, "other row"), Owner: rapid.String().Draw(t, "other owner")}
		if other != at {
			if _, err := r.Open(other, s); !errors.As(err, new(WrongKeyError)) {
				t.Fatalf("at %q: %v", other, err)
			}
		}
		again, err := r.Seal(at, values)
		if err != nil || bytes.Equal(again.Wrapped, s.Wrapped) || again.Fingerprint == s.Fingerprint {
			t.Fatalf("sealed twice alike: %v", err)
		}
	})
}

func TestTamperingAndSwappingIsNoticed(t *testing.T) {
	t.Parallel()
	r := ring(t, keyOf("a", 1))
	values := map[string][]byte{"user": []byte("meng"), "token": []byte("s3cret")}
	there := Place{Row: "sec-2", Owner: here.Owner}
	for name, c := range map[string]struct {
		at     Place
		change func(s, other *Sealed)
		wrong  bool // the data key itself cannot be had
	}{
		"a byte of a value":             {here, func(s, _ *Sealed) { s.Values["token"][14] ^= 1 }, false},
		"a byte of a nonce":             {here, func(s, _ *Sealed) { s.Values["token"][0] ^= 1 }, false},
		"a value cut":                   {here, func(s, _ *Sealed) { s.Values["token"] = s.Values["token"][:5] }, false},
		"an empty value":                {here, func(s, _ *Sealed) { s.Values["token"] = nil }, false},
		"two values of one row swapped": {here, func(s, _ *Sealed) { s.Values["token"], s.Values["user"] = s.Values["user"], s.Values["token"] }, false},
		"a value under another name":    {here, func(s, _ *Sealed) { s.Values["more"] = s.Values["token"] }, false},
		"another row's value":           {here, func(s, o *Sealed) { s.Values["token"] = o.Values["token"] }, false},
		"another row's wrapped key":     {here, func(s, o *Sealed) { s.Wrapped = o.Wrapped }, true},
		"the whole of another row":      {here, func(s, o *Sealed) { *s = *o }, true},
		"moved to another row":          {there, func(*Sealed, *Sealed) {}, true},
		"given to another person":       {Place{here.Row, "user:usr-2"}, func(*Sealed, *Sealed) {}, true},
		"given to a team":               {Place{here.Row, "team:usr-1"}, func(*Sealed, *Sealed) {}, true},
		"a byte of the wrapped key":     {here, func(s, _ *Sealed) { s.Wrapped[20] ^= 0x80 }, true},
		"no wrapped key":                {here, func(s, _ *Sealed) { s.Wrapped = nil }, true},
		"a value in the key's place":    {here, func(s, _ *Sealed) { s.Wrapped = s.Values["token"] }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := r.Seal(here, values)
			if err != nil {
				t.Fatal(err)
			}
			other, err := r.Seal(there, values)
			if err != nil {
				t.Fatal(err)
			}
			c.change(&s, &other)
			got, err := r.Open(c.at, s)
			if err == nil {
				t.Fatalf("opened as %q", got)
			}
			if errors.As(err, new(WrongKeyError)) != c.wrong || errors.Is(err, ErrDamaged) == c.wrong {
				t.Errorf("it says %v", err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("it quotes the value: %v", err)
			}
		})
	}
}

func TestKeysGoByTheirIDs(t *testing.T) {
	t.Parallel()
	values := map[string][]byte{"token": []byte("s3cret")}
	old := ring(t, keyOf("a", 1))
	s, err := old.Seal(here, values)
	if err != nil {
		t.Fatal(err)
	}
	both := ring(t, "# two keys", keyOf("a", 1), "", "  "+keyOf("b", 2)+"  ")
	moved, err := both.Rewrap(here, s)
	if err != nil || moved.KeyID != "b" || moved.Fingerprint != s.Fingerprint {
		t.Fatalf("%+v, %v", moved, err)
	}
	only := ring(t, keyOf("b", 2))
	if got, err := only.Open(here, moved); err != nil || string(got["token"]) != "s3cret" {
		t.Errorf("after the change of keys: %q, %v", got, err)
	}
	var missing MissingKeyError
	if _, err := only.Open(here, s); !errors.As(err, &missing) || missing.ID != "a" {
		t.Errorf("without the old key: %v", err)
	}
	var wrong WrongKeyError
	if err := ring(t, keyOf("a", 9)).Check(here, s); !errors.As(err, &wrong) || wrong.ID != "a" {
		t.Errorf("with another key of that id: %v", err)
	}
	if _, err := (Ring{}).Seal(here, values); !errors.Is(err, ErrNoKeys) {
		t.Errorf("without keys: %v", err)
	}
	if _, err := (Ring{}).Open(here, s); !errors.Is(err, ErrNoKeys) {
		t.Errorf("without keys: %v", err)
	}
}

func TestRingsAreReadOrRefused(t *testing.T) {
	t.Parallel()
	secret := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, keyBytes))
	for text, want := range map[string]string{
		"":                                  "",
		"# nothing\n\n":                     "",
		keyOf("a", 1):                       "a",
		keyOf("a", 1) + "," + keyOf("b", 2): "b",
		keyOf("2026-11", 1) + "\n" + keyOf("2026-12.x_y", 1): "2026-12.x_y",
		NewKey() + "\n" + keyOf("z", 1):                      "z",
	} {
		r, err := ParseRing(text)
		if err != nil || r.Newest() != want {
			t.Errorf("%d bytes: newest is %q, %v; want %q", len(text), r.Newest(), err, want)
		}
	}
	for text, want := range map[string]string{
		secret:                                 "line 1",
		"a:" + secret[:20]:                     "the key a",
		"a:not base64":                         "the key a",
		"a b:" + secret:                        "line 1",
		strings.Repeat("a", 41) + ":" + secret: "line 1",
		keyOf("a", 1) + "\n" + keyOf("a", 2):   "line 2: there are two keys with the id a",
		":" + secret:                           "line 1",
	} {
		_, err := ParseRing(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text[:3], err, want)
		}
		if err != nil && strings.Contains(err.Error(), secret[:16]) {
			t.Errorf("the error quotes a key: %v", err)
		}
	}
}

func TestKeysDoNotPrintThemselves(t *testing.T) {
	t.Parallel()
	r := ring(t, keyOf("a", 'K'))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, r) + fmt.Sprintf(verb, &r) + fmt.Sprintf(verb, r.keys); strings.Contains(text, "KKK") || strings.Contains(text, "75, 75") || strings.Contains(text, "0x4b") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

// FuzzOpen gives stored rows at random: none of them opens, none makes it panic.
func FuzzOpen(f *testing.F) {
	r := Ring{keys: []key{{id: "a"}}}
	s, err := r.Seal(here, map[string][]byte{"x": []byte("y")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.KeyID, s.Wrapped, "x", s.Values["x"][:13])
	f.Add("", []byte(nil), "", []byte(nil))
	f.Fuzz(func(t *testing.T, id string, wrapped []byte, name string, box []byte) {
		if got, err := r.Open(here, Sealed{KeyID: id, Wrapped: wrapped, Values: map[string][]byte{name: box}}); err == nil && !bytes.Equal(box, s.Values["x"]) {
			t.Errorf("opened as %q", got)
		}
	})
}

// FuzzParseRing reads key files at random: what it takes has an id for each key.
func FuzzParseRing(f *testing.F) {
	f.Add(keyOf("a", 1) + "\n#\n" + keyOf("b", 2))
	f.Add("a:b,c")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRing(text)
		if err != nil {
			return
		}
		for _, id := range r.IDs() {
			if !keyID.MatchString(id) {
				t.Errorf("the id %q", id)
			}
		}
	})
}
