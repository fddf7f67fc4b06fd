package platformvolume

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

type bundle struct {
	testkit.Cast
	t     *testing.T
	db    *db.DB
	kicks *testkit.Kicks
	*Service
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, db: testkit.DB(t), kicks: &testkit.Kicks{}}
	b.Cast = testkit.NewCast(t, b.db)
	b.Service = New(Deps{DB: b.db, Broker: event.NewLocal(), Kicker: b.kicks, Config: config.Default()})
	return b
}

func (b *bundle) as(u *ent.User) context.Context { return testkit.As(b.t, b.db, u) }

func sized(name, path string) CreateInput {
	size := "1Gi"
	return CreateInput{Name: name, Path: path, ReadOnly: true, Size: &size}
}

func TestWhoMayChangePlatformVolumes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	auditor := testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	v, err := b.Create(b.as(b.Admin), sized("data", "/data"))
	if err != nil {
		t.Fatal(err)
	}
	no := false
	for who, ctx := range map[string]context.Context{"auditor": b.as(auditor), "owner": b.as(b.Owner), "member": b.as(b.Member), "anonymous": t.Context()} {
		want := fault.Forbidden
		if who == "anonymous" {
			want = fault.Unauthenticated
		}
		_, errCreate := b.Create(ctx, sized("x", "/x"))
		_, errUpdate := b.Update(ctx, UpdateInput{ID: v.ID, Enabled: &no})
		for act, err := range map[string]error{"create": errCreate, "update": errUpdate, "delete": b.Delete(ctx, v.ID, "data")} {
			if err == nil || fault.KindOf(err) != want {
				t.Errorf("%s as %s: %v", act, who, err)
			}
		}
		list, err := b.List(ctx)
		if (err == nil) != (who != "anonymous") || err == nil && (len(list) != 1 || list[0].Teams != 2) {
			t.Errorf("list as %s: %+v, %v", who, list, err)
		}
	}
	if got, err := b.Update(b.as(b.Admin), UpdateInput{ID: v.ID, Enabled: &no}); err != nil || got.Enabled {
		t.Errorf("update: %+v, %v", got, err)
	}
	if err := b.Delete(b.as(b.Admin), v.ID, "dat"); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("the wrong name: %v", err)
	}
	if err := b.Delete(b.as(b.Admin), v.ID, "data"); err != nil {
		t.Error(err)
	}
}

func TestBadPlatformVolumesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin, size, bad := b.as(b.Admin), "1Gi", "1k"
	if _, err := b.Create(admin, sized("data", "/data/sets")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in   CreateInput
		want []string
	}{
		"neither claim nor size": {CreateInput{Name: "x", Path: "/x"}, []string{"claim platformvolume.source"}},
		"both":                   {CreateInput{Name: "x", Path: "/x", Size: &size, Claim: &Claim{"a", "b"}}, []string{"claim platformvolume.source"}},
		"a class for a claim":    {CreateInput{Name: "x", Path: "/x", StorageClass: "fast", Claim: &Claim{"a", "b"}}, []string{"storageClass platformvolume.class"}},
		"no namespace":           {CreateInput{Name: "x", Path: "/x", Claim: &Claim{"A b", "b"}}, []string{"claim.namespace platformvolume.namespace"}},
		"no claim":               {CreateInput{Name: "x", Path: "/x", Claim: &Claim{"a", "B b"}}, []string{"claim.name platformvolume.claim"}},
		"everything at once":     {CreateInput{Name: "a\nb", Path: "x", Size: &bad, Description: strings.Repeat("x", maxDescription+1)}, []string{"description preflight.text.long", "name preflight.name.control", "path preflight.path.relative", "size quantity.size.too-small"}},
		"over the home":          {sized("x", "/home/goblin/data"), []string{"path preflight.path.over-home"}},
		"over the code":          {sized("x", "/code"), []string{"path preflight.path.taken"}},
		"over the system":        {sized("x", "/etc/ssl"), []string{"path preflight.path.system"}},
		"inside of another":      {sized("x", "/data/sets/a"), []string{"path preflight.path.taken"}},
		"around another":         {sized("x", "/data"), []string{"path preflight.path.taken"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Create(admin, c.in)
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			var got []string
			for _, field := range f.Fields {
				got = append(got, field.Path+" "+field.ID)
				for _, l := range []lang.Lang{lang.English, lang.Chinese} {
					if said := lang.Text(l, "fault."+field.ID, field.Args); said == "fault."+field.ID {
						t.Errorf("%s has no words", field.ID)
					}
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestPodsGetWhatHasReachedTheirTeam(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	for i, c := range []struct{ path, id string }{{"/b", ""}, {"/a", b.Team.ID}, {"/c", b.OtherTeam.ID}, {"/d", b.Team.ID}} {
		v, err := b.Create(b.as(b.Admin), sized("v", c.path))
		if err != nil {
			t.Fatal(err)
		}
		b.db.Client.PlatformVolume.UpdateOneID(v.ID).SetReadyTeams([]string{c.id}).SetEnabled(i != 3).ExecX(sys)
	}
	mounts, err := b.Mounts(t.Context(), b.Team.ID)
	if err != nil || len(mounts) != 1 || mounts[0].Path != "/a" || !mounts[0].ReadOnly || mounts[0].Claim == "" {
		t.Errorf("%+v, %v", mounts, err)
	}
	row := b.db.Client.PlatformVolume.Query().Where(entplatform.Path("/a")).OnlyX(sys)
	no, name := false, "other"
	if _, err := b.Update(b.as(b.Admin), UpdateInput{ID: row.ID, Name: &name}); err != nil {
		t.Fatal(err)
	}
	if mounts, err := b.Mounts(t.Context(), b.Team.ID); err != nil || len(mounts) != 1 {
		t.Errorf("another name keeps it from nobody: %+v, %v", mounts, err)
	}
	if _, err := b.Update(b.as(b.Admin), UpdateInput{ID: row.ID, ReadOnly: &no}); err != nil {
		t.Fatal(err)
	}
	if mounts, err := b.Mounts(t.Context(), b.Team.ID); err != nil || len(mounts) != 0 {
		t.Errorf("of the other mode there is nothing yet: %+v, %v", mounts, err)
	}
	before := len(b.kicks.All())
	if err := b.Sweep(sys); err != nil || len(b.kicks.All())-before != 4 {
		t.Errorf("the sweep wakes those that are not at rest: %v, %v", b.kicks.All()[before:], err)
	}
}
