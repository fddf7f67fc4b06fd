package devinit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// launch returns a Launch with folders of the test, and what is logged and run.
func launch(t *testing.T, secrets Secrets) (Launch, *recorder) {
	t.Helper()
	dir := t.TempDir()
	rec := &recorder{}
	s := Settings{
		Home: "/home/goblin", JupyterBase: "/", RunDir: filepath.Join(dir, "run"),
		SSHDir: filepath.Join(dir, "sshd"), HostKeys: filepath.Join(dir, "mounted"),
		Environ: []string{"NOTEBOOK_TAG=nb-1"},
	}
	if err := os.MkdirAll(s.RunDir, 0o755); err != nil {
		t.Fatal(err)
	}
	return Launch{Settings: s, Secrets: secrets, Tool: rec.run, Log: func(m string) { rec.logged += m + "\n" }}, rec
}

// recorder stands for the helper programs.
type recorder struct {
	calls  []string // program and arguments
	stdin  string
	logged string
}

func (r *recorder) run(stdin io.Reader, program string, args ...string) error {
	r.calls = append(r.calls, strings.Join(append([]string{program}, args...), " "))
	if stdin != nil {
		data, err := io.ReadAll(stdin)
		r.stdin += string(data)
		return err
	}
	if program == "ssh-keygen" {
		return os.WriteFile(args[len(args)-1], []byte("made"), 0o600)
	}
	return nil
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestMountedHostKeysAreCopiedForRootAlone(t *testing.T) {
	t.Parallel()
	l, rec := launch(t, Secrets{RootPassword: "p"})
	// A mounted Secret holds links into a folder that is exchanged as a whole.
	write(t, filepath.Join(l.HostKeys, "..data/ssh_host_ed25519_key"), "private", 0o644)
	write(t, filepath.Join(l.HostKeys, "..data/ssh_host_ed25519_key.pub"), "public", 0o644)
	for _, name := range []string{"ssh_host_ed25519_key", "ssh_host_ed25519_key.pub"} {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(l.HostKeys, name)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // sshd may be started again
		if err := sshPrepare(l); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(l.SSHDir, "keys/ssh_host_ed25519_key")
	if read(t, key) != "private" || mode(t, key) != 0o600 {
		t.Errorf("key %q with mode %o", read(t, key), mode(t, key))
	}
	if read(t, key+".pub") != "public" || mode(t, filepath.Dir(key)) != 0o700 {
		t.Errorf("public half %q in a folder with mode %o", read(t, key+".pub"), mode(t, filepath.Dir(key)))
	}
	if args := sshArgs(l); !slices.Equal(args[len(args)-2:], []string{"-h", key}) {
		t.Errorf("arguments %q do not name the key", args)
	}
	if slices.ContainsFunc(rec.calls, func(c string) bool { return strings.HasPrefix(c, "ssh-keygen") }) {
		t.Errorf("a key was made: %q", rec.calls)
	}
	if got := read(t, sshEnvConfig(l.Settings)); !strings.Contains(got, `SetEnv "NOTEBOOK_TAG=nb-1"`) {
		t.Errorf("configuration %q", got)
	}
}

func TestHostKeyIsMadeWhenNoneIsMounted(t *testing.T) {
	t.Parallel()
	l, rec := launch(t, Secrets{})
	for range 2 {
		if err := hostKeys(l); err != nil {
			t.Fatal(err)
		}
	}
	if len(rec.calls) != 1 || !strings.HasPrefix(rec.calls[0], "ssh-keygen -q -t ed25519") {
		t.Errorf("calls %q, want one of ssh-keygen", rec.calls)
	}
	if !strings.Contains(rec.logged, "clients will warn") {
		t.Errorf("no warning: %q", rec.logged)
	}
}

func TestSetRootPassword(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		password, wantStdin, wantCall string
		wantErr                       error
	}{
		"it goes through standard input":      {"pa:ss w0rd", "root:pa:ss w0rd\n", "chpasswd", nil},
		"without one the account is locked":   {"", "root:*\n", "chpasswd -e", nil},
		"a second line would name an account": {"x\ndaemon:y", "", "", ErrSettings},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, rec := launch(t, Secrets{RootPassword: tc.password})
			if err := setRootPassword(l); !errors.Is(err, tc.wantErr) {
				t.Fatalf("error %v, want %v", err, tc.wantErr)
			}
			if rec.stdin != tc.wantStdin || strings.Join(rec.calls, ";") != tc.wantCall {
				t.Errorf("ran %q with %q", rec.calls, rec.stdin)
			}
		})
	}
}

func TestJupyterTokenIsInAFileForRootAlone(t *testing.T) {
	t.Parallel()
	l, _ := launch(t, Secrets{Password: "tok3n"})
	if err := jupyterPrepare(l); err != nil {
		t.Fatal(err)
	}
	file := jupyterTokenFile(l.Settings)
	if read(t, file) != "tok3n" || mode(t, file) != 0o600 {
		t.Errorf("%q with mode %o", read(t, file), mode(t, file))
	}
	shown := strings.Join(append(jupyterArgs(l), jupyterEnv(l)...), " ")
	if strings.Contains(shown, "tok3n") || !strings.Contains(shown, "JUPYTER_TOKEN_FILE="+file) {
		t.Errorf("arguments and environment: %s", shown)
	}
}

func TestJupyterWithoutPasswordIsClosed(t *testing.T) {
	t.Parallel()
	l, rec := launch(t, Secrets{})
	seen := map[string]bool{"": true}
	for range 3 {
		if err := jupyterPrepare(l); err != nil {
			t.Fatal(err)
		}
		token := read(t, jupyterTokenFile(l.Settings))
		if seen[token] {
			t.Fatalf("token %q can be guessed", token)
		}
		seen[token] = true
		if strings.Contains(rec.logged, token) {
			t.Error("the token is in the log")
		}
	}
}

func TestCodeServersPasswordIsAHashInAFileForRootAlone(t *testing.T) {
	t.Parallel()
	l, _ := launch(t, Secrets{Password: "tok3n"})
	l.Home = t.TempDir()
	if err := codePrepare(l); err != nil {
		t.Fatal(err)
	}
	file := codeConfig(l.Settings)
	want := "auth: password\nhashed-password: \"" + codeKey("tok3n") + "\"\n"
	if read(t, file) != want || mode(t, file) != 0o600 || mode(t, filepath.Dir(file)) != 0o700 {
		t.Errorf("%q with mode %o in a folder of %o", read(t, file), mode(t, file), mode(t, filepath.Dir(file)))
	}
	shown := strings.Join(codeArgs(l), " ")
	for _, secret := range []string{"tok3n", codeKey("tok3n")} {
		if strings.Contains(shown, secret) {
			t.Errorf("arguments: %s", shown)
		}
	}
	for _, want := range []string{"--config=" + file, "--port=8080", "--disable-telemetry", "--disable-update-check", l.Home + "/.local/share/code-server"} {
		if !strings.Contains(shown, want) {
			t.Errorf("arguments %s lack %s", shown, want)
		}
	}
}

func TestCodeServerWithoutPasswordIsClosed(t *testing.T) {
	t.Parallel()
	l, rec := launch(t, Secrets{})
	l.Home = t.TempDir()
	seen := map[string]bool{}
	for range 3 {
		if err := codePrepare(l); err != nil {
			t.Fatal(err)
		}
		seen[read(t, codeConfig(l.Settings))] = true
	}
	if len(seen) != 3 || strings.Contains(fmt.Sprint(seen), codeKey("")) {
		t.Errorf("passwords can be guessed: %v", seen)
	}
	if !strings.Contains(rec.logged, "nobody can sign in") {
		t.Errorf("no warning: %q", rec.logged)
	}
}

func TestCodeServersFirstSettingsAreTheUsersAfterwards(t *testing.T) {
	t.Parallel()
	l, _ := launch(t, Secrets{Password: "tok3n"})
	l.Home = t.TempDir()
	file := filepath.Join(codeData(l.Settings), "User/settings.json")
	if err := codePrepare(l); err != nil {
		t.Fatal(err)
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(read(t, file)), &first); err != nil || first["workbench.startupEditor"] != "none" {
		t.Errorf("%v %v", first, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := codePrepare(l); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("settings that the user deleted came back: %v", err)
	}
}

func TestAppsAreDistinct(t *testing.T) {
	t.Parallel()
	names, ports := map[string]bool{}, map[int]bool{9999: true} // the status server's
	for _, a := range Apps() {
		if names[a.Name] || ports[a.Port] || a.Inner != 0 && ports[a.Inner] || a.Program == "" || a.Ready == nil {
			t.Errorf("%+v clashes or is incomplete", a)
		}
		names[a.Name], ports[a.Port], ports[a.Inner] = true, true, true
	}
}

func TestProbesSeeWhatListens(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/x/api":
			w.WriteHeader(http.StatusForbidden) // it answers, and that is enough
		case "/moved":
			http.Redirect(w, r, "/broken", http.StatusFound)
		default:
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	open, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	page := func(path string) func(Settings) string { return func(Settings) string { return path } }
	for name, tc := range map[string]struct {
		probe Probe
		want  string
	}{
		"a socket that listens":              {listening(open), ""},
		"a port on which nothing listens":    {listening(closedPort(t)), "nothing listens yet"},
		"a page that answers, even with 403": {answers(open, page("/x/api")), ""},
		"a redirect is an answer":            {answers(open, page("/moved")), ""},
		"a server's error is none":           {answers(open, page("/broken")), "answers with 502 Bad Gateway"},
		"no server":                          {answers(closedPort(t), page("/")), "nothing listens yet"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := tc.probe(context.Background(), Settings{}); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// closedPort holds a port without listening on it, so that no other test can.
func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.LocalAddr().(*net.UDPAddr).Port
}

func TestLookPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/tool"), "", 0o644) // not executable
	write(t, filepath.Join(dir, "b/tool"), "", 0o755)
	if err := os.MkdirAll(filepath.Join(dir, "a/folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=" + dir + "/a::" + dir + "/b"}
	for name, tc := range map[string]struct {
		program, want string
	}{
		"the first that can be executed": {"tool", dir + "/b/tool"},
		"a folder is no program":         {"folder", ""},
		"a missing one":                  {"nothing", ""},
		"a path is taken as it is":       {dir + "/b/tool", dir + "/b/tool"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := lookPath(tc.program, environ)
			if ok != (tc.want != "") || ok && got != tc.want {
				t.Errorf("got %q %t, want %q", got, ok, tc.want)
			}
		})
	}
}
