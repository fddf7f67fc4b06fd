package oom

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/containerd/containerd/api/services/containers/v1"
	"google.golang.org/protobuf/types/known/anypb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

const spec = `{"linux":{"cgroupsPath":"/goblinlab/kubepods/podu/c1","resources":{"memory":{"limit":1000}}}}`

func made(spec string) *containers.Container {
	return &containers.Container{ID: "c1", Spec: &anypb.Any{Value: []byte(spec)}, Labels: map[string]string{
		"io.kubernetes.container.name": "task", "io.kubernetes.pod.namespace": "team", "io.kubernetes.pod.name": "train", "io.kubernetes.pod.uid": "u"}}
}

func TestThePeakIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec  string
		files map[string]string
		peak  int64
	}{
		"version 2":                       {spec, map[string]string{"podu/c1/memory.peak": "990\n"}, 990},
		"version 1":                       {spec, map[string]string{"podu/c1/memory.max_usage_in_bytes": "1000\n", "podu/memory.max_usage_in_bytes": "1200\n"}, 1000},
		"its cgroup is gone":              {spec, map[string]string{"podu/memory.peak": "970\n"}, 970},
		"its pod held more than it could": {spec, map[string]string{"podu/memory.peak": "1200\n"}, 1000},
		"nothing is left":                 {spec, nil, 0},
		"no cgroup of its own":            {`{"linux":{"resources":{"memory":{"limit":1000}}}}`, nil, 0},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, "goblinlab/kubepods", file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := read(made(c.spec), root)
		want := container{id: "c1", name: "task", namespace: "team", pod: "train", uid: "u", limit: 1000, peak: c.peak}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestOneEventCountsForAContainer(t *testing.T) {
	t.Parallel()
	c := Config{Node: "general", Client: fake.NewClientset()}
	who := container{id: "c1", name: "task", namespace: "team", pod: "train", uid: "u", peak: 990, limit: 1000}
	now := time.Now()
	for range 3 {
		if err := c.tell(t.Context(), who, now); err != nil {
			t.Fatal(err)
		}
	}
	who.id = "c2"
	if err := c.tell(t.Context(), who, now); err != nil {
		t.Fatal(err)
	}
	list, err := c.Client.CoreV1().Events("team").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Fatalf("%v %+v", err, list)
	}
	counts := map[int32]bool{}
	for _, e := range list.Items {
		counts[e.Count] = true
		if e.Message != "Container task used up its memory: peak 990 of 1000 bytes" || e.InvolvedObject.UID != "u" || e.Reason != Reason {
			t.Errorf("%+v", e)
		}
	}
	if !counts[1] || !counts[3] {
		t.Errorf("counts %v", counts)
	}
}
