// Package kubeproxy runs kube-proxy in this process. All nodes share the machine's network, so one of it serves all.
package kubeproxy

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-proxy/app"
)

// Start runs kube-proxy until ctx ends. An end before that is reported to failed.
func Start(ctx context.Context, kubeconfig, node, podCIDR string, failed func(error)) error {
	o := app.NewOptions()
	fs := pflag.NewFlagSet("kube-proxy", pflag.ContinueOnError)
	o.AddFlags(fs)
	if err := fs.Parse([]string{
		"--kubeconfig=" + kubeconfig, "--hostname-override=" + node, "--proxy-mode=iptables", "--cluster-cidr=" + podCIDR,
		// They ask nobody who is calling, so they are not for pods.
		"--healthz-bind-address=127.0.0.1:10256", "--metrics-bind-address=127.0.0.1:10249",
		// Zero leaves the machine's connection tracking as it is.
		"--conntrack-max-per-core=0", "--conntrack-min=0", "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0",
		"--iptables-min-sync-period=200ms",
	}); err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	if err := o.Complete(fs); err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	if err := o.Validate(); err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	go func() {
		err := o.Run(ctx)
		if ctx.Err() == nil {
			failed(fmt.Errorf("kube-proxy ended: %w", err))
		}
	}()
	return nil
}
