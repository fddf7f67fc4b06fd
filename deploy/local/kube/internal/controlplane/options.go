package controlplane

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	apiopts "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	kcmapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kcmopts "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	schedopts "k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// allOptions are the parsed flags of the three programs.
type allOptions struct {
	api       *apiopts.ServerRunOptions
	manager   *kcmopts.KubeControllerManagerOptions
	scheduler *schedopts.Options
}

// parseOptions gives the three programs their flags. All of it happens before any of them starts, because feature gates
// and logging belong to the process and can be set once.
func parseOptions(c Config) (*allOptions, error) {
	manager, err := kcmopts.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	o := &allOptions{api: apiopts.NewServerRunOptions(), manager: manager, scheduler: schedopts.NewOptions()}
	if err := parse("kube-apiserver", o.api.Flags(), apiFlags(c)); err != nil {
		return nil, err
	}
	managerSets := manager.Flags(kcmapp.KnownControllers(), kcmapp.ControllersDisabledByDefault(), kcmapp.ControllerAliases())
	manager.ParsedFlags = &managerSets
	if err := parse("kube-controller-manager", managerSets, managerFlags(c)); err != nil {
		return nil, err
	}
	if err := parse("kube-scheduler", *o.scheduler.Flags, clientFlags(c, pki.Scheduler)); err != nil {
		return nil, err
	}
	if err := o.api.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	return o, logsapi.ValidateAndApply(o.api.Logs, utilfeature.DefaultFeatureGate)
}

func parse(name string, sets flag.NamedFlagSets, args []string) error {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	for _, f := range sets.FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(args); err != nil {
		return fmt.Errorf("flags of %s: %w", name, err)
	}
	return nil
}

func apiFlags(c Config) []string {
	p := func(file string) string { return filepath.Join(c.PKI, file) }
	return []string{
		"--etcd-servers=unix://" + c.etcdSocket(),
		// Loopback only. Pods come through a forwarder on a node's address, and the endpoint is written by us.
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.Port), "--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--enable-aggregator-routing=true", // the servers of further APIs are no pods, and nearer than their service
		"--service-cluster-ip-range=" + c.ServiceCIDR,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction,ResourceQuota,LimitRanger,ServiceAccount,DefaultTolerationSeconds,Priority,PodSecurity",
		"--allow-privileged=true", "--anonymous-auth=false", "--profiling=false",
		"--client-ca-file=" + p("ca.crt"),
		"--tls-cert-file=" + p("apiserver.crt"), "--tls-private-key-file=" + p("apiserver.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		// Otherwise it would be the advertised address, which is the pod's own loopback to a pod.
		"--service-account-jwks-uri=https://kubernetes.default.svc.cluster.local/openid/v1/jwks",
		"--service-account-key-file=" + p("sa.pub"), "--service-account-signing-key-file=" + p("sa.key"),
		"--kubelet-certificate-authority=" + p("ca.crt"),
		"--kubelet-client-certificate=" + p("apiserver-kubelet-client.crt"), "--kubelet-client-key=" + p("apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP,Hostname",
		"--requestheader-client-ca-file=" + p("front-proxy-ca.crt"), "--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + p("front-proxy-client.crt"), "--proxy-client-key-file=" + p("front-proxy-client.key"),
	}
}

// noCSI turns off the controllers that start the CSI volume plug-in. It keeps the node's name in a variable of the process,
// which is the first node's as well: if they came after the kubelet, that node would never become ready. There are no
// volumes here that are attached, and folders grow by a controller of ours.
const noCSI = ",-persistentvolume-attach-detach-controller,-persistentvolume-expander-controller"

func managerFlags(c Config) []string {
	p := func(file string) string { return filepath.Join(c.PKI, file) }
	flags := append(clientFlags(c, pki.ControllerManager),
		"--use-service-account-credentials=true",
		"--root-ca-file="+p("ca.crt"), "--service-account-private-key-file="+p("sa.key"),
		"--cluster-signing-cert-file="+p("ca.crt"), "--cluster-signing-key-file="+p("ca.key"),
		"--allocate-node-cidrs=false", "--controllers=*"+noCSI,
		// With the default rate the first service account takes eight seconds instead of three.
		"--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-job-syncs=10",
		"--terminated-pod-gc-threshold=1000",
	)
	return append(flags, c.Manager...)
}

// clientFlags are those that the controller manager and the scheduler have in common.
func clientFlags(c Config, component string) []string {
	kubeconfig := pki.Kubeconfig(c.PKI, component)
	return []string{
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--secure-port=0", "--leader-elect=false",
	}
}
