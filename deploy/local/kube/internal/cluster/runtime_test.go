package cluster

import (
	"os"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

func TestChoiceOfTheRuntime(t *testing.T) {
	t.Parallel()
	own, other := RuntimeHost, RuntimeContainerd
	if os.Geteuid() == 0 {
		own, other = other, own
	}
	for want, runtime := range map[string]Runtime{"": own, string(own): own} {
		c, err := Choose(want)
		if err != nil || c.Runtime != runtime || !strings.HasPrefix(c.String(), "runtime "+string(runtime)+", because ") {
			t.Errorf("%q gives %s, %v", want, c, err)
		}
	}
	for _, want := range []string{string(other), "docker"} {
		if c, err := Choose(want); err == nil {
			t.Errorf("%q gives %s", want, c)
		}
	}
}

func TestAClusterKeepsItsRuntime(t *testing.T) {
	t.Parallel()
	nodes := []savedNode{{Node: topology.Node{Name: "a"}}}
	for _, c := range []struct {
		name string
		had  saved
		want Runtime
		ok   bool
	}{
		{"new", saved{}, RuntimeHost, true},
		{"same", saved{Nodes: nodes, Runtime: RuntimeHost}, RuntimeHost, true},
		{"from before there were two", saved{Nodes: nodes}, RuntimeContainerd, true},
		{"without root on root's", saved{Nodes: nodes}, RuntimeHost, false},
		{"root on a user's", saved{Nodes: nodes, Runtime: RuntimeHost}, RuntimeContainerd, false},
	} {
		if s, err := c.had.withRuntime(c.want); (err == nil) != c.ok || c.ok && s.Runtime != c.want {
			t.Errorf("%s: %s, %v", c.name, s.Runtime, err)
		}
	}
}
