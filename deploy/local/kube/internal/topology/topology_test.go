package topology

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestParseAcceptsWhatItWrites(t *testing.T) {
	t.Parallel()
	b, err := yaml.Marshal(file{Nodes: Default()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("the default nodes changed on the way (-want +got):\n%s", diff)
	}
}

func TestParseReadsEveryField(t *testing.T) {
	t.Parallel()
	got, err := Parse([]byte(`
nodes:
- name: big
  labels: {node-pool: gpu, example.com/zone: a}
  taints: ["a=b:NoExecute", "c:PreferNoSchedule"]
  gpus: 8
  cpu: "64"
  memory: 512Gi
`))
	if err != nil {
		t.Fatal(err)
	}
	n := got[0]
	cores, err := n.Cores()
	if err != nil || cores != 64 {
		t.Errorf("Cores() = %d, %v; want 64", cores, err)
	}
	memory, err := n.MemoryBytes()
	if err != nil || memory != 512<<30 {
		t.Errorf("MemoryBytes() = %d, %v; want %d", memory, err, uint64(512<<30))
	}
	taints, err := n.ParsedTaints()
	want := []v1.Taint{{Key: "a", Value: "b", Effect: v1.TaintEffectNoExecute}, {Key: "c", Effect: v1.TaintEffectPreferNoSchedule}}
	if diff := cmp.Diff(want, taints); err != nil || diff != "" {
		t.Errorf("ParsedTaints(): %v (-want +got):\n%s", err, diff)
	}
}

func TestParseNamesFieldAndValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want []string
	}{
		"no nodes":                   {"nodes: []", []string{"nodes", "0"}},
		"an unknown field":           {"nodes: [{name: a, gpu: 4}]", []string{"gpu"}},
		"no name":                    {"nodes: [{gpus: 4}]", []string{"nodes[0].name", `""`}},
		"a name that is no label":    {"nodes: [{name: Big_One}]", []string{"nodes[0].name", "Big_One"}},
		"a name that is too long":    {"nodes: [{name: " + strings.Repeat("a", 41) + "}]", []string{"name", "41"}},
		"a reserved name":            {"nodes: [{name: ns}]", []string{"name", `"ns"`}},
		"a name twice":               {"nodes: [{name: a}, {name: a}]", []string{"nodes[1].name", `"a"`}},
		"a bad label value":          {"nodes: [{name: a, labels: {pool: 'x y'}}]", []string{"labels[pool]", "x y"}},
		"a bad label key":            {"nodes: [{name: a, labels: {'x y': z}}]", []string{"labels", "x y"}},
		"a label of Kubernetes":      {"nodes: [{name: a, labels: {node-role.kubernetes.io/x: z}}]", []string{"labels", "node-role.kubernetes.io/x"}},
		"a taint without an effect":  {"nodes: [{name: a, taints: ['x=y']}]", []string{"taints[0]", "x=y"}},
		"a taint that removes":       {"nodes: [{name: a, taints: ['x:NoSchedule-']}]", []string{"taints[0]", "x:NoSchedule-"}},
		"a taint twice":              {"nodes: [{name: a, taints: ['x=y:NoSchedule', 'x=z:NoSchedule']}]", []string{"taints", "x"}},
		"too many GPUs":              {"nodes: [{name: a, gpus: 65}]", []string{"gpus", "65"}},
		"negative GPUs":              {"nodes: [{name: a, gpus: -1}]", []string{"gpus", "-1"}},
		"half a CPU":                 {"nodes: [{name: a, cpu: 500m}]", []string{"cpu", "500m"}},
		"a CPU that is no number":    {"nodes: [{name: a, cpu: many}]", []string{"cpu", "many"}},
		"memory that is too small":   {"nodes: [{name: a, memory: 1Mi}]", []string{"memory", "1Mi"}},
		"memory that is no quantity": {"nodes: [{name: a, memory: lots}]", []string{"memory", "lots"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tc.text))
			if err == nil {
				t.Fatal("was accepted")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not name %q", err, part)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("nodes: [{name: a, labels: {b: c}, taints: ['d=e:NoSchedule'], gpus: 1, cpu: '2', memory: 1Gi}]")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := Parse([]byte(text))
		if err != nil {
			return
		}
		for _, n := range nodes { // what was accepted can be used
			if _, err := n.ParsedTaints(); err != nil {
				t.Error(err)
			}
			if _, err := n.Cores(); err != nil {
				t.Error(err)
			}
		}
	})
}
