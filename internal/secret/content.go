package secret

import (
	"bytes"
	"encoding/base64"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Bounds of what a secret holds.
const (
	MaxBytes  = 1 << 20 // names and values together, as of a Secret of Kubernetes
	MaxValues = 100
	maxLine   = 1024 // characters of a host, a user, a principal
)

// Names of what the kinds hold.
const (
	keyHost       = "host"
	keyUser       = "user"
	keyToken      = "token"
	keySSH        = "ssh-key"
	keyKnownHosts = "known_hosts"
	keyServer     = "server"
	keyPassword   = "password"
	keyPrincipal  = "principal"
	keyKeytab     = "keytab"
	keyRealm      = "realm"
	keyKrb5Conf   = "krb5.conf"
)

// Content is what a secret is made of: exactly one of its fields is given. It
// does not print itself.
type Content struct {
	Git      *Git
	Registry *Registry
	Keytab   *Keytab
	Values   []Value // of a generic one
}

// Git is an account of a git host: a token, or an SSH key with the host's keys.
type Git struct{ Host, User, Token, SSHKey, KnownHosts string }

// Registry is an account of a registry of images.
type Registry struct{ Server, User, Password string }

// Keytab is a Kerberos principal with its keys, in base64.
type Keytab struct{ Principal, Keytab, Realm, Krb5Conf string }

// Value is a name with its value, as text or in base64.
type Value struct {
	Key          string
	Text, Base64 *string
}

// String keeps the content out of logs.
func (Content) String() string { return "(secret)" }

// GoString keeps the content out of logs.
func (Content) GoString() string { return "(secret)" }

// parse gives the kind and the values; what is wrong is noted. No message
// quotes a value.
func (c Content) parse(f *fault.Fields) (kind spec.SecretKind, values map[string][]byte) {
	given := 0
	for _, there := range []bool{c.Git != nil, c.Registry != nil, c.Keytab != nil, len(c.Values) > 0} {
		if there {
			given++
		}
	}
	if given != 1 {
		f.Add("values", "secret.content", fault.Args{"value": given})
		return "", nil
	}
	switch {
	case c.Git != nil:
		kind, values = spec.SecretGit, c.Git.parse(f)
	case c.Registry != nil:
		kind, values = spec.SecretRegistry, c.Registry.parse(f)
	case c.Keytab != nil:
		kind, values = spec.SecretKeytab, c.Keytab.parse(f)
	default:
		kind, values = spec.SecretGeneric, parseValues(f, c.Values)
	}
	size := 0
	for name, v := range values {
		size += len(name) + len(v)
	}
	if size > MaxBytes {
		f.Add("values", "secret.too-large", fault.Args{"value": quantity.Memory(int64(size)), "limit": quantity.Memory(MaxBytes)})
	}
	return kind, values
}

var (
	hostName   = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)
	serverName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._/-]*)?$`)
	keyName    = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
)

func (g *Git) parse(f *fault.Fields) map[string][]byte {
	host := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(g.Host)), "https://"), "/")
	if !hostName.MatchString(host) || len(host) > maxLine {
		f.Add("git.host", "secret.git.host", nil)
	}
	user := strings.TrimSpace(g.User)
	if user == "" {
		user = "git"
	}
	line(f, "git.user", user)
	out := map[string][]byte{keyHost: []byte(host), keyUser: []byte(user)}
	token := strings.TrimSpace(g.Token)
	switch {
	case (token == "") == (strings.TrimSpace(g.SSHKey) == ""):
		f.Add("git.token", "secret.git.one", nil)
	case token != "":
		line(f, "git.token", token)
		out[keyToken] = []byte(token)
	default:
		out[keySSH] = unix(g.SSHKey)
		checkSSHKey(f, out[keySSH])
		out[keyKnownHosts] = unix(g.KnownHosts)
		checkKnownHosts(f, out[keyKnownHosts])
	}
	return out
}

// unix is a text as programs on Linux want it: ssh takes no key without a line break at its end.
func unix(text string) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return []byte(strings.TrimSpace(text) + "\n")
}

func checkSSHKey(f *fault.Fields, pem []byte) {
	_, err := ssh.ParseRawPrivateKey(pem)
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)):
		f.Add("git.sshKey", "secret.git.passphrase", nil)
	case err != nil:
		f.Add("git.sshKey", "secret.git.ssh-key", nil)
	}
}

// checkKnownHosts wants at least one line, and that all can be read: without
// them the first one who answers would be taken for the host.
func checkKnownHosts(f *fault.Fields, text []byte) {
	for n := 0; ; n++ {
		_, _, _, _, rest, err := ssh.ParseKnownHosts(text)
		if err != nil {
			if n == 0 || len(bytes.TrimSpace(text)) > 0 {
				f.Add("git.knownHosts", "secret.git.known-hosts", nil)
			}
			return
		}
		text = rest
	}
}

func (r *Registry) parse(f *fault.Fields) map[string][]byte {
	server := strings.TrimPrefix(strings.TrimSpace(r.Server), "https://")
	if host, path, found := strings.Cut(server, "/"); found {
		server = strings.ToLower(host) + "/" + path
	} else {
		server = strings.ToLower(server)
	}
	if !serverName.MatchString(server) || len(server) > maxLine {
		f.Add("registry.server", "secret.registry.server", nil)
	}
	user := strings.TrimSpace(r.User)
	line(f, "registry.user", user)
	line(f, "registry.password", r.Password)
	return map[string][]byte{keyServer: []byte(server), keyUser: []byte(user), keyPassword: []byte(r.Password)}
}

func (k *Keytab) parse(f *fault.Fields) map[string][]byte {
	principal := strings.TrimSpace(k.Principal)
	one := line(f, "keytab.principal", principal)
	if one && strings.ContainsAny(principal, " \t") {
		f.Add("keytab.principal", "secret.keytab.principal", nil)
		one = false
	}
	out := map[string][]byte{keyPrincipal: []byte(principal)}
	raw, err := decode(k.Keytab)
	var principals []string
	if err == nil {
		principals, err = principalsOf(raw)
	}
	switch {
	case err != nil:
		f.Add("keytab.keytab", "secret.keytab.file", nil)
	case one && !holds(principals, principal):
		f.Add("keytab.principal", "secret.keytab.other", fault.Args{"value": clip(principal), "principals": few(principals)})
	}
	out[keyKeytab] = raw
	if realm := strings.TrimSpace(k.Realm); realm != "" {
		line(f, "keytab.realm", realm)
		out[keyRealm] = []byte(realm)
	}
	if strings.TrimSpace(k.Krb5Conf) != "" {
		out[keyKrb5Conf] = unix(k.Krb5Conf)
	}
	return out
}

func parseValues(f *fault.Fields, list []Value) map[string][]byte {
	if len(list) > MaxValues {
		f.Add("values", "secret.too-many-values", fault.Args{"value": len(list), "limit": MaxValues})
		return nil
	}
	out := map[string][]byte{}
	for i, v := range list {
		at := "values[" + strconv.Itoa(i) + "]"
		_, twice := out[v.Key]
		switch {
		case !keyName.MatchString(v.Key) || v.Key == "." || strings.HasPrefix(v.Key, ".."):
			f.Add(at+".key", "secret.key", nil)
		case twice:
			f.Add(at+".key", "secret.key-twice", fault.Args{"value": v.Key})
		}
		switch {
		case (v.Text == nil) == (v.Base64 == nil):
			f.Add(at+".text", "secret.value-one", nil)
		case v.Text != nil && *v.Text == "" || v.Base64 != nil && *v.Base64 == "":
			f.Add(at+".text", "secret.value-empty", nil)
		case v.Text != nil:
			out[v.Key] = []byte(*v.Text)
		default:
			raw, err := decode(*v.Base64)
			if err != nil {
				f.Add(at+".base64", "secret.value-base64", nil)
			}
			out[v.Key] = raw
		}
	}
	return out
}

// decode reads base64 with or without line breaks.
func decode(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}

// line wants a text of one line that is there.
func line(f *fault.Fields, path, text string) bool {
	id := ""
	switch {
	case text == "":
		id = "secret.empty"
	case len(text) > 16*maxLine, !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		id = "secret.line"
	default:
		return true
	}
	f.Add(path, id, fault.Args{"limit": 16 * maxLine})
	return false
}

// maxShown bounds the principals of a keytab that are shown.
const maxShown = 20

func few(list []string) []string {
	if len(list) <= maxShown {
		return list
	}
	return append(slices.Clone(list[:maxShown]), "… +"+strconv.Itoa(len(list)-maxShown))
}

// keysOf are the names of values with their sizes, sorted, and whose keys a keytab holds.
func keysOf(kind spec.SecretKind, values map[string][]byte) []spec.SecretKey {
	out := make([]spec.SecretKey, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		k := spec.SecretKey{Name: name, Bytes: len(v), Text: utf8.Valid(v) && !bytes.ContainsRune(v, 0)}
		if kind == spec.SecretKeytab && name == keyKeytab {
			if principals, err := principalsOf(v); err == nil { // checked
				k.Principals = few(principals)
			}
		}
		out = append(out, k)
	}
	return out
}
