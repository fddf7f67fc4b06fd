package kube

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// measured is an answer of the metrics API, as metrics-server writes it.
func measured(t *testing.T, name, at, memory string) podUsage {
	t.Helper()
	var u podUsage
	text := `{"metadata":{"name":"` + name + `","namespace":"team","creationTimestamp":"2026-01-01T00:00:00Z"},"timestamp":"` + at + `","window":"15s",
		"containers":[{"name":"task","usage":{"cpu":"12m","memory":"` + memory + `"}},{"name":"sidecar","usage":{"memory":"1Mi"}}]}`
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPeaksOfSamples(t *testing.T) {
	t.Parallel()
	born := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	put := func(uid types.UID) {
		if err := store.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "train", UID: uid, CreationTimestamp: born}}); err != nil {
			t.Fatal(err)
		}
	}
	k := &Cache{Pods: corelisters.NewPodLister(store)}
	want := func(uid types.UID, peaks map[string]int64) {
		t.Helper()
		if got := k.Peaks(uid); !maps.Equal(got, peaks) {
			t.Errorf("%s: %v, want %v", uid, got, peaks)
		}
	}
	want("first", map[string]int64{})
	put("first")
	k.raise([]podUsage{measured(t, "train", "2026-01-01T12:00:10Z", "40Mi"), measured(t, "somebody-elses", "2026-01-01T12:00:10Z", "1Gi")})
	k.raise([]podUsage{measured(t, "train", "2026-01-01T12:00:25Z", "50Mi")})
	k.raise([]podUsage{measured(t, "train", "2026-01-01T12:00:40Z", "30Mi")})
	want("first", map[string]int64{"task": 50 << 20, "sidecar": 1 << 20})
	k.raise(nil) // it ended: its pod is there, its use is not
	want("first", map[string]int64{"task": 50 << 20, "sidecar": 1 << 20})

	put("second") // of the same name
	k.raise([]podUsage{measured(t, "train", "2026-01-01T11:59:59Z", "50Mi")})
	want("second", map[string]int64{})
	want("first", map[string]int64{})
	k.raise([]podUsage{measured(t, "train", "2026-01-01T12:00:01Z", "7Mi")})
	want("second", map[string]int64{"task": 7 << 20, "sidecar": 1 << 20})
	if len(k.peaks.bytes) != 1 {
		t.Errorf("%d pods are remembered", len(k.peaks.bytes))
	}
}
