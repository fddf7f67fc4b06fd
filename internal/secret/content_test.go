package secret

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const hush = "s3cret-s3cret-s3cret"

func text(s string) *string { return &s }

// sshKey is a new private key, with a passphrase if it is not empty.
func sshKey(t testing.TB, passphrase string) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

func knownHosts(t testing.TB, host string) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return "# " + host + ":22 SSH-2.0\n" + host + " " + string(ssh.MarshalAuthorizedKey(k))
}

var keytabFile = base64.StdEncoding.EncodeToString(keytab(2, binary.BigEndian, "meng@EXAMPLE.ORG"))

// keytab is a file with a key for each principal.
func keytab(version byte, order binary.ByteOrder, principals ...string) []byte {
	out := []byte{5, version}
	data := func(b []byte, s string) []byte {
		var n [2]byte
		order.PutUint16(n[:], uint16(len(s)))
		return append(append(b, n[:]...), s...)
	}
	for i, p := range principals {
		name, realm, _ := strings.Cut(p, "@")
		parts := strings.Split(name, "/")
		var count [2]byte
		order.PutUint16(count[:], uint16(len(parts)+2-int(version)))
		e := data(count[:], realm)
		for _, part := range parts {
			e = data(e, part)
		}
		if version == 2 {
			e = append(e, 0, 0, 0, 1)
		}
		e = append(e, 0x65, 0, 0, 0, 3)
		var kind [2]byte
		order.PutUint16(kind[:], 18)
		e = data(append(e, kind[:]...), strings.Repeat("k", 32))
		if i%2 == 1 {
			e = append(e, 0, 0, 0, 3) // the number of the key, in full
		}
		var n [4]byte
		order.PutUint32(n[:], uint32(len(e)))
		out = append(append(out, n[:]...), e...)
	}
	return out
}

func TestWhatASecretMayHold(t *testing.T) {
	t.Parallel()
	key, hosts := sshKey(t, ""), knownHosts(t, "git.example.org")
	many := make([]Value, MaxValues+1)
	for name, c := range map[string]struct {
		in    Content
		kind  spec.SecretKind
		keys  string // names, of what is taken
		wrong string // paths, of what is not
	}{
		"a token":                     {Content{Git: &Git{Host: " https://GitHub.com/ ", Token: " " + hush + "\n"}}, spec.SecretGit, "host token user", ""},
		"a host with a port":          {Content{Git: &Git{Host: "git.example.org:8443", User: "meng", Token: hush}}, spec.SecretGit, "host token user", ""},
		"an SSH key":                  {Content{Git: &Git{Host: "git.example.org", SSHKey: strings.ReplaceAll(key, "\n", "\r\n"), KnownHosts: hosts}}, spec.SecretGit, "host known_hosts ssh-key user", ""},
		"neither":                     {Content{Git: &Git{Host: "github.com"}}, spec.SecretGit, "", "git.token"},
		"both":                        {Content{Git: &Git{Host: "github.com", Token: hush, SSHKey: key, KnownHosts: hosts}}, spec.SecretGit, "", "git.token"},
		"a host that is a command":    {Content{Git: &Git{Host: "a;rm -rf /", Token: hush}}, spec.SecretGit, "", "git.host"},
		"a host with a line break":    {Content{Git: &Git{Host: "a\nb", Token: hush}}, spec.SecretGit, "", "git.host"},
		"a token of two lines":        {Content{Git: &Git{Host: "github.com", Token: hush + "\nhost=evil"}}, spec.SecretGit, "", "git.token"},
		"a user of two lines":         {Content{Git: &Git{Host: "github.com", User: "a\nProxyCommand x", Token: hush}}, spec.SecretGit, "", "git.user"},
		"a key with a passphrase":     {Content{Git: &Git{Host: "a.b", SSHKey: sshKey(t, "x"), KnownHosts: hosts}}, spec.SecretGit, "", "git.sshKey"},
		"a public key":                {Content{Git: &Git{Host: "a.b", SSHKey: "ssh-ed25519 AAAA", KnownHosts: hosts}}, spec.SecretGit, "", "git.sshKey"},
		"no known host":               {Content{Git: &Git{Host: "a.b", SSHKey: key}}, spec.SecretGit, "", "git.knownHosts"},
		"known hosts, then nonsense":  {Content{Git: &Git{Host: "a.b", SSHKey: key, KnownHosts: hosts + "nonsense"}}, spec.SecretGit, "", "git.knownHosts"},
		"a registry":                  {Content{Registry: &Registry{Server: "https://Registry.example.org/v2/", User: "ci", Password: hush}}, spec.SecretRegistry, "password server user", ""},
		"a registry without all":      {Content{Registry: &Registry{Server: "a b"}}, spec.SecretRegistry, "", "registry.server registry.user registry.password"},
		"a keytab":                    {Content{Keytab: &Keytab{Principal: "meng@EXAMPLE.ORG", Keytab: keytabFile, Realm: "EXAMPLE.ORG", Krb5Conf: "[libdefaults]"}}, spec.SecretKeytab, "keytab krb5.conf principal realm", ""},
		"another file":                {Content{Keytab: &Keytab{Principal: "meng", Keytab: "aGVsbG8="}}, spec.SecretKeytab, "", "keytab.keytab"},
		"a keytab, without the realm": {Content{Keytab: &Keytab{Principal: "meng", Keytab: keytabFile}}, spec.SecretKeytab, "keytab principal", ""},
		"a keytab of another":         {Content{Keytab: &Keytab{Principal: "mei@EXAMPLE.ORG", Keytab: keytabFile}}, spec.SecretKeytab, "", "keytab.principal"},
		"a keytab that was cut":       {Content{Keytab: &Keytab{Principal: "meng", Keytab: base64.StdEncoding.EncodeToString(keytab(2, binary.BigEndian, "meng@EXAMPLE.ORG")[:40])}}, spec.SecretKeytab, "", "keytab.keytab"},
		"a principal of two words":    {Content{Keytab: &Keytab{Principal: "meng x", Keytab: keytabFile}}, spec.SecretKeytab, "", "keytab.principal"},
		"values":                      {Content{Values: []Value{{Key: "A", Text: text(hush)}, {Key: "b.c-d_e", Base64: text("AP8=\n")}}}, spec.SecretGeneric, "A b.c-d_e", ""},
		"names":                       {Content{Values: []Value{{Key: "", Text: text("x")}, {Key: "a/b", Text: text("x")}, {Key: "..", Text: text("x")}, {Key: strings.Repeat("a", 254), Text: text("x")}}}, spec.SecretGeneric, "", "values[0].key values[1].key values[2].key values[3].key"},
		"a name twice":                {Content{Values: []Value{{Key: "A", Text: text("x")}, {Key: "A", Text: text("x")}}}, spec.SecretGeneric, "", "values[1].key"},
		"values that are none":        {Content{Values: []Value{{Key: "A"}, {Key: "B", Text: text("x"), Base64: text("eA==")}, {Key: "C", Text: text("")}, {Key: "D", Base64: text("?")}}}, spec.SecretGeneric, "", "values[0].text values[1].text values[2].text values[3].base64"},
		"too much":                    {Content{Values: []Value{{Key: "A", Text: text(strings.Repeat("x", MaxBytes))}}}, spec.SecretGeneric, "", "values"},
		"as much as goes":             {Content{Values: []Value{{Key: "A", Text: text(strings.Repeat("x", MaxBytes-1))}}}, spec.SecretGeneric, "A", ""},
		"too many":                    {Content{Values: many}, spec.SecretGeneric, "", "values"},
		"nothing":                     {Content{}, "", "", "values"},
		"two kinds":                   {Content{Git: &Git{}, Values: []Value{{}}}, "", "", "values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f fault.Fields
			kind, values := c.in.parse(&f)
			if kind != c.kind {
				t.Errorf("the kind is %q, want %q", kind, c.kind)
			}
			var wrong []string
			var e *fault.Error
			if errors.As(f.Err(), &e) {
				for _, field := range e.Fields {
					wrong = append(wrong, field.Path)
					for _, l := range []lang.Lang{lang.English, lang.Chinese} {
						words := lang.Text(l, "fault."+field.ID, field.Args)
						if words == "fault."+field.ID || strings.Contains(words, hush) || strings.Contains(words, "?") && l == lang.English {
							t.Errorf("%s says %q", field.Path, words)
						}
					}
				}
			}
			if got := strings.Join(wrong, " "); got != c.wrong {
				t.Errorf("at fault is %q, want %q", got, c.wrong)
			}
			var keys []string
			for _, k := range keysOf(spec.SecretGeneric, values) {
				keys = append(keys, k.Name)
			}
			if got := strings.Join(keys, " "); c.wrong == "" && got != c.keys {
				t.Errorf("it holds %q, want %q", got, c.keys)
			}
			if printed := fmt.Sprintf("%v %+v %#v", c.in, c.in, c.in); strings.Contains(printed, "s3cret") {
				t.Errorf("it prints itself: %s", printed)
			}
		})
	}
}

func TestWhatIsKeptOfAContent(t *testing.T) {
	t.Parallel()
	var f fault.Fields
	_, v := Content{Git: &Git{Host: "https://GitHub.com/", Token: " t \n"}}.parse(&f)
	if string(v[keyHost]) != "github.com" || string(v[keyToken]) != "t" || string(v[keyUser]) != "git" {
		t.Errorf("%q", v)
	}
	key := sshKey(t, "")
	_, v = Content{Git: &Git{Host: "a.b", SSHKey: strings.ReplaceAll(strings.TrimSpace(key), "\n", "\r\n"), KnownHosts: knownHosts(t, "a.b")}}.parse(&f)
	if string(v[keySSH]) != key {
		t.Errorf("ssh would not take\n%q", v[keySSH])
	}
	_, v = Content{Values: []Value{{Key: "A", Base64: text("AP8 =\n")}, {Key: "T", Text: text("ü\n")}}}.parse(&f)
	if !bytes.Equal(v["A"], []byte{0, 255}) || f.Err() != nil {
		t.Errorf("%q, %v", v, f.Err())
	}
	want := []spec.SecretKey{{Name: "A", Bytes: 2}, {Name: "T", Bytes: 3, Text: true}}
	if got := keysOf(spec.SecretGeneric, v); !cmp.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// FuzzGit gives accounts of git at random: what is taken fits into the lines of
// ssh's settings and of a credential.
func FuzzGit(f *testing.F) {
	f.Add("github.com", "git", "t")
	f.Add("a\nb", "x\r", "\x00")
	f.Fuzz(func(t *testing.T, host, user, token string) {
		var faults fault.Fields
		_, v := Content{Git: &Git{Host: host, User: user, Token: token}}.parse(&faults)
		if faults.Err() != nil {
			return
		}
		for name, value := range v {
			if bytes.ContainsAny(value, "\n\r\x00") || len(value) == 0 {
				t.Errorf("%s is %q", name, value)
			}
		}
		if bytes.ContainsAny(v[keyHost], " \t;'\"$/") {
			t.Errorf("the host is %q", v[keyHost])
		}
	})
}
