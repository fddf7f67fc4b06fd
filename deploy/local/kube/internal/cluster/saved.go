// Package cluster brings a local cluster up, watches it, and takes it down.
//
// Up happens in two stages of one process. The first, in the machine's mount namespace, takes the locks, looks for
// conflicts, and pins a mount namespace for each node. Then the program executes itself inside the namespace of the
// first node, keeping its process id, and the second stage runs everything: control plane and first node in the process,
// each further node as a child process in its own namespace.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// savedNode is a node with the number that gives it its addresses, and what commands have made of it.
type savedNode struct {
	topology.Node
	Index int `json:"index"`
	// Added says that it came by a command: a nodes file that does not name it leaves it alone.
	Added bool `json:"added,omitempty"`
	// Stopped and Cut say that it is to be off, or separated from the control plane, also after the next start.
	Stopped bool `json:"stopped,omitempty"`
	Cut     bool `json:"cut,omitempty"`
}

// saved is what a cluster keeps between starts, and what its node processes read.
type saved struct {
	Port  int         `json:"port"`
	Nodes []savedNode `json:"nodes"`
	// Runtime that the cluster was made with; empty for containerd.
	Runtime Runtime `json:"runtime,omitempty"`
	// Indexes of nodes that once were, so that a node that returns finds its addresses again.
	Indexes map[string]int `json:"indexes"`
}

func loadSaved(l layout.Layout) (saved, error) {
	var s saved
	b, err := os.ReadFile(l.Cluster())
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w", l.Cluster(), err)
	}
	return s, nil
}

func (s saved) write(l layout.Layout) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return pki.WriteFile(l.Cluster(), b, 0o644)
}

// word says what a command has made of a node; empty when it is as usual.
func (n savedNode) word() string {
	switch {
	case n.Stopped:
		return "stopped"
	case n.Cut:
		return "cut off"
	}
	return ""
}

// wanted are the nodes of a start: those of the file and those that commands added; without a file those that the cluster
// has; the default for a new one.
func (s saved) wanted(file string) ([]topology.Node, error) {
	var nodes []topology.Node
	if file != "" {
		var err error
		if nodes, err = topology.Load(file); err != nil {
			return nil, err
		}
	}
	for _, n := range s.Nodes {
		inFile := slices.ContainsFunc(nodes, func(o topology.Node) bool { return o.Name == n.Name })
		if file == "" || n.Added && !inFile {
			nodes = append(nodes, n.Node)
		}
	}
	if len(nodes) == 0 {
		return topology.Default(), nil
	}
	if len(nodes) > topology.MaxNodes {
		return nil, fmt.Errorf("nodes file %s: with the nodes that were added by a command there are %d, at most %d are possible; remove some with: node rm", file, len(nodes), topology.MaxNodes)
	}
	return nodes, nil
}

// withNodes gives the nodes their numbers: those that they had, or the lowest free ones. A node that stays keeps what
// commands have made of it, unless it is now the first, which lives in the control plane's process.
func (s saved) withNodes(nodes []topology.Node) (saved, error) {
	earlier := map[string]savedNode{}
	for _, n := range s.Nodes {
		earlier[n.Name] = n
	}
	indexes := map[string]int{}
	used := map[int]bool{}
	for name, i := range s.Indexes {
		indexes[name], used[i] = i, true
	}
	s.Nodes, s.Indexes = nil, indexes
	for _, n := range nodes {
		i, ok := indexes[n.Name]
		if !ok {
			for i = 0; used[i]; i++ {
			}
			indexes[n.Name], used[i] = i, true
		}
		if i >= network.ServiceIndex {
			return s, fmt.Errorf("node %s: the cluster has had %d different nodes, no address is left; wipe it", n.Name, i)
		}
		e := earlier[n.Name]
		e.Node, e.Index = n, i
		if len(s.Nodes) == 0 {
			e.Stopped, e.Cut = false, false
		}
		s.Nodes = append(s.Nodes, e)
	}
	return s, nil
}

// only is the cluster with some of its nodes.
func (s saved) only(keep func(savedNode) bool) saved {
	s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n savedNode) bool { return !keep(n) })
	return s
}

// on are the nodes that are not stopped.
func (s saved) on() saved { return s.only(func(n savedNode) bool { return !n.Stopped }) }

// reachable are the nodes that are expected to be Ready.
func (s saved) reachable() saved {
	return s.only(func(n savedNode) bool { return !n.Stopped && !n.Cut })
}

// cut are the numbers of the nodes that are separated from the control plane.
func (s saved) cut() []int {
	var out []int
	for _, n := range s.Nodes {
		if n.Cut && !n.Stopped {
			out = append(out, n.Index)
		}
	}
	return out
}

// withPort chooses the port of the API server: the wanted one, else the remembered one, else a free one.
func (s saved) withPort(want int) (saved, error) {
	switch {
	case want != 0:
		s.Port = want
	case s.Port == 0:
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return s, err
		}
		defer l.Close()
		s.Port = l.Addr().(*net.TCPAddr).Port
		return s, nil
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
	if err != nil {
		if want != 0 {
			return s, fmt.Errorf("port %d is taken; choose another with --port", want)
		}
		return s, fmt.Errorf("port %d, which this cluster had before, is taken by another program; choose another with --port", s.Port)
	}
	return s, l.Close()
}

func (s saved) server() string { return fmt.Sprintf("https://127.0.0.1:%d", s.Port) }

// serverFor is where a node finds the API server. Further nodes have a way of their own there, which can be cut.
func (s saved) serverFor(n savedNode) string {
	if n.Name == s.Nodes[0].Name {
		return s.server()
	}
	return "https://" + net.JoinHostPort(network.Gateway(n.Index).String(), strconv.Itoa(network.APIPort))
}

func (s saved) names() []string {
	var out []string
	for _, n := range s.Nodes {
		out = append(out, n.Name)
	}
	return out
}

func (s saved) node(name string) (savedNode, error) {
	for _, n := range s.Nodes {
		if n.Name == name {
			return n, nil
		}
	}
	return savedNode{}, fmt.Errorf("the cluster has no node %q; it has %v", name, s.names())
}

// links gives each node's interface.
func (s saved) links(l layout.Layout) map[string]string {
	out := map[string]string{}
	for _, n := range s.Nodes {
		out[n.Name] = l.Bridge(n.Index)
	}
	return out
}
