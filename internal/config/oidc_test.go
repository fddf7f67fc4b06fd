package config_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
)

func TestAProviderIsConfiguredByFileEnvironmentAndFlags(t *testing.T) {
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "secret")
	const text = `
oidc:
  issuer: https://id.example.com/realms/staff
  clientid: goblinlab
  scopes: [openid, email, groups]
  teams: ["ml=Vision:member", "cn=leads,ou=groups,dc=example=Vision: lab 2:owner"]
  platform: ["cn=root,dc=example=administrator"]
  autocreate: true
  domains: [Example.com]
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOBLINLAB_OIDC_GROUPSCLAIM", "realm_access.roles")
	c, err := load(t, "--config", file, "--oidc.clientsecretfile", secret, "--oidc.session", "1h")
	if err != nil {
		t.Fatal(err)
	}
	o := c.OIDC
	if !o.Enabled() || o.ClientSecret.Reveal() != "hunter2" || o.Name != "id.example.com" || o.GroupsClaim != "realm_access.roles" || o.EmailClaim != "email" || o.Session != time.Hour {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff([]config.TeamRule{{Group: "ml", Team: "Vision", Role: authz.RoleMember}, {Group: "cn=leads,ou=groups,dc=example", Team: "Vision: lab 2", Role: authz.RoleOwner}}, o.TeamRules()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]config.PlatformRule{{Group: "cn=root,dc=example", Role: authz.PlatformAdministrator}}, o.PlatformRules()); diff != "" {
		t.Error(diff)
	}
	for email, want := range map[string]bool{"li@example.com": true, "li@EXAMPLE.com": true, "li@notexample.com": false, "li@example.com.evil": false, "li": false, "li@": false} {
		if o.Admits(email) != want {
			t.Errorf("%s: %v", email, !want)
		}
	}
	t.Setenv("GOBLINLAB_OIDC_CLIENTSECRET", "hunter3")
	if c, err = load(t, "--config", file); err != nil || c.OIDC.ClientSecret.Reveal() != "hunter3" {
		t.Errorf("from the environment: %v", err)
	}
	if _, err = load(t, "--config", file, "--oidc.clientsecretfile", secret); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("two secrets: %v", err)
	}
}

func TestTheSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.OIDC.ClientSecret = "hunter2"
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", c, "secret", c.OIDC.ClientSecret)
	encoded, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%s", c.OIDC.ClientSecret), log.String(), string(encoded)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("printed: %s", text)
		}
	}
	if config.Secret("").String() != "" {
		t.Error("one that is not there looks as if it were")
	}
}

func TestEveryErrorOfAProviderAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, "--oidc.issuer", "http://id.example.com", "--oidc.scopes", "email", "--oidc.name", strings.Repeat("x", 41), "--oidc.emailclaim", "",
		"--oidc.teams", "ml=Vision:king", "--oidc.platform", "root=user", "--oidc.autocreate", "--oidc.clientsecretfile", "/does/not/exist", "--oidc.session", "1s", "--log.level", "loud")
	if err == nil {
		t.Fatal("nonsense is accepted")
	}
	for _, key := range []string{"oidc.issuer", "oidc.clientid", "oidc.scopes", "oidc.name", "oidc.emailclaim", "oidc.teams", "oidc.platform", "oidc.domains", "oidc.clientsecretfile", "oidc.session", "log.level"} {
		if !strings.Contains(err.Error(), key+" is") {
			t.Errorf("the error does not name %s:\n%v", key, err)
		}
	}
	for issuer, good := range map[string]bool{"https://id.example.com": true, "http://localhost:5556/dex": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"https://u:hunter2@id.example.com": false, "https://id.example.com?x=1": false, "id.example.com": false, "http://10.0.0.1": false} {
		_, err := load(t, "--oidc.issuer", issuer, "--oidc.clientid", "x")
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", issuer, err)
		}
	}
	if _, err := load(t, "--oidc.clientid", "x"); err == nil || !strings.Contains(err.Error(), "oidc.issuer") {
		t.Errorf("without an issuer: %v", err)
	}
	if _, err := load(t, "--oidc.issuer", "https://x.example", "--oidc.clientid", "x", "--oidc.autocreate", "--oidc.domains", "a@example.com"); err == nil || !strings.Contains(err.Error(), "oidc.domains") {
		t.Errorf("an address for a domain: %v", err)
	}
}
