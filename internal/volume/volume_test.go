package volume

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
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

func (b *bundle) input() CreateInput {
	return CreateInput{TeamID: b.Team.ID, Name: "data", Size: "20Gi", AccessMode: "ReadWriteMany"}
}

func kind(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}

func TestWhoMayMakeAndDeleteVolumes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague, auditor := testkit.User(t, b.db, "cora", authz.PlatformUser), testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	testkit.Join(t, b.db, b.Team, colleague, authz.RoleMember)
	people := map[string]context.Context{"admin": b.as(b.Admin), "auditor": b.as(auditor), "owner": b.as(b.Owner), "maintainer": b.as(b.Maintainer),
		"member": b.as(b.Member), "colleague": b.as(colleague), "viewer": b.as(b.Viewer), "other team": b.as(b.Other), "anonymous": t.Context()}
	no, none, sign := fault.Forbidden, fault.NotFound, fault.Unauthenticated
	for act, table := range map[string]map[string]fault.Kind{
		"create": {"admin": "", "auditor": no, "owner": "", "maintainer": "", "member": "", "colleague": "", "viewer": no, "other team": none, "anonymous": sign},
		"delete": {"admin": "", "auditor": no, "owner": "", "maintainer": "", "member": "", "colleague": no, "viewer": no, "other team": none, "anonymous": sign},
		"use":    {"admin": "", "auditor": "", "owner": "", "maintainer": "", "member": "", "colleague": "", "viewer": "", "other team": none, "anonymous": sign},
	} {
		for who, want := range table {
			t.Run(act+" as "+who, func(t *testing.T) {
				row, err := b.Create(b.as(b.Member), b.input())
				if err != nil {
					t.Fatal(err)
				}
				switch act {
				case "create":
					_, err = b.Create(people[who], b.input())
				case "delete":
					err = b.Delete(people[who], row.ID, row.Name)
				case "use":
					_, err = b.UsedBy(people[who], row.ID)
				}
				if got := kind(err); got != want {
					t.Errorf("%v, want %q", err, want)
				}
			})
		}
	}
}

func TestBadVolumesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Create(b.as(b.Member), CreateInput{TeamID: b.Team.ID, Name: "a\nb", Size: "1k", AccessMode: "Sometimes", StorageClass: "Fast!"})
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	var got []string
	for _, field := range f.Fields {
		got = append(got, field.Path+" "+field.ID)
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if said := lang.Text(l, "fault."+field.ID, field.Args); said == "fault."+field.ID || strings.Contains(said, "?") {
				t.Errorf("%s says %q", l, said)
			}
		}
	}
	slices.Sort(got)
	want := []string{"accessMode volume.access-mode", "name preflight.name.control", "size quantity.memory.too-small", "storageClass volume.storage-class"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStorageQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(spec.Quota{StorageBytes: 30 << 30, Volumes: 2}).ExecX(testkit.System(t))
	ctx := b.as(b.Member)
	if _, err := b.Create(ctx, b.input()); err != nil {
		t.Fatal(err)
	}
	_, err := b.Create(ctx, b.input())
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.ResourceExhausted || f.Fields[0].Path != "size" || f.Fields[0].Args["used"] != "20 GiB" {
		t.Errorf("P29: one too large: %v", err)
	}
	small := b.input()
	small.Size = "1Gi"
	if _, err := b.Create(ctx, small); err != nil {
		t.Errorf("one that fits: %v", err)
	}
	if _, err := b.Create(ctx, small); kind(err) != fault.ResourceExhausted {
		t.Errorf("one too many: %v", err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	row, err := b.Create(ctx, b.input())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(ctx, row.ID, "dat"); kind(err) != fault.InvalidArgument {
		t.Errorf("P25: the wrong name: %v", err)
	}
	for range 2 { // the second changes nothing
		if err := b.Delete(ctx, row.ID, "data"); err != nil {
			t.Fatal(err)
		}
	}
	now := b.db.Client.Volume.GetX(testkit.System(t), row.ID)
	if now.Desired != entvolume.DesiredDeleted || now.Phase != entvolume.PhaseDeleting || now.Generation != 2 {
		t.Errorf("the row stays until its claim is gone: %+v", now)
	}
	again, err := b.Create(ctx, b.input())
	if err != nil || again.ObjectName == row.ObjectName {
		t.Errorf("P25: a new volume of the old name has the claim %s, %v", again.ObjectName, err)
	}
}

func TestOneHomePerPersonAndTeam(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ensure := func(t1 *ent.Team, u *ent.User) (id string, err error) {
		err = b.db.Tx(b.as(u), func(tx *ent.Tx) error {
			v, err := b.EnsureHome(b.as(u), tx, t1, u.ID)
			if err == nil {
				id = v.ID
			}
			return err
		})
		return id, err
	}
	first, err := ensure(b.Team, b.Member)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ensure(b.Team, b.Member); again != first || err != nil {
		t.Errorf("a second time: %s, %v; want %s", again, err, first)
	}
	if other, err := ensure(b.Team, b.Owner); other == first || err != nil {
		t.Errorf("another person: %s, %v", other, err)
	}
	if err := b.Delete(b.as(b.Member), first, homeName); err != nil {
		t.Fatal(err)
	}
	if _, err := ensure(b.Team, b.Member); kind(err) != fault.FailedPrecondition {
		t.Errorf("while it is being deleted: %v", err)
	}
	b.db.Client.Volume.DeleteOneID(first).ExecX(testkit.System(t))
	if anew, err := ensure(b.Team, b.Member); anew == first || err != nil {
		t.Errorf("afterwards: %s, %v", anew, err)
	}
}

func TestUsesOfAVolume(t *testing.T) {
	t.Parallel()
	home := &ent.Volume{ID: "vol-home", Kind: entvolume.KindHome, OwnerID: "usr-1"}
	data := &ent.Volume{ID: "vol-data", Kind: entvolume.KindData, OwnerID: "usr-1"}
	mount := func(id string, readOnly bool) spec.Mount { return spec.Mount{VolumeID: id, ReadOnly: readOnly} }
	consumers := []team.Consumer{
		{ID: "ins-1", Name: "mine", OwnerID: "usr-1", Kind: "instance", Home: true, Mounts: []spec.Mount{mount("vol-data", true)}},
		{ID: "ins-2", Name: "theirs", OwnerID: "usr-2", Kind: "instance", Home: true, Mounts: []spec.Mount{mount("vol-data", true), mount("vol-data", false)}},
		{ID: "run-1", Name: "run", OwnerID: "usr-3", Kind: "run"},
	}
	if diff := cmp.Diff([]Use{{ID: "ins-1", Name: "mine", Kind: "instance"}}, uses(consumers, home, nil)); diff != "" {
		t.Errorf("home: %s", diff)
	}
	want := []Use{{ID: "ins-1", Name: "mine", Kind: "instance", ReadOnly: true}, {ID: "ins-2", Name: "theirs", Kind: "instance"}}
	if diff := cmp.Diff(want, uses(consumers, data, nil)); diff != "" {
		t.Errorf("data: %s", diff)
	}
}

func TestAClaimIsObserved(t *testing.T) {
	t.Parallel()
	ev := func(typ, reason, message string, age time.Duration) *corev1.Event {
		return &corev1.Event{Type: typ, Reason: reason, Message: message, InvolvedObject: corev1.ObjectReference{UID: "u"},
			LastTimestamp: metav1.NewTime(time.Unix(1e9, 0).Add(-age))}
	}
	for name, c := range map[string]struct {
		phase  corev1.PersistentVolumeClaimPhase
		events []*corev1.Event
		want   entvolume.Phase
		reason string
	}{
		"bound":             {corev1.ClaimBound, []*corev1.Event{ev("Warning", "ProvisioningFailed", "x", 0)}, entvolume.PhaseBound, ""},
		"lost":              {corev1.ClaimLost, nil, entvolume.PhaseLost, "volume-disk-lost"},
		"just made":         {corev1.ClaimPending, nil, entvolume.PhasePending, ""},
		"waits for its pod": {corev1.ClaimPending, []*corev1.Event{ev("Normal", "WaitForFirstConsumer", "x", 0)}, entvolume.PhasePending, "volume-waits-for-pod"},
		"the newest counts": {corev1.ClaimPending, []*corev1.Event{ev("Warning", "ProvisioningFailed", "no disks", 0), ev("Normal", "WaitForFirstConsumer", "x", time.Minute)}, entvolume.PhasePending, "volume-provisioning"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Status: corev1.PersistentVolumeClaimStatus{Phase: c.phase}}
			phase, reason := observe(claim, c.events)
			got := ""
			if reason != nil {
				got = reason.Code
			}
			if phase != c.want || got != c.reason {
				t.Errorf("%s %q, want %s %q", phase, got, c.want, c.reason)
			}
		})
	}
}
