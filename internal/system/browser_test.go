//go:build cluster

package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"testing"

	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/testkit/idp"
)

// TestBrowser runs the page's own scenarios in Chromium, each against a
// GoblinLab of its own.
func TestBrowser(t *testing.T) {
	files, err := filepath.Glob("../../frontend/e2e/*.e2e.mjs")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	sort.Strings(files)
	browser := shielded(t)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			var flags, env []string
			provider := (*idp.Provider)(nil)
			if filepath.Base(f) == "oidc.e2e.mjs" {
				provider, flags = newProvider(t)
				env = append(env, "GOBLINLAB_IDP=1")
			}
			l := newLab(t, flags...)
			if provider != nil {
				provider.Register(l.url)
			}
			p := l.admin()
			p.image(testkit.ImageMini, true)
			p.image(testkit.ImageDev, true)
			cmd := exec.CommandContext(t.Context(), "node", "--test", "--test-reporter=spec", "--test-force-exit", filepath.Join("e2e", filepath.Base(f)))
			cmd.Dir = "../../frontend"
			cmd.Env = append(append(os.Environ(), "GOBLINLAB_URL="+l.url, "GOBLINLAB_SIGN_IN_URL="+l.newLink(p), "CHROMIUM="+browser), env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// newProvider starts an OpenID provider with the person li, and gives the flags
// of a GoblinLab whose people come through it.
func newProvider(t *testing.T) (*idp.Provider, []string) {
	t.Helper()
	p := idp.Start(t)
	p.SetPerson("li", idp.Person{Subject: "sub-li", Password: "hunter2", Email: "li@example.com", EmailVerified: true, Name: "Li Na", Groups: []string{"ml"}})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(idp.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, []string{"--oidc.issuer", p.Issuer, "--oidc.clientid", idp.ClientID, "--oidc.clientsecretfile", secret, "--oidc.name", "Example ID",
		"--oidc.autocreate", "--oidc.domains", "example.com", "--oidc.teams", "ml=Lab:member"}
}

// newLink makes a person and gives their one-time link: an administrator, so
// that the scenarios see every page.
func (l *lab) newLink(p *person) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), l.bin, append([]string{"sign-in-link"}, l.flags...)...)
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("sign-in-link: %v", err)
	}
	for i, b := range out {
		if b == '\n' {
			return string(out[:i])
		}
	}
	return string(out)
}
