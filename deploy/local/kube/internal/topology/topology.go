// Package topology reads which nodes a local cluster has.
package topology

import (
	"fmt"
	"os"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/kubernetes/pkg/util/taints"
	"sigs.k8s.io/yaml"
)

const (
	// GPUResource is what the pretend device plug-in advertises.
	GPUResource = "nvidia.com/gpu"

	// MaxNodes is how many nodes a cluster can have.
	MaxNodes = 16

	maxName = 40 // the name is part of socket paths, which are limited to 108 bytes
	maxGPUs = 64
)

// Node is one node of the cluster as its owner describes it.
type Node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Taints are written as kubectl writes them: key=value:Effect.
	Taints []string `json:"taints,omitempty"`
	// GPUs is the number of pretend nvidia.com/gpu devices.
	GPUs int `json:"gpus,omitempty"`
	// CPU and Memory are the sizes that the node reports; the machine's own where empty. They may exceed the machine.
	CPU    string `json:"cpu,omitempty"`
	Memory string `json:"memory,omitempty"`
}

type file struct {
	Nodes []Node `json:"nodes"`
}

// Default is the cluster of three that GoblinLab is developed and tested on.
func Default() []Node {
	return []Node{
		{Name: "general", Labels: map[string]string{"node-pool": "general"}},
		{Name: "gpu", Labels: map[string]string{"node-pool": "gpu"}, Taints: []string{"nvidia.com/gpu=true:NoSchedule"}, GPUs: 4},
		{Name: "online", Labels: map[string]string{"node-pool": "online"}, Taints: []string{"node-pool=online:NoSchedule"}},
	}
}

// Load reads a nodes file.
func Load(path string) ([]Node, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("nodes file: %w", err)
	}
	nodes, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("nodes file %s: %w", path, err)
	}
	return nodes, nil
}

// Parse reads the text of a nodes file. An error names the field and the value that is wrong.
func Parse(b []byte) ([]Node, error) {
	var f file
	if err := yaml.UnmarshalStrict(b, &f); err != nil {
		return nil, err
	}
	if n := len(f.Nodes); n == 0 || n > MaxNodes {
		return nil, fmt.Errorf("nodes: has %d entries, must have 1 to %d", n, MaxNodes)
	}
	seen := map[string]bool{}
	for i, n := range f.Nodes {
		if err := n.Validate(); err != nil {
			return nil, fmt.Errorf("nodes[%d].%w", i, err)
		}
		if seen[n.Name] {
			return nil, fmt.Errorf("nodes[%d].name: %q is used twice", i, n.Name)
		}
		seen[n.Name] = true
	}
	return f.Nodes, nil
}

// Validate says what is wrong with a node: an error names the field and the value.
func (n Node) Validate() error {
	if msgs := validation.IsDNS1123Label(n.Name); len(msgs) != 0 {
		return fmt.Errorf("name: %q: %s", n.Name, msgs[0])
	}
	if len(n.Name) > maxName {
		return fmt.Errorf("name: %q has %d characters, at most %d are possible", n.Name, len(n.Name), maxName)
	}
	if n.Name == "ns" { // the run folder keeps the pinned namespaces there
		return fmt.Errorf("name: %q is reserved", n.Name)
	}
	for k, v := range n.Labels {
		if err := validateLabel(k, v); err != nil {
			return err
		}
	}
	if _, err := n.ParsedTaints(); err != nil {
		return err
	}
	if n.GPUs < 0 || n.GPUs > maxGPUs {
		return fmt.Errorf("gpus: %d, must be 0 to %d", n.GPUs, maxGPUs)
	}
	if _, err := n.Cores(); err != nil {
		return err
	}
	_, err := n.MemoryBytes()
	return err
}

func validateLabel(k, v string) error {
	if msgs := validation.IsQualifiedName(k); len(msgs) != 0 {
		return fmt.Errorf("labels: key %q: %s", k, msgs[0])
	}
	if msgs := validation.IsValidLabelValue(v); len(msgs) != 0 {
		return fmt.Errorf("labels[%s]: %q: %s", k, v, msgs[0])
	}
	domain, _, found := strings.Cut(k, "/")
	if found && (domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")) {
		return fmt.Errorf("labels: key %q: the domain is Kubernetes' own, which a node may not set for itself", k)
	}
	return nil
}

// ParsedTaints gives the taints as the API has them.
func (n Node) ParsedTaints() ([]v1.Taint, error) {
	for i, t := range n.Taints {
		add, _, err := taints.ParseTaints([]string{t})
		if err != nil || len(add) != 1 || add[0].Effect == "" {
			return nil, fmt.Errorf("taints[%d]: %q: must be key=value:Effect with NoSchedule, PreferNoSchedule or NoExecute", i, t)
		}
	}
	add, _, err := taints.ParseTaints(n.Taints)
	if err != nil {
		return nil, fmt.Errorf("taints: %w", err)
	}
	slices.SortFunc(add, func(a, b v1.Taint) int { return strings.Compare(a.ToString(), b.ToString()) })
	return add, nil
}

// Cores is the number of CPUs to report, 0 for the machine's.
func (n Node) Cores() (int, error) {
	if n.CPU == "" {
		return 0, nil
	}
	q, err := resource.ParseQuantity(n.CPU)
	if err != nil {
		return 0, fmt.Errorf("cpu: %q: %w", n.CPU, err)
	}
	if q.MilliValue()%1000 != 0 || q.Value() < 1 || q.Value() > 1024 {
		return 0, fmt.Errorf("cpu: %q: must be whole CPUs from 1 to 1024", n.CPU)
	}
	return int(q.Value()), nil
}

// MemoryBytes is the memory to report, 0 for the machine's.
func (n Node) MemoryBytes() (uint64, error) {
	if n.Memory == "" {
		return 0, nil
	}
	q, err := resource.ParseQuantity(n.Memory)
	if err != nil {
		return 0, fmt.Errorf("memory: %q: %w", n.Memory, err)
	}
	if q.Value() < 256<<20 {
		return 0, fmt.Errorf("memory: %q: must be at least 256Mi", n.Memory)
	}
	return uint64(q.Value()), nil
}
