package volume

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// disk is a bound volume of the member's.
func (b *bundle) disk(size string) *ent.Volume {
	b.t.Helper()
	in := b.input()
	in.Size = size
	row, err := b.Create(b.as(b.Member), in)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.db.Client.Volume.UpdateOneID(row.ID).SetPhase(entvolume.PhaseBound).SetCapacityBytes(row.SizeBytes).SetObservedGeneration(row.Generation).SaveX(testkit.System(b.t))
}

func (b *bundle) again(id string) *ent.Volume {
	return b.db.Client.Volume.GetX(testkit.System(b.t), id)
}

// instance of the member's that mounts a volume.
func (b *bundle) instance(v *ent.Volume, desired entinstance.Desired, state entinstance.State) *ent.Instance {
	b.t.Helper()
	sys := testkit.System(b.t)
	img := b.db.Client.Image.Create().SetName("i").SetReference("r").SaveX(sys)
	return b.db.Client.Instance.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Member.ID).SetName("lab").SetImageID(img.ID).SetObjectName("lab-" + v.ID).
		SetSpec(spec.Instance{ImageID: img.ID, Mounts: []spec.Mount{{VolumeID: v.ID, Path: "/data"}}}).SetDesired(desired).SetState(state).SaveX(sys)
}

// said is the message of a refusal in both languages, for one that must not have holes.
func said(t *testing.T, err error) string {
	t.Helper()
	f := fault.Of(err)
	if f == nil {
		t.Fatalf("no fault: %v", err)
	}
	id, args := f.ID, f.Args
	if len(f.Fields) > 0 {
		id, args = f.Fields[0].ID, f.Fields[0].Args
	}
	if zh := lang.Text(lang.Chinese, "fault."+id, args); strings.Contains(zh, "?") || strings.HasPrefix(zh, "fault.") {
		t.Errorf("in Chinese: %q", zh)
	}
	return lang.Text(lang.English, "fault."+id, args)
}

func TestWhoMayChangeVolumes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague, auditor := testkit.User(t, b.db, "cora", authz.PlatformUser), testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	testkit.Join(t, b.db, b.Team, colleague, authz.RoleMember)
	people := map[string]context.Context{"admin": b.as(b.Admin), "auditor": b.as(auditor), "owner": b.as(b.Owner), "maintainer": b.as(b.Maintainer),
		"member": b.as(b.Member), "colleague": b.as(colleague), "viewer": b.as(b.Viewer), "other team": b.as(b.Other), "anonymous": t.Context()}
	no, none, sign := fault.Forbidden, fault.NotFound, fault.Unauthenticated
	want := map[string]fault.Kind{"admin": "", "auditor": no, "owner": "", "maintainer": "", "member": "", "colleague": no, "viewer": no, "other team": none, "anonymous": sign}
	name := "other"
	for act, do := range map[string]func(ctx context.Context, id string) error{
		"update": func(ctx context.Context, id string) error {
			_, err := b.Update(ctx, UpdateInput{ID: id, Name: &name})
			return err
		},
		"expand":  func(ctx context.Context, id string) error { _, err := b.Expand(ctx, id, "30Gi"); return err },
		"trash":   func(ctx context.Context, id string) error { _, err := b.Trash(ctx, id); return err },
		"restore": func(ctx context.Context, id string) error { _, err := b.Restore(ctx, id); return err },
		"preview": func(ctx context.Context, id string) error { _, err := b.PreviewDelete(ctx, id); return err },
		"delete":  func(ctx context.Context, id string) error { return b.Delete(ctx, id, "data") },
	} {
		for who, kindOf := range want {
			t.Run(act+" as "+who, func(t *testing.T) {
				row := b.disk("20Gi")
				err := do(people[who], row.ID)
				if got := kind(err); got != kindOf {
					t.Errorf("%v, want %q", err, kindOf)
				}
				v := authz.From(people[who])
				if v == nil {
					return
				}
				if p := PermissionsOf(v, row, nil); p.Delete != (kindOf == "") {
					t.Errorf("the page is told otherwise: %+v", p)
				}
			})
		}
	}
}

func TestP26ARenamedVolumeKeepsItsClaim(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.disk("20Gi")
	name, text := "Images of the third trial", "From the camera.\nDo not delete."
	got, err := b.Update(b.as(b.Member), UpdateInput{ID: row.ID, Name: &name, Description: &text})
	if err != nil || got.Name != name || got.Description != text || got.ObjectName != row.ObjectName || got.Generation != row.Generation+1 {
		t.Errorf("%+v, %v", got, err)
	}
	same, err := b.Update(b.as(b.Member), UpdateInput{ID: row.ID, Name: &name})
	if err != nil || same.Version != got.Version {
		t.Errorf("what says nothing new changes nothing: %+v, %v", same, err)
	}
	bad, long := "a\nb", strings.Repeat("界", maxDescription+1)
	_, err = b.Update(b.as(b.Member), UpdateInput{ID: row.ID, Name: &bad, Description: &long})
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 2 {
		t.Errorf("both are told at once: %v", err)
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(spec.Quota{StorageBytes: 50 << 30}).ExecX(testkit.System(t))
	row := b.disk("20Gi")
	ctx := b.as(b.Member)
	if _, err := b.Expand(ctx, row.ID, "51Gi"); kind(err) != fault.ResourceExhausted {
		t.Errorf("beyond the quota: %v", err)
	} else if s := said(t, err); !strings.Contains(s, "31 GiB") || !strings.Contains(s, "20 GiB of 50 GiB") || !strings.Contains(s, "data (20 GiB, ") {
		t.Errorf("P3, P29: requested, used, limit and who holds it: %s", s)
	}
	got, err := b.Expand(ctx, row.ID, "50Gi")
	if err != nil || got.SizeBytes != 50<<30 || got.CapacityBytes != 20<<30 || got.Generation != row.Generation+1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := b.Create(ctx, b.input()); kind(err) != fault.ResourceExhausted {
		t.Errorf("what is on its way counts: %v", err)
	}
	if _, err := b.Expand(ctx, row.ID, "19Gi"); kind(err) != fault.InvalidArgument || !strings.Contains(said(t, err), "20 GiB") {
		t.Errorf("smaller than the disk: %v", err)
	}
	if back, err := b.Expand(ctx, row.ID, "20Gi"); err != nil || back.SizeBytes != 20<<30 {
		t.Errorf("taken back before the disk grew: %+v, %v", back, err)
	}
	sys := testkit.System(t)
	for phase, want := range map[entvolume.Phase]string{entvolume.PhasePending: "volume.not-bound", entvolume.PhaseLost: "volume.lost"} {
		b.db.Client.Volume.UpdateOneID(row.ID).SetPhase(phase).ExecX(sys)
		if _, err := b.Expand(ctx, row.ID, "30Gi"); fault.Of(err).ID != want {
			t.Errorf("%s: %v", phase, err)
		}
	}
	b.db.Client.Volume.UpdateOneID(row.ID).SetPhase(entvolume.PhaseBound).ExecX(sys)
	if _, err := b.Trash(ctx, row.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Expand(ctx, row.ID, "30Gi"); fault.Of(err).ID != "volume.trashed" {
		t.Errorf("in the trash: %v", err)
	}
}

func TestAClassThatCannotGrowSaysSo(t *testing.T) {
	t.Parallel()
	row := &ent.Volume{Name: "data", Phase: entvolume.PhaseBound, Desired: entvolume.DesiredPresent, SizeBytes: 20, CapacityBytes: 20}
	classes := []Class{{Name: "fixed", Default: true}, {Name: "grows", Expandable: true}}
	for class, want := range map[string]string{"": "volume.not-expandable", "fixed": "volume.not-expandable", "grows": "", "gone": ""} {
		row.StorageClass = class
		err := mayExpand(row, 30, classes)
		got := ""
		if err != nil {
			got = fault.Of(err).ID
			if s := said(t, err); !strings.Contains(s, "fixed") {
				t.Errorf("it does not name the class: %s", s)
			}
		}
		if got != want {
			t.Errorf("class %q: %v, want %q", class, err, want)
		}
	}
	row.StorageClass, row.SizeBytes = "fixed", 30
	if err := mayExpand(row, 20, classes); err != nil {
		t.Errorf("what was asked for by mistake is taken back: %v", err)
	}
}

func TestTheTrash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Limits.TrashKeep = 7 * 24 * time.Hour
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetQuota(spec.Quota{StorageBytes: 30 << 30}).ExecX(testkit.System(t))
	ctx, row := b.as(b.Member), b.disk("20Gi")
	var got *ent.Volume
	for range 2 { // the second changes nothing
		var err error
		if got, err = b.Trash(ctx, row.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got.Desired != entvolume.DesiredTrashed || got.PurgeAt.Sub(*got.TrashedAt) != 7*24*time.Hour || got.Generation != row.Generation+1 || got.Phase != entvolume.PhaseBound {
		t.Errorf("%+v", got)
	}
	if _, err := b.Create(ctx, b.input()); kind(err) != fault.ResourceExhausted || !strings.Contains(said(t, err), "trash") {
		t.Errorf("it counts, and the refusal says so: %v", err)
	}
	var f fault.Fields
	if _, err := CheckMounts(ctx, b.db.Client, &f, "", b.Team.ID, []spec.Mount{{VolumeID: row.ID, Path: "/d"}}); err != nil || f.Err() == nil || !strings.Contains(said(t, f.Err()), "in the trash") {
		t.Errorf("it cannot be mounted: %v, %v", f.Err(), err)
	}
	back, err := b.Restore(ctx, row.ID)
	if err != nil || back.Desired != entvolume.DesiredPresent || back.PurgeAt != nil || back.TrashedAt != nil || back.ObjectName != row.ObjectName {
		t.Errorf("restored: %+v, %v", back, err)
	}
	if _, err := b.Restore(ctx, row.ID); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestTheTrashGivesUpAfterItsTimeAndNotBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys, row := testkit.System(t), b.disk("1Gi")
	got, err := b.Trash(b.as(b.Member), row.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.Config.Limits.TrashKeep = time.Hour // what was told does not move
	if err := b.purge(sys, got, got.PurgeAt.Add(-time.Second)); err != nil || b.again(row.ID).Desired != entvolume.DesiredTrashed {
		t.Errorf("a second early: %v", err)
	}
	restored := b.disk("1Gi")
	trashed, err := b.Trash(b.as(b.Member), restored.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restore(b.as(b.Member), restored.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.purge(sys, trashed, trashed.PurgeAt.Add(time.Hour)); err != nil || b.again(restored.ID).Desired != entvolume.DesiredPresent {
		t.Errorf("one that was restored meanwhile: %v", err)
	}
	if err := b.purge(sys, got, *got.PurgeAt); err != nil || b.again(row.ID).Desired != entvolume.DesiredDeleted {
		t.Errorf("in time: %v", err)
	}
	if _, err := b.Restore(b.as(b.Member), row.ID); fault.Of(err).ID != "volume.too-late" {
		t.Errorf("too late: %v", err)
	}
	kicked := b.kicks.All()
	b.db.Client.Volume.UpdateOneID(trashed.ID).SetDesired(entvolume.DesiredTrashed).SetTrashedAt(time.Now().UTC()).SetPurgeAt(time.Now().UTC().Add(-time.Second)).SetObservedGeneration(trashed.Generation + 1).ExecX(sys)
	if err := b.Sweep(sys); err != nil || !slices.Contains(b.kicks.All()[len(kicked):], "volume/"+trashed.ID) {
		t.Errorf("the sweep does not find what is due: %v", err)
	}
}

func TestP20WhatIsMountedIsKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		desired       entinstance.Desired
		state         entinstance.State
		trash, delete fault.Kind
	}{
		"running": {entinstance.DesiredRunning, entinstance.StateRunning, fault.FailedPrecondition, fault.FailedPrecondition},
		"ending":  {entinstance.DesiredDeleted, entinstance.StateDeleting, "", fault.FailedPrecondition},
		"stopped": {entinstance.DesiredStopped, entinstance.StateStopped, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			row := b.disk("1Gi")
			b.instance(row, c.desired, c.state)
			d, err := b.PreviewDelete(b.as(b.Member), row.ID)
			if err != nil || len(d.UsedBy)+len(d.WantedBy) != 1 || (name == "stopped") != (len(d.WantedBy) == 1) {
				t.Errorf("the preview says %+v, %v", d, err)
			}
			if err := b.Delete(b.as(b.Member), row.ID, row.Name); kind(err) != c.delete || err != nil && !strings.Contains(said(t, err), "lab") {
				t.Errorf("delete: %v", err)
			}
			if name == "stopped" {
				return
			}
			if _, err := b.Trash(b.as(b.Member), row.ID); kind(err) != c.trash {
				t.Errorf("trash: %v", err)
			}
		})
	}
}

// TestP25DeletionKeepsOrDeletesAndANewNameNeverMeetsOldData: what is deleted can
// be kept in the trash, and a volume of the same name made meanwhile has another claim.
func TestP25DeletionKeepsOrDeletesAndANewNameNeverMeetsOldData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, old := b.as(b.Member), b.disk("1Gi")
	if _, err := b.Trash(ctx, old.ID); err != nil {
		t.Fatal(err)
	}
	claims := map[string]bool{old.ObjectName: true}
	for range 3 {
		anew, err := b.Create(ctx, b.input())
		if err != nil || anew.Name != old.Name || claims[anew.ObjectName] {
			t.Fatalf("a new one of the name has the claim %s, %v", anew.ObjectName, err)
		}
		claims[anew.ObjectName] = true
		if err := b.Delete(ctx, anew.ID, anew.Name); err != nil {
			t.Fatal(err)
		}
	}
	back, err := b.Restore(ctx, old.ID)
	if err != nil || back.ObjectName != old.ObjectName {
		t.Errorf("the old one comes back with its own claim: %+v, %v", back, err)
	}
}

func TestAHomeInTheTrashIsNeitherMountedNorReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	home := func() (*ent.Volume, error) {
		var row *ent.Volume
		err := b.db.Tx(ctx, func(tx *ent.Tx) (err error) {
			row, err = b.EnsureHome(ctx, tx, b.Team, b.Member.ID)
			return err
		})
		return row, err
	}
	row, err := home()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Trash(ctx, row.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := home(); fault.Of(err).ID != "volume.home-trashed" {
		t.Errorf("a start: %v", err)
	}
	if _, err := b.Restore(ctx, row.ID); err != nil {
		t.Fatal(err)
	}
	if again, err := home(); err != nil || again.ID != row.ID {
		t.Errorf("restored: %v, %v", again, err)
	}
}

func TestLimitOfAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Limits.StoragePerUser = 30 << 30
	b.disk("20Gi")
	if _, err := b.Create(b.as(b.Member), b.input()); kind(err) != fault.ResourceExhausted {
		t.Errorf("P29: %v", err)
	} else if s := said(t, err); !strings.Contains(s, "20 GiB") || !strings.Contains(s, "30 GiB") {
		t.Error(s)
	}
	if _, err := b.Create(b.as(b.Owner), b.input()); err != nil {
		t.Errorf("somebody else: %v", err)
	}
}

func TestStorageClassesAreRead(t *testing.T) {
	t.Parallel()
	grows, wait, retain := true, storagev1.VolumeBindingWaitForFirstConsumer, corev1.PersistentVolumeReclaimRetain
	class := func(name string, age time.Duration, change func(*storagev1.StorageClass)) storagev1.StorageClass {
		c := storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0).Add(-age)), Annotations: map[string]string{}}, Provisioner: "p"}
		change(&c)
		return c
	}
	def := func(c *storagev1.StorageClass) { c.Annotations["storageclass.kubernetes.io/is-default-class"] = "true" }
	list := classesOf([]storagev1.StorageClass{
		class("b", 0, func(c *storagev1.StorageClass) { c.AllowVolumeExpansion, c.VolumeBindingMode = &grows, &wait }),
		class("old", time.Hour, def), class("new", time.Minute, def),
		class("a", 0, func(c *storagev1.StorageClass) { c.ReclaimPolicy = &retain }),
	})
	names := []string{}
	for _, c := range list {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"new", "a", "b", "old"}) || !list[0].Default || list[3].Default {
		t.Errorf("the newest default first, then by name: %+v", list)
	}
	if list[1].OnDelete != DiskKept || !list[2].Expandable || !list[2].WaitsForConsumer || list[2].OnDelete != DiskDeleted {
		t.Errorf("%+v", list)
	}
	if expandable(list, "") != no || expandable(list, "b") != yes || expandable(list, "gone") != unknown {
		t.Error("what grows")
	}
}
