package setting_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/mail"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// box seals with a key that goes with the test.
func box(t *testing.T) setting.Box {
	t.Helper()
	r, err := envelope.ParseRing(envelope.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return setting.Keyed(secret.Fixed(r))
}

// bundle is a process with settings.
type bundle struct {
	*setting.Service
	t      *testing.T
	db     *db.DB
	cast   testkit.Cast
	config config.Config
	admin  context.Context
}

// process starts one over a database.
func process(t *testing.T, d *db.DB, broker event.Broker, edit ...func(*setting.Deps)) (*setting.Service, config.Config) {
	t.Helper()
	deps := setting.Deps{DB: d, Broker: broker, Config: config.Default(), Box: box(t), Mail: &mail.Sender{}}
	for _, e := range edit {
		e(&deps)
	}
	c, live := deps.Config.Alive()
	deps.Live = live
	s := setting.New(deps)
	if err := s.Load(testkit.System(t)); err != nil {
		t.Fatal(err)
	}
	return s, c
}

func setup(t *testing.T, edit ...func(*setting.Deps)) *bundle {
	t.Helper()
	d := testkit.DB(t)
	s, c := process(t, d, event.NewLocal(), edit...)
	cast := testkit.NewCast(t, d)
	return &bundle{s, t, d, cast, c, testkit.As(t, d, cast.Admin)}
}

func set(key, value string, version ...int64) setting.Change {
	c := setting.Change{Key: key, Value: &value}
	if len(version) > 0 {
		c.Version = version[0]
	}
	return c
}

// get is one setting as an administrator sees it.
func (b *bundle) get(key string) setting.Setting {
	b.t.Helper()
	list, err := b.List(b.admin)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range list {
		if s.Key == key {
			return s
		}
	}
	b.t.Fatalf("no setting %s", key)
	return setting.Setting{}
}

func fields(t *testing.T, err error) map[string]string {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	out := map[string]string{}
	for _, x := range f.Fields {
		out[x.Path] = lang.Text(lang.English, "fault."+x.ID, x.Args)
	}
	return out
}

func TestEverySettingHasWordsAndReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	standard := config.Default()
	b := setup(t)
	for _, d := range setting.Definitions() {
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			for _, part := range []string{".name", ".what"} {
				if id := "setting." + d.Key + part; lang.Text(l, id, nil) == id {
					t.Errorf("%s: %s is missing", l, id)
				}
			}
		}
		text := d.Value(standard)
		if _, err := b.Update(b.admin, []setting.Change{set(d.Key, text, b.get(d.Key).Version)}); err != nil {
			t.Errorf("%s does not take its own default %q: %v", d.Key, text, err)
		}
		if got := d.Value(b.config.Now()); got != text {
			t.Errorf("%s: %q came back as %q", d.Key, text, got)
		}
	}
}

func TestAChangeCountsAtOnceAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, err := b.Update(b.admin, []setting.Change{set("limits.gpu", "4"), set("limits.memorybytes", "512Gi"), set("limits.starttimeout", "45m")})
	if err != nil {
		t.Fatal(err)
	}
	if l := b.config.Now().Limits; l.GPU != 4 || l.MemoryBytes != 512<<30 || l.StartTimeout != 45*time.Minute {
		t.Errorf("limits %+v", l)
	}
	if b.config.Limits.GPU == 4 {
		t.Error("what the process was started with changed, too")
	}
	i := slices.IndexFunc(list, func(s setting.Setting) bool { return s.Key == "limits.gpu" })
	if s := list[i]; s.Source != config.FromPage || s.Version != 1 || s.ChangedBy != b.cast.Admin.ID || s.Value != "4" || s.Default != "64" {
		t.Errorf("answered %+v", s)
	}
	row := b.db.Client.Audit.Query().Where(audit.Action("setting.update"), audit.ObjectID("limits.gpu")).OnlyX(testkit.System(t))
	if row.ActorID != b.cast.Admin.ID || row.Before["value"] != "64" || row.After["value"] != "4" {
		t.Errorf("entry %+v", row)
	}
	// Back to the default.
	if _, err := b.Update(b.admin, []setting.Change{{Key: "limits.gpu", Version: 1}}); err != nil {
		t.Fatal(err)
	}
	if s := b.get("limits.gpu"); s.Source != config.FromDefault || s.Value != "64" || s.Version != 2 || b.config.Now().Limits.GPU != 64 {
		t.Errorf("set back: %+v", s)
	}
	if n := b.db.Client.Audit.Query().Where(audit.Action("setting.reset")).CountX(testkit.System(t)); n != 1 {
		t.Errorf("%d entries of it", n)
	}
}

func TestEverythingThatIsWrongIsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Update(b.admin, []setting.Change{
		set("limits.gpu", "-1"), set("limits.cpumilli", "9999999"), set("limits.memorybytes", "lots"), set("limits.auditkeep", "5m"),
		set("limits.starttimeout", "soon"), set("defaults.homeaccess", "ReadOnlyMany"), set("defaults.timezone", "Mars/Olympus"),
		set("pools.onlinekey", "a b"), set("ssh.host", "not a host"), set("ssh.listen", "localhost"), set("mail.from", "Li <li@example.com>"),
		set("mail.port", "0"), set("api.introspection", "perhaps"), set("no.such", "1"), set("limits.instancesperuser", "3"), set("limits.instancesperuser", "4"),
		set("profiles", `[{"name":"","cpu":"0","memory":"1","gpu":-1},{"name":"a","cpu":"1","memory":"1Gi"},{"name":"a","cpu":"1","memory":"1Gi"}]`),
	})
	got := fields(t, err)
	for path, words := range map[string][]string{
		"limits.gpu": {"-1", "0 to 1024"}, "limits.cpumilli": {"9999999", "1024 CPU"}, "limits.memorybytes": {"lots", "24Gi"}, "limits.auditkeep": {"5m", "1d", "for ever"},
		"limits.starttimeout": {"soon", "1m", "7d"}, "defaults.homeaccess": {"ReadOnlyMany", "ReadWriteOnce"}, "defaults.timezone": {"Mars/Olympus", "Asia/Shanghai"},
		"pools.onlinekey": {"a b", "node-pool"}, "ssh.host": {"not a host"}, "ssh.listen": {"localhost", "127.0.0.1"}, "mail.from": {"Li <li@example.com>"},
		"mail.port": {"65535"}, "api.introspection": {"perhaps", "signed-in"}, "no.such": {"no.such"}, "limits.instancesperuser": {"twice"},
		"profiles[0].name": {}, "profiles[0].cpu": {"more than 0"}, "profiles[0].memory": {"too little"}, "profiles[0].gpu": {"-1"}, "profiles[2].name": {"a"},
	} {
		text, ok := got[path]
		if !ok {
			t.Errorf("nothing is said of %s", path)
		}
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q does not say %q", path, text, w)
			}
		}
		if strings.Contains(text, "?") || strings.Contains(text, "fault.") {
			t.Errorf("%s: %q", path, text)
		}
	}
	if n := b.db.Client.Setting.Query().CountX(testkit.System(t)); n != 0 {
		t.Errorf("%d were kept all the same", n)
	}
}

func TestValuesHaveToGoTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changes []setting.Change
		wrong   string
	}{
		"a first port above the last":    {[]setting.Change{set("ssh.minport", "30000")}, "ssh.minport"},
		"both ports at once":             {[]setting.Change{set("ssh.minport", "30000"), set("ssh.maxport", "31000")}, ""},
		"a home larger than volumes":     {[]setting.Change{set("defaults.homebytes", "2Gi"), set("limits.volumebytes", "1Gi")}, "defaults.homebytes"},
		"a mail server without a sender": {[]setting.Change{set("mail.host", "mail.example.com")}, "mail.host"},
		"a password in the clear":        {[]setting.Change{set("mail.user", "lab"), set("mail.tls", "none")}, "mail.user"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			_, err := b.Update(b.admin, c.changes)
			if c.wrong == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := fields(t, err); got[c.wrong] == "" {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestWhatTheOperatorGaveIsFixed(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	cast := testkit.NewCast(t, d)
	admin := testkit.As(t, d, cast.Admin)
	before, _ := process(t, d, event.NewLocal())
	if _, err := before.Update(admin, []setting.Change{set("limits.gpu", "8"), set("ssh.maxport", "22010")}); err != nil {
		t.Fatal(err)
	}
	// The next start gives one of them by a flag, and a first port above the page's last.
	after, c := process(t, d, event.NewLocal(), func(d *setting.Deps) {
		d.Config.Limits.GPU, d.Config.SSH.MinPort = 2, 22500
		d.Config.Given = map[string]config.Source{"limits.gpu": config.FromFlag, "ssh.minport": config.FromFile}
	})
	if now := c.Now(); now.Limits.GPU != 2 || now.SSH.MinPort != 22500 || now.SSH.MaxPort != 22999 {
		t.Errorf("now %+v %+v", now.Limits, now.SSH)
	}
	list, err := after.List(admin)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s setting.Setting) bool { return s.Key == "limits.gpu" })
	if list[i].Source != config.FromFlag || list[i].Value != "2" {
		t.Errorf("%+v", list[i])
	}
	_, err = after.Update(admin, []setting.Change{set("limits.gpu", "1", 1)})
	if got := fields(t, err)["limits.gpu"]; !strings.Contains(got, "a flag") {
		t.Errorf("%q", got)
	}
}

func TestTwoAdministratorsDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.Update(b.admin, []setting.Change{set("limits.gpu", "8")}); err != nil {
		t.Fatal(err)
	}
	for _, version := range []int64{0, 2} {
		if _, err := b.Update(b.admin, []setting.Change{set("limits.gpu", "9", version)}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("version %d: %v", version, err)
		}
	}
	// Of many at once one wins.
	errs := make(chan error, 8)
	for n := range 8 {
		go func() {
			_, err := b.Update(b.admin, []setting.Change{set("limits.gpu", fmt.Sprint(10+n), 1)})
			errs <- err
		}()
	}
	won := 0
	for range 8 {
		switch err := <-errs; {
		case err == nil:
			won++
		case fault.KindOf(err) != fault.Conflict:
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

func TestASecretIsSealedAndNeverShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const secret = "hunter2-hunter2"
	list, err := b.Update(b.admin, []setting.Change{set("mail.password", secret)})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.config.Now().Mail.Password; got != secret {
		t.Errorf("the password is %q", got)
	}
	row := b.db.Client.Setting.GetX(testkit.System(t), "mail.password")
	if strings.Contains(row.Value, secret) || strings.Contains(row.String(), row.Value) {
		t.Errorf("in the database: %q", row.Value)
	}
	traces := b.db.Client.Audit.Query().AllX(testkit.System(t))
	for _, x := range []any{list, traces} {
		raw, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), secret) || strings.Contains(string(raw), row.Value) {
			t.Errorf("it is told: %s", raw)
		}
	}
	if s := b.get("mail.password"); !s.Set || s.Value != "" {
		t.Errorf("%+v", s)
	}
	// Under another key the row is of no use, and harms nobody.
	b.db.Client.Setting.Create().SetID("mail.user").SetValue("x").SetChangedBy("").ExecX(testkit.System(t))
	if _, c := process(t, b.db, event.NewLocal()); c.Now().Mail.Password != "" || c.Now().Mail.User != "x" {
		t.Errorf("with another key: %q, %q", c.Now().Mail.Password, c.Now().Mail.User)
	}
	// Nor is it where it does not belong, or damaged.
	if _, err := box(t).Open(row.Value, "setting mail.password"); err == nil {
		t.Error("another key opens it")
	}
	b.db.Client.Setting.UpdateOneID("mail.password").SetValue(strings.Replace(row.Value, "mail", "mall", 1) + "x").ExecX(testkit.System(t))
	if err := b.Load(b.admin); err != nil || b.config.Now().Mail.Password != "" {
		t.Errorf("damaged: %v, %q", err, b.config.Now().Mail.Password)
	}
	// Without a key there is no place for it.
	bare := setup(t, func(d *setting.Deps) { d.Box = nil })
	_, err = bare.Update(bare.admin, []setting.Change{set("mail.password", secret)})
	if got := fields(t, err)["mail.password"]; !strings.Contains(got, "mail.password") || strings.Contains(got, secret) {
		t.Errorf("%q", got)
	}
}

func TestOtherProcessesFollow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		broker bool
		look   time.Duration
	}{
		"by a message":        {true, time.Hour},
		"without the message": {false, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testkit.DB(t)
			cast := testkit.NewCast(t, d)
			ctx, stop := context.WithCancel(testkit.System(t))
			here, _ := process(t, d, event.NewLocal()) // tells nobody
			var there event.Broker = event.NewLocal()
			done := make(chan struct{}, 3)
			if c.broker {
				client := testkit.Redis(t)
				a, b := event.NewRedis(client, "one"), event.NewRedis(client, "two")
				here, _ = process(t, d, a)
				there = b
				for _, r := range []*event.Redis{a, b} {
					go func() { r.Run(ctx); done <- struct{}{} }()
				}
				for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
					if n, err := client.PubSubNumSub(ctx, "goblinlab:events").Result(); err == nil && n["goblinlab:events"] == 2 {
						break
					}
					if time.Now().After(end) {
						t.Fatal("nobody listens")
					}
				}
			}
			other, config := process(t, d, there, func(d *setting.Deps) { d.LookAgain = c.look })
			go func() { other.Run(ctx); done <- struct{}{} }()
			defer func() {
				stop()
				<-done
				if c.broker {
					<-done
					<-done
				}
			}()
			if c.broker { // until it listens
				time.Sleep(50 * time.Millisecond)
			}
			if _, err := here.Update(testkit.As(t, d, cast.Admin), []setting.Change{set("limits.gpu", "5")}); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(10 * time.Second); config.Now().Limits.GPU != 5; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the other process never heard of it")
				}
			}
		})
	}
}

func TestOnlyAdministratorsChangeAndAuditorsRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for who, c := range map[*ent.User]struct{ reads, writes bool }{
		b.cast.Admin: {true, true}, b.cast.Auditor: {true, false}, b.cast.Owner: {false, false}, b.cast.Member: {false, false},
	} {
		ctx := testkit.As(t, b.db, who)
		if _, err := b.List(ctx); (err == nil) != c.reads {
			t.Errorf("%s reads: %v", who.DisplayName, err)
		}
		if _, err := b.UserLimits(ctx); (err == nil) != c.reads {
			t.Errorf("%s reads limits: %v", who.DisplayName, err)
		}
		n := 7
		for what, err := range map[string]error{
			"a limit": b.SetUserLimit(ctx, b.cast.Member.ID, &n),
			"mail":    b.TestMail(ctx, "li@example.com", mail.Message{}),
			"a value": func() error {
				_, err := b.Update(ctx, []setting.Change{set("limits.gpu", "9", b.get("limits.gpu").Version)})
				return err
			}(),
		} {
			if denied := fault.KindOf(err) == fault.Forbidden; err != nil && fault.KindOf(err) != fault.FailedPrecondition && !denied || denied == c.writes {
				t.Errorf("%s changes %s: %v", who.DisplayName, what, err)
			}
		}
	}
	if _, err := b.List(t.Context()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("nobody reads: %v", err)
	}
}

func TestAPersonHasALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	of := func() int {
		t.Helper()
		n, err := setting.InstancesOf(sys, b.db.Client, b.config, b.cast.Member.ID)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := of(); got != 3 {
		t.Errorf("at first %d", got)
	}
	for _, n := range []int{9, 0} {
		if err := b.SetUserLimit(b.admin, b.cast.Member.ID, &n); err != nil || of() != n {
			t.Errorf("%d: %v, %d", n, err, of())
		}
	}
	if err := b.SetUserLimit(b.admin, b.cast.Member.ID, nil); err != nil || of() != 3 {
		t.Errorf("taken: %v, %d", err, of())
	}
	if n := b.db.Client.Audit.Query().Where(audit.Action("user.limit"), audit.ObjectID(b.cast.Member.ID)).CountX(sys); n != 3 {
		t.Errorf("%d entries", n)
	}
	bad := 1001
	if got := fields(t, b.SetUserLimit(b.admin, b.cast.Member.ID, &bad))["instances"]; !strings.Contains(got, "1001") || !strings.Contains(got, "1000") {
		t.Errorf("%q", got)
	}
	if err := b.SetUserLimit(b.admin, "usr-nobody", nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("nobody: %v", err)
	}
}

func TestDurationsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30m": 30 * time.Minute, "12h": 12 * time.Hour, "7d": 168 * time.Hour, "1h30m": 90 * time.Minute, "0": 0, "90s": 90 * time.Second} {
		got, err := setting.ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
		if again, err := setting.ParseDuration(setting.FormatDuration(got)); err != nil || again != got {
			t.Errorf("%s is written %q", text, setting.FormatDuration(got))
		}
	}
	if got := setting.FormatDuration(12 * time.Hour); got != "12h" {
		t.Errorf("12h is written %q", got)
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"30m", "7d", "", "d", "-1d", "99999999999999999999d", "1e9h", "５d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := setting.ParseDuration(s)
		if err != nil {
			return
		}
		if again, err := setting.ParseDuration(setting.FormatDuration(d)); err != nil || again != d {
			t.Errorf("%q is %v, written %q, read %v, %v", s, d, setting.FormatDuration(d), again, err)
		}
	})
}
