package secret

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func opened(kind spec.SecretKind, as spec.SecretAs, at string, values map[string]string) Opened {
	o := Opened{Kind: kind, Use: spec.SecretUse{SecretID: "sec-" + string(kind), As: as, At: at}, Values: map[string][]byte{}}
	for k, v := range values {
		o.Values[k] = []byte(v)
	}
	return o
}

// shape is what a container sees of a delivery.
type shape struct {
	Env, Plain, Files, Pull, Hidden string
}

func shapeOf(d Delivery) shape {
	var c manifest.Container
	d.Into(&c, func(n int) string { return "o" + strconv.Itoa(n) })
	var s shape
	for _, e := range c.SecretEnv {
		s.Env += e.Name + "=" + e.Secret + "/" + e.Key + " "
	}
	for _, e := range c.Env {
		s.Plain += e.Name + "=" + e.Value + "\n"
	}
	for _, f := range c.SecretFiles {
		s.Files += f.Secret + ":" + f.Path + " "
	}
	s.Pull, s.Hidden = strings.Join(c.PullSecrets, " "), strings.Join(c.Hidden, " ")
	return s
}

func TestHowSecretsAppear(t *testing.T) {
	t.Parallel()
	two := map[string]string{"API_KEY": "k", "ca.pem": "c"}
	login := map[string]string{keyServer: "docker.io", keyUser: "ci", keyPassword: hush}
	for name, c := range map[string]struct {
		in   Opened
		want shape
	}{
		"values by their kind":      {opened(spec.SecretGeneric, spec.SecretAsAuto, "", two), shape{Env: "API_KEY=o0/API_KEY ca_pem=o0/ca.pem ", Hidden: "API_KEY ca_pem"}},
		"values behind a prefix":    {opened(spec.SecretGeneric, spec.SecretAsEnv, "WANDB_", two), shape{Env: "WANDB_API_KEY=o0/API_KEY WANDB_ca_pem=o0/ca.pem ", Hidden: "WANDB_API_KEY WANDB_ca_pem"}},
		"a value by a name":         {opened(spec.SecretGeneric, spec.SecretAsEnv, "KEY", map[string]string{"k": "v"}), shape{Env: "KEY=o0/k ", Hidden: "KEY"}},
		"a value by its own name":   {opened(spec.SecretGeneric, spec.SecretAsEnv, "", map[string]string{"k": "v"}), shape{Env: "k=o0/k ", Hidden: "k"}},
		"values as files":           {opened(spec.SecretGeneric, spec.SecretAsFile, "/secrets", two), shape{Files: "o0:/secrets ", Hidden: "/secrets/API_KEY /secrets/ca.pem"}},
		"a registry":                {opened(spec.SecretRegistry, spec.SecretAsAuto, "", login), shape{Pull: "o0"}},
		"a registry as variables":   {opened(spec.SecretRegistry, spec.SecretAsEnv, "REG_", login), shape{Env: "REG_PASSWORD=o0/password REG_SERVER=o0/server REG_USER=o0/user ", Hidden: "REG_PASSWORD"}},
		"a registry as files":       {opened(spec.SecretRegistry, spec.SecretAsFile, "/root/.docker", login), shape{Files: "o0:/root/.docker ", Hidden: "/root/.docker/password"}},
		"a keytab":                  {opened(spec.SecretKeytab, spec.SecretAsAuto, "", map[string]string{keyPrincipal: "m", keyKeytab: "k", keyKrb5Conf: "c"}), shape{Env: "KRB5_PRINCIPAL=o0/principal ", Plain: "KRB5_KTNAME=FILE:/etc/goblinlab/krb5/0/keytab\nKRB5_CLIENT_KTNAME=FILE:/etc/goblinlab/krb5/0/keytab\nKRB5_CONFIG=/etc/goblinlab/krb5/0/krb5.conf\n", Files: "o0:/etc/goblinlab/krb5/0 ", Hidden: "/etc/goblinlab/krb5/0/keytab"}},
		"a git token as a variable": {opened(spec.SecretGit, spec.SecretAsEnv, "GH_", map[string]string{keyHost: "h", keyUser: "u", keyToken: hush}), shape{Env: "GH_HOST=o0/host GH_TOKEN=o0/token GH_USER=o0/user ", Hidden: "GH_TOKEN"}},
		"an SSH key as a file":      {opened(spec.SecretGit, spec.SecretAsFile, "/keys", map[string]string{keyHost: "h", keyUser: "u", keySSH: hush}), shape{Files: "o0:/keys ", Hidden: "/keys/ssh-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Prepare([]Opened{c.in})
			if diff := cmp.Diff(c.want, shapeOf(d)); diff != "" {
				t.Error(diff)
			}
			if printed := fmt.Sprintf("%v %+v %#v %v %#v", d, d, d.Objects, c.in, d.Objects[0]); strings.Contains(printed, hush) {
				t.Errorf("it prints itself: %s", printed)
			}
		})
	}
}

func TestARegistryBecomesWhatTheKubeletReads(t *testing.T) {
	t.Parallel()
	d := Prepare([]Opened{opened(spec.SecretRegistry, spec.SecretAsAuto, "", map[string]string{keyServer: "docker.io", keyUser: "ci", keyPassword: "p\"w"})})
	if !d.Objects[0].Docker || len(d.Objects[0].Data) != 1 {
		t.Errorf("%d values, of docker's: %v", len(d.Objects[0].Data), d.Objects[0].Docker)
	}
	var got struct {
		Auths map[string]struct{ Username, Password, Auth string }
	}
	if err := json.Unmarshal(d.Objects[0].Data[keyDocker], &got); err != nil {
		t.Fatal(err)
	}
	one := got.Auths["https://index.docker.io/v1/"]
	if one.Username != "ci" || one.Password != `p"w` || one.Auth != "Y2k6cCJ3" {
		t.Errorf("%+v", got)
	}
}

// container lays a delivery out in a folder, as a container would have it, and
// gives its variables. Paths lead into the folder.
func container(t *testing.T, d Delivery) []string {
	t.Helper()
	root := t.TempDir()
	var c manifest.Container
	d.Into(&c, strconv.Itoa)
	for _, f := range c.SecretFiles {
		dir := filepath.Join(root, f.Path)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(f.Secret)
		if err != nil {
			t.Fatal(err)
		}
		for key, v := range d.Objects[n].Data {
			text := strings.ReplaceAll(string(v), "/etc/goblinlab", root+"/etc/goblinlab")
			if err := os.WriteFile(filepath.Join(dir, key), []byte(text), 0o400); err != nil {
				t.Fatal(err)
			}
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0"}
	for _, e := range c.Env {
		env = append(env, e.Name+"="+strings.ReplaceAll(e.Value, "/etc/goblinlab", root+"/etc/goblinlab"))
	}
	return env
}

// TestGitFindsItsCredentials asks git itself.
func TestGitFindsItsCredentials(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	env := container(t, Prepare([]Opened{
		opened(spec.SecretGeneric, spec.SecretAsAuto, "", map[string]string{"A": "b"}),
		opened(spec.SecretGit, spec.SecretAsAuto, "", map[string]string{keyHost: "github.com", keyUser: "meng", keyToken: hush + `$'"\ `}),
		opened(spec.SecretGit, spec.SecretAsAuto, "", map[string]string{keyHost: "git.example.org:8443", keyUser: "ci", keyToken: "other"}),
	}))
	ask := func(verb, input string) string {
		cmd := exec.CommandContext(t.Context(), git, "credential", verb)
		cmd.Env, cmd.Dir, cmd.Stdin = env, t.TempDir(), strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "refused"
		}
		return string(out)
	}
	for input, want := range map[string]string{
		"protocol=https\nhost=github.com\n\n":              "username=meng\npassword=" + hush + `$'"\ ` + "\n",
		"protocol=https\nhost=git.example.org:8443\n\n":    "username=ci\npassword=other\n",
		"protocol=https\nhost=git.example.org\n\n":         "refused",
		"protocol=http\nhost=github.com\n\n":               "refused",
		"protocol=https\nhost=github.com.evil.example\n\n": "refused",
	} {
		got := ask("fill", input)
		if want == "refused" && got != want || want != "refused" && !strings.HasSuffix(got, want) {
			t.Errorf("for %q git has %q, want %q", input, got, want)
		}
	}
	if got := ask("approve", "protocol=https\nhost=github.com\nusername=meng\npassword=x\n\n"); got != "" {
		t.Errorf("after a push git says %q", got)
	}
}

// TestSSHFindsItsKey asks ssh itself which settings hold for a host.
func TestSSHFindsItsKey(t *testing.T) {
	t.Parallel()
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("there is no ssh")
	}
	env := container(t, Prepare([]Opened{
		opened(spec.SecretGit, spec.SecretAsAuto, "", map[string]string{keyHost: "github.com", keyUser: "git", keyToken: "t"}),
		opened(spec.SecretGit, spec.SecretAsAuto, "", map[string]string{keyHost: "git.example.org:2222", keyUser: "ci", keySSH: "k", keyKnownHosts: "h"}),
		opened(spec.SecretGit, spec.SecretAsAuto, "", map[string]string{keyHost: "other.example.org", keyUser: `we"ird`, keySSH: "k", keyKnownHosts: "h"}),
	}))
	i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, "GIT_SSH_COMMAND=ssh -F ") })
	if i < 0 {
		t.Fatalf("no way for ssh in %q", env)
	}
	config := strings.TrimPrefix(env[i], "GIT_SSH_COMMAND=ssh -F ")
	settings := func(host string) string {
		out, err := exec.CommandContext(t.Context(), ssh, "-F", config, "-G", host).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return "\n" + string(out)
	}
	for host, want := range map[string][]string{
		"git.example.org":   {"\nuser ci\n", "\nport 2222\n", "\nidentitiesonly yes\n", "git/1/ssh-key\n", "git/1/known_hosts\n", "\nstricthostkeychecking true\n"},
		"other.example.org": {"\nuser we\"ird\n", "\nport 22\n", "git/2/ssh-key\n"},
	} {
		got := settings(host)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("for %s there is no %q in%s", host, w, got)
			}
		}
	}
	if got := settings("elsewhere.example.org"); strings.Contains(got, "ssh-key") {
		t.Errorf("another host gets the key:%s", got)
	}
}
