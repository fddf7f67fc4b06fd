package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// TestCommandsThatAreRefused gives commands that end before they change anything.
func TestCommandsThatAreRefused(t *testing.T) {
	t.Parallel()
	s, err := saved{}.withNodes(names("first", "on", "stopped", "cut"))
	if err != nil {
		t.Fatal(err)
	}
	s.Nodes[2].Stopped, s.Nodes[3].Cut = true, true
	var many []string
	for i := range topology.MaxNodes {
		many = append(many, fmt.Sprintf("n%d", i))
	}
	full, err := saved{}.withNodes(names(many...))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		verb Verb
		node topology.Node
		full bool
		want string
	}{
		"a name that is no DNS label":     {VerbAdd, topology.Node{Name: "Big_One"}, false, `name: "Big_One": a lowercase RFC 1123 label`},
		"an empty name":                   {VerbAdd, topology.Node{}, false, `name: ""`},
		"a name that is too long":         {VerbAdd, topology.Node{Name: strings.Repeat("n", 41)}, false, "has 41 characters, at most 40"},
		"a name that is there":            {VerbAdd, topology.Node{Name: "on"}, false, `has a node "on" already; it has [first on stopped cut]`},
		"a label of Kubernetes' own":      {VerbAdd, topology.Node{Name: "n", Labels: map[string]string{"kubernetes.io/os": "x"}}, false, "the domain is Kubernetes' own"},
		"a taint without effect":          {VerbAdd, topology.Node{Name: "n", Taints: []string{"a=b"}}, false, `taints[0]: "a=b": must be key=value:Effect`},
		"a negative number of GPUs":       {VerbAdd, topology.Node{Name: "n", GPUs: -1}, false, "gpus: -1, must be 0 to 64"},
		"half a CPU":                      {VerbAdd, topology.Node{Name: "n", CPU: "500m"}, false, `cpu: "500m": must be whole CPUs`},
		"too little memory":               {VerbAdd, topology.Node{Name: "n", Memory: "1Mi"}, false, `memory: "1Mi": must be at least 256Mi`},
		"one more than possible":          {VerbAdd, topology.Node{Name: "n"}, true, "has 16 nodes, which is the most"},
		"a node that is not there":        {VerbStop, topology.Node{Name: "none"}, false, `has no node "none"; it has [first on stopped cut]`},
		"stopping the first":              {VerbStop, topology.Node{Name: "first"}, false, "lives in the process of the control plane"},
		"cutting the first":               {VerbCut, topology.Node{Name: "first"}, false, "lives in the process of the control plane"},
		"removing the first":              {VerbRm, topology.Node{Name: "first"}, false, "lives in the process of the control plane"},
		"stopping twice":                  {VerbStop, topology.Node{Name: "stopped"}, false, "stopped already"},
		"starting what is on":             {VerbStart, topology.Node{Name: "on"}, false, "on is not stopped"},
		"cutting twice":                   {VerbCut, topology.Node{Name: "cut"}, false, "cut off already"},
		"cutting what is stopped":         {VerbCut, topology.Node{Name: "stopped"}, false, "stopped already"},
		"healing what is whole":           {VerbHeal, topology.Node{Name: "on"}, false, "on is not cut off"},
		"a verb that is none of commands": {"boot", topology.Node{Name: "on"}, false, `verb: "boot"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &run{saved: s}
			if c.full {
				r.saved = full
			}
			err := r.do(t.Context(), NodeCommand{Verb: c.verb, Node: c.node}, func(string, ...any) {})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}
