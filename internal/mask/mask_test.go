package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const password = "pä55/wörd+&\"x"

func values(texts ...string) [][]byte {
	out := make([][]byte, len(texts))
	for i, t := range texts {
		out[i] = []byte(t)
	}
	return out
}

var noTokens Tokens

func TestP96FormsOfASecretAreMasked(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(map[string]string{"p": password})
	if err != nil {
		t.Fatal(err)
	}
	pem := "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v\nbmUAAAAEbm9uZQAAAAAAAAABAAAB\nlwAAAA==\n-----END OPENSSH PRIVATE KEY-----\n"
	m := New(values(password, pem, "short", "Zm9vYmFy?/"), noTokens)
	for text, want := range map[string]string{
		"export P=" + password: "export P=" + Hidden,
		password:               Hidden,
		password + password:    Hidden,
		"a short word":         "a short word",
		"":                     "",
		base64.StdEncoding.EncodeToString([]byte(password)):  Hidden,
		base64.URLEncoding.EncodeToString([]byte(password)):  Hidden,
		"https://meng:" + url.QueryEscape(password) + "@git": "https://meng:***@git",
		url.UserPassword("meng", password).String():          "meng:***",
		strings.ToLower(url.PathEscape("ä/ö x"))[:6] + " ok": strings.ToLower(url.PathEscape("ä/ö x"))[:6] + " ok",
		string(quoted):                        `{"p":"***"}`,
		hex.EncodeToString([]byte(password)):  Hidden,
		"-----BEGIN OPENSSH PRIVATE KEY-----": "-----BEGIN OPENSSH PRIVATE KEY-----",
		"b3BlbnNzaC1rZXktdjEAAAAABG5v":        Hidden,
		"> bmUAAAAEbm9uZQAAAAAAAAABAAAB <":    "> *** <",
	} {
		got := m.Whole(text)
		if got != want && !strings.HasPrefix(want, Hidden) || strings.HasPrefix(want, Hidden) && !strings.Contains(got, Hidden) {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for _, user := range []string{"", "a", "ab", "abc", "meng:", "a-longer-name:"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			for _, after := range []string{"", "x", "xy", "xyz"} {
				got := m.Whole("Authorization: Basic " + e.EncodeToString([]byte(user+password+after)))
				rest := strings.ReplaceAll(strings.TrimPrefix(got, "Authorization: Basic "), Hidden, "")
				if !strings.Contains(got, Hidden) || len(rest) > (len(user)+len(after))*4/3+8 {
					t.Errorf("behind %q and before %q: %q", user, after, got)
				}
			}
		}
	}
}

func TestNothingToHideCostsNothing(t *testing.T) {
	t.Parallel()
	m := New(values("short", "", "\n\n"), noTokens)
	if m != nil {
		t.Errorf("%+v hides something", m)
	}
	if got := m.Whole("text"); got != "text" {
		t.Errorf("%q", got)
	}
	if got := m.Line().Part("text", true); got != "text" {
		t.Errorf("%q", got)
	}
}

var tokens = Tokens{Prefix: "gbl_", Length: 10, Is: func(s string) bool { return strings.HasSuffix(s, "9") }}

func TestTokensAreKnownByTheirForm(t *testing.T) {
	t.Parallel()
	m := New(nil, tokens)
	for text, want := range map[string]string{
		"gbl_abcde9":           Hidden,
		"x=gbl_abcde9;":        "x=***;",
		"gbl_abcdef":           "gbl_abcdef",
		"gbl_":                 "gbl_",
		"gbl_gbl_abcde9 gbl_a": "gbl_*** gbl_a",
	} {
		if got := m.Whole(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestP96NoCutHelps cuts a line anywhere, and looks for any secret in what comes out.
func TestP96NoCutHelps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab9_gl")), 0, 12, -1)
		secrets := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab9")), MinValue, 20, -1), 1, 4).Draw(t, "secrets")
		var line strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			line.WriteString(letters.Draw(t, "text"))
			line.WriteString(rapid.SampledFrom(append(slices.Clone(secrets), "gbl_abcde9", "")).Draw(t, "secret"))
		}
		text := line.String()
		m := New(values(secrets...), tokens)
		whole := m.Whole(text)
		l := m.Line()
		var parts strings.Builder
		rest, given := text, 0
		for rest != "" {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			parts.WriteString(l.Part(rest[:n], n < len(rest)))
			rest = rest[n:]
			given++
		}
		for _, s := range append(secrets, "gbl_abcde9") {
			for _, got := range []string{whole, parts.String()} {
				if strings.Contains(strings.ReplaceAll(got, Hidden, "|"), s) {
					t.Fatalf("%q is in %q, from %q in %d parts", s, got, text, given)
				}
			}
		}
		squeeze := func(s string) string { // a mark more or less at a border is no difference
			for strings.Contains(s, Hidden+Hidden) {
				s = strings.ReplaceAll(s, Hidden+Hidden, Hidden)
			}
			return s
		}
		if !overlap(append(secrets, "gbl_abcde9")) && squeeze(whole) != squeeze(parts.String()) {
			t.Fatalf("whole %q, in parts %q, from %q", whole, parts.String(), text)
		}
	})
}

// overlap reports secrets of which one may begin inside of another: at the
// border of two parts less may then be hidden than in the whole.
func overlap(secrets []string) bool {
	for _, a := range secrets {
		for _, b := range secrets {
			for i := 1; i < len(a); i++ {
				if strings.HasPrefix(b, a[i:]) || strings.HasPrefix(a[i:], b) {
					return true
				}
			}
		}
	}
	return false
}

func TestP96LongValuesAreMaskedAtAnyCut(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 0; b.Len() < 3*pieceBytes+100; i++ {
		b.WriteString(hex.EncodeToString([]byte{byte(i), byte(i >> 8)}))
	}
	long := b.String()
	m := New(values(long), noTokens)
	if got := m.Whole("<" + long + ">"); got != "<"+Hidden+">" {
		t.Errorf("%d bytes left: %.100q", len(got), got)
	}
	if m.hold >= 2*pieceBytes {
		t.Errorf("%d bytes are held back", m.hold)
	}
	for cut := 1; cut < len(long); cut += 37 {
		l := m.Line()
		got := l.Part("<"+long[:cut], true) + l.Part(long[cut:]+">", false)
		if strings.ReplaceAll(got, Hidden, "") != "<>" {
			t.Fatalf("cut at %d: %.200q", cut, got)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	m := New(values("correct horse battery staple"), Tokens{Prefix: "gbl_", Length: 43, Is: func(string) bool { return true }})
	text := strings.Repeat("epoch 17 loss 0.231 learning rate 1e-4 | ", 4)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Whole(text)
	}
}

// FuzzPart masks what programs may print.
func FuzzPart(f *testing.F) {
	f.Add("a secret "+password+" here", 12)
	f.Add(base64.StdEncoding.EncodeToString([]byte("u:"+password)), 3)
	m := New(values(password), tokens)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		l := m.Line()
		if got := l.Part(text[:cut], true) + l.Part(text[cut:], false); strings.Contains(got, password) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
