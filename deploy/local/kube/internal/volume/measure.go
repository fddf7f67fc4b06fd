package volume

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// UsageAnnotation tells on a PersistentVolume what is in its folder. The kubelet measures nothing of volumes of this kind,
// and the file system below is the whole machine's: its figures would be those of all folders together.
const UsageAnnotation = "goblinlab.io/folder-usage"

const (
	measureEvery = 30 * time.Second
	measureShare = 20 // at most one part in so many of the time is spent on measuring
	measureStale = 10 * time.Minute
)

// Usage is the sum of a folder.
type Usage struct {
	Bytes  int64     `json:"bytes"`  // of disk, as du counts
	Inodes int64     `json:"inodes"` // files and folders below it
	At     time.Time `json:"at"`
}

// measure sums the folders up, again and again until ctx ends.
func measure(ctx context.Context, c kubernetes.Interface, root string) {
	for {
		began := time.Now()
		if err := measureAll(ctx, c, root); err != nil && ctx.Err() == nil {
			slog.Warn("cannot measure volumes; trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(measureEvery, measureShare*time.Since(began))):
		}
	}
}

func measureAll(ctx context.Context, c kubernetes.Interface, root string) error {
	list, err := c.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		pv := &list.Items[i]
		dir, ok := folder(pv, root)
		if !ok {
			continue
		}
		u, err := sum(ctx, dir)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			slog.Warn("cannot measure a volume", "volume", pv.Name, "error", err)
			continue
		}
		u.At = time.Now().UTC().Truncate(time.Second)
		if !news(pv.Annotations[UsageAnnotation], u) {
			continue
		}
		if err := note(ctx, c, pv.Name, u); err != nil {
			return err
		}
	}
	return nil
}

// folder is where a volume of ours is; one that was bound by hand to another place is not measured.
func folder(pv *v1.PersistentVolume, root string) (string, bool) {
	if pv.Spec.HostPath == nil || pv.Spec.ClaimRef == nil || pv.Status.Phase != v1.VolumeBound {
		return "", false
	}
	rel, err := relPath(pv.Spec.ClaimRef.Namespace, pv.Name)
	if err != nil || pv.Spec.HostPath.Path != filepath.Join(root, rel) {
		return "", false
	}
	return pv.Spec.HostPath.Path, true
}

// sum adds up the disk that is used below a folder: holes do not count, and a file with several names counts once. What
// vanishes meanwhile is passed over, links are not followed, and other file systems are not entered.
func sum(ctx context.Context, dir string) (Usage, error) {
	var u Usage
	type file struct{ dev, ino uint64 }
	seen := map[file]bool{}
	var device uint64
	root, err := os.OpenRoot(dir) // a pod may put a link where a folder was while we look
	if err != nil {
		return u, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == "." {
				return err
			}
			return nil // it vanished
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return nil
		}
		if path == "." {
			device = uint64(st.Dev)
		} else {
			if uint64(st.Dev) != device {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if !d.IsDir() && st.Nlink > 1 {
				k := file{uint64(st.Dev), st.Ino}
				if seen[k] {
					return nil
				}
				seen[k] = true
			}
			u.Inodes++
		}
		u.Bytes += st.Blocks * 512
		return nil
	})
	return u, err
}

// news says whether a measure is worth a write: something changed, or the last one is old.
func news(old string, u Usage) bool {
	var last Usage
	if json.Unmarshal([]byte(old), &last) != nil {
		return true
	}
	return last.Bytes != u.Bytes || last.Inodes != u.Inodes || u.At.Sub(last.At) >= measureStale
}

func note(ctx context.Context, c kubernetes.Interface, name string, u Usage) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{UsageAnnotation: string(text)}}})
	if err != nil {
		return err
	}
	_, err = c.CoreV1().PersistentVolumes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
