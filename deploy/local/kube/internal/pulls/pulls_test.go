package pulls

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func pod(name, image string, started bool) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: "u"},
		Spec:   v1.PodSpec{NodeName: "general", Containers: []v1.Container{{Name: "c", Image: image}}},
		Status: v1.PodStatus{Phase: v1.PodPending, ContainerStatuses: []v1.ContainerStatus{{Name: "c", State: v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: "ContainerCreating"}}}}}}
	if started {
		p.Status.ContainerStatuses[0].State = v1.ContainerState{Running: &v1.ContainerStateRunning{}}
	}
	return p
}

func TestOneEventFollowsAPull(t *testing.T) {
	t.Parallel()
	answer := filepath.Join(t.TempDir(), "answer")
	program := filepath.Join(t.TempDir(), "importer")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec cat "+answer+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &watcher{told: map[string]*v1.Event{}, Config: Config{Node: "general", Importer: program, Socket: "none",
		Client: fake.NewClientset(pod("waits", "tool", false), pod("runs", "tool", true), pod("other", "reg.example/tool:1", false))}}
	now := time.Now()
	for _, text := range []string{`null`, "", `[{"repository":"docker.io/library/tool","done":1,"total":9}]`, `[{"repository":"docker.io/library/tool","done":1,"total":9}]`,
		`[{"repository":"docker.io/library/tool","done":5,"total":9}]`} {
		if err := os.WriteFile(answer, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := c.look(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	list, err := c.Client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 {
		t.Fatalf("%d events: %+v", len(list.Items), list.Items)
	}
	e := list.Items[0]
	if e.Message != `Pulling image "tool": 5 of 9 bytes` || e.Count != 2 || e.InvolvedObject.Name != "waits" || e.Reason != Reason {
		t.Errorf("%+v", e)
	}
	if err := c.look(t.Context(), now.Add(repeat)); err != nil {
		t.Fatal(err)
	}
	if list, err = c.Client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{}); err != nil || list.Items[0].Count != 3 {
		t.Errorf("a pull that stands still is told %d times, %v", list.Items[0].Count, err)
	}
	clear(c.told) // as after a restart
	if err := c.look(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if list, err = c.Client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("after a restart there are %d events, %v", len(list.Items), err)
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"busybox": "docker.io/library/busybox", "127.0.0.1:5000/team/tool:1": "127.0.0.1/team/tool",
		"reg.example/a@sha256:0123456789012345678901234567890123456789012345678901234567890123": "reg.example/a", "A b": "A b",
	} {
		if got := repository(image); got != want {
			t.Errorf("%s is %s, want %s", image, got, want)
		}
	}
}

func TestPodsThatWaitForSomethingElseAreLookedAtSeldom(t *testing.T) {
	t.Parallel()
	asked := filepath.Join(t.TempDir(), "asked")
	program := filepath.Join(t.TempDir(), "importer")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho x >>"+asked+"\necho null\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	client := fake.NewClientset(pod("waits", "tool", false))
	c := &watcher{told: map[string]*v1.Event{}, Config: Config{Node: "general", Importer: program, Client: client}}
	rounds := func(n, want int) {
		t.Helper()
		for range n {
			if err := c.look(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := os.ReadFile(asked); err != nil || len(b) != 2*want {
			t.Fatalf("it was asked %d times, want %d, %v", len(b)/2, want, err)
		}
	}
	rounds(1, 1)
	rounds(54, 10)  // 1+1, 1+2, … 1+9
	rounds(100, 20) // then every tenth
	if _, err := client.CoreV1().Pods("team").Create(t.Context(), pod("another", "tool", false), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	rounds(1, 21) // at once for a new pod
}
