package setting_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestThePasswordFollowsTheKeys changes the master key beside a running server,
// until the old one is gone.
func TestThePasswordFollowsTheKeys(t *testing.T) {
	t.Parallel()
	const hush = "hush-hush-hush"
	old, fresh := envelope.NewKey(), envelope.NewKey()
	file := filepath.Join(t.TempDir(), "keys")
	write := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(old)
	c := config.Default()
	c.Secrets.KeyFile = file
	keys, err := secret.OpenKeys(c)
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t, func(d *setting.Deps) { d.Box = setting.Keyed(keys) })
	if _, err := b.Update(b.admin, []setting.Change{set("mail.password", hush)}); err != nil {
		t.Fatal(err)
	}
	version := b.db.Client.Setting.GetX(testkit.System(t), "mail.password").Version
	ring := func(lines ...string) envelope.Ring {
		r, err := envelope.ParseRing(strings.Join(lines, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if n, failed, err := setting.Rotate(t.Context(), b.db, ring(fresh)); err != nil || n != 0 || len(failed) != 1 || !strings.Contains(failed[0], "mail.password") {
		t.Errorf("without the old key: %d moved, %q failed, %v", n, failed, err)
	}
	write(old, fresh)
	for i, want := range []int{1, 0} {
		if n, failed, err := setting.Rotate(t.Context(), b.db, ring(old, fresh)); err != nil || n != want || failed != nil {
			t.Errorf("try %d: %d moved, %q failed, %v", i, n, failed, err)
		}
	}
	// The server, which knows the old key alone, looks for the new one by itself.
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.config.Now().Mail.Password; got != hush {
		t.Errorf("the running server reads %q", got)
	}
	write(fresh)
	_, after := process(t, b.db, b.Broker, func(d *setting.Deps) { d.Box = setting.Keyed(secret.Fixed(ring(fresh))) })
	if got := after.Now().Mail.Password; got != hush {
		t.Errorf("without the old key it reads %q", got)
	}
	row := b.db.Client.Setting.GetX(testkit.System(t), "mail.password")
	if row.Version != version || strings.Contains(row.Value, hush) {
		t.Errorf("version %d became %d", version, row.Version)
	}
}
