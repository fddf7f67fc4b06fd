package volume

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/volumesample"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestWhoseFiguresTheyAre(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fs, claim int64
		want      spec.UsageSource
	}{
		"a disk of its own, less what its file system takes": {19 * gib, 20 * gib, spec.UsageFilesystem},
		"storage that rounds up":                             {25 * gib, 20 * gib, spec.UsageFilesystem},
		"an export of NFS":                                   {4000 * gib, 20 * gib, spec.UsageShared},
		"a claim of which nothing is known":                  {4000 * gib, 0, spec.UsageFilesystem},
	} {
		if got := usageOf(kube.VolumeStats{CapacityBytes: c.fs}, c.claim); got.Source != c.want {
			t.Errorf("%s: %s", name, got.Source)
		}
	}
}

func TestFoldersOfTheLocalKubernetes(t *testing.T) {
	t.Parallel()
	pv := func(text string) *corev1.PersistentVolume {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{manifest.AnnotationFolderUsage: text}},
			Spec: corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Name: "c"}, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}
	}
	u, ok := folderUsage(pv(`{"bytes":5,"inodes":2,"at":"2026-01-02T03:04:05Z"}`))
	if !ok || u.UsedBytes != 5 || u.InodesUsed != 2 || u.CapacityBytes != gib || u.Source != spec.UsageFolder || u.At.Year() != 2026 {
		t.Errorf("%+v, %v", u, ok)
	}
	for _, bad := range []string{"", "x", "{}", `{"bytes":"many"}`} {
		if _, ok := folderUsage(pv(bad)); ok {
			t.Errorf("%q is taken for a measure", bad)
		}
	}
}

func TestNearlyFullIsToldOnce(t *testing.T) {
	t.Parallel()
	bytes := func(percent int64) spec.VolumeUsage {
		return spec.VolumeUsage{UsedBytes: percent * gib, CapacityBytes: 100 * gib}
	}
	files := spec.VolumeUsage{UsedBytes: 1, CapacityBytes: 100, InodesUsed: 95, Inodes: 100}
	for i, c := range []struct {
		u    spec.VolumeUsage
		was  bool
		is   bool
		told string
	}{
		{bytes(89), false, false, ""},
		{bytes(90), false, true, "volume-full"},
		{bytes(99), true, true, ""},
		{bytes(86), true, true, ""}, // it hovers
		{bytes(84), true, false, "volume-room"},
		{bytes(84), false, false, ""},
		{files, false, true, "volume-files-full"},
		{bytes(300), false, true, "volume-full"}, // a folder beyond what was asked for
		{spec.VolumeUsage{UsedBytes: 5}, false, false, ""},
	} {
		is, told := fullness(c.u, c.was, 90)
		got := ""
		if told != nil {
			got = told.Type
			if s := lang.Text(lang.English, "event."+got, told.Args); s == "event."+got {
				t.Errorf("%s has no words", got)
			}
		}
		if is != c.is || got != c.told {
			t.Errorf("%d: %v %q, want %v %q", i, is, got, c.is, c.told)
		}
	}
}

func TestHowFullAVolumeWasIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys, row := testkit.System(t), b.disk("1Gi")
	now := time.Now().UTC().Truncate(time.Hour).Add(-40 * 24 * time.Hour)
	for ; now.Before(time.Now()); now = now.Add(20 * time.Minute) {
		u := spec.VolumeUsage{UsedBytes: 1 << 20, CapacityBytes: 1 << 30, At: now, Source: spec.UsageFilesystem}
		if err := b.keep(sys, b.again(row.ID), u); err != nil {
			t.Fatal(err)
		}
	}
	last := now.Add(-20 * time.Minute)
	soon := spec.VolumeUsage{UsedBytes: 1000 << 20, CapacityBytes: 1 << 30, At: last.Add(time.Minute), Source: spec.UsageFilesystem}
	for range 2 {
		if err := b.keep(sys, b.again(row.ID), soon); err != nil {
			t.Fatal(err)
		}
	}
	q := b.db.Client.VolumeSample.Query()
	if n := q.Clone().Where(volumesample.AtGT(last)).CountX(sys); n != 0 {
		t.Errorf("%d points within a minute", n)
	}
	got := b.again(row.ID)
	if got.Usage.UsedBytes != 1000<<20 || !got.NearlyFull || got.Version != row.Version {
		t.Errorf("the row has the newest, and is of the same version: %+v", got)
	}
	if n := b.db.Client.Event.Query().Where(entevent.SubjectID(row.ID), entevent.Type("volume-full")).CountX(sys); n != 1 {
		t.Errorf("told %d times", n)
	}
	if err := b.forgetSamples(sys, time.Now().UTC()); err != nil {
		t.Fatal(err)
	}
	old := q.Clone().Where(volumesample.AtLT(time.Now().UTC().Add(-pointsKept))).CountX(sys)
	if first := q.Clone().Where(volumesample.AtLT(time.Now().UTC().Add(-historyKept))).CountX(sys); first != 0 || old < 29*24-1 || old > 29*24+1 {
		t.Errorf("%d from before a month, %d from before a day: want one an hour", first, old)
	}
	for points, want := range map[int]int{1: 1, 10: 10, 1000: 1000} {
		list, err := b.History(b.as(b.Viewer), row.ID, nil, points)
		if err != nil || len(list) > want || len(list) < min(want, 700) || !list[len(list)-1].At.Equal(last) {
			t.Errorf("%d points: %d, %v", points, len(list), err)
		}
		for i := 1; i < len(list); i++ {
			if !list[i].At.After(list[i-1].At) {
				t.Fatal("they are not in order")
			}
		}
	}
	if list, err := b.History(b.as(b.Viewer), row.ID, &last, 10); err != nil || len(list) != 1 {
		t.Errorf("since: %v, %v", list, err)
	}
	if _, err := b.History(b.as(b.Viewer), row.ID, nil, 0); kind(err) != fault.InvalidArgument {
		t.Error("no points")
	}
	if _, err := b.History(b.as(b.Other), row.ID, nil, 10); err == nil {
		t.Error("another team reads it")
	}
}
