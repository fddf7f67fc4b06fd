package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
)

const readyWait = 2 * time.Minute

func newClient(kubeconfig string) (*kubernetes.Clientset, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	cfg.QPS, cfg.Burst = 50, 100
	return kubernetes.NewForConfig(cfg)
}

// applyAPIEndpoint points the service "kubernetes" at the forwarder: the API server itself is on loopback. Both kinds of
// objects are written, as the API server's own reconcilers do, since programs ask for either.
func applyAPIEndpoint(c kubernetes.Interface, ip string) error {
	want := &v1.Endpoints{ //nolint:staticcheck // deprecated, and asked for
		ObjectMeta: metav1.ObjectMeta{
			Name: "kubernetes", Namespace: metav1.NamespaceDefault, Labels: map[string]string{discoveryv1.LabelSkipMirror: "true"},
		},
		Subsets: []v1.EndpointSubset{{ //nolint:staticcheck // as above
			Addresses: []v1.EndpointAddress{{IP: ip}},
			Ports:     []v1.EndpointPort{{Name: "https", Port: int32(network.APIPort), Protocol: v1.ProtocolTCP}},
		}},
	}
	adapter := reconcilers.NewEndpointsAdapter(c.CoreV1(), c.DiscoveryV1())
	_, err := adapter.Create(want.Namespace, want)
	if apierrors.IsAlreadyExists(err) {
		_, err = adapter.Update(want.Namespace, want)
	}
	return err
}

// removeOldNodes deletes the objects of nodes that the nodes file no longer has, with the pods bound to them.
func removeOldNodes(ctx context.Context, c kubernetes.Interface, s saved) ([]string, error) {
	list, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, n := range list.Items {
		if slices.Contains(s.names(), n.Name) {
			continue
		}
		if err := c.CoreV1().Nodes().Delete(ctx, n.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return removed, err
		}
		removed = append(removed, n.Name)
	}
	return removed, nil
}

// awaitNodes brings labels and taints of the registered nodes in line with the nodes file and calls ready for each node
// that becomes Ready. A kubelet sets them only when it registers for the first time.
func awaitNodes(ctx context.Context, c kubernetes.Interface, s saved, started time.Time, ready func(name string)) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	done, adjusted := map[string]bool{}, map[string]bool{}
	for len(done) < len(s.Nodes) {
		list, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err == nil {
			err = s.look(ctx, c, list.Items, started, adjusted, func(name string) {
				if !done[name] {
					done[name] = true
					ready(name)
				}
			})
		}
		if len(done) == len(s.Nodes) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nodes are not ready: %d of %d are (%w)", len(done), len(s.Nodes), joinNotNil(ctx.Err(), err))
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// awaitHeartbeat waits until a node has renewed its lease after a moment. (Its status it reports only when it changes.)
func awaitHeartbeat(ctx context.Context, c kubernetes.Interface, name string, since time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	for {
		lease, err := c.CoordinationV1().Leases(v1.NamespaceNodeLease).Get(ctx, name, metav1.GetOptions{})
		if err == nil && lease.Spec.RenewTime != nil && lease.Spec.RenewTime.After(since) {
			return nil
		}
		select {
		case <-ctx.Done():
			return joinNotNil(ctx.Err(), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func joinNotNil(a, b error) error {
	if b != nil {
		return b
	}
	return a
}

// look takes one look at the nodes.
func (s saved) look(ctx context.Context, c kubernetes.Interface, nodes []v1.Node, started time.Time, adjusted map[string]bool, ready func(string)) error {
	for i := range nodes {
		want, err := s.node(nodes[i].Name)
		if err != nil {
			continue // just being removed
		}
		if !adjusted[want.Name] {
			if err := adjust(ctx, c, &nodes[i], want); err != nil {
				return err
			}
			adjusted[want.Name] = true
		}
		if isReady(&nodes[i], started) && hasGPUs(&nodes[i], want) {
			ready(want.Name)
		}
	}
	return nil
}

// isReady says whether a node has reported, since we started it, that it is Ready.
func isReady(n *v1.Node, started time.Time) bool {
	for _, x := range n.Status.Conditions {
		if x.Type == v1.NodeReady {
			// The API keeps seconds only.
			return x.Status == v1.ConditionTrue && !x.LastHeartbeatTime.Time.Before(started.Truncate(time.Second))
		}
	}
	return false
}

func hasGPUs(n *v1.Node, want savedNode) bool {
	q := n.Status.Allocatable["nvidia.com/gpu"]
	return q.Value() == int64(want.GPUs)
}

// managed remembers on the node which labels and taints came from the nodes file, so that they can go again.
const managed = "goblinlab.io/local-node"

type managedValues struct {
	Labels map[string]string `json:"labels,omitempty"`
	Taints []v1.Taint        `json:"taints,omitempty"`
}

// adjust patches labels and taints; what others set stays.
func adjust(ctx context.Context, c kubernetes.Interface, n *v1.Node, want savedNode) error {
	taints, err := want.ParsedTaints()
	if err != nil {
		return err
	}
	var before managedValues
	if a := n.Annotations[managed]; a != "" {
		if err := json.Unmarshal([]byte(a), &before); err != nil {
			return fmt.Errorf("annotation %s of node %s: %w", managed, n.Name, err)
		}
	}
	note, err := json.Marshal(managedValues{Labels: want.Labels, Taints: taints})
	if err != nil {
		return err
	}
	labels := map[string]any{}
	for k := range before.Labels {
		labels[k] = nil // removes it
	}
	for k, v := range want.Labels {
		labels[k] = v
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": n.ResourceVersion, "labels": labels, "annotations": map[string]string{managed: string(note)}},
		"spec":     map[string]any{"taints": mergeTaints(n.Spec.Taints, before.Taints, taints)},
	})
	if err != nil {
		return err
	}
	_, err = c.CoreV1().Nodes().Patch(ctx, n.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// mergeTaints is the present taints without those that came from an earlier nodes file, and with the wanted ones.
func mergeTaints(present, before, want []v1.Taint) []v1.Taint {
	out := slices.Clone(want)
	for _, t := range present {
		same := func(o v1.Taint) bool { return o.MatchTaint(&t) }
		if !slices.ContainsFunc(before, same) && !slices.ContainsFunc(want, same) {
			out = append(out, t)
		}
	}
	return out
}
