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
