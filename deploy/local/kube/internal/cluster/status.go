package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// Status is the content of status.json, which exists while a cluster is ready. After a kill it may be left behind:
// then no process holds the lock.
type Status struct {
	PID        int      `json:"pid"`
	Kubeconfig string   `json:"kubeconfig"`
	Server     string   `json:"server"`
	Nodes      []string `json:"nodes"`
	Ready      bool     `json:"ready"`
	// ImagesReady says that the archives given to the start are on every node.
	ImagesReady bool      `json:"imagesReady"`
	StartedAt   time.Time `json:"startedAt"`
	// Runtime is what runs the containers, and RuntimeReason why it was chosen.
	Runtime       Runtime `json:"runtime"`
	RuntimeReason string  `json:"runtimeReason"`
}

// writeStatus says that the cluster is ready. Once the images were, they stay so.
func (r *run) writeStatus(images bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.imagesReady = r.imagesReady || images
	l, s := r.layout, r.saved
	b, err := json.MarshalIndent(Status{
		PID: os.Getpid(), Kubeconfig: l.Kubeconfig(), Server: s.server(), Nodes: s.names(), Ready: true, ImagesReady: r.imagesReady, StartedAt: r.started.UTC(),
		Runtime: r.Choice.Runtime, RuntimeReason: r.Choice.Reason,
	}, "", "  ")
	if err != nil {
		return err
	}
	return pki.WriteFile(l.Status(), append(b, '\n'), 0o644)
}

func removeStatus(l layout.Layout) error {
	if err := os.Remove(l.Status()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Phase is the state of a cluster in a word.
type Phase string

// The phases of a cluster.
const (
	PhaseRunning  Phase = "running"  // its process runs and it is ready
	PhaseStarting Phase = "starting" // its process runs and it is not ready
	PhaseStopped  Phase = "stopped"  // no process, but its pods may still run
	PhaseDown     Phase = "down"     // nothing of it is on the machine
)

// Report is what the status command tells.
type Report struct {
	Phase Phase `json:"phase"`
	Status
	// NodeStates says for each node whether it is Ready now, and after a comma what a command has made of it: "stopped" or
	// "cut off".
	NodeStates map[string]string `json:"nodeStates,omitempty"`
	// NetworkPolicies is "enforced", says that they are not without root, or why the rules in force are not up to date.
	NetworkPolicies string `json:"networkPolicies,omitempty"`
}

// Look finds out how a cluster is.
func Look(ctx context.Context, dir string) (Report, error) {
	l, err := layout.New(dir)
	if err != nil {
		return Report{}, err
	}
	pid, runs := running(l)
	if !runs {
		return lookStopped(l)
	}
	r := Report{Phase: PhaseStarting, Status: Status{PID: pid}}
	b, err := os.ReadFile(l.Status())
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r.Status); err != nil {
		return r, fmt.Errorf("%s: %w", l.Status(), err)
	}
	if r.PID != pid { // of an earlier process
		return Report{Phase: PhaseStarting, Status: Status{PID: pid}}, nil
	}
	r.Phase = PhaseRunning
	r.NetworkPolicies = "enforced"
	if r.Runtime == RuntimeHost { // pods have no network of their own
		r.NetworkPolicies = "accepted, not enforced"
	}
	if b, err := os.ReadFile(l.PolicyTrouble()); err == nil {
		r.NetworkPolicies = "not up to date: " + string(b)
	}
	if unix.Access(l.Kubeconfig(), unix.R_OK) != nil {
		return r, nil // another user than root may know that it runs, and no more
	}
	r.NodeStates, err = nodeStates(ctx, l)
	return r, err
}

// lookStopped finds out what is left of a cluster without a process.
func lookStopped(l layout.Layout) (Report, error) {
	s, err := loadSaved(l)
	if err != nil {
		return Report{}, err
	}
	left := false
	if s.Runtime == RuntimeHost {
		boxes, err := hostBoxes(l, s)
		if err != nil {
			return Report{}, err
		}
		left = len(boxes) > 0
	} else {
		_, err := machine.Load(l)
		left = err == nil
	}
	if left {
		return Report{Phase: PhaseStopped}, nil
	}
	return Report{Phase: PhaseDown}, nil
}

func nodeStates(ctx context.Context, l layout.Layout) (map[string]string, error) {
	c, err := newClient(l.Kubeconfig())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("ask the API server: %w", err)
	}
	out := map[string]string{}
	for i := range list.Items {
		out[list.Items[i].Name] = "NotReady"
		if isReady(&list.Items[i], time.Time{}) {
			out[list.Items[i].Name] = "Ready"
		}
	}
	s, err := loadSaved(l)
	if err != nil {
		return nil, err
	}
	for _, n := range s.Nodes {
		if out[n.Name] == "" {
			out[n.Name] = "not registered"
		}
		if w := n.word(); w != "" {
			out[n.Name] += ", " + w
		}
	}
	return out, nil
}

// Nodes gives the nodes that a cluster has, running or not.
func Nodes(dir string) ([]topology.Node, error) {
	l, err := layout.New(dir)
	if err != nil {
		return nil, err
	}
	s, err := loadSaved(l)
	if err != nil {
		return nil, err
	}
	var out []topology.Node
	for _, n := range s.Nodes {
		out = append(out, n.Node)
	}
	return out, nil
}

// Kubeconfig gives the administrator's kubeconfig.
func Kubeconfig(dir string) ([]byte, error) {
	l, err := layout.New(dir)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(l.Kubeconfig())
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s has no cluster yet; make one with: goblinlab-local up --dir %s", l.Dir, strings.TrimSpace(l.Dir))
	}
	return b, err
}
