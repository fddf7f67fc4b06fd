package instance

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// bundle is a service on a real database, with a team and an image.
type bundle struct {
	testkit.Cast
	t     *testing.T
	db    *db.DB
	kicks *testkit.Kicks
	image *ent.Image
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
		Cluster: cluster.New(cluster.Deps{DB: b.db, Config: c}), Secrets: secrettest.New(t, b.db, broker, b.kicks)})
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
