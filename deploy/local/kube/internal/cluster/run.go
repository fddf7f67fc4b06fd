package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/controlplane"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/dns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/kubeproxy"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/metrics"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/policy"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/volume"
)

// run is one running cluster.
type run struct {
	UpOptions
	layout     layout.Layout
	host       *os.File // the machine's mount namespace
	say        func(format string, args ...any)
	started    time.Time
	fail       context.CancelCauseFunc
	children   process.Group
	background sync.WaitGroup
	client     *kubernetes.Clientset
	further    map[string]*further // the nodes that are on, without the first

	mu          sync.Mutex // guards what follows
	saved       saved
	imagesReady bool
}

// current gives the nodes as they are now: commands change them while the cluster runs.
func (r *run) current() saved {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved
}

// Run is the second stage of a start. It returns when ctx ends, leaving the pods running, or when a part fails.
func Run(ctx context.Context, o UpOptions, say func(format string, args ...any)) error {
	r := &run{UpOptions: o, say: say, started: time.Now(), further: map[string]*further{}}
	var err error
	if r.host, err = takeInherited(); err != nil {
		return err
	}
	if r.layout, err = layout.New(o.Dir); err != nil {
		return err
	}
	if r.saved, err = loadSaved(r.layout); err != nil {
		return err
	}
	if err := removeStatus(r.layout); err != nil {
		return err
	}
	// Two contexts, because the nodes are to end before the API server does.
	control, stopControl := context.WithCancel(context.WithoutCancel(ctx))
	defer stopControl()
	nodes, fail := context.WithCancelCause(ctx)
	r.fail = fail
	plane, err := r.startControlPlane(control)
	if err != nil {
		return err
	}
	defer plane.Stop()
	if err := r.bringUp(nodes); err != nil {
		fail(err)
	}
	<-nodes.Done()
	r.say("stopping; the pods keep running")
	r.background.Wait()
	err = errors.Join(removeStatus(r.layout), causeOf(nodes))
	for _, f := range r.further {
		f.stop()
	}
	r.children.Wait()
	return err
}

// causeOf is the failure that ended the nodes; nil when they were asked to end.
func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func (r *run) startControlPlane(ctx context.Context) (*controlplane.ControlPlane, error) {
	l := r.layout
	ips := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.ParseIP(network.APIService), network.ServiceIP()}
	if err := pki.Cluster(l.PKI(), r.saved.server(), ips); err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	if err := pki.CopyAdmin(l.PKI(), l.Kubeconfig()); err != nil {
		return nil, err
	}
	plane, err := controlplane.Start(ctx, controlplane.Config{
		EtcdDir: l.Etcd(), Run: l.Run, PKI: l.PKI(), Port: r.saved.Port, ServiceCIDR: network.ServiceCIDR, NoFsync: r.NoFsync, Manager: r.Manager,
	}, func(err error) { r.fail(err) })
	if err != nil {
		return nil, err
	}
	r.say("control plane is up at %s", r.saved.server())
	r.client, err = newClient(pki.Kubeconfig(l.PKI(), pki.Addons))
	return plane, err
}

// bringUp starts nodes and services beside the control plane and returns when all are ready.
func (r *run) bringUp(ctx context.Context) error {
	if err := errors.Join(machine.SetUp(), network.EnsureRules(r.layout.Comment()), network.Cut(r.saved.cut())); err != nil {
		return err
	}
	removed, err := removeOldNodes(ctx, r.client, r.saved)
	if err != nil {
		return fmt.Errorf("remove old nodes: %w", err)
	}
	for _, name := range removed {
		r.say("node %s is no longer wanted and was removed", name)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.startNodes(ctx) })
	g.Go(func() error { return r.startServices(ctx) })
	g.Go(func() error {
		return awaitNodes(gctx, r.client, r.saved.reachable(), r.started, func(name string) { r.say("node %s is Ready", name) })
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for _, n := range r.saved.Nodes {
		if n.Stopped || n.Cut {
			r.say("node %s is %s, as it was before", n.Name, n.word())
		}
	}
	if err := r.takeCommands(ctx); err != nil {
		return err
	}
	if err := r.writeStatus(len(r.Images) == 0); err != nil {
		return err
	}
	r.say("ready; export KUBECONFIG=%s", r.layout.Kubeconfig())
	if len(r.Images) > 0 {
		r.background.Go(func() { r.importImages(ctx) })
	}
	return nil
}

// startNodes starts the first node in this process and the others as children.
func (r *run) startNodes(ctx context.Context) error {
	for _, n := range r.saved.Nodes[1:] {
		if n.Stopped {
			continue
		}
		f, err := startFurther(ctx, r.layout, r.saved, n, r.Bin, r.host)
		if err != nil {
			return err
		}
		r.further[n.Name] = f
	}
	return startNode(ctx, &r.children, r.layout, r.saved, r.saved.Nodes[0], r.Bin, r.fail)
}

// startServices starts what the cluster offers to all: the way to the API server, network policies, service addresses, DNS,
// volumes.
func (r *run) startServices(ctx context.Context) error {
	l, ip := r.layout, network.ServiceIP().String()
	if err := network.EnsureLink(l.Bridge(network.ServiceIndex), network.ServiceIP()); err != nil {
		return err
	}
	if err := network.EnsureServiceRoute(l.Bridge(network.ServiceIndex)); err != nil {
		return err
	}
	from, to := net.JoinHostPort(ip, fmt.Sprint(network.APIPort)), net.JoinHostPort("127.0.0.1", fmt.Sprint(r.saved.Port))
	if _, err := network.Forward(ctx, from, to); err != nil {
		return fmt.Errorf("way to the API server: %w", err)
	}
	if err := applyAPIEndpoint(r.client, ip); err != nil {
		return fmt.Errorf("endpoint of the API server: %w", err)
	}
	if err := r.enforcePolicies(ctx); err != nil {
		return err
	}
	if err := kubeproxy.Start(ctx, pki.Kubeconfig(l.PKI(), pki.Proxy), r.saved.Nodes[0].Name, network.PodCIDR, r.fail); err != nil {
		return err
	}
	if err := volume.Start(ctx, r.client, l.Volumes()); err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(func() error {
		return dns.Start(ctx, &r.children, dns.Config{
			Path: filepath.Join(r.Bin, dns.Program), IP: ip, Kubeconfig: pki.Kubeconfig(l.PKI(), pki.DNS),
			File: filepath.Join(l.Run, "Corefile"), Log: l.Log("dns"), PidFile: filepath.Join(l.Run, "dns.pid"),
		})
	})
	g.Go(func() error {
		err := metrics.Start(ctx, &r.children, metrics.Config{
			Path: filepath.Join(r.Bin, metrics.Program), IP: network.ServiceIP(), PKI: l.PKI(),
			Log: l.Log("metrics"), PidFile: filepath.Join(l.Run, "metrics.pid"),
		})
		if err != nil && ctx.Err() == nil { // the cluster is of use without
			r.say("no metrics: %v (more in %s)", err, l.Log("metrics"))
		}
		return nil
	})
	return g.Wait()
}

func (r *run) enforcePolicies(ctx context.Context) error {
	dns, ok := netip.AddrFromSlice(network.ServiceIP())
	if !ok {
		return fmt.Errorf("%s is not an address", network.ServiceIP())
	}
	l := r.layout
	return policy.Start(ctx, policy.Config{
		Client: r.client, Socket: l.PolicySocket(), Claims: l.PolicyClaims(), Trouble: l.PolicyTrouble(), DNS: dns,
	})
}

func (r *run) importImages(ctx context.Context) {
	err := importAll(ctx, r.layout, r.current().on().names(), r.Bin, true, r.Images, func(line string) { r.say("%s", line) })
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = errors.Join(remember(r.layout, r.Images), r.writeStatus(true))
	}
	if err != nil { // the cluster is of use without; the next start tries again
		r.say("import of images failed: %v", err)
	}
}
