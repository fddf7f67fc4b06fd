//go:build cluster

package volume

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// clustered is a bundle in a real cluster, whose changes wake the reconciler.
func clustered(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.Kube = testkit.Cluster(t)
	changes := make(chan string, 4096)
	cache, err := kube.NewCache(b.Kube, func(c kube.Change) {
		if id, ok := b.OnChange(c); ok {
			changes <- id
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Cache = cache
	if _, err := b.Kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.Team.Namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Kube.CoreV1().Namespaces().Delete(context.Background(), b.Team.Namespace, metav1.DeleteOptions{})
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() { defer close(ended); cache.Run(ctx) }()
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case id := <-changes:
				_, _ = b.Reconcile(ctx, id)
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done; <-ended })
	return b
}

func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for begin := time.Now(); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begin) > limit {
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

// look reconciles a volume until something holds.
func (b *bundle) look(id, what string, ok func(v *ent.Volume) bool) *ent.Volume {
	b.t.Helper()
	var v *ent.Volume
	within(b.t, time.Minute, what, func() bool {
		_, _ = b.Reconcile(b.t.Context(), id)
		v = b.again(id)
		return ok(v)
	})
	return v
}

func isBound(v *ent.Volume) bool {
	return v.Phase == entvolume.PhaseBound && v.CapacityBytes == v.SizeBytes && v.Reason == nil
}

func (b *bundle) claimOf(v *ent.Volume) *corev1.PersistentVolumeClaim {
	b.t.Helper()
	c, err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Get(b.t.Context(), v.ObjectName, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *bundle) bound(size string) *ent.Volume {
	b.t.Helper()
	in := b.input()
	in.Size = size
	row, err := b.Create(b.as(b.Member), in)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.look(row.ID, "the claim is bound", isBound)
}

// program runs a command in a pod that mounts a claim, to its end.
func (b *bundle) program(name, claim, command string) {
	b.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "c", Image: testkit.ImageMini, Command: []string{"sh", "-c", command}, VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/v"}}}},
		Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}}}}
	pods := b.Kube.CoreV1().Pods(b.Team.Namespace)
	if _, err := pods.Create(b.t.Context(), pod, metav1.CreateOptions{}); err != nil {
		b.t.Fatal(err)
	}
	within(b.t, time.Minute, name+" has ended", func() bool {
		p, err := pods.Get(b.t.Context(), name, metav1.GetOptions{})
		if err != nil || p.Status.Phase == corev1.PodFailed {
			b.t.Fatalf("%s: %v, %+v", name, err, p.Status.ContainerStatuses)
		}
		return p.Status.Phase == corev1.PodSucceeded
	})
	zero := int64(0)
	_ = pods.Delete(b.t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &zero})
}

func TestStorageClassesOfTheCluster(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	list, err := b.Classes(b.as(b.Viewer))
	if err != nil || len(list) == 0 || !list[0].Default || !list[0].Expandable || list[0].Provisioner == "" || list[0].OnDelete != DiskDeleted {
		t.Errorf("%+v, %v", list, err)
	}
	in := b.input()
	in.StorageClass = "no-such"
	if _, err := b.Create(b.as(b.Member), in); err == nil || !strings.Contains(said(t, err), list[0].Name) {
		t.Errorf("a class that is not there: %v", err)
	}
}

func TestAVolumeGrowsInTheCluster(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	row := b.bound("1Gi")
	if _, err := b.Expand(b.as(b.Member), row.ID, "2Gi"); err != nil {
		t.Fatal(err)
	}
	got := b.look(row.ID, "the disk has grown", func(v *ent.Volume) bool { return v.CapacityBytes == 2<<30 && isBound(v) })
	if has := capacityOf(b.claimOf(got)); has != 2<<30 {
		t.Errorf("the claim has %d", has)
	}
	if n := b.db.Client.Event.Query().CountX(testkit.System(t)); n < 3 { // made, asked to grow, grown
		t.Errorf("%d events", n)
	}
}

func TestAClassThatCannotGrowIsRefusedByNameAndByTheCluster(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	list, err := b.Classes(b.as(b.Member))
	if err != nil {
		t.Fatal(err)
	}
	no, name := false, "fixed-"+b.Team.Namespace
	if _, err := b.Kube.StorageV1().StorageClasses().Create(t.Context(), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: list[0].Provisioner, AllowVolumeExpansion: &no}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Kube.StorageV1().StorageClasses().Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	b.classes.list = nil // what was seen before it was made
	in := b.input()
	in.Size, in.StorageClass = "1Gi", name
	row, err := b.Create(b.as(b.Member), in)
	if err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "the claim is bound", isBound)
	if _, err := b.Expand(b.as(b.Member), row.ID, "2Gi"); err == nil || !strings.Contains(said(t, err), name) {
		t.Errorf("it does not say which class: %v", err)
	}
	// A platform that may not see the classes learns it from the cluster.
	b.classes.list, b.classes.at = []Class{{Name: "another"}}, time.Now().Add(time.Hour)
	if _, err := b.Expand(b.as(b.Member), row.ID, "2Gi"); err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "the refusal is told", func(v *ent.Volume) bool { return v.Reason != nil && v.Reason.Code == "volume-expand-refused" })
	if _, err := b.Expand(b.as(b.Member), row.ID, "1Gi"); err != nil {
		t.Fatalf("take it back: %v", err)
	}
	b.look(row.ID, "it is at rest", isBound)
}

func TestAClaimThatWasEditedIsPutRight(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	row := b.bound("1Gi")
	claims := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace)
	patch := func(text string) {
		t.Helper()
		if _, err := claims.Patch(t.Context(), row.ObjectName, types.MergePatchType, []byte(text), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	patch(`{"metadata":{"labels":null,"annotations":{"goblinlab.io/display-name":"x"}}}`)
	within(t, 10*time.Second, "labels and name are back", func() bool {
		c := b.claimOf(row)
		return c.Labels[manifest.LabelVolumeID] == row.ID && c.Annotations[manifest.AnnotationName] == row.Name
	})
	patch(`{"spec":{"resources":{"requests":{"storage":"3Gi"}}}}`)
	got := b.look(row.ID, "the larger size is taken, or put right before the disk grew", func(v *ent.Volume) bool {
		return isBound(v) && requestOf(b.claimOf(v)) == v.SizeBytes
	})
	t.Logf("it has %d GiB", got.SizeBytes>>30)
}

func TestTheTrashInTheCluster(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	ctx, row := b.as(b.Member), b.bound("1Gi")
	b.program("write", row.ObjectName, "echo kept > /v/file")
	before := b.claimOf(row)
	trashed, err := b.Trash(ctx, row.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "it is at rest in the trash", func(v *ent.Volume) bool { return v.ObservedGeneration == v.Generation })
	if c := b.claimOf(row); c.UID != before.UID || c.DeletionTimestamp != nil {
		t.Error("the trash touched the claim")
	}
	if _, err := b.Restore(ctx, row.ID); err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "it is back", isBound)
	b.program("read", row.ObjectName, "grep -q kept /v/file")
	if _, err := b.Trash(ctx, row.ID); err != nil {
		t.Fatal(err)
	}
	sys := testkit.System(t)
	b.db.Client.Volume.UpdateOneID(row.ID).SetPurgeAt(time.Now().UTC().Add(-time.Second)).ExecX(sys)
	within(t, time.Minute, "after its time the row and the claim are gone", func() bool {
		if err := b.Sweep(sys); err != nil {
			t.Fatal(err)
		}
		_, _ = b.Reconcile(t.Context(), row.ID)
		return !b.db.Client.Volume.Query().Where(entvolume.ID(row.ID)).ExistX(sys)
	})
	if _, err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Get(t.Context(), trashed.ObjectName, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the claim is left: %v", err)
	}
}

func TestAdoptAndReleaseAClaimOfSomebodyElses(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	admin, ns := b.as(b.Admin), b.Team.Namespace
	theirs := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Labels: map[string]string{"app": "db"}}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteMany},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	if _, err := b.Kube.CoreV1().PersistentVolumeClaims(ns).Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	own := b.bound("1Gi")
	b.program("write", "theirs", "echo theirs > /v/file")
	var found []UnknownClaim
	within(t, time.Minute, "it can be adopted", func() bool {
		var err error
		if found, err = b.UnknownClaims(admin, b.Team.ID); err != nil {
			t.Fatal(err)
		}
		return len(found) == 1 && found[0].Obstacle == nil
	})
	if f := found[0]; f.Name != "theirs" || f.SizeBytes != 1<<30 || f.Ours || f.Name == own.ObjectName {
		t.Errorf("%+v", f)
	}
	in := AdoptInput{TeamID: b.Team.ID, Claim: "theirs", OwnerID: b.Member.ID, Name: "Adopted"}
	for _, bad := range []AdoptInput{{TeamID: b.Team.ID, Claim: "none", OwnerID: b.Member.ID, Name: "x"}, {TeamID: b.Team.ID, Claim: "theirs", OwnerID: b.Other.ID, Name: "x"}} {
		if _, err := b.Adopt(admin, bad); err == nil {
			t.Errorf("%+v", bad)
		}
	}
	row, err := b.Adopt(admin, in)
	if err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "it is a volume", func(v *ent.Volume) bool { return isBound(v) && v.ObservedGeneration == v.Generation })
	c := b.claimOf(row)
	if c.Labels["app"] != "db" || c.Labels[manifest.LabelVolumeID] != row.ID || len(c.Spec.AccessModes) != 2 {
		t.Errorf("%+v", c)
	}
	if _, err := b.Adopt(admin, in); err == nil {
		t.Error("it is adopted twice")
	}
	if _, err := b.Expand(b.as(b.Member), row.ID, "2Gi"); err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "it grows as others do", func(v *ent.Volume) bool { return v.CapacityBytes == 2<<30 && isBound(v) })
	b.program("read", "theirs", "grep -q theirs /v/file")
}

func TestTheDoctorFindsWhatHasNoCounterpart(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	sys := testkit.System(t)
	mine := func() map[string]Finding {
		t.Helper()
		list, err := b.Findings(sys)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]Finding{}
		for _, f := range list {
			if f.Namespace == b.Team.Namespace {
				out[f.Kind] = f
			}
		}
		return out
	}
	row := b.bound("1Gi")
	b.program("write", row.ObjectName, "echo kept > /v/file")
	if f := mine(); len(f) != 0 {
		t.Errorf("nothing is wrong: %+v", f)
	}

	// The row is lost, as by the restore of an older database.
	b.db.Client.Volume.DeleteOneID(row.ID).ExecX(sys)
	f := mine()[ClaimWithoutVolume]
	if f.VolumeID != row.ID || f.OwnerID != b.Member.ID || f.Name != row.Name || !f.Adopt {
		t.Fatalf("%+v", f)
	}
	if id, err := b.AdoptFinding(sys, f); err != nil || id != row.ID {
		t.Fatalf("P74: it comes back under its id: %s, %v", id, err)
	}
	b.look(row.ID, "it is a volume again", isBound)

	// Its storage keeps the disk, and somebody deletes the claim.
	disk := b.claimOf(row).Spec.VolumeName
	if _, err := b.Kube.CoreV1().PersistentVolumes().Patch(t.Context(), disk, types.MergePatchType, []byte(`{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Delete(t.Context(), row.ObjectName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.look(row.ID, "it is lost", func(v *ent.Volume) bool { return v.Phase == entvolume.PhaseLost })
	within(t, time.Minute, "the disk is kept", func() bool { return mine()[DiskWithoutClaim].Disk == disk })
	all := mine()
	if v := all[VolumeWithoutClaim]; v.VolumeID != row.ID || v.Adopt {
		t.Errorf("%+v", v)
	}
	if err := b.DeleteFinding(sys, all[VolumeWithoutClaim]); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, "its row goes", func() bool {
		_, _ = b.Reconcile(t.Context(), row.ID)
		return !b.db.Client.Volume.Query().Where(entvolume.ID(row.ID)).ExistX(sys)
	})
	kept := mine()[DiskWithoutClaim]
	id, err := b.AdoptFinding(sys, kept)
	if err != nil || id != row.ID {
		t.Fatalf("the disk: %s, %v, %+v", id, err, kept)
	}
	back := b.look(id, "it is bound to its old disk", isBound)
	if c := b.claimOf(back); c.Spec.VolumeName != disk {
		t.Errorf("it has the disk %s instead of %s", c.Spec.VolumeName, disk)
	}
	b.program("read", back.ObjectName, "grep -q kept /v/file")

	// A claim that nobody wants.
	b.db.Client.Volume.DeleteOneID(row.ID).ExecX(sys)
	if err := b.DeleteFinding(sys, mine()[ClaimWithoutVolume]); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, "the claim is gone, its disk is kept", func() bool { return mine()[DiskWithoutClaim].Disk == disk })
	if err := b.DeleteFinding(sys, mine()[DiskWithoutClaim]); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, "nothing is left", func() bool { return len(mine()) == 0 })
}

func TestHowFullAVolumeIsInTheLocalKubernetes(t *testing.T) {
	t.Parallel()
	b := clustered(t)
	row := b.bound("64Mi")
	b.program("write", row.ObjectName, "dd if=/dev/zero of=/v/file bs=1M count=60 && mkdir /v/d")
	sys := testkit.System(t)
	within(t, 2*time.Minute, "it was measured", func() bool {
		if err := b.Sample(sys); err != nil {
			t.Fatal(err)
		}
		u := b.again(row.ID).Usage
		return u != nil && u.UsedBytes > 50<<20
	})
	got := b.again(row.ID)
	if u := got.Usage; u.Source != spec.UsageFolder || u.CapacityBytes != 64<<20 || u.UsedBytes > 70<<20 || u.InodesUsed != 2 || !got.NearlyFull {
		t.Errorf("%+v, nearly full %v", u, got.NearlyFull)
	}
	if points, err := b.History(b.as(b.Viewer), row.ID, nil, 10); err != nil || len(points) == 0 {
		t.Errorf("history: %v, %v", points, err)
	}
}
