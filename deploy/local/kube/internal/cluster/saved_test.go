package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

func TestNodesOfAStart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte("nodes: [{name: a}, {name: b, gpus: 1}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := func(name string, added bool) savedNode {
		return savedNode{Node: topology.Node{Name: name}, Added: added}
	}
	for name, c := range map[string]struct {
		before []savedNode
		file   string
		want   []string
	}{
		"a new cluster has the default":               {nil, "", []string{"general", "gpu", "online"}},
		"a new cluster has the file's":                {nil, file, []string{"a", "b"}},
		"without a file the nodes stay as they are":   {[]savedNode{node("x", false), node("y", true)}, "", []string{"x", "y"}},
		"a file replaces what came from a file":       {[]savedNode{node("x", false), node("b", false)}, file, []string{"a", "b"}},
		"a file leaves what a command added":          {[]savedNode{node("x", false), node("y", true)}, file, []string{"a", "b", "y"}},
		"a file may name a node that a command added": {[]savedNode{node("a", false), node("b", true)}, file, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := saved{Nodes: c.before}.wanted(c.file)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, n := range got {
				names = append(names, n.Name)
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("nodes are %v, want %v", names, c.want)
			}
		})
	}
}

func TestAFileAndAddedNodesCanBeTooMany(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte("nodes: [{name: a}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	var s saved
	for i := range topology.MaxNodes {
		s.Nodes = append(s.Nodes, savedNode{Node: topology.Node{Name: "n" + string(rune('a'+i))}, Added: true})
	}
	if _, err := s.wanted(file); err == nil || !strings.Contains(err.Error(), "there are 17, at most 16") {
		t.Errorf("17 nodes: %v", err)
	}
}

func TestStoppedAndCutNodesStaySo(t *testing.T) {
	t.Parallel()
	s, err := saved{}.withNodes(names("a", "b", "c", "d"))
	if err != nil {
		t.Fatal(err)
	}
	s.Nodes[1].Stopped, s.Nodes[2].Cut, s.Nodes[3].Stopped, s.Nodes[3].Cut = true, true, true, true
	if s, err = s.withNodes(names("a", "b", "c", "d")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c"}, s.on().names()); diff != "" {
		t.Errorf("on (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a"}, s.reachable().names()); diff != "" {
		t.Errorf("reachable (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2}, s.cut()); diff != "" {
		t.Errorf("cut (-want +got):\n%s", diff)
	}
	// The first node lives in the process of the control plane.
	if s, err = s.withNodes(names("b", "c")); err != nil {
		t.Fatal(err)
	}
	if w := s.Nodes[0].word(); w != "" {
		t.Errorf("the first node is %s", w)
	}
	if w := s.Nodes[1].word(); w != "cut off" {
		t.Errorf("the second node is %q", w)
	}
}
