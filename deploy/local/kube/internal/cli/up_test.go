package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cluster"
)

func TestTheSecondStageGetsAbsolutePaths(t *testing.T) {
	t.Parallel()
	o := cluster.UpOptions{Dir: "/data", Bin: "/bin/local/runtime", Nodes: "nodes.yaml", Port: 6443, NoFsync: true, Images: []string{"a.tar", "/b.tar"},
		Manager: []string{"--kube-api-qps=20"}}
	args, err := upArgs("/bin/local", &o)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := filepath.Abs("nodes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	image, err := filepath.Abs("a.tar")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"up", "--dir", "/data", "--bin", "/bin/local", "--port", "6443", "--no-fsync=true", "--nodes", nodes, "--image", image, "--image", "/b.tar",
		"--manager-flag", "--kube-api-qps=20"}
	if !slices.Equal(args[1:], want) {
		t.Errorf("arguments are %q, want %q", args[1:], want)
	}
	if o.Nodes != nodes || o.Images[0] != image {
		t.Errorf("the first stage itself uses %q and %q", o.Nodes, o.Images)
	}
}

func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range New().Commands() {
		if c.Short == "" && !c.Hidden {
			t.Errorf("command %s has no description", c.Name())
		}
	}
}
