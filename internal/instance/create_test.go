package instance

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

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
