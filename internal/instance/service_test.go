package instance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// bundle is a service on a real database, with a team and an image.
type bundle struct {
	testkit.Cast
	t      *testing.T
	db     *db.DB
	kicks  *testkit.Kicks
	config *config.Config
	image  *ent.Image
	*Service
}

func setup(t *testing.T, change ...func(*config.Config)) *bundle {
	t.Helper()
	b := &bundle{t: t, db: testkit.DB(t), kicks: &testkit.Kicks{}}
	b.Cast = testkit.NewCast(t, b.db)
	c := config.Default()
	c.Limits.InstancesPerUser = 10
	for _, f := range change {
		f(&c)
	}
	broker := event.NewLocal()
	b.Service = New(Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: c,
		Volumes: volume.New(volume.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: c}),
		Cluster: cluster.New(cluster.Deps{DB: b.db, Config: c})})
	b.image = b.newImage(nil, true)
	return b
}

func (b *bundle) newImage(team *string, development bool) *ent.Image {
	b.t.Helper()
	i, err := b.db.Client.Image.Create().SetName("mini").SetReference(testkit.ImageMini).SetDevelopment(development).
		SetNillableTeamID(team).Save(testkit.System(b.t))
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

func (b *bundle) as(u *ent.User) context.Context {
	b.t.Helper()
	return testkit.As(b.t, b.db, u)
}

func (b *bundle) input(more ...func(*CreateInput)) CreateInput {
	in := CreateInput{TeamID: b.Team.ID, Name: "lab", ImageID: b.image.ID, Resources: Resources{CPU: "1", Memory: "1Gi"}}
	for _, f := range more {
		f(&in)
	}
	return in
}

func (b *bundle) made(more ...func(*CreateInput)) *ent.Instance {
	b.t.Helper()
	i, err := b.Create(b.as(b.Member), b.input(more...))
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

func (b *bundle) again(id string) *ent.Instance {
	b.t.Helper()
	i, err := b.db.Client.Instance.Get(testkit.System(b.t), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

func (b *bundle) quota(q spec.Quota) {
	b.t.Helper()
	if err := b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(q).Exec(testkit.System(b.t)); err != nil {
		b.t.Fatal(err)
	}
}

func atOnce(in *CreateInput) { in.Start = true }

// faults are the fields of an error as "path id".
func faults(err error) []string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	var out []string
	for _, field := range f.Fields {
		out = append(out, field.Path+" "+field.ID)
	}
	slices.Sort(out)
	return out
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const ok = fault.Kind("")
	acts := map[string]func(ctx context.Context, id string) error{
		"create":  func(ctx context.Context, _ string) error { _, err := b.Create(ctx, b.input()); return err },
		"start":   func(ctx context.Context, id string) error { _, err := b.Start(ctx, id); return err },
		"restart": func(ctx context.Context, id string) error { _, err := b.Restart(ctx, id); return err },
		"stop":    func(ctx context.Context, id string) error { _, err := b.Stop(ctx, id); return err },
		"update": func(ctx context.Context, id string) error {
			name := "new name"
			_, err := b.Update(ctx, UpdateInput{ID: id, Name: &name})
			return err
		},
		"delete": b.Service.Delete,
		"reveal": func(ctx context.Context, id string) error {
			_, err := b.Reveal(ctx, id)
			if fault.KindOf(err) == fault.FailedPrecondition { // let in, and it does not run
				return nil
			}
			return err
		},
	}
	manage := map[string]fault.Kind{"member": ok, "owner": ok, "maintainer": ok, "admin": ok, "colleague": fault.Forbidden,
		"viewer": fault.Forbidden, "other team": fault.NotFound, "auditor": fault.Forbidden, "anonymous": fault.Unauthenticated}
	table := map[string]map[string]fault.Kind{
		"create": {"member": ok, "owner": ok, "maintainer": ok, "admin": ok, "colleague": ok,
			"viewer": fault.Forbidden, "other team": fault.NotFound, "auditor": fault.Forbidden, "anonymous": fault.Unauthenticated},
		"start": manage, "restart": manage, "stop": manage, "update": manage, "delete": manage,
		"reveal": {"member": ok, "owner": fault.Forbidden, "maintainer": fault.Forbidden, "admin": fault.Forbidden, "colleague": fault.Forbidden,
			"viewer": fault.Forbidden, "other team": fault.NotFound, "auditor": fault.Forbidden, "anonymous": fault.Unauthenticated},
	}
	colleague, auditor := testkit.User(t, b.db, "cora", authz.PlatformUser), testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	testkit.Join(t, b.db, b.Team, colleague, authz.RoleMember)
	people := map[string]context.Context{"member": b.as(b.Member), "owner": b.as(b.Owner), "maintainer": b.as(b.Maintainer),
		"admin": b.as(b.Admin), "colleague": b.as(colleague), "viewer": b.as(b.Viewer), "other team": b.as(b.Other),
		"auditor": b.as(auditor), "anonymous": t.Context()}
	if len(table) != len(acts) {
		t.Fatal("the table lacks an act")
	}
	for act, do := range acts {
		for who, want := range table[act] {
			t.Run(act+" as "+who, func(t *testing.T) {
				row, err := b.Create(b.as(b.Member), b.input())
				if err != nil {
					t.Fatal(err)
				}
				err = do(people[who], row.ID)
				got := ok
				if err != nil {
					got = fault.KindOf(err)
				}
				if got != want {
					t.Errorf("%v (%v), want %q", err, got, want)
				}
				if want != ok && act != "create" {
					if now := b.again(row.ID); now.Version != row.Version {
						t.Error("the row changed although it was refused")
					}
				}
				if err := b.db.Client.Instance.DeleteOneID(row.ID).Exec(testkit.System(t)); err != nil {
					t.Fatal(err)
				}
				b.db.Client.Instance.Delete().Where(entinstance.OwnerIDNEQ(b.Member.ID)).ExecX(testkit.System(t))
				b.db.Client.Instance.Delete().ExecX(testkit.System(t))
			})
		}
	}
}

func TestCreateTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quota(spec.Quota{CPUMilli: 1000, MemoryBytes: 8 << 30})
	_, err := b.Create(b.as(b.Member), CreateInput{TeamID: b.Team.ID, Name: strings.Repeat("名", 200), ImageID: "img-none",
		Resources: Resources{CPU: "many", Memory: "64Gi", GPU: -1},
		Mounts:    []spec.Mount{{VolumeID: "vol-none", Path: "data"}},
		Ports:     []spec.Port{{Number: 22}}, Env: []spec.EnvVar{{Name: "PASSWORD", Value: "x"}}, Start: true})
	want := []string{"env[0].name preflight.env.reserved", "imageId instance.image-missing", "mounts[0].path preflight.path.relative",
		"mounts[0].volumeId volume.missing", "name preflight.name.too-long", "ports[0].number preflight.port.app",
		"resources.cpu quantity.cpu.unreadable", "resources.gpu preflight.gpu.too-small", "resources.memory preflight.quota.memory"}
	if diff := cmp.Diff(want, faults(err)); diff != "" || fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	var f *fault.Error
	errors.As(err, &f)
	for _, field := range f.Fields {
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			text := lang.Text(l, "fault."+field.ID, field.Args)
			if text == "fault."+field.ID || strings.Contains(text, "?") {
				t.Errorf("%s says %q", l, text)
			}
		}
	}
	if n := b.db.Client.Instance.Query().CountX(testkit.System(t)) + b.db.Client.Volume.Query().CountX(testkit.System(t)); n != 0 {
		t.Errorf("%d rows were made", n)
	}
}

func TestNamesOfEveryAlphabetGetObjectNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seen := map[string]bool{}
	for _, name := range []string{"Ünïcödé", "实验室", "лаборатория", "a_b", "a.b", "a b", "--", "😀", "A", "a"} {
		i := b.made(func(in *CreateInput) { in.Name = name })
		if seen[i.ObjectName] || !strings.HasSuffix(i.ObjectName, i.ID) {
			t.Errorf("%q has the object name %q", name, i.ObjectName)
		}
		seen[i.ObjectName] = true
		if i.Name != name {
			t.Errorf("%q was stored as %q", name, i.Name)
		}
	}
}

func TestCreateMakesOneHomePerPersonAndTeam(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.made()
	b.made()
	if _, err := b.Create(b.as(b.Owner), b.input()); err != nil {
		t.Fatal(err)
	}
	homes := b.db.Client.Volume.Query().Where(entvolume.KindEQ(entvolume.KindHome)).CountX(testkit.System(t))
	if homes != 2 {
		t.Errorf("%d homes for two people", homes)
	}
	if !slices.ContainsFunc(b.kicks.All(), func(k string) bool { return strings.HasPrefix(k, "volume/vol-") }) {
		t.Errorf("nobody was told of the home: %v", b.kicks.All())
	}
}

func TestImagesThatCannotBeInstances(t *testing.T) {
	t.Parallel()
	b := setup(t)
	deleted := b.newImage(nil, true)
	b.db.Client.Image.UpdateOne(deleted).SetDeletedAt(noon).ExecX(testkit.System(t))
	for name, c := range map[string]struct {
		image *ent.Image
		want  []string
	}{
		"everybody's":    {b.image, nil},
		"the team's":     {b.newImage(&b.Team.ID, true), nil},
		"another team's": {b.newImage(&b.OtherTeam.ID, true), []string{"imageId instance.image-missing"}},
		"deleted":        {deleted, []string{"imageId instance.image-missing"}},
		"for tasks only": {b.newImage(nil, false), []string{"imageId instance.image-not-development"}},
	} {
		t.Run(name, func(t *testing.T) {
			// The administrator sees every image, and still cannot take another team's.
			_, err := b.Create(b.as(b.Admin), b.input(func(in *CreateInput) { in.ImageID = c.image.ID }))
			if diff := cmp.Diff(c.want, faults(err)); diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestAPersonHasALimitOfInstances(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *config.Config) { c.Limits.InstancesPerUser = 2 })
	first := b.made()
	b.made()
	_, err := b.Create(b.as(b.Member), b.input())
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.ResourceExhausted || f.ID != "instance.too-many" || f.Args["limit"] != 2 {
		t.Errorf("third instance: %v", err)
	}
	if _, err := b.Create(b.as(b.Owner), b.input()); err != nil {
		t.Errorf("somebody else's first: %v", err)
	}
	if err := b.Service.Delete(b.as(b.Member), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(b.as(b.Member), b.input()); err != nil {
		t.Errorf("after a deletion was asked for: %v", err)
	}
}

func TestSSHPorts(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *config.Config) { c.SSH.MinPort, c.SSH.MaxPort = 22000, 22003 })
	ports := func(n int) []int {
		var out []int
		for range n {
			out = append(out, *b.made().SSHPort)
		}
		return out
	}
	if got := ports(2); !slices.Equal(got, []int{22000, 22001}) {
		t.Errorf("first ports are %v", got)
	}
	b.db.Client.Instance.Delete().Where(entinstance.SSHPort(22000)).ExecX(testkit.System(t))
	if got := ports(3); !slices.Equal(got, []int{22002, 22003, 22000}) {
		t.Errorf("P36: a port that was given back is the last to be given again: %v", got)
	}
	_, err := b.Create(b.as(b.Member), b.input())
	if fault.KindOf(err) != fault.ResourceExhausted {
		t.Errorf("no port is left: %v", err)
	}
}

func TestManyCreateAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *config.Config) { c.Limits.InstancesPerUser = 8 })
	ctx := b.as(b.Member)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ok, refused, ports := 0, 0, map[int]bool{}
	for range 12 {
		wg.Go(func() {
			i, err := b.Create(ctx, b.input())
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				ok++
				ports[*i.SSHPort] = true
			case fault.KindOf(err) == fault.ResourceExhausted:
				refused++
			default:
				t.Errorf("create: %v", err)
			}
		})
	}
	wg.Wait()
	if ok != 8 || refused != 4 || len(ports) != 8 {
		t.Errorf("%d made, %d refused, %d ports; want 8, 4 and 8", ok, refused, len(ports))
	}
}

func TestQuotaIsHeldAtCreateAndStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quota(spec.Quota{CPUMilli: 2000, MemoryBytes: 64 << 30})
	ctx := b.as(b.Member)
	if _, err := b.Create(ctx, b.input(func(in *CreateInput) { in.Resources.CPU = "3" })); !slices.Equal(faults(err), []string{"resources.cpu preflight.quota.cpu"}) {
		t.Errorf("what the quota can never give is refused when it is made: %v", err)
	}
	two := b.made(atOnce, func(in *CreateInput) { in.Resources.CPU = "1500m" })
	waiting := b.made() // fits the quota, though not now
	_, err := b.Start(ctx, waiting.ID)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.ResourceExhausted || f.Fields[0].Args["used"] != "1.5 CPU" || f.Fields[0].Args["limit"] != "2 CPU" {
		t.Errorf("P3: a start over the quota: %v", err)
	}
	if _, err := b.Restart(ctx, two.ID); err != nil {
		t.Errorf("an instance does not stand in its own way: %v", err)
	}
	if _, err := b.Stop(ctx, two.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(ctx, waiting.ID); fault.KindOf(err) != fault.ResourceExhausted {
		t.Errorf("one that is stopping still holds its part: %v", err)
	}
	b.db.Client.Instance.UpdateOneID(two.ID).SetState(entinstance.StateStopped).ExecX(testkit.System(t))
	if _, err := b.Start(ctx, waiting.ID); err != nil {
		t.Errorf("one that is stopped holds nothing (P73): %v", err)
	}
}

func TestManyStartAtOnceNeverPassTheQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quota(spec.Quota{CPUMilli: 3000})
	var ids []string
	for range 8 {
		ids = append(ids, b.made().ID)
	}
	ctx := b.as(b.Member)
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			if _, err := b.Start(ctx, id); err != nil && fault.KindOf(err) != fault.ResourceExhausted {
				t.Errorf("start: %v", err)
			}
		})
	}
	wg.Wait()
	if n := b.db.Client.Instance.Query().Where(entinstance.DesiredEQ(entinstance.DesiredRunning)).CountX(testkit.System(t)); n != 3 {
		t.Errorf("P85: %d were let in, 3 fit", n)
	}
}

func TestStartStopRestart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	i := b.made()
	if i.State != entinstance.StateStopped || i.StartNumber != 0 || i.StartedSpec != nil {
		t.Fatalf("a new instance is %+v", i)
	}
	i, err := b.Start(ctx, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if i.State != entinstance.StatePending || i.StartNumber != 1 || i.Desired != entinstance.DesiredRunning || i.StartedAt == nil ||
		len(i.Timeline) != 1 || i.Timeline[0].Name != phaseQueued || i.StartedSpec.Resources.CPUMilli != 1000 {
		t.Errorf("after start it is %+v", i)
	}
	version := i.Version
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 1 || i.Version != version {
		t.Errorf("a second start changes nothing: %+v %v", i, err)
	}
	if i, err = b.Stop(ctx, i.ID); err != nil || i.State != entinstance.StateStopping || i.Desired != entinstance.DesiredStopped {
		t.Errorf("P7: stop while pending: %+v %v", i, err)
	}
	version = i.Version
	if i, err = b.Stop(ctx, i.ID); err != nil || i.Version != version {
		t.Errorf("a second stop changes nothing: %+v %v", i, err)
	}
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 2 || i.Desired != entinstance.DesiredRunning || i.State != entinstance.StatePending {
		t.Errorf("start while stopping: %+v %v", i, err)
	}
	if i, err = b.Restart(ctx, i.ID); err != nil || i.StartNumber != 3 {
		t.Errorf("restart is a start of its own: %+v %v", i, err)
	}
	b.db.Client.Instance.UpdateOneID(i.ID).SetState(entinstance.StateFailed).SetReason(because("crash")).ExecX(testkit.System(t))
	if i, err = b.Start(ctx, i.ID); err != nil || i.StartNumber != 4 || i.Reason != nil || i.State != entinstance.StatePending {
		t.Errorf("start of one that was given up: %+v %v", i, err)
	}
	if err := b.Service.Delete(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func(context.Context, string) (*ent.Instance, error){"start": b.Start, "restart": b.Restart} {
		if _, err := act(ctx, i.ID); fault.KindOf(err) != fault.FailedPrecondition {
			t.Errorf("%s of what is being deleted: %v", name, err)
		}
	}
	if i, err = b.Stop(ctx, i.ID); err != nil || i.State != entinstance.StateDeleting {
		t.Errorf("P7: stop of what is being deleted: %+v %v", i, err)
	}
	b.trace(i.ID, []string{"instance.create", "instance.start", "instance.stop", "instance.start", "instance.restart", "instance.start", "instance.delete"},
		[]string{"created", "started", "stopping", "started", "restarted", "started", "deleting"})
}

// trace holds what was written down against what was done.
func (b *bundle) trace(id string, acts, events []string) {
	b.t.Helper()
	sys := testkit.System(b.t)
	var gotActs, gotEvents []string
	for _, a := range b.db.Client.Audit.Query().Where(entaudit.ObjectID(id)).Order(ent.Asc(entaudit.FieldID)).AllX(sys) {
		gotActs = append(gotActs, a.Action)
		if a.ActorID != b.Member.ID || a.Address == "" {
			b.t.Errorf("%s was done by %q from %q", a.Action, a.ActorID, a.Address)
		}
	}
	for _, e := range b.db.Client.Event.Query().Where(entevent.SubjectID(id)).Order(ent.Asc(entevent.FieldID)).AllX(sys) {
		gotEvents = append(gotEvents, e.Type)
		if !lang.Has("event." + e.Type) {
			b.t.Errorf("event %s has no words", e.Type)
		}
	}
	if diff := cmp.Diff(acts, gotActs); diff != "" {
		b.t.Errorf("audit (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(events, gotEvents); diff != "" {
		b.t.Errorf("events (-want +got)\n%s", diff)
	}
	if n := len(slices.DeleteFunc(b.kicks.All(), func(k string) bool { return k != "instance/"+id })); n != len(acts) {
		b.t.Errorf("%d wake-ups for %d acts", n, len(acts))
	}
}
