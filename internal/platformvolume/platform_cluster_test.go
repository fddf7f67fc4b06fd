//go:build cluster

package platformvolume

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// namespaces makes those of the teams, and gives them back at the end.
func (b *bundle) namespaces() {
	b.t.Helper()
	b.Kube = testkit.Cluster(b.t)
	for _, tm := range []*ent.Team{b.Team, b.OtherTeam} {
		if _, err := b.Kube.CoreV1().Namespaces().Create(b.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tm.Namespace}}, metav1.CreateOptions{}); err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(func() {
			_ = b.Kube.CoreV1().Namespaces().Delete(context.Background(), tm.Namespace, metav1.DeleteOptions{})
		})
	}
}

func (b *bundle) look(id, what string, ok func(v *ent.PlatformVolume) bool) *ent.PlatformVolume {
	b.t.Helper()
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		_, err := b.Reconcile(b.t.Context(), id)
		row, gerr := b.db.Client.PlatformVolume.Get(testkit.System(b.t), id)
		if gerr == nil && ok(row) || gerr != nil && ok(nil) {
			return row
		}
		if time.Since(begin) > time.Minute {
			b.t.Fatalf("%s: %+v, %v, %v", what, row, err, gerr)
		}
	}
}

func isReady(v *ent.PlatformVolume) bool {
	return v != nil && v.Phase == entplatform.PhaseReady && len(v.ReadyTeams) == 2
}

// program runs a command in a team's namespace that mounts a claim; it tells whether it succeeded.
func (b *bundle) program(namespace, name, claim, command string, readOnly bool) bool {
	b.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "c", Image: testkit.ImageMini, Command: []string{"sh", "-c", command}, VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/v", ReadOnly: readOnly}}}},
		Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim, ReadOnly: readOnly}}}}}}
	pods := b.Kube.CoreV1().Pods(namespace)
	if _, err := pods.Create(b.t.Context(), pod, metav1.CreateOptions{}); err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		zero := int64(0)
		_ = pods.Delete(context.Background(), name, metav1.DeleteOptions{GracePeriodSeconds: &zero})
	}()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(100 * time.Millisecond) {
		p, err := pods.Get(b.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			return p.Status.Phase == corev1.PodSucceeded
		}
	}
	b.t.Fatalf("%s does not end", name)
	return false
}

func TestP23EveryTeamMountsAPlatformVolume(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.namespaces()
	ctx := t.Context()
	// A claim that is there already, in a namespace that is no team's.
	home := "gl-shared-" + b.Team.Namespace
	if _, err := b.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: home}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Kube.CoreV1().Namespaces().Delete(context.Background(), home, metav1.DeleteOptions{}) })
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "datasets"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	if _, err := b.Kube.CoreV1().PersistentVolumeClaims(home).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := b.Create(b.as(b.Admin), CreateInput{Name: "Datasets", Path: "/datasets", ReadOnly: true, Claim: &Claim{home, "datasets"}})
	if err != nil {
		t.Fatal(err)
	}
	row := b.look(v.ID, "every team has it", isReady)
	if row.SizeBytes != 1<<30 {
		t.Errorf("size %d", row.SizeBytes)
	}
	if !b.program(home, "write", "datasets", "echo images > /v/file", false) {
		t.Fatal("nothing is written")
	}
	for _, tm := range []*ent.Team{b.Team, b.OtherTeam} {
		mounts, err := b.Mounts(ctx, tm.ID)
		if err != nil || len(mounts) != 1 || mounts[0].Path != "/datasets" || !mounts[0].ReadOnly {
			t.Fatalf("%+v, %v", mounts, err)
		}
		if !b.program(tm.Namespace, "read", mounts[0].Claim, "grep -q images /v/file", true) {
			t.Errorf("%s does not read it", tm.Name)
		}
		if b.program(tm.Namespace, "scribble", mounts[0].Claim, "echo x > /v/other", true) {
			t.Errorf("%s writes what is read-only", tm.Name)
		}
	}
	// Another mode is another pair; the old one goes.
	no := false
	if _, err := b.Update(b.as(b.Admin), UpdateInput{ID: v.ID, ReadOnly: &no}); err != nil {
		t.Fatal(err)
	}
	old := PairName(v.ID, b.Team.ID, true)
	b.look(v.ID, "the other mode is there, the old one gone", func(r *ent.PlatformVolume) bool {
		_, err := b.Kube.CoreV1().PersistentVolumes().Get(ctx, old, metav1.GetOptions{})
		return isReady(r) && apierrors.IsNotFound(err)
	})
	mounts, err := b.Mounts(ctx, b.Team.ID)
	if err != nil || len(mounts) != 1 || mounts[0].ReadOnly || !b.program(b.Team.Namespace, "write", mounts[0].Claim, "echo x > /v/other", false) {
		t.Errorf("it cannot be written: %+v, %v", mounts, err)
	}
	// A claim that somebody deletes comes back; the data is not touched.
	if err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Delete(ctx, mounts[0].Claim, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) { // until it went
		if _, err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Get(ctx, mounts[0].Claim, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the claim does not go")
		}
	}
	b.look(v.ID, "it is there again", func(r *ent.PlatformVolume) bool {
		c, err := b.Kube.CoreV1().PersistentVolumeClaims(b.Team.Namespace).Get(ctx, mounts[0].Claim, metav1.GetOptions{})
		return isReady(r) && err == nil && c.Status.Phase == corev1.ClaimBound
	})
	if err := b.Delete(b.as(b.Admin), v.ID, "Datasets"); err != nil {
		t.Fatal(err)
	}
	b.look(v.ID, "it is gone", func(r *ent.PlatformVolume) bool { return r == nil })
	left, err := b.Kube.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{LabelSelector: manifest.LabelPlatformVolumeID + "=" + v.ID})
	if err != nil || len(left.Items) != 0 {
		t.Errorf("%d disks are left, %v", len(left.Items), err)
	}
	if !b.program(home, "still", "datasets", "grep -q images /v/file && grep -q x /v/other", false) {
		t.Error("the claim that was there lost its data")
	}
}

func TestAPlatformVolumeWithADiskOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.namespaces()
	size := "1Gi"
	v, err := b.Create(b.as(b.Admin), CreateInput{Name: "Cache", Path: "/cache", Size: &size})
	if err != nil {
		t.Fatal(err)
	}
	row := b.look(v.ID, "every team has it", isReady)
	one, err := b.Mounts(t.Context(), b.Team.ID)
	if err != nil || len(one) != 1 {
		t.Fatal(one, err)
	}
	other, err := b.Mounts(t.Context(), b.OtherTeam.ID)
	if err != nil || len(other) != 1 {
		t.Fatal(other, err)
	}
	if !b.program(b.Team.Namespace, "write", one[0].Claim, "echo warm > /v/file", false) || !b.program(b.OtherTeam.Namespace, "read", other[0].Claim, "grep -q warm /v/file", false) {
		t.Error("teams do not share it")
	}
	// A team that was archived gives it up.
	b.db.Client.Team.UpdateOneID(b.OtherTeam.ID).SetArchivedAt(time.Now().UTC()).ExecX(testkit.System(t))
	b.look(v.ID, "the archived team gave it up", func(r *ent.PlatformVolume) bool {
		_, err := b.Kube.CoreV1().PersistentVolumes().Get(t.Context(), PairName(v.ID, b.OtherTeam.ID, false), metav1.GetOptions{})
		return len(r.ReadyTeams) == 1 && apierrors.IsNotFound(err)
	})
	if err := b.Delete(b.as(b.Admin), v.ID, "Cache"); err != nil {
		t.Fatal(err)
	}
	b.look(v.ID, "it is gone", func(r *ent.PlatformVolume) bool { return r == nil })
	if _, err := b.Kube.CoreV1().PersistentVolumeClaims(Namespace).Get(t.Context(), row.SourceClaim, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("its disk is left: %v", err)
	}
}
