package secret_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestTheKeyFileIsMadeOnceByWhoeverIsFirst(t *testing.T) {
	t.Parallel()
	c := config.Config{Data: filepath.Join(t.TempDir(), "data"), Database: "sqlite:x"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for range 20 {
		wg.Go(func() {
			k, err := secret.OpenKeys(c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			ids[k.Ring().Newest()] = true
		})
	}
	wg.Wait()
	if len(ids) != 1 || ids[""] {
		t.Errorf("the processes have the keys %v", ids)
	}
	files, err := os.ReadDir(c.Data)
	if err != nil || len(files) != 1 {
		t.Fatalf("left in the folder: %v, %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestWithoutKeysSecretsAreRefusedWithAdvice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.mine(b.Member, "sealed before")
	keys, err := secret.OpenKeys(config.Config{Data: t.TempDir(), Database: "postgres://x"})
	if err != nil {
		t.Fatal(err)
	}
	b.Keys = keys
	_, err = b.Create(b.as(b.Member), secret.CreateInput{Name: "x", Content: content("K", "v")})
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.FailedPrecondition || f.ID != "secret.no-keys" {
		t.Errorf("making one: %v", err)
	}
	_, err = b.Deliver(t.Context(), secret.Consumer{TeamID: b.Team.ID, OwnerID: b.Member.ID}, []spec.SecretUse{{SecretID: row.ID, As: spec.SecretAsAuto}})
	var refused secret.RefusedError
	if !errors.As(err, &refused) || refused.Reason.Code != secret.ReasonKey || refused.Reason.Args["key"] != row.MasterKey {
		t.Errorf("using one: %v", err)
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(text string) string {
		p := filepath.Join(dir, "k")
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		in   config.Secrets
		want string
	}{
		"no file":        {config.Secrets{KeyFile: filepath.Join(dir, "nothing")}, "nothing"},
		"nonsense":       {config.Secrets{KeyFile: file("hush-hush")}, "line 1"},
		"bad keys":       {config.Secrets{Keys: []string{"a:hush-hush"}}, "the key a must be 32 bytes"},
		"the same twice": {config.Secrets{Keys: []string{strings.Repeat(envelope.NewKey()+",", 2)}}, "two keys with the id"},
	} {
		_, err := secret.OpenKeys(config.Config{Data: dir, Database: "postgres://x", Secrets: c.in})
		if name == "nonsense" {
			_, err = secret.OpenKeys(config.Config{Data: dir, Database: "postgres://x", Secrets: config.Secrets{KeyFile: file("hush-hush")}})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// keyed gives the bundle a key file and a service on it.
func (b *bundle) keyed(lines ...string) (file string, again func(lines ...string) *secret.Service) {
	b.t.Helper()
	file = filepath.Join(b.t.TempDir(), "keys")
	again = func(lines ...string) *secret.Service {
		if lines != nil {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				b.t.Fatal(err)
			}
		}
		k, err := secret.OpenKeys(config.Config{Secrets: config.Secrets{KeyFile: file}})
		if err != nil {
			b.t.Fatal(err)
		}
		return secret.New(secret.Deps{DB: b.db, Broker: event.NewLocal(), Kicker: b.kicks, Keys: k})
	}
	b.Service = again(lines...)
	return file, again
}

func id(line string) string { return strings.SplitN(line, ":", 2)[0] }

func (b *bundle) opens(s *secret.Service, row *ent.Secret) error {
	d, err := s.Deliver(b.t.Context(), secret.Consumer{TeamID: b.Team.ID, OwnerID: b.Member.ID}, []spec.SecretUse{{SecretID: row.ID, As: spec.SecretAsAuto}})
	if err == nil && string(d.Objects[0].Data["KEY"]) != hush {
		b.t.Errorf("opened as %q", d.Objects[0].Data["KEY"])
	}
	return err
}

// TestRotation changes the key while a second process runs with both, kills the
// change in the middle, repeats it, and takes the old key away.
func TestRotation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, fresh := envelope.NewKey(), envelope.NewKey()
	_, again := b.keyed(old)
	var rows []*ent.Secret
	for i := range 250 {
		rows = append(rows, b.mine(b.Member, strings.Repeat("x", i+1)[:min(i+1, 90)]+string(rune('a'+i%26))+string(rune('a'+i/26))))
		if i == 190 {
			break
		}
	}
	server := b.Service // it knows the old key alone
	rotating := again(old, fresh)
	// Killed after some rows:
	ctx, kill := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := rotating.Rotate(ctx); done <- err }()
	for b.db.Client.Secret.Query().Where(entsecret.MasterKey(id(fresh))).CountX(b.sys) < 20 {
		if len(done) > 0 {
			break
		}
	}
	kill()
	<-done
	for _, row := range []*ent.Secret{rows[0], rows[len(rows)-1]} { // half moved: the server looks for the new key by itself
		if err := b.opens(server, row); err != nil {
			t.Errorf("in the middle: %v", err)
		}
	}
	// Two at once, while somebody replaces:
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if r, err := again().Rotate(t.Context()); err != nil || r.Failed != nil || r.Key != id(fresh) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Go(func() {
		for _, row := range rows[:20] {
			if _, err := server.Replace(b.as(b.Member), secret.ReplaceInput{ID: row.ID, Content: content("KEY", hush)}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if r, err := again().Rotate(t.Context()); err != nil || r.Failed != nil {
		t.Errorf("%+v, %v", r, err)
	}
	only := again(fresh)
	for _, row := range rows {
		if err := b.opens(only, row); err != nil {
			t.Fatalf("without the old key: %v", err)
		}
	}
	if n := b.db.Client.Audit.Query().CountX(b.sys); n < len(rows)+1 {
		t.Errorf("%d entries in the audit log", n)
	}
	if r, err := again(old).Rotate(t.Context()); err != nil || len(r.Failed) != len(rows) || r.Moved != 0 {
		t.Errorf("with the wrong key %d failed, %d moved, %v", len(r.Failed), r.Moved, err)
	}
}

// TestStartSaysWhichKeyIsMissing reads the log, so nothing else may write there.
func TestStartSaysWhichKeyIsMissing(t *testing.T) {
	b := setup(t)
	old, wrong := envelope.NewKey(), envelope.NewKey()
	_, again := b.keyed(old)
	b.mine(b.Member, "own")
	said := func(s *secret.Service) string {
		var out bytes.Buffer
		was := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
		defer slog.SetDefault(was)
		if err := s.CheckKeys(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := said(again()); got != "" {
		t.Errorf("all is well, and it says %s", got)
	}
	if got := said(again(wrong)); !strings.Contains(got, "missing_key="+id(old)) {
		t.Errorf("the key is missing, and it says %s", got)
	}
	other := id(old) + ":" + strings.SplitN(wrong, ":", 2)[1]
	if got := said(again(other)); !strings.Contains(got, "wrong_key="+id(old)) || strings.Contains(got, strings.SplitN(wrong, ":", 2)[1]) {
		t.Errorf("the key is another one, and it says %s", got)
	}
	if got := said(secrettest.New(t, b.db, b.broker, b.kicks)); !strings.Contains(got, "missing_key="+id(old)) {
		t.Errorf("with other keys it says %s", got)
	}
}
