package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// authority is a file with a certificate.
func authority(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := pki.LoadOrCreate(dir, "ca"); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "ca.crt")
}

func TestSet(t *testing.T) {
	t.Parallel()
	ca := authority(t)
	for name, c := range map[string]struct {
		s    Settings
		want string
	}{
		"plain HTTP": {Settings{Host: "registry.example:5000", HTTP: true}, "server = \"http://registry.example:5000\"\n"},
		"a mirror, then the registry itself": {Settings{Host: "docker.io", Mirrors: []string{"https://a.example", "http://b.example:5000"}},
			"server = \"https://registry-1.docker.io\"\n\n[host.\"https://a.example\"]\ncapabilities = [\"pull\", \"resolve\"]\n\n[host.\"http://b.example:5000\"]\ncapabilities = [\"pull\", \"resolve\"]\n"},
		"a certificate": {Settings{Host: "registry.example", CA: ca}, "server = \"https://registry.example\"\nca = \"ca.crt\"\n"},
		"no check":      {Settings{Host: "registry.example", SkipVerify: true}, "server = \"https://registry.example\"\nskip_verify = true\n"},
		"every registry": {Settings{Host: AnyHost, Mirrors: []string{"https://a.example"}, SkipVerify: true},
			"\n[host.\"https://a.example\"]\ncapabilities = [\"pull\", \"resolve\"]\nskip_verify = true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for range 2 { // the second replaces the first
				if err := Set(dir, c.s); err != nil {
					t.Fatal(err)
				}
			}
			b, err := os.ReadFile(filepath.Join(dir, c.s.Host, hostsFile))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(b); got != mark+"\n"+c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
			list, err := List(dir)
			if err != nil || len(list) != 1 || list[0].Host != c.s.Host || !list[0].Ours {
				t.Errorf("list: %+v, %v", list, err)
			}
			if err := Remove(dir, c.s.Host); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    Settings
		want string
	}{
		"nothing":             {Settings{Host: "registry.example"}, "nothing to set"},
		"an address":          {Settings{Host: "https://registry.example", HTTP: true}, "is not a registry"},
		"no host":             {Settings{Host: "team", HTTP: true}, "is not a registry"},
		"a way out":           {Settings{Host: "../etc", HTTP: true}, "is not a registry"},
		"a mirror by name":    {Settings{Host: "docker.io", Mirrors: []string{"mirror.example"}}, `"mirror.example" is not the address`},
		"a mirror with quote": {Settings{Host: "docker.io", Mirrors: []string{`https://a.example/"`}}, "is not the address"},
		"no such file":        {Settings{Host: "registry.example", CA: "/nowhere/ca.pem"}, "--ca: open /nowhere/ca.pem"},
		"a key":               {Settings{Host: "registry.example", CA: key}, "holds a PRIVATE KEY"},
		"no PEM":              {Settings{Host: "registry.example", CA: "/dev/null"}, "holds no certificate"},
		"both":                {Settings{Host: "registry.example", CA: key, SkipVerify: true}, "give one of them"},
		"HTTP with a CA":      {Settings{Host: "registry.example", HTTP: true, CA: key}, "plain HTTP has no certificate"},
		"all, without mirror": {Settings{Host: AnyHost, HTTP: true}, "needs --mirror"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			err := Set(dir, c.s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestWhatWasWrittenByHandStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "registry.example", hostsFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("server = \"https://other\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"set":    Set(dir, Settings{Host: "registry.example", HTTP: true}),
		"remove": Remove(dir, "registry.example"),
	} {
		if err == nil || !strings.Contains(err.Error(), "written by hand") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := Remove(dir, "other.example"); err == nil || !strings.Contains(err.Error(), "has no settings") {
		t.Errorf("remove what is not there: %v", err)
	}
}
