package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// Verb is what a node command does.
type Verb string

// The node commands. What a node is made of is written to cluster.json before anything happens, so that a start after a
// kill finishes what the command began.
//
//	         add            stop           rm
//	(none) ──────► on ───────────► stopped ────► (none)
//	             │   ▲ ◄───────────
//	         cut │   │ heal  start
//	             ▼   │
//	            cut off
const (
	VerbAdd   Verb = "add"
	VerbStop  Verb = "stop"
	VerbStart Verb = "start"
	VerbCut   Verb = "cut"
	VerbHeal  Verb = "heal"
	VerbRm    Verb = "rm"
)

// NodeCommand is one command on one node.
type NodeCommand struct {
	Verb  Verb          `json:"verb"`
	Node  topology.Node `json:"node"`            // all of it for add, the name for the others
	Grace time.Duration `json:"grace,omitempty"` // that containers get to end by themselves; for stop and rm
}

// noticed is how long the control plane waits for a node's heartbeats.
const noticed = "the control plane notices after about 50 s"

// do carries a command out. Commands come one at a time.
func (r *run) do(ctx context.Context, c NodeCommand, say func(format string, args ...any)) error {
	if c.Verb == VerbAdd {
		return r.add(ctx, c.Node, say)
	}
	s := r.current()
	n, err := s.node(c.Node.Name)
	if err != nil {
		return err
	}
	if n.Name == s.Nodes[0].Name {
		return fmt.Errorf("node %s is the first one, which lives in the process of the control plane: it cannot be stopped, cut off or removed; take another node, or end the whole cluster with down", n.Name)
	}
	switch c.Verb {
	case VerbStop:
		return r.stop(n, c.Grace, say)
	case VerbStart:
		return r.start(ctx, n, say)
	case VerbCut:
		return r.cut(n, say)
	case VerbHeal:
		return r.heal(ctx, n, say)
	case VerbRm:
		return r.remove(ctx, n, c.Grace, say)
	}
	return fmt.Errorf("verb: %q is not a command for nodes", c.Verb)
}

func (r *run) add(ctx context.Context, want topology.Node, say func(format string, args ...any)) error {
	before := r.current()
	if err := want.Validate(); err != nil {
		return err
	}
	if slices.Contains(before.names(), want.Name) {
		return fmt.Errorf("name: the cluster has a node %q already; it has %v", want.Name, before.names())
	}
	if len(before.Nodes) >= topology.MaxNodes {
		return fmt.Errorf("the cluster has %d nodes, which is the most that is possible; remove one with: node rm", len(before.Nodes))
	}
	var nodes []topology.Node
	for _, n := range before.Nodes {
		nodes = append(nodes, n.Node)
	}
	s, err := before.withNodes(append(nodes, want))
	if err != nil {
		return err
	}
	n := &s.Nodes[len(s.Nodes)-1]
	n.Added = true
	since := time.Now()
	if err := r.save(s); err != nil {
		return err
	}
	if err := r.switchOn(ctx, *n); err != nil {
		return errors.Join(err, r.save(before), r.outside("settle"))
	}
	say("node %s is starting", n.Name)
	return r.finish(ctx, *n, since, say)
}

func (r *run) stop(n savedNode, grace time.Duration, say func(format string, args ...any)) error {
	if n.Stopped {
		return fmt.Errorf("node %s is stopped already", n.Name)
	}
	if err := r.update(n.Name, func(n *savedNode) { n.Stopped = true }); err != nil {
		return err
	}
	say("ending the kubelet and the containers of node %s", n.Name)
	if err := r.switchOff(n.Name, grace); err != nil {
		return err
	}
	say("node %s is stopped; %s. Start it again with: node start %s", n.Name, noticed, n.Name)
	return r.writeStatus(false)
}

func (r *run) start(ctx context.Context, n savedNode, say func(format string, args ...any)) error {
	if !n.Stopped {
		return fmt.Errorf("node %s is not stopped", n.Name)
	}
	if err := r.update(n.Name, func(n *savedNode) { n.Stopped = false }); err != nil {
		return err
	}
	n.Stopped = false
	since := time.Now()
	if err := r.switchOn(ctx, n); err != nil {
		return errors.Join(err, r.update(n.Name, func(n *savedNode) { n.Stopped = true }))
	}
	say("node %s is starting", n.Name)
	return r.finish(ctx, n, since, say)
}

func (r *run) cut(n savedNode, say func(format string, args ...any)) error {
	if w := n.word(); w != "" {
		return fmt.Errorf("node %s is %s already", n.Name, w)
	}
	if err := r.update(n.Name, func(n *savedNode) { n.Cut = true }); err != nil {
		return err
	}
	if err := network.Cut(r.current().cut()); err != nil {
		return errors.Join(err, r.update(n.Name, func(n *savedNode) { n.Cut = false }))
	}
	say("node %s is cut off from the control plane, its containers go on; %s. Join it again with: node heal %s", n.Name, noticed, n.Name)
	return r.writeStatus(false)
}

func (r *run) heal(ctx context.Context, n savedNode, say func(format string, args ...any)) error {
	if !n.Cut {
		return fmt.Errorf("node %s is not cut off", n.Name)
	}
	if err := r.update(n.Name, func(n *savedNode) { n.Cut = false }); err != nil {
		return err
	}
	n.Cut = false
	if err := network.Cut(r.current().cut()); err != nil {
		return err
	}
	if n.Stopped {
		say("node %s is joined again, and stopped; start it with: node start %s", n.Name, n.Name)
		return r.writeStatus(false)
	}
	// The connections from before would wait for their next retransmission.
	since := time.Now()
	r.further[n.Name].way.Reset()
	if err := awaitHeartbeat(ctx, r.client, n.Name, since); err != nil {
		return fmt.Errorf("node %s is joined again, and not heard of yet: %w; see %s", n.Name, err, r.layout.Log("node-"+n.Name))
	}
	return r.finish(ctx, n, time.Time{}, say)
}

func (r *run) remove(ctx context.Context, n savedNode, grace time.Duration, say func(format string, args ...any)) error {
	if !n.Stopped {
		say("ending the kubelet and the containers of node %s", n.Name)
		if err := r.switchOff(n.Name, grace); err != nil {
			return err
		}
	}
	s := r.current().only(func(o savedNode) bool { return o.Name != n.Name })
	s.Indexes = maps.Clone(s.Indexes)
	delete(s.Indexes, n.Name)
	if err := r.save(s); err != nil {
		return err
	}
	if err := errors.Join(r.outside("settle"), network.Cut(s.cut()), forgetNode(ctx, r.client, n.Name)); err != nil {
		return err
	}
	data := r.layout.Node(n.Name).Data
	if err := machine.RefuseMounts(data); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(data), pki.RemoveNode(r.layout.PKI(), n.Name)); err != nil {
		return err
	}
	say("node %s, its pods and its images are removed; volumes stay", n.Name)
	return r.writeStatus(false)
}

// switchOn brings up a node that the saved cluster has as on.
func (r *run) switchOn(ctx context.Context, n savedNode) error {
	if err := r.outside("settle"); err != nil {
		return err
	}
	s := r.current()
	if err := network.Cut(s.cut()); err != nil {
		return err
	}
	f, err := startFurther(ctx, r.layout, s, n, r.Bin, r.host)
	if err != nil {
		return err
	}
	r.further[n.Name] = f
	return nil
}

// switchOff ends all that a node has on the machine.
func (r *run) switchOff(name string, grace time.Duration) error {
	if f := r.further[name]; f != nil {
		f.stop()
		delete(r.further, name)
	}
	if err := r.outside("power-off", "--name", name, "--grace", grace.String()); err != nil {
		return fmt.Errorf("not everything of node %s could be ended: %w", name, err)
	}
	return network.Cut(r.current().cut())
}

// finish waits until a node that was switched on or healed has said that it is Ready, and gives it the images.
func (r *run) finish(ctx context.Context, n savedNode, since time.Time, say func(format string, args ...any)) error {
	if err := r.writeStatus(false); err != nil {
		return err
	}
	if n.Cut {
		say("node %s is on, and cut off; join it again with: node heal %s", n.Name, n.Name)
	} else {
		one := r.current().only(func(o savedNode) bool { return o.Name == n.Name })
		if err := awaitNodes(ctx, r.client, one, since, func(string) {}); err != nil {
			return fmt.Errorf("node %s is part of the cluster, and not Ready yet: %w; see %s", n.Name, err, r.layout.Log("node-"+n.Name))
		}
		say("node %s is Ready", n.Name)
	}
	later, err := r.archives()
	if err != nil {
		return err
	}
	line := func(l string) { say("%s", l) }
	one := []string{n.Name}
	if err := errors.Join(importAll(ctx, r.layout, one, r.Bin, true, r.Images, line), importAll(ctx, r.layout, one, r.Bin, false, later, line)); err != nil {
		return fmt.Errorf("import images: %w", err)
	}
	return nil
}

// save makes s the cluster's nodes, now and for later starts.
func (r *run) save(s saved) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := s.write(r.layout); err != nil {
		return err
	}
	r.saved = s
	return nil
}

// update changes one of the saved nodes.
func (r *run) update(name string, change func(*savedNode)) error {
	s := r.current()
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		if s.Nodes[i].Name == name {
			change(&s.Nodes[i])
		}
	}
	return r.save(s)
}

// forgetNode deletes the object of a node that has ended, and its pods: no kubelet will confirm their end.
func forgetNode(ctx context.Context, c kubernetes.Interface, name string) error {
	if err := c.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	pods, err := c.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", name).String()})
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range pods.Items {
		if err := c.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, *metav1.NewDeleteOptions(0)); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
