package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Where what suits a kind appears in a container; each use has a folder of its
// own below. None of it is in the home volume.
const (
	gitPath  = "/etc/goblinlab/git"
	krb5Path = "/etc/goblinlab/krb5"
)

// Names of files that are made of values.
const (
	fileCredential = "credential" // what git's credential helper answers
	fileSSHConfig  = "ssh_config"
	fileDocker     = "config.json"
	keyDocker      = ".dockerconfigjson" // as Kubernetes wants it
)

// Opened is a secret with what it holds, for one use. It does not print itself.
type Opened struct {
	Kind   spec.SecretKind
	Use    spec.SecretUse
	Values map[string][]byte
}

// String keeps the values out of logs.
func (Opened) String() string { return "(secret)" }

// GoString keeps the values out of logs.
func (Opened) GoString() string { return "(secret)" }

// Object is one Kubernetes Secret of a consumer. It does not print itself.
type Object struct {
	ID     string // of the secret
	Docker bool   // of the type kubernetes.io/dockerconfigjson
	Data   map[string][]byte
	Hide   []string // keys whose values must not appear in a log
}

// String keeps the values out of logs.
func (Object) String() string { return "(secret)" }

// GoString keeps the values out of logs.
func (Object) GoString() string { return "(secret)" }

// keyEnv is a variable that holds a value.
type keyEnv struct{ name, key string }

// layout is how one use appears in a container; it hangs on names, not on values.
type layout struct {
	env    []keyEnv
	plain  []spec.EnvVar
	folder string // where the object's values are files; empty for nowhere
	pull   bool
}

// lay says how the n-th use of a consumer appears, given the names of the values.
func lay(kind spec.SecretKind, names []string, use spec.SecretUse, n int) layout {
	at := strconv.Itoa(n)
	switch {
	case use.As == spec.SecretAsFile:
		return layout{folder: use.At}
	case use.As == spec.SecretAsAuto && kind == spec.SecretRegistry:
		return layout{pull: true}
	case use.As == spec.SecretAsAuto && kind == spec.SecretGit:
		return layout{folder: path.Join(gitPath, at)}
	case use.As == spec.SecretAsAuto && kind == spec.SecretKeytab:
		l := layout{folder: path.Join(krb5Path, at)}
		file := "FILE:" + path.Join(l.folder, keyKeytab)
		l.plain = []spec.EnvVar{{Name: "KRB5_KTNAME", Value: file}, {Name: "KRB5_CLIENT_KTNAME", Value: file}}
		l.env = []keyEnv{{"KRB5_PRINCIPAL", keyPrincipal}}
		if slices.Contains(names, keyRealm) {
			l.env = append(l.env, keyEnv{"KRB5_REALM", keyRealm})
		}
		if slices.Contains(names, keyKrb5Conf) {
			l.plain = append(l.plain, spec.EnvVar{Name: "KRB5_CONFIG", Value: path.Join(l.folder, keyKrb5Conf)})
		}
		return l
	}
	var l layout
	if named(use.At) && len(names) == 1 {
		l.env = []keyEnv{{use.At, names[0]}}
		return l
	}
	for _, name := range names {
		l.env = append(l.env, keyEnv{use.At + variable(kind, name), name})
	}
	return l
}

// named reports that At is the whole name of a variable.
func named(at string) bool { return at != "" && !strings.HasSuffix(at, "_") }

// variable is the name of a variable for a value: a dot and a dash are of no use
// in a shell. What people did not name themselves is written as variables are.
func variable(kind spec.SecretKind, name string) string {
	name = strings.NewReplacer(".", "_", "-", "_").Replace(name)
	if kind != spec.SecretGeneric {
		return strings.ToUpper(name)
	}
	return name
}

// Delivery is what a consumer's container gets. It does not print itself.
type Delivery struct {
	Objects []Object
	layouts []layout
	git     []spec.EnvVar // by which git finds what it needs
}

// String keeps the values out of logs.
func (Delivery) String() string { return "(secrets)" }

// GoString keeps the values out of logs.
func (Delivery) GoString() string { return "(secrets)" }

// Prepare makes a delivery of opened secrets, an object for each.
func Prepare(list []Opened) Delivery {
	var d Delivery
	for n, o := range list {
		l := lay(o.Kind, slices.Sorted(maps.Keys(o.Values)), o.Use, n)
		d.layouts = append(d.layouts, l)
		d.Objects = append(d.Objects, object(o, l))
	}
	d.setGit(list)
	return d
}

// secretKeys are those of a kind whose values are secret; nil for all.
var secretKeys = map[spec.SecretKind][]string{
	spec.SecretGit:      {keyToken, keySSH},
	spec.SecretRegistry: {keyPassword},
	spec.SecretKeytab:   {keyKeytab},
}

func object(o Opened, l layout) Object {
	out := Object{ID: o.Use.SecretID, Data: maps.Clone(o.Values)}
	for _, key := range slices.Sorted(maps.Keys(o.Values)) {
		if of := secretKeys[o.Kind]; of == nil || slices.Contains(of, key) {
			out.Hide = append(out.Hide, key)
		}
	}
	switch {
	case l.pull:
		return Object{ID: o.Use.SecretID, Docker: true, Data: map[string][]byte{keyDocker: dockerConfig(o.Values)}}
	case o.Kind == spec.SecretRegistry && o.Use.As == spec.SecretAsFile:
		out.Data[fileDocker] = dockerConfig(o.Values)
	case o.Kind == spec.SecretGit && o.Values[keyToken] != nil:
		out.Data[fileCredential] = fmt.Appendf(nil, "username=%s\npassword=%s\n", o.Values[keyUser], o.Values[keyToken])
	}
	return out
}

// dockerConfig is what container engines and the kubelet read.
func dockerConfig(v map[string][]byte) []byte {
	server := string(v[keyServer])
	switch server {
	case "docker.io", "index.docker.io", "registry-1.docker.io": // known by this name alone
		server = "https://index.docker.io/v1/"
	}
	auth := base64.StdEncoding.EncodeToString(slices.Concat(v[keyUser], []byte(":"), v[keyPassword]))
	b, err := json.Marshal(map[string]any{"auths": map[string]any{server: map[string]string{
		"username": string(v[keyUser]), "password": string(v[keyPassword]), "auth": auth}}})
	if err != nil {
		panic("secret: " + err.Error()) // texts alone
	}
	return b
}

// setGit tells git where its credentials are: by variables, so that neither the
// home nor the image's own settings are touched. A helper that only answers is
// used, not git's own "store": that one wants to write into its file.
func (d *Delivery) setGit(list []Opened) {
	var config strings.Builder
	first := -1
	count := 0
	for n, o := range list {
		if o.Kind != spec.SecretGit || o.Use.As != spec.SecretAsAuto {
			continue
		}
		folder, host := d.layouts[n].folder, string(o.Values[keyHost])
		if o.Values[keyToken] != nil {
			at := strconv.Itoa(count)
			d.git = append(d.git,
				spec.EnvVar{Name: "GIT_CONFIG_KEY_" + at, Value: "credential.https://" + host + ".helper"},
				spec.EnvVar{Name: "GIT_CONFIG_VALUE_" + at, Value: `!f() { if [ "$1" = get ]; then cat ` + path.Join(folder, fileCredential) + `; fi; }; f`})
			count++
			continue
		}
		if first < 0 {
			first = n
		}
		name, port, hasPort := strings.Cut(host, ":")
		fmt.Fprintf(&config, "Host %s\n  User %s\n", name, sshWord(string(o.Values[keyUser])))
		if hasPort {
			fmt.Fprintf(&config, "  Port %s\n", port)
		}
		fmt.Fprintf(&config, "  IdentityFile %s\n  IdentitiesOnly yes\n  UserKnownHostsFile %s\n  StrictHostKeyChecking yes\n",
			path.Join(folder, keySSH), path.Join(folder, keyKnownHosts))
	}
	if count > 0 {
		d.git = append(d.git, spec.EnvVar{Name: "GIT_CONFIG_COUNT", Value: strconv.Itoa(count)})
	}
	if first >= 0 { // other hosts go by the user's own settings
		config.WriteString("Host *\n  Include ~/.ssh/config\n  Include /etc/ssh/ssh_config\n")
		d.Objects[first].Data[fileSSHConfig] = []byte(config.String())
		d.git = append(d.git, spec.EnvVar{Name: "GIT_SSH_COMMAND", Value: "ssh -F " + path.Join(d.layouts[first].folder, fileSSHConfig)})
	}
}

// sshWord quotes a user's name for ssh's configuration.
func sshWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Into adds what was delivered to a container; name gives the name of the n-th object.
func (d Delivery) Into(c *manifest.Container, name func(n int) string) {
	var hidden []string
	for n, l := range d.layouts {
		object := name(n)
		if l.pull {
			c.PullSecrets = append(slices.Clone(c.PullSecrets), object)
		}
		for _, e := range l.env {
			c.SecretEnv = append(c.SecretEnv, manifest.SecretEnv{Name: e.name, Secret: object, Key: e.key})
			if slices.Contains(d.Objects[n].Hide, e.key) {
				hidden = append(hidden, e.name)
			}
		}
		if l.folder != "" {
			c.SecretFiles = append(c.SecretFiles, manifest.SecretFile{Secret: object, Path: l.folder})
			for _, key := range d.Objects[n].Hide {
				hidden = append(hidden, path.Join(l.folder, key))
			}
		}
		c.Env = append(slices.Clone(c.Env), l.plain...)
	}
	c.Env = append(slices.Clone(c.Env), d.git...)
	c.Hidden = hidden
}

// Secret is the n-th object as the builders take it.
func (d Delivery) Secret(n int, name string) manifest.UserSecret {
	o := d.Objects[n]
	return manifest.UserSecret{Name: name, ID: o.ID, Docker: o.Docker, Data: o.Data, Hide: o.Hide}
}

// variables are the names of the variables that uses make, with the place of the use.
func variables(kinds []spec.SecretKind, names [][]string, uses []spec.SecretUse) map[string][]int {
	out := map[string][]int{}
	for n, use := range uses {
		l := lay(kinds[n], names[n], use, n)
		for _, e := range l.env {
			out[e.name] = append(out[e.name], n)
		}
		for _, e := range l.plain {
			out[e.Name] = append(out[e.Name], n)
		}
	}
	return out
}
