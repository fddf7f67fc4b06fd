package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/distribution/reference"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/containerd"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// PullImage pulls an image from its registry on nodes of a running cluster, as a pod would: with the registry's settings.
// With a user the password is read from the input. The nodes go on when one of them fails.
func PullImage(ctx context.Context, dir, bin string, nodes []string, ref, user string, in io.Reader, say func(line string)) error {
	if err := checkReference(ref); err != nil {
		return err
	}
	l, names, err := runningNodes(dir, nodes)
	if err != nil {
		return err
	}
	password := ""
	args := []string{}
	if user != "" {
		b, err := io.ReadAll(io.LimitReader(in, maxPassword))
		if err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
		if password = strings.TrimRight(string(b), "\r\n"); password == "" {
			return errors.New("--user: the password is read from standard input, which is empty; give it as: echo PASSWORD | goblinlab-local image pull …")
		}
		args = append(args, "--user", user)
	}
	return eachNode(names, func(n string) error {
		all := append([]string{"pull", "--address", l.Node(n).Containerd()}, append(args, ref)...)
		return importer(ctx, bin, strings.NewReader(password), all, func(line string) { say("node " + n + ": " + line) })
	})
}

// maxPassword is far more than a registry's token has.
const maxPassword = 64 << 10

// RemoveImages takes images off the nodes of a running cluster. A name that no node has is an error, and so is one that a
// pod uses; the others go.
func RemoveImages(ctx context.Context, dir, bin string, nodes, refs []string, say func(line string)) error {
	for _, ref := range refs {
		if err := checkReference(ref); err != nil {
			return err
		}
	}
	l, names, err := runningNodes(dir, nodes)
	if err != nil {
		return err
	}
	users, err := imageUsers(ctx, l)
	if err != nil {
		return err
	}
	var problems []error
	for _, ref := range refs {
		var gone counter
		err := eachNode(names, func(n string) error {
			args := append(append([]string{"rm", "--address", l.Node(n).Containerd()}, users[n]...), ref)
			return importer(ctx, bin, nil, args, gone.counting(func(line string) { say("node " + n + ": " + line) }))
		})
		if err == nil && gone.n == 0 {
			err = fmt.Errorf("image %s is on none of the nodes %s; see what is there with: goblinlab-local image ls", ref, strings.Join(names, ", "))
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// PruneImages removes from the nodes of a running cluster every image that no pod uses; those of the cluster's start stay.
// It gives how many went.
func PruneImages(ctx context.Context, dir, bin string, nodes []string, say func(line string)) (int, error) {
	l, names, err := runningNodes(dir, nodes)
	if err != nil {
		return 0, err
	}
	users, err := imageUsers(ctx, l)
	if err != nil {
		return 0, err
	}
	var gone counter
	err = eachNode(names, func(n string) error {
		args := append([]string{"prune", "--address", l.Node(n).Containerd()}, users[n]...)
		return importer(ctx, bin, nil, args, gone.counting(func(line string) { say("node " + n + ": " + line) }))
	})
	return gone.n, err
}

// eachNode does something on nodes at once, on all of them even if some fail.
func eachNode(nodes []string, do func(node string) error) error {
	problems := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			if err := do(n); err != nil {
				problems[i] = fmt.Errorf("node %s: %w", n, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(problems...)
}

// counter counts lines that come from several nodes.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) counting(say func(string)) func(string) {
	return func(line string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
		say(line)
	}
}

// imageUsers gives for each node, as arguments, which images its pods are described with: also those that have no
// container yet, or wait for the next one.
func imageUsers(ctx context.Context, l layout.Layout) (map[string][]string, error) {
	c, err := newClient(l.Kubeconfig())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	list, err := c.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("ask the API server which images are used: %w", err)
	}
	return usersOf(list.Items), nil
}

func usersOf(pods []v1.Pod) map[string][]string {
	out := map[string][]string{}
	for _, p := range pods {
		if p.Spec.NodeName == "" || p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed {
			continue
		}
		use := func(image string) {
			out[p.Spec.NodeName] = append(out[p.Spec.NodeName], "--used", p.Namespace+"/"+p.Name+"="+image)
		}
		use(containerd.PauseImage) // every pod stands on it
		for _, c := range p.Spec.InitContainers {
			use(c.Image)
		}
		for _, c := range p.Spec.Containers {
			use(c.Image)
		}
		for _, c := range p.Spec.EphemeralContainers {
			use(c.Image)
		}
	}
	return out
}

// checkReference refuses what cannot be the name of an image.
func checkReference(ref string) error {
	if _, err := reference.ParseDockerRef(ref); err != nil {
		return fmt.Errorf("%q is not the name of an image (%w); write it as registry.example/team/image:tag", ref, err)
	}
	return nil
}
