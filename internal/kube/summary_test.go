package kube

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAKubeletSaysOfClaims(t *testing.T) {
	t.Parallel()
	got, err := parseSummary([]byte(`{"node": {"fs": {"usedBytes": 1}}, "pods": [
		{"volume": [{"time": "2026-01-02T03:04:05Z", "name": "tmp", "usedBytes": 1, "capacityBytes": 2},
			{"time": "2026-01-02T03:04:05Z", "name": "home", "usedBytes": 7, "capacityBytes": 10, "inodesUsed": 3, "inodes": 9, "pvcRef": {"name": "c", "namespace": "ns"}},
			{"time": "2026-01-02T03:04:05Z", "name": "unmeasured", "pvcRef": {"name": "d", "namespace": "ns"}}]},
		{"podRef": {"name": "without volumes"}}]}`))
	want := []VolumeStats{{Namespace: "ns", Claim: "c", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), UsedBytes: 7, CapacityBytes: 10, InodesUsed: 3, Inodes: 9}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := parseSummary([]byte("<html>")); err == nil {
		t.Error("no JSON is taken")
	}
}
