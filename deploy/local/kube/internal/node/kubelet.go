// Package node runs the real kubelet, with its real container manager, in this process.
package node

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// Root is where every kubelet keeps its files, inside the mount namespace of its node.
const Root = "/var/lib/kubelet"

// podPids is how many processes and threads a pod can have.
const podPids = 8192

// Config describes one node.
type Config struct {
	Name        string
	IP          net.IP
	Credentials pki.NodeFiles
	Runtime     string // socket of the container runtime
	DNS         string // address that pods ask
	CgroupRoot  string
	Labels      map[string]string
	Taints      []v1.Taint
	Size        Size
}

// Start runs the kubelet until ctx ends. An end before that is reported to failed.
func Start(ctx context.Context, c Config, failed func(error)) error {
	if err := makeCgroup(c.CgroupRoot); err != nil {
		return fmt.Errorf("cgroup of node %s: %w", c.Name, err)
	}
	server, err := options.NewKubeletServer()
	if err != nil {
		return err
	}
	setFlags(&server.KubeletFlags, c)
	setConfiguration(&server.KubeletConfiguration, c)
	for _, d := range []string{server.PodLogsDir, server.CertDirectory, server.VolumePluginDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	// Passing nil dependencies is documented, and panics.
	deps, err := kubeletapp.UnsecuredDependencies(ctx, server, utilfeature.DefaultFeatureGate)
	if err != nil {
		return fmt.Errorf("kubelet of %s: %w", c.Name, err)
	}
	if deps.CAdvisorInterface, err = newStats(ctx, server, c.Size); err != nil {
		return fmt.Errorf("statistics of node %s: %w", c.Name, err)
	}
	go func() {
		err := kubeletapp.Run(ctx, server, deps, utilfeature.DefaultFeatureGate)
		if ctx.Err() == nil {
			failed(fmt.Errorf("kubelet of %s ended: %w", c.Name, err))
		}
	}()
	return nil
}

func setFlags(f *options.KubeletFlags, c Config) {
	f.RootDirectory, f.CertDirectory = Root, filepath.Join(Root, "pki")
	f.HostnameOverride, f.NodeIP = c.Name, c.IP.String()
	f.KubeConfig = c.Credentials.Kubeconfig
	f.NodeLabels = c.Labels
	f.MinimumGCAge, f.MaxContainerCount, f.MaxPerPodContainerCount = metav1.Duration{}, -1, 1
}

// resolverConfig is the file from which pods with the machine's resolver get it. Where systemd keeps a stub on loopback,
// which a pod cannot reach, the stub's own servers are in another file.
func resolverConfig() string {
	const file, behindStub = "/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"
	b, err := os.ReadFile(file)
	if err == nil && strings.Contains(string(b), "127.0.0.53") {
		if _, err := os.Stat(behindStub); err == nil {
			return behindStub
		}
	}
	return file
}

func setConfiguration(k *kubeletconfig.KubeletConfiguration, c Config) {
	// Each node has an address of its own, so they can have the same port.
	k.EnableServer, k.Address, k.Port, k.ReadOnlyPort, k.HealthzPort = true, c.IP.String(), network.KubeletPort, 0, 0
	k.TLSCertFile, k.TLSPrivateKeyFile = c.Credentials.ServingCert, c.Credentials.ServingKey
	k.Authentication.Anonymous.Enabled = false
	k.Authentication.X509.ClientCAFile = c.Credentials.ClientCA
	k.Authentication.Webhook.Enabled = true
	k.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeWebhook

	k.CgroupDriver, k.CgroupRoot = "cgroupfs", c.CgroupRoot
	k.CgroupsPerQOS, k.EnforceNodeAllocatable = true, []string{"pods"}
	k.FailSwapOn, k.FailCgroupV1 = false, false
	// A notebook that takes too much loses its kernel, not the instance with all others. Version 1 of cgroups knows nothing
	// else, version 2 would end the whole container.
	k.SingleProcessOOMKill = new(true)
	// The disk is the machine's; evicting pods from a developer's full disk would only hide the reason.
	k.EvictionHard = map[string]string{"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"}
	// Unused images go when the disk is nearly full, and not those that came within the hour: a pull is dear. What was
	// imported from an archive is pinned and stays, since nobody could pull it again.
	k.ImageGCHighThresholdPercent, k.ImageGCLowThresholdPercent = 95, 90
	k.ImageMinimumGCAge.Duration = time.Hour
	k.SerializeImagePulls = false
	// Otherwise an imported image would have to be pulled once the same image came from a registry under another name.
	k.ImagePullCredentialsVerificationPolicy = string(kubeletconfig.NeverVerify)

	k.PodLogsDir = "/var/log/pods"
	// While it rotates a log the kubelet can lose a line to whoever follows it. One machine's disk holds bigger files.
	k.ContainerLogMaxSize, k.ContainerLogMaxFiles = "1Gi", 2
	k.VolumePluginDir = filepath.Join(Root, "volume-plugins")
	k.ContainerRuntimeEndpoint = "unix://" + c.Runtime
	k.ClusterDomain, k.ClusterDNS, k.ResolverConfig = "cluster.local", []string{c.DNS}, resolverConfig()

	k.RegisterNode, k.RegisterWithTaints, k.MaxPods = true, c.Taints, 110
	// One pod must not use up the machine's process numbers.
	k.PodPidsLimit = podPids
	k.SyncFrequency.Duration = 10 * time.Second
	// A restarted kubelet says "not ready" first and corrects itself with the next update; ten seconds would be long.
	k.NodeStatusUpdateFrequency.Duration = 3 * time.Second
}
