package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/box"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/hostruntime"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/node"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/volume"
)

// A cluster without root has the same control plane. Every node, the first too, is a child process in a user namespace,
// and its containers are boxes. There are no networks, so no service addresses, no cluster DNS and nothing on the machine
// that would have to be cleaned up but processes.

// hostIP is the address of all nodes.
var hostIP = net.IPv4(127, 0, 0, 1)

// RunHost runs a cluster without root until ctx ends, leaving the pods running, or until a part fails.
func RunHost(ctx context.Context, o UpOptions, say func(format string, args ...any)) error {
	r := &run{UpOptions: o, say: say, started: time.Now()}
	lock, err := r.prepareHost()
	if err != nil {
		return err
	}
	defer lock.Close()
	control, stopControl := context.WithCancel(context.WithoutCancel(ctx))
	defer stopControl()
	nodes, fail := context.WithCancelCause(ctx)
	r.fail = fail
	plane, err := r.startControlPlane(control)
	if err != nil {
		return err
	}
	defer plane.Stop()
	if err := r.bringUpHost(nodes); err != nil {
		fail(err)
	}
	<-nodes.Done()
	r.say("stopping; the pods keep running")
	err = errors.Join(removeStatus(r.layout), causeOf(nodes))
	r.children.Wait()
	return err
}

// prepareHost takes the folder, finds out whether containers can be made, and decides nodes and ports.
func (r *run) prepareHost() (lock *os.File, err error) {
	if len(r.Images) > 0 {
		return nil, errHostImages
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return nil, err
	}
	l, err := layout.New(r.Dir)
	if err != nil {
		return nil, err
	}
	r.layout = l.Host()
	if err := r.layout.CheckHost(); err != nil {
		return nil, err
	}
	lock, err = lockSoon(l.Lock(), strconv.Itoa(os.Getpid())+"\n")
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("the local cluster in %s is already running (process %s)", l.Dir, firstLine(l.Lock()))
	}
	if err != nil {
		return nil, err
	}
	// Volumes are open to every user, as images may run as any; here only ours is to get that far.
	err = errors.Join(keepFromChildren(), removeStatus(l), os.MkdirAll(r.layout.Run, 0o700), os.MkdirAll(l.Volumes(), 0o700))
	if err == nil {
		err = box.Check(r.layout.Run)
	}
	if err == nil {
		r.saved, err = decide(l, r.UpOptions)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// bringUpHost starts nodes and volumes beside the control plane and returns when all are ready.
func (r *run) bringUpHost(ctx context.Context) error {
	removed, err := removeOldNodes(ctx, r.client, r.saved)
	if err != nil {
		return fmt.Errorf("remove old nodes: %w", err)
	}
	for _, name := range removed {
		r.say("node %s is no longer wanted and was removed", name)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.startHostNodes(ctx) })
	g.Go(func() error { return volume.Start(ctx, r.client, r.layout.Volumes()) })
	g.Go(func() error {
		return awaitNodes(gctx, r.client, r.saved, r.started, func(name string) { r.say("node %s is Ready", name) })
	})
	if err := g.Wait(); err != nil {
		return err
	}
	if err := r.writeStatus(true); err != nil {
		return err
	}
	r.say("ready; export KUBECONFIG=%s", r.layout.Kubeconfig())
	return nil
}

func (r *run) startHostNodes(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, n := range r.saved.Nodes {
		err := r.children.Start(ctx, process.Command{
			Name: "node " + n.Name, Path: self, Args: []string{"run-node", "--dir", r.layout.Dir, "--name", n.Name, "--init", r.Init},
			Log: r.layout.Log("node-" + n.Name), PidFile: filepath.Join(r.layout.Run, n.Name+".pid"), OwnUsers: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runHostNode runs a node of a cluster without root until ctx ends.
func runHostNode(ctx context.Context, l layout.Layout, s saved, n savedNode, init string) error {
	credentials, err := pki.Node(l.PKI(), s.server(), n.Name, hostIP)
	if err != nil {
		return fmt.Errorf("credentials of node %s: %w", n.Name, err)
	}
	taints, err := n.ParsedTaints()
	if err != nil {
		return err
	}
	cores, err := n.Cores()
	if err != nil {
		return err
	}
	memory, err := n.MemoryBytes()
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	containers := hostContainers(l, n.Name)
	containers.Init = init
	containers.Hide = hidden(l)
	containers.Env = map[string]string{
		"KUBERNETES_SERVICE_HOST": hostIP.String(), "KUBERNETES_SERVICE_PORT": strconv.Itoa(s.Port), "KUBERNETES_SERVICE_PORT_HTTPS": strconv.Itoa(s.Port),
	}
	err = node.StartHost(ctx, node.Config{
		Name: n.Name, IP: hostIP, Credentials: credentials, DNS: hostIP.String(), Labels: n.Labels, Taints: taints, Size: node.Size{Cores: cores, Memory: memory},
	}, node.HostConfig{Root: l.Kubelet(n.Index), Logs: l.Node(n.Name).PodLogs(), Port: port, GPUs: n.GPUs, Runtime: containers})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// hidden are the user's own folders, wherever they are.
func hidden(l layout.Layout) []string {
	out := []string{l.Dir}
	if home, err := os.UserHomeDir(); err == nil && filepath.Clean(home) != "/" {
		out = append(out, home)
	}
	return out
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(hostIP.String(), "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// hostContainers is where the containers of a node are found.
func hostContainers(l layout.Layout, node string) hostruntime.Config {
	return hostruntime.Config{Dir: l.Node(node).Containers(), Sockets: l.Boxes()}
}

// hostBoxes are the containers that run, whether or not the cluster does.
func hostBoxes(l layout.Layout, s saved) ([]*box.Box, error) {
	var out []*box.Box
	for _, n := range s.Nodes {
		boxes, err := hostruntime.Running(hostContainers(l.Host(), n.Name))
		if err != nil {
			return nil, err
		}
		out = append(out, boxes...)
	}
	return out, nil
}

// downHost ends the process and all containers of a cluster without root.
func downHost(l layout.Layout, s saved, grace time.Duration, say func(format string, args ...any)) error {
	if pid, runs := running(l); runs {
		say("stopping process %d", pid)
		if err := stopProcess(l, pid); err != nil {
			return err
		}
	}
	lock, err := lockSoon(l.Lock(), strconv.Itoa(os.Getpid())+"\n")
	if err != nil {
		return fmt.Errorf("the cluster in %s: %w", l.Dir, err)
	}
	defer lock.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, n := range s.Nodes { // after a kill they may still be ending
		if err := process.AwaitEnd(context.Background(), filepath.Join(l.Host().Run, n.Name+".pid"), self); err != nil {
			return err
		}
	}
	boxes, err := hostBoxes(l, s)
	if err != nil {
		return err
	}
	say("ending %d containers", len(boxes))
	var g errgroup.Group
	for _, b := range boxes {
		g.Go(func() error { return b.Stop(grace) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	say("down; data stays in %s", l.Dir)
	return removeStatus(l)
}

// errHostImages says why there are no other images.
var errHostImages = errors.New("without root the cluster has only the image " + hostruntime.Image + ", which is the machine itself; no other can be brought or pulled")
