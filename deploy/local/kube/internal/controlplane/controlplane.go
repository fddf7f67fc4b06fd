// Package controlplane runs etcd, kube-apiserver, kube-controller-manager and kube-scheduler inside this process.
//
// Their options are parsed as their own programs would, but they are started through their exported Run and Setup
// functions: their commands each install the process-wide signal handler, and the second one panics.
package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	apiapp "k8s.io/kubernetes/cmd/kube-apiserver/app"
	apiopts "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	kcmapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kcmopts "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	schedapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedopts "k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

const (
	apiStart = 90 * time.Second
	stopWait = time.Second
)

// Config says where the control plane keeps its files and listens.
type Config struct {
	EtcdDir     string
	Run         string // folder of sockets
	PKI         string
	Port        int // on 127.0.0.1
	ServiceCIDR string
	NoFsync     bool
	Manager     []string // further flags of the controller manager
}

func (c Config) etcdSocket() string { return filepath.Join(c.Run, "etcd.sock") }

// ControlPlane is a running control plane.
type ControlPlane struct {
	etcd   *embed.Etcd
	stop   context.CancelFunc
	apiEnd chan error
}

// Start runs everything and returns when the API server is ready. A part that ends later is reported to failed.
func Start(ctx context.Context, c Config, failed func(error)) (*ControlPlane, error) {
	etcd, err := startEtcd(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &ControlPlane{etcd: etcd, stop: stop, apiEnd: make(chan error, 1)}
	if err := p.start(ctx, c, failed); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *ControlPlane) start(ctx context.Context, c Config, failed func(error)) error {
	o, err := parseOptions(c)
	if err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // they would repeat our own objects' deprecations in the log
	if err := p.startAPI(ctx, c, o.api, failed); err != nil {
		return err
	}
	if err := startManager(ctx, o.manager, failed); err != nil {
		return err
	}
	return startScheduler(ctx, o.scheduler, failed)
}

// Stop ends the API server, then its database. The process is expected to end afterwards: the API server would wait a
// minute for the watches of components in this process that never end, and etcd for its last clients, so neither is
// given that long. What was written is safe all the same; etcd closes its files.
func (p *ControlPlane) Stop() {
	p.stop()
	select {
	case <-p.apiEnd:
	case <-time.After(stopWait):
	}
	p.etcd.Server.HardStop()
}

func (p *ControlPlane) startAPI(ctx context.Context, c Config, o *apiopts.ServerRunOptions, failed func(error)) error {
	done, err := o.Complete(ctx)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	if errs := done.Validate(); len(errs) != 0 {
		return fmt.Errorf("kube-apiserver: %w", utilerrors.NewAggregate(errs))
	}
	early := make(chan error, 1)
	go func() {
		err := ended(ctx, "kube-apiserver", apiapp.Run(ctx, done))
		early <- err
		close(p.apiEnd)
		if err != nil {
			failed(err)
		}
	}()
	return awaitReady(ctx, pki.Kubeconfig(c.PKI, pki.Admin), early)
}

// awaitReady asks the API server until it says that it is ready.
func awaitReady(ctx context.Context, kubeconfig string, early <-chan error) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	cfg.Timeout = 5 * time.Second
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return err
	}
	deadline := time.After(apiStart)
	for {
		last := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		if last == nil {
			return nil
		}
		select {
		case err := <-early:
			return err
		case <-deadline:
			return fmt.Errorf("kube-apiserver is not ready after %s: %w", apiStart, last)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func startManager(ctx context.Context, o *kcmopts.KubeControllerManagerOptions, failed func(error)) error {
	cfg, err := o.Config(ctx, kcmapp.KnownControllers(), kcmapp.ControllersDisabledByDefault(), kcmapp.ControllerAliases())
	if err != nil {
		return fmt.Errorf("kube-controller-manager: %w", err)
	}
	go func() {
		if err := ended(ctx, "kube-controller-manager", kcmapp.Run(ctx, cfg.Complete())); err != nil {
			failed(err)
		}
	}()
	return nil
}

func startScheduler(ctx context.Context, o *schedopts.Options, failed func(error)) error {
	var err error
	if o.InformerName, err = cache.NewInformerName("kube-scheduler"); err != nil {
		return fmt.Errorf("kube-scheduler: %w", err)
	}
	cfg, sched, err := schedapp.Setup(ctx, o)
	if err != nil {
		return fmt.Errorf("kube-scheduler: %w", err)
	}
	go func() {
		if err := ended(ctx, "kube-scheduler", schedapp.Run(ctx, cfg, sched)); err != nil {
			failed(err)
		}
	}()
	return nil
}

// ended words the end of a part, which is an error only while it should run.
func ended(ctx context.Context, part string, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		return fmt.Errorf("%s ended", part)
	}
	return fmt.Errorf("%s ended: %w", part, err)
}
