package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/goblinlab/goblinlab/internal/config"
)

func load(t *testing.T, args ...string) (config.Config, error) {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	config.Flags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return config.Load(fs)
}

func TestFlagsWinOverEnvironmentOverFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("listen: 127.0.0.1:1\nlog:\n  level: debug\nssh:\n  host: from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOBLINLAB_LISTEN", "127.0.0.1:2")
	t.Setenv("GOBLINLAB_SSH_HOST", "from-env")
	c, err := load(t, "--config", file, "--listen", "127.0.0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.SSH.Host != "from-env" || c.Log.Level != "debug" || c.URL != "http://localhost:3" {
		t.Errorf("listen %s, ssh.host %s, log.level %s, url %s", c.Listen, c.SSH.Host, c.Log.Level, c.URL)
	}
	if !strings.HasPrefix(c.Database, "sqlite:/") || !strings.HasPrefix(c.Blobs, "file:///") {
		t.Errorf("defaults %s and %s are not in the data folder", c.Database, c.Blobs)
	}
}

func TestEveryErrorAtOnceWithoutSecrets(t *testing.T) {
	t.Parallel()
	_, err := load(t, "--listen", "nowhere", "--url", "ftp://x", "--database", "mysql://root:hunter2@db/x", "--redis", "http://:hunter2@r",
		"--log.level", "loud", "--ssh.minport", "80", "--proxies", "everyone", "--limits.instancesperuser", "0")
	if err == nil {
		t.Fatal("nonsense is accepted")
	}
	for _, key := range []string{"listen", "url", "database", "redis", "log.level", "proxies", "ssh.minport", "limits.instancesperuser"} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("the error does not name %s:\n%v", key, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error tells a password:\n%v", err)
	}
}

func TestItIsKnownWhereAValueComesFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "limits:\n  gpu: 2\n  cpumilli: 4000\nprofiles:\n- name: one\n  cpu: \"1\"\n  memory: 1Gi\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOBLINLAB_LIMITS_GPU", "3")
	t.Setenv("GOBLINLAB_MAIL_PASSWORD", "hunter2")
	c, err := load(t, "--config", file, "--limits.instancesperuser", "3")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]config.Source{"limits.cpumilli": config.FromFile, "profiles": config.FromFile, "limits.gpu": config.FromEnvironment,
		"mail.password": config.FromEnvironment, "limits.instancesperuser": config.FromFlag, "limits.memorybytes": "", "ssh.host": ""} {
		if got := c.Given[key]; got != want {
			t.Errorf("%s is from %q, want %q", key, got, want)
		}
	}
	if c.Limits.GPU != 3 || c.Limits.CPUMilli != 4000 || c.Mail.Password != "hunter2" || len(c.Profiles) != 1 || c.Profiles[0].Memory != "1Gi" {
		t.Errorf("limits %+v, profiles %+v", c.Limits, c.Profiles)
	}
}

func TestEveryCopySeesALaterChange(t *testing.T) {
	t.Parallel()
	c := config.Default()
	if got := c.Now().Limits.GPU; got != c.Limits.GPU {
		t.Errorf("of one that never changes: %d", got)
	}
	c, live := c.Alive()
	kept := c
	changed := c.Now()
	changed.Limits.GPU = 1
	live.Set(changed)
	if got := kept.Now().Limits.GPU; got != 1 || kept.Limits.GPU == 1 {
		t.Errorf("now %d, at the start %d", got, kept.Limits.GPU)
	}
}
