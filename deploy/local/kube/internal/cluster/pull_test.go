package cluster

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestUsersOf(t *testing.T) {
	t.Parallel()
	pod := func(name, node string, phase v1.PodPhase) v1.Pod {
		return v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}, Status: v1.PodStatus{Phase: phase},
			Spec: v1.PodSpec{NodeName: node, InitContainers: []v1.Container{{Image: "first"}}, Containers: []v1.Container{{Image: "second"}}}}
	}
	got := usersOf([]v1.Pod{pod("a", "general", v1.PodPending), pod("b", "", v1.PodPending), pod("c", "general", v1.PodSucceeded), pod("d", "gpu", v1.PodFailed)})
	want := []string{"--used", "team/a=goblinlab.local/pause:1", "--used", "team/a=first", "--used", "team/a=second"}
	if len(got) != 1 || !slices.Equal(got["general"], want) {
		t.Errorf("%v, want %v on general alone", got, want)
	}
}

func TestImagesAreListedByTheirTags(t *testing.T) {
	t.Parallel()
	all := withoutDigests([]Image{{Name: "a:1", Digest: "sha256:1"}, {Name: "a@sha256:1", Digest: "sha256:1"}, {Name: "b@sha256:2", Digest: "sha256:2"}})
	if len(all) != 2 || all[0].Name != "a:1" || all[1].Name != "b@sha256:2" {
		t.Errorf("%+v", all)
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"", "A b", "reg.example/UPPER:1", "http://reg.example/a"} {
		if err := checkReference(ref); err == nil {
			t.Errorf("%q was accepted", ref)
		}
	}
	for _, ref := range []string{"busybox", "reg.example:5000/a/b:1", "a@sha256:0123456789012345678901234567890123456789012345678901234567890123"} {
		if err := checkReference(ref); err != nil {
			t.Error(err)
		}
	}
}
