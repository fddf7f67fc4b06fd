package volume

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func write(t *testing.T, path string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderIsSummedUp(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "large"), 8<<20)
	empty, err := sum(t.Context(), dir)
	if err != nil || empty.Inodes != 0 {
		t.Fatalf("an empty folder: %+v, %v", empty, err)
	}
	write(t, filepath.Join(dir, "a", "b"), 1<<20)
	if err := os.Link(filepath.Join(dir, "a", "b"), filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	hole, err := os.Create(filepath.Join(dir, "hole"))
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	if err := hole.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	u, err := sum(t.Context(), dir)
	if err != nil || u.Inodes != 4 {
		t.Errorf("%d files and folders, %v; want a, a/b, link and hole: a second name counts once", u.Inodes, err)
	}
	if more := u.Bytes - empty.Bytes; more < 1<<20 || more > 2<<20 {
		t.Errorf("%d bytes more, want about 1 MiB: no hole, no second name, nothing behind a link", more)
	}
	if _, err := sum(t.Context(), filepath.Join(dir, "gone")); err == nil {
		t.Error("a folder that is not there has no sum")
	}
}

func TestVolumesCarryTheSumOfTheirFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "ns", "pv-1", "f"), 1<<20)
	write(t, filepath.Join(root, "elsewhere", "f"), 1<<20)
	volume := func(name, path string, phase v1.PersistentVolumePhase) *v1.PersistentVolume {
		return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.PersistentVolumeStatus{Phase: phase},
			Spec: v1.PersistentVolumeSpec{ClaimRef: &v1.ObjectReference{Namespace: "ns", Name: "c"},
				PersistentVolumeSource: v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: path}}}}
	}
	c := fake.NewClientset(volume("pv-1", filepath.Join(root, "ns", "pv-1"), v1.VolumeBound),
		volume("by-hand", filepath.Join(root, "elsewhere"), v1.VolumeBound),
		volume("pv-2", filepath.Join(root, "ns", "pv-2"), v1.VolumeBound),
		volume("pv-3", filepath.Join(root, "ns", "pv-3"), v1.VolumeReleased))
	if err := measureAll(t.Context(), c, root); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"pv-1": true, "by-hand": false, "pv-2": false, "pv-3": false} {
		pv, err := c.CoreV1().PersistentVolumes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var u Usage
		if got := json.Unmarshal([]byte(pv.Annotations[UsageAnnotation]), &u) == nil; got != want {
			t.Errorf("%s is measured: %v, want %v", name, got, want)
		}
		if want && (u.Bytes < 1<<20 || u.Inodes != 1 || time.Since(u.At) > time.Minute) {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

func TestOnlyNewsIsWritten(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	old, err := json.Marshal(Usage{Bytes: 1, Inodes: 2, At: at})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old  string
		now  Usage
		want bool
	}{
		"never measured":         {"", Usage{At: at}, true},
		"edited by somebody":     {"x", Usage{At: at}, true},
		"the same, soon":         {string(old), Usage{Bytes: 1, Inodes: 2, At: at.Add(time.Minute)}, false},
		"the same, after a time": {string(old), Usage{Bytes: 1, Inodes: 2, At: at.Add(measureStale)}, true},
		"more":                   {string(old), Usage{Bytes: 2, Inodes: 2, At: at.Add(time.Minute)}, true},
	} {
		if got := news(c.old, c.now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
