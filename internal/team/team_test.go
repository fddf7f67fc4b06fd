package team

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
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
	b.Service = New(Deps{DB: b.db, Broker: event.NewLocal(), Kicker: b.kicks})
	return b
}

func (b *bundle) as(u *ent.User) context.Context { return testkit.As(b.t, b.db, u) }

func text(s string) *string { return &s }
func number(n int64) *int64 { return &n }

func kind(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}

func TestWhoMayChangeTeams(t *testing.T) {
	t.Parallel()
	b := setup(t)
	auditor := testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	member := authz.RoleMember
	acts := map[string]func(ctx context.Context) error{
		"create": func(ctx context.Context) error {
			_, err := b.Create(ctx, CreateInput{Name: "made by " + time.Now().String()})
			return err
		},
		"update": func(ctx context.Context) error {
			ratio := 2.0
			_, err := b.Update(ctx, UpdateInput{ID: b.Team.ID, OvercommitCPU: &ratio})
			return err
		},
		"set member": func(ctx context.Context) error {
			_, err := b.SetMember(ctx, Change{TeamID: b.Team.ID, UserID: b.Viewer.ID, Role: &member})
			return err
		},
		"usage": func(ctx context.Context) error { _, err := b.Usage(ctx, b.Team); return err },
	}
	people := map[string]context.Context{"admin": b.as(b.Admin), "auditor": b.as(auditor), "owner": b.as(b.Owner), "maintainer": b.as(b.Maintainer),
		"member": b.as(b.Member), "viewer": b.as(b.Viewer), "other team": b.as(b.Other), "anonymous": t.Context()}
	no, none, sign := fault.Forbidden, fault.NotFound, fault.Unauthenticated
	for act, table := range map[string]map[string]fault.Kind{
		"create":     {"admin": "", "auditor": no, "owner": no, "maintainer": no, "member": no, "viewer": no, "other team": no, "anonymous": sign},
		"update":     {"admin": "", "auditor": no, "owner": no, "maintainer": no, "member": no, "viewer": no, "other team": none, "anonymous": sign},
		"set member": {"admin": "", "auditor": no, "owner": "", "maintainer": no, "member": no, "viewer": no, "other team": none, "anonymous": sign},
		"usage":      {"admin": "", "auditor": "", "owner": "", "maintainer": "", "member": "", "viewer": "", "other team": none, "anonymous": sign},
	} {
		for who, want := range table {
			t.Run(act+" as "+who, func(t *testing.T) {
				if got := kind(acts[act](people[who])); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
	}
}

func TestCreateMakesANamespaceThatNeverChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Admin)
	row, err := b.Create(ctx, CreateInput{Name: "视觉 Vision", Quota: QuotaInput{CPU: text("32"), Memory: text("128Gi"), GPU: number(4)}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(row.Namespace, "gl-vision-team-") || row.Quota != (spec.Quota{CPUMilli: 32000, MemoryBytes: 128 << 30, GPU: 4}) ||
		row.Overcommit != (spec.Overcommit{CPU: 1, Memory: 1}) || row.Reason == nil {
		t.Errorf("made %+v", row)
	}
	renamed, err := b.Update(ctx, UpdateInput{ID: row.ID, Name: text("Speech"), Quota: &QuotaInput{}})
	if err != nil || renamed.Namespace != row.Namespace || renamed.Quota != (spec.Quota{}) || renamed.Generation != 2 {
		t.Errorf("P26: renamed to %+v, %v", renamed, err)
	}
	if diff := cmp.Diff([]string{"team/" + row.ID, "team/" + row.ID}, b.kicks.All()); diff != "" {
		t.Error(diff)
	}
}

// TestAQuotaOfNoneIsNotOneWithoutLimit: 0 is none allowed, and comes back as such.
func TestAQuotaOfNoneIsNotOneWithoutLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row, err := b.Create(b.as(b.Admin), CreateInput{Name: "frugal", Quota: QuotaInput{GPU: number(0), Volumes: number(0), Pods: number(0)}})
	if err != nil {
		t.Fatal(err)
	}
	row = b.db.Client.Team.GetX(testkit.System(t), row.ID)
	u, err := b.Usage(b.as(b.Admin), row)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range u.Items {
		none := i.Resource == "gpu" || i.Resource == "volumes" || i.Resource == "pods"
		if none && (i.Limit == nil || *i.Limit != 0) || !none && i.Limit != nil {
			t.Errorf("%s: %v", i.Resource, i.Limit)
		}
	}
	hard := objects(row).ResourceQuota.Spec.Hard
	// Of claims there is room for the platform's own alone, which the team does not pay for.
	for name, want := range map[corev1.ResourceName]string{"requests.nvidia.com/gpu": "0", "persistentvolumeclaims": "30", "pods": "0"} {
		if q, ok := (*hard)[name]; !ok || q.String() != want {
			t.Errorf("%s of the ResourceQuota: %v, %v", name, q.String(), ok)
		}
	}
	if len(*hard) != 3 {
		t.Errorf("the ResourceQuota: %v", *hard)
	}
	p, err := b.Preview(b.as(b.Admin), PreviewInput{TeamID: row.ID}, nil)
	if g := p.Items[2]; err != nil || g.Old == nil || *g.Old != 0 || g.New != nil || g.Promised != 0 || g.Unlimited != 3 {
		t.Errorf("lifting it: %+v, %v", g, err)
	}
}

func TestBadTeamsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ratio := math.NaN()
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"everything at once": {
			second(b.Create(b.as(b.Admin), CreateInput{Name: strings.Repeat("x", 200), Overcommit: spec.Overcommit{CPU: 0.5, Memory: 1000},
				Quota: QuotaInput{CPU: text("lots"), Memory: text("-1"), Storage: text("0"), GPU: number(-2), Pods: number(-1)}})),
			[]string{"name preflight.name.too-long", "overcommitCpu team.overcommit", "overcommitMemory team.overcommit", "quota.cpu quantity.cpu.unreadable",
				"quota.gpu team.quota.count", "quota.memory quantity.memory.negative", "quota.pods team.quota.count", "quota.storage quantity.size.zero"},
		},
		"a name that is taken":    {second(b.Create(b.as(b.Admin), CreateInput{Name: b.Team.Name})), []string{"name team.name-taken"}},
		"another team's name":     {second(b.Update(b.as(b.Admin), UpdateInput{ID: b.Team.ID, Name: &b.OtherTeam.Name})), []string{"name team.name-taken"}},
		"a ratio that is none":    {second(b.Update(b.as(b.Admin), UpdateInput{ID: b.Team.ID, OvercommitMemory: &ratio})), []string{"overcommitMemory team.overcommit"}},
		"its own name once again": {second(b.Update(b.as(b.Admin), UpdateInput{ID: b.Team.ID, Name: &b.Team.Name})), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var f *fault.Error
			var got []string
			if errors.As(c.err, &f) {
				for _, field := range f.Fields {
					got = append(got, field.Path+" "+field.ID)
					for _, l := range []lang.Lang{lang.English, lang.Chinese} {
						if said := lang.Text(l, "fault."+field.ID, field.Args); said == "fault."+field.ID || strings.Contains(said, "?") {
							t.Errorf("%s says %q", l, said)
						}
					}
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%v (-want +got)\n%s", c.err, diff)
			}
		})
	}
}

func second(_ *ent.Team, err error) error { return err }

func TestMembers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Owner)
	stranger := testkit.User(t, b.db, "stan", authz.PlatformUser)
	owner, viewer, wrong := authz.RoleOwner, authz.RoleViewer, authz.Role("king")
	role := func(u *ent.User) authz.Role {
		m, err := b.db.Client.Membership.Query().Where(membership.TeamID(b.Team.ID), membership.UserID(u.ID)).Only(testkit.System(t))
		if err != nil {
			return ""
		}
		return m.Role
	}
	set := func(ctx context.Context, u string, r *authz.Role) fault.Kind {
		_, err := b.SetMember(ctx, Change{TeamID: b.Team.ID, UserID: u, Role: r})
		return kind(err)
	}
	for who, id := range map[string]string{"a stranger": stranger.ID, "one of another team": b.Other.ID, "nobody": "usr-nobody"} {
		_, err := b.SetMember(ctx, Change{TeamID: b.Team.ID, UserID: id, Role: &viewer})
		if kind(err) != fault.InvalidArgument || !strings.Contains(said(err), "Invite them") {
			t.Errorf("an owner lets in %s unasked: %v", who, err)
		}
	}
	if got := set(b.as(b.Admin), "usr-nobody", &viewer); got != fault.NotFound {
		t.Errorf("an administrator lets in nobody: %q", got)
	}
	if got := set(b.as(b.Admin), stranger.ID, &viewer); got != "" || role(stranger) != viewer {
		t.Errorf("an administrator lets in a stranger: %q %q", got, role(stranger))
	}
	if got := set(ctx, b.Owner.ID, &viewer); got != fault.FailedPrecondition || role(b.Owner) != owner {
		t.Errorf("the last owner steps back: %q %q", got, role(b.Owner))
	}
	if got := set(ctx, b.Owner.ID, nil); got != fault.FailedPrecondition || role(b.Owner) != owner {
		t.Errorf("the last owner leaves: %q %q", got, role(b.Owner))
	}
	if got := set(ctx, stranger.ID, &owner); got != "" {
		t.Errorf("a second owner: %q", got)
	}
	if got := set(ctx, b.Owner.ID, nil); got != "" || role(b.Owner) != "" {
		t.Errorf("an owner among two leaves: %q", got)
	}
	if got := set(b.as(b.Admin), stranger.ID, nil); got != "" {
		t.Errorf("an administrator may leave a team without owners: %q", got)
	}
	if got := set(b.as(b.Admin), stranger.ID, nil); got != "" {
		t.Errorf("taking what is not there: %q", got)
	}
	if got := set(b.as(b.Admin), "usr-none", &viewer); got != fault.NotFound {
		t.Errorf("nobody: %q", got)
	}
	if got := set(b.as(b.Admin), stranger.ID, &wrong); got != fault.InvalidArgument {
		t.Errorf("an unknown role: %q", got)
	}
}

func (b *bundle) instance(name string, cpu int64, desired entinstance.Desired, state entinstance.State) *ent.Instance {
	b.t.Helper()
	sys := testkit.System(b.t)
	img := b.db.Client.Image.Create().SetName("i").SetReference("i").SaveX(sys)
	s := spec.Instance{ImageID: img.ID, Resources: spec.Resources{CPUMilli: cpu, MemoryBytes: 1 << 30, GPU: 1}}
	return b.db.Client.Instance.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Member.ID).SetName(name).SetObjectName(name).
		SetImageID(img.ID).SetSpec(s).SetDesired(desired).SetState(state).SaveX(sys)
}

func TestUsageIsCountedFromWhatLives(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	b.instance("running", 1000, entinstance.DesiredRunning, entinstance.StateRunning)
	b.instance("pending", 2000, entinstance.DesiredRunning, entinstance.StatePending)
	b.instance("stopping", 4000, entinstance.DesiredStopped, entinstance.StateStopping)
	b.instance("stopped", 8000, entinstance.DesiredStopped, entinstance.StateStopped)
	b.instance("failed", 16000, entinstance.DesiredRunning, entinstance.StateFailed)
	img := b.db.Client.Image.Query().FirstX(sys)
	for state, cpu := range map[entrun.State]int64{entrun.StateRunning: 32000, entrun.StateRetrying: 64000, entrun.StateSucceeded: 128000} {
		task := b.db.Client.Task.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Owner.ID).SetName("t").SetImageID(img.ID).
			SetSpec(spec.Task{ImageID: img.ID, Command: []string{"x"}, Resources: spec.Resources{CPUMilli: cpu, MemoryBytes: 1 << 30}}).SaveX(sys)
		b.db.Client.Run.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Owner.ID).SetTaskID(task.ID).SetName(string(state)).SetState(state).SaveX(sys)
	}
	b.db.Client.Volume.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Owner.ID).SetName("v").SetKind(entvolume.KindData).SetObjectName("v").
		SetSizeBytes(5 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(sys)
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(spec.Quota{CPUMilli: 100000}).ExecX(sys)
	row := b.db.Client.Team.GetX(sys, b.Team.ID)

	used, err := Used(sys, b.db.Client, b.Team.ID)
	want := spec.Quota{CPUMilli: 39000, MemoryBytes: 4 << 30, GPU: 3, Pods: 4, StorageBytes: 5 << 30, Volumes: 1}
	if err != nil || used != want {
		t.Errorf("P73: used %+v, %v; want %+v", used, err, want)
	}
	usage, err := b.Usage(b.as(b.Viewer), row)
	if err != nil {
		t.Fatal(err)
	}
	cpu := usage.Items[0]
	if cpu.Resource != "cpu" || cpu.Unit != "milli" || cpu.Used != 39000 || *cpu.Limit != 100000 || usage.ObservedAt != nil {
		t.Errorf("cpu is %+v", cpu)
	}
	var names []string
	for _, h := range cpu.Holders {
		names = append(names, h.Name)
	}
	if !slices.Equal(names, []string{"running", "stopping", "pending", "running"}) {
		t.Errorf("holders, largest first: %v", names)
	}
	if usage.Items[1].Limit != nil {
		t.Errorf("memory has the limit %d", *usage.Items[1].Limit)
	}
}

func TestUsageTrustsTheClustersCount(t *testing.T) {
	t.Parallel()
	seen := corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("2500m"), "requests.nvidia.com/gpu": resource.MustParse("2")}
	got := items(&ent.Team{Quota: spec.Quota{CPUMilli: 4000}}, spec.Quota{CPUMilli: 1000, MemoryBytes: 7}, seen, nil, nil)
	if got[0].Used != 2500 || got[1].Used != 7 || got[2].Used != 2 {
		t.Errorf("used %d, %d, %d", got[0].Used, got[1].Used, got[2].Used)
	}
}
