package cluster

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

func names(names ...string) []topology.Node {
	var out []topology.Node
	for _, n := range names {
		out = append(out, topology.Node{Name: n})
	}
	return out
}

func TestNodesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	var s saved
	steps := []struct {
		nodes []topology.Node
		want  map[string]int
	}{
		{names("general", "gpu", "online"), map[string]int{"general": 0, "gpu": 1, "online": 2}},
		{names("online", "general"), map[string]int{"online": 2, "general": 0}},
		{names("new", "online"), map[string]int{"new": 3, "online": 2}}, // gpu may return
		{names("gpu", "new"), map[string]int{"gpu": 1, "new": 3}},
	}
	for i, step := range steps {
		var err error
		if s, err = s.withNodes(step.nodes); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, n := range s.Nodes {
			got[n.Name] = n.Index
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSavedSurvivesAStart(t *testing.T) {
	t.Parallel()
	l := layout.Layout{Dir: t.TempDir()}
	s, err := saved{Port: 4711}.withNodes(topology.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(l); err != nil {
		t.Fatal(err)
	}
	got, err := loadSaved(l)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPortIsRememberedAndRefusedWhenTaken(t *testing.T) {
	t.Parallel()
	s, err := saved{}.withPort(0)
	if err != nil || s.Port == 0 {
		t.Fatalf("port %d, %v", s.Port, err)
	}
	again, err := s.withPort(0)
	if err != nil || again.Port != s.Port {
		t.Fatalf("port %d, %v; want %d again", again.Port, err, s.Port)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if _, err := s.withPort(port); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("a wanted port that is taken: %v", err)
	}
	if _, err := (saved{Port: port}).withPort(0); err == nil || !strings.Contains(err.Error(), "had before") {
		t.Errorf("a remembered port that is taken: %v", err)
	}
}

func TestLockNamesItsHolderAndIsExclusive(t *testing.T) {
	t.Parallel()
	l := layout.Layout{Dir: t.TempDir()}
	if _, runs := running(l); runs {
		t.Error("an empty folder runs")
	}
	f, err := lockFile(l.Lock(), "4711\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(l.Lock(), "1\n"); err != errLocked {
		t.Errorf("a second lock: %v", err)
	}
	if pid, runs := running(l); !runs || pid != 4711 {
		t.Errorf("running() = %d, %v", pid, runs)
	}
	f.Close()
	if _, runs := running(l); runs {
		t.Error("it runs without a holder")
	}
	if f, err = lockFile(l.Lock(), "2\n"); err != nil { // shorter than what was there
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := os.ReadFile(filepath.Join(l.Dir, "lock")); string(b) != "2\n" {
		t.Errorf("the lock contains %q", b)
	}
}

func TestMergeTaintsKeepsOthers(t *testing.T) {
	t.Parallel()
	taint := func(k, v string) v1.Taint { return v1.Taint{Key: k, Value: v, Effect: v1.TaintEffectNoSchedule} }
	cordon, old, pool, pool2 := taint("node.kubernetes.io/unschedulable", ""), taint("old", "x"), taint("pool", "a"), taint("pool", "b")
	got := mergeTaints([]v1.Taint{cordon, old, pool}, []v1.Taint{old, pool}, []v1.Taint{pool2})
	if diff := cmp.Diff([]v1.Taint{pool2, cordon}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeImagesByNameAndDigest(t *testing.T) {
	t.Parallel()
	var all []Image
	all = merge(all, []Image{{Name: "a:1", Digest: "sha256:1"}, {Name: "sha256:ff", Digest: "sha256:1"}}, "general")
	all = merge(all, []Image{{Name: "a:1", Digest: "sha256:1"}}, "gpu")
	all = merge(all, []Image{{Name: "a:1", Digest: "sha256:2"}}, "online")
	want := []Image{
		{Name: "a:1", Digest: "sha256:1", Nodes: []string{"general", "gpu"}},
		{Name: "a:1", Digest: "sha256:2", Nodes: []string{"online"}},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
