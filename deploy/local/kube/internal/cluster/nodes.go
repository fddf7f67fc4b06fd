package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/containerd"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/gpu"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/node"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/oom"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pulls"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// NodeOptions are the settings of a process that is one node; Bin and Init as in UpOptions.
type NodeOptions struct{ Dir, Bin, Name, Init string }

// RunNode runs one node until ctx ends: a further one, or any without root.
func RunNode(ctx context.Context, o NodeOptions) error {
	l, err := layout.New(o.Dir)
	if err != nil {
		return err
	}
	s, err := loadSaved(l)
	if err != nil {
		return err
	}
	n, err := s.node(o.Name)
	if err != nil {
		return err
	}
	if s.Runtime == RuntimeHost {
		return runHostNode(ctx, l.Host(), s, n, o.Init)
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var g process.Group
	if err := startNode(ctx, &g, l, s, n, o.Bin, fail); err != nil {
		fail(err)
	}
	<-ctx.Done()
	g.Wait()
	if cause := context.Cause(ctx); cause != context.Canceled {
		return cause
	}
	return nil
}

// startNode runs containerd, the kubelet and the pretend GPUs of a node whose mount namespace we are in.
func startNode(ctx context.Context, g *process.Group, l layout.Layout, s saved, n savedNode, bin string, failed func(error)) error {
	at := l.Node(n.Name)
	ip := network.Gateway(n.Index)
	if err := network.EnsureLink(l.Bridge(n.Index), ip); err != nil {
		return err
	}
	credentials, err := pki.Node(l.PKI(), s.serverFor(n), n.Name, ip)
	if err != nil {
		return fmt.Errorf("credentials of node %s: %w", n.Name, err)
	}
	if err := containerd.Start(ctx, g, containerd.Config{
		Node: n.Name, Bin: bin, Socket: at.Containerd(), Registry: l.Registry(),
		Subnet: network.Subnet(n.Index), Gateway: ip.String(), PolicySocket: l.PolicySocket(),
		Log: l.Log("containerd-" + n.Name), PidFile: filepath.Join(at.Run, "containerd.pid"),
	}); err != nil {
		return err
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
	if err := node.Start(ctx, node.Config{
		Name: n.Name, IP: ip, Credentials: credentials, Runtime: at.Containerd(), DNS: network.ServiceIP().String(),
		CgroupRoot: filepath.Join(l.CgroupRoot(), n.Name), Labels: n.Labels, Taints: taints,
		Size: node.Size{Cores: cores, Memory: memory},
	}, failed); err != nil {
		return err
	}
	client, err := newClient(credentials.Kubeconfig)
	if err != nil {
		return err
	}
	go pulls.Run(ctx, pulls.Config{Node: n.Name, Importer: filepath.Join(bin, containerd.Importer), Socket: at.Containerd(), Client: client})
	go oom.Run(ctx, oom.Config{Node: n.Name, Socket: at.Containerd(), Client: client})
	if n.GPUs > 0 {
		go gpu.Run(ctx, topology.GPUResource, n.GPUs)
	}
	return nil
}

// further is a running further node.
type further struct {
	end   context.CancelFunc
	group *process.Group
	way   *network.Way // to the API server
}

// stop ends the node's kubelet and its container runtime; its containers go on.
func (f *further) stop() {
	f.end()
	f.group.Wait()
}

// startFurther runs a further node as a child process in its mount namespace, which host has pinned, and makes its way to
// the API server.
func startFurther(ctx context.Context, l layout.Layout, s saved, n savedNode, bin string, host *os.File) (*further, error) {
	ctx, end := context.WithCancel(ctx)
	f := &further{end: end, group: &process.Group{}}
	if err := f.start(ctx, l, s, n, bin, host); err != nil {
		f.stop()
		return nil, err
	}
	return f, nil
}

func (f *further) start(ctx context.Context, l layout.Layout, s saved, n savedNode, bin string, host *os.File) error {
	ip := network.Gateway(n.Index)
	if err := network.EnsureLink(l.Bridge(n.Index), ip); err != nil {
		return err
	}
	from, to := net.JoinHostPort(ip.String(), strconv.Itoa(network.APIPort)), net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
	var err error
	if f.way, err = network.Forward(ctx, from, to); err != nil {
		return fmt.Errorf("way of node %s to the API server: %w", n.Name, err)
	}
	var namespace *os.File
	err = mountns.Do(host, func() (err error) { // the pins show there only
		namespace, err = os.Open(filepath.Join(l.Pins(), n.Name))
		return err
	})
	if err != nil {
		return fmt.Errorf("mount namespace of node %s: %w", n.Name, err)
	}
	defer namespace.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return f.group.Start(ctx, process.Command{
		Name: "node " + n.Name, Path: self, Args: []string{"run-node", "--dir", l.Dir, "--bin", filepath.Dir(bin), "--name", n.Name},
		Log: l.Log("node-" + n.Name), PidFile: filepath.Join(l.Node(n.Name).Run, "node.pid"), Namespace: namespace,
	})
}
