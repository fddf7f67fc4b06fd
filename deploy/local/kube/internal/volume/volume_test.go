package volume

import (
	"os"
	"path/filepath"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func options(namespace, pv string) controller.ProvisionOptions {
	reclaim := v1.PersistentVolumeReclaimRetain
	return controller.ProvisionOptions{
		PVName:       pv,
		StorageClass: &storagev1.StorageClass{ReclaimPolicy: &reclaim},
		PVC: &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "home"},
			Spec: v1.PersistentVolumeClaimSpec{
				AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteMany},
				Resources:   v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("2Gi")}},
			},
		},
	}
}

func TestProvisionMakesAFolderForEveryUserOnEveryNode(t *testing.T) {
	t.Parallel()
	f := folders{root: t.TempDir()}
	pv, _, err := f.Provision(t.Context(), options("team-a", "pvc-1"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.root, "team-a", "pvc-1")
	if pv.Spec.HostPath.Path != path {
		t.Errorf("path is %s, want %s", pv.Spec.HostPath.Path, path)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o777 {
		t.Errorf("folder: %v, %v; want mode 0777", st, err)
	}
	if pv.Spec.NodeAffinity != nil {
		t.Error("the volume is bound to a node")
	}
	if pv.Spec.PersistentVolumeReclaimPolicy != v1.PersistentVolumeReclaimRetain || pv.Spec.AccessModes[0] != v1.ReadWriteMany {
		t.Errorf("volume is %v", pv.Spec)
	}
	if _, _, err := f.Provision(t.Context(), options("team-a", "pvc-1")); err != nil {
		t.Errorf("a second time: %v", err) // the controller tries again when it could not save the object
	}
}

func TestProvisionRefusesNamesThatLeaveTheFolder(t *testing.T) {
	t.Parallel()
	f := folders{root: t.TempDir()}
	for _, o := range []controller.ProvisionOptions{options("..", "pvc-1"), options("a", ".."), options("a/b", "pvc-1"), options("a", "../x"), options("", "pvc-1"), options("a", "")} {
		if _, _, err := f.Provision(t.Context(), o); err == nil {
			t.Errorf("namespace %q, volume %q: was accepted", o.PVC.Namespace, o.PVName)
		}
	}
}

func TestProvisionDoesNotFollowALink(t *testing.T) {
	t.Parallel()
	f, outside := folders{root: t.TempDir()}, t.TempDir()
	if err := os.Symlink(outside, filepath.Join(f.root, "team-a")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Provision(t.Context(), options("team-a", "pvc-1")); err == nil {
		t.Error("a folder was made through a link")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("outside now has %v", entries)
	}
}

func TestDeleteRemovesOnlyItsOwnFolder(t *testing.T) {
	t.Parallel()
	f := folders{root: t.TempDir()}
	pv, _, err := f.Provision(t.Context(), options("team-a", "pvc-1"))
	if err != nil {
		t.Fatal(err)
	}
	pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: "team-a", Name: "home"}
	edited := pv.DeepCopy()
	edited.Spec.HostPath.Path = t.TempDir()
	if err := f.Delete(t.Context(), edited); err == nil {
		t.Error("a volume with an edited path was accepted")
	}
	if _, err := os.Stat(edited.Spec.HostPath.Path); err != nil {
		t.Errorf("the other folder: %v", err)
	}
	if err := f.Delete(t.Context(), pv); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pv.Spec.HostPath.Path); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestWantsMore(t *testing.T) {
	t.Parallel()
	claim := func(phase v1.PersistentVolumeClaimPhase, provisioner, want, has string) *v1.PersistentVolumeClaim {
		return &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volume.kubernetes.io/storage-provisioner": provisioner}},
			Spec:       v1.PersistentVolumeClaimSpec{Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse(want)}}},
			Status:     v1.PersistentVolumeClaimStatus{Phase: phase, Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse(has)}},
		}
	}
	tests := map[string]struct {
		claim *v1.PersistentVolumeClaim
		want  bool
	}{
		"more":                   {claim(v1.ClaimBound, Provisioner, "2Gi", "1Gi"), true},
		"the same":               {claim(v1.ClaimBound, Provisioner, "1Gi", "1024Mi"), false},
		"not bound":              {claim(v1.ClaimPending, Provisioner, "2Gi", "1Gi"), false},
		"of another provisioner": {claim(v1.ClaimBound, "example.com/x", "2Gi", "1Gi"), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := wantsMore(tc.claim); got != tc.want {
				t.Errorf("wantsMore() = %v, want %v", got, tc.want)
			}
		})
	}
}
