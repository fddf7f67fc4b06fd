package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// The tests set the process's environment and clock: none runs beside another.

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func home(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("GOBLIN_URL", "")
	return filepath.Join(dir, "goblin", "config.json")
}

// goblin runs a command; meanwhile is called instead of each wait, with what stands on stderr.
func goblin(t *testing.T, meanwhile func(stderr string), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs output
	old := sleep
	defer func() { sleep = old }()
	sleep = func(ctx context.Context, _ time.Duration) error {
		if meanwhile == nil {
			t.Fatal("it waits")
		}
		meanwhile(errs.String())
		return ctx.Err()
	}
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

var userCode = regexp.MustCompile(`code  ([A-Z]{4}-[A-Z]{4})`)

// answers gives an answer on the page once, and lets time pass for the server.
func answers(t *testing.T, s *servertest.Site, u *ent.User, op string) func(string) {
	t.Helper()
	b := s.SignIn(t, u)
	done := false
	return func(stderr string) {
		s.DB.Client.DeviceRequest.Update().SetPolledAt(time.Now().UTC().Add(-time.Minute)).ExecX(authz.AsSystem(t.Context()))
		if m := userCode.FindStringSubmatch(stderr); m != nil && !done {
			done = true
			b.Get(op, map[string]any{"code": m[1]}, nil)
		}
	}
}

const (
	approve = `mutation($code: String!) { approveDevice(input: {userCode: $code}) { ok } }`
	deny    = `mutation($code: String!) { denyDevice(userCode: $code) { ok } }`
)

func TestLoginWhoamiLogout(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	path := home(t)
	if code, _, stderr := goblin(t, nil, "whoami"); code != exitSignedOut || !strings.Contains(stderr, "not signed in") {
		t.Errorf("before: %d %s", code, stderr)
	}
	code, stdout, stderr := goblin(t, answers(t, s, s.Cast.Member, approve), "login", s.URL+"/", "--name", "goblin on lab-7")
	if code != 0 || !strings.Contains(stderr, s.URL+"/device?code=") || !strings.Contains(stdout, s.Cast.Member.Email) || !strings.Contains(stdout, "scope write") {
		t.Fatalf("login: %d\n%s\n%s", code, stdout, stderr)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", dir, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".config-*")); len(left) != 0 {
		t.Errorf("left lying: %v", left)
	}
	saved, err := readSettings()
	if err != nil {
		t.Fatal(err)
	}
	first := saved.Servers[s.URL].Token
	if first == "" || strings.Contains(stdout+stderr, first) {
		t.Error("the token is printed, or not kept")
	}
	code, stdout, _ = goblin(t, nil, "whoami", "--json")
	var who struct {
		Server, Email, Scope string
		SignedIn             bool
		ExpiresAt            time.Time
	}
	if err := json.Unmarshal([]byte(stdout), &who); err != nil || code != 0 || who.Server != s.URL || who.Email != s.Cast.Member.Email || !who.SignedIn || time.Until(who.ExpiresAt) < 29*24*time.Hour {
		t.Errorf("whoami: %d %s %v", code, stdout, err)
	}
	// A second sign-in takes the first one's place, on the server too.
	if code, _, stderr := goblin(t, answers(t, s, s.Cast.Owner, approve), "login", "--scope", "read"); code != 0 {
		t.Fatalf("login again: %d %s", code, stderr)
	}
	rows := s.DB.Client.AccessToken.Query().AllX(authz.AsSystem(t.Context()))
	if len(rows) != 1 || rows[0].UserID != s.Cast.Owner.ID || rows[0].Scope != authz.ScopeRead {
		t.Errorf("tokens %+v", rows)
	}
	if code, stdout, stderr := goblin(t, nil, "logout"); code != 0 || !strings.Contains(stdout, "Signed out") {
		t.Errorf("logout: %d %s %s", code, stdout, stderr)
	}
	if n := s.DB.Client.AccessToken.Query().CountX(authz.AsSystem(t.Context())); n != 0 {
		t.Errorf("%d tokens are left", n)
	}
	if code, _, _ := goblin(t, nil, "whoami"); code != exitSignedOut {
		t.Errorf("after: %d", code)
	}
	if b, err := os.ReadFile(path); err != nil || strings.Contains(string(b), "gbl_") {
		t.Errorf("a token is left in the file: %s %v", b, err)
	}
}

func TestLoginThatIsRefusedOrForgotten(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	path := home(t)
	if code, _, stderr := goblin(t, answers(t, s, s.Cast.Member, deny), "login", s.URL); code != exitFailed || !strings.Contains(stderr, "refused on the page") {
		t.Errorf("refused: %d %s", code, stderr)
	}
	late := func(string) {
		s.DB.Client.DeviceRequest.Update().SetExpiresAt(time.Now().UTC()).ExecX(authz.AsSystem(t.Context()))
	}
	if code, _, stderr := goblin(t, late, "login", s.URL); code != exitFailed || !strings.Contains(stderr, "in time") {
		t.Errorf("forgotten: %d %s", code, stderr)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("something is kept: %v", err)
	}
	asked := 0
	impatient := func(stderr string) { // asks at once, until the server slows it down
		if asked++; asked == 3 {
			answers(t, s, s.Cast.Member, approve)(stderr)
		}
	}
	if code, _, stderr := goblin(t, impatient, "login", s.URL); code != 0 || asked < 3 {
		t.Errorf("impatient: %d %s", code, stderr)
	}
}

func TestATokenThatEndedIsSaid(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	home(t)
	if code, _, stderr := goblin(t, answers(t, s, s.Cast.Member, approve), "login", s.URL); code != 0 {
		t.Fatalf("%d %s", code, stderr)
	}
	s.DB.Client.AccessToken.Delete().ExecX(authz.AsSystem(t.Context()))
	if code, _, stderr := goblin(t, nil, "whoami"); code != exitSignedOut || !strings.Contains(stderr, "revoked") {
		t.Errorf("whoami: %d %s", code, stderr)
	}
	if code, _, stderr := goblin(t, nil, "logout"); code != 0 {
		t.Errorf("logout: %d %s", code, stderr)
	}
}

func TestErrorsAreClear(t *testing.T) {
	path := home(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://other.example/", http.StatusMovedPermanently)
	}))
	defer elsewhere.Close()
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"login"}, exitUsage, "goblin login https://"},
		{[]string{"login", "ftp://x"}, exitUsage, "no address"},
		{[]string{"login", "https://x/y"}, exitUsage, "no address"},
		{[]string{"login", "https://x", "--scope", "all"}, exitUsage, "read, write or admin"},
		{[]string{"login", "a", "b"}, exitUsage, "--help"},
		{[]string{"fly"}, exitUsage, "--help"},
		{[]string{"login", gone.URL}, exitUnreachable, "does not answer"},
		{[]string{"login", stranger.URL}, exitFailed, "does not answer as a GoblinLab does"},
		{[]string{"login", elsewhere.URL}, exitFailed, "https://other.example/"},
		{[]string{"logout"}, exitSignedOut, "not signed in"},
	} {
		if code, _, stderr := goblin(t, nil, c.args...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: %d %s", c.args, code, stderr)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := goblin(t, nil, "whoami"); code != exitFailed || !strings.Contains(stderr, path) {
		t.Errorf("a damaged file: %d %s", code, stderr)
	}
	for address, want := range map[string]bool{"http://lab.example": true, "https://lab.example": false, "http://localhost:8080": false, "http://127.0.0.1": false} {
		if plainHTTP(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}
