package node

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"time"
	"unsafe"

	"go.opentelemetry.io/otel/trace/noop"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/mount-utils"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/hostruntime"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

// HostConfig describes a node that runs without rights.
type HostConfig struct {
	Root    string // folder of the kubelet, short because of its sockets
	Logs    string // folder of the pods' logs
	Port    int    // of the kubelet
	GPUs    int
	Runtime hostruntime.Config
}

// StartHost runs the kubelet over the runtime in this process until ctx ends. The process must be in a user namespace:
// only there the kubelet puts up with having no rights.
func StartHost(ctx context.Context, c Config, h HostConfig) error {
	if err := utilfeature.DefaultMutableFeatureGate.Set("KubeletInUserNamespace=true"); err != nil {
		return err
	}
	server, err := options.NewKubeletServer()
	if err != nil {
		return err
	}
	setFlags(&server.KubeletFlags, c)
	setConfiguration(&server.KubeletConfiguration, c)
	adaptToHost(server, h)
	for _, d := range []string{server.RootDirectory, server.PodLogsDir, server.CertDirectory, server.VolumePluginDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	run, err := hostruntime.New(ctx, h.Runtime)
	if err != nil {
		return fmt.Errorf("container runtime of %s: %w", c.Name, err)
	}
	deps, err := hostDependencies(ctx, server, c, h, run)
	if err != nil {
		return fmt.Errorf("kubelet of %s: %w", c.Name, err)
	}
	return kubeletapp.RunKubelet(ctx, server, deps)
}

// adaptToHost takes out of the settings what needs rights.
func adaptToHost(s *options.KubeletServer, h HostConfig) {
	s.RootDirectory, s.CertDirectory = h.Root, filepath.Join(h.Root, "pki")
	k := &s.KubeletConfiguration
	k.VolumePluginDir, k.PodLogsDir = filepath.Join(h.Root, "volume-plugins"), h.Logs
	k.Port = int32(h.Port)
	k.CgroupsPerQOS, k.CgroupRoot, k.EnforceNodeAllocatable = false, "", []string{"none"}
	k.EvictionHard, k.LocalStorageCapacityIsolation = map[string]string{}, false
	k.MakeIPTablesUtilChains = false
	k.ImageGCHighThresholdPercent = 100 // the image is the machine
	k.ContainerRuntimeEndpoint = "unix:///none"
}

func hostDependencies(ctx context.Context, s *options.KubeletServer, c Config, h HostConfig, run *hostruntime.Runtime) (*kubelet.Dependencies, error) {
	client, heartbeat, err := hostClients(s.KubeConfig)
	if err != nil {
		return nil, err
	}
	auth, reload, err := kubeletapp.BuildAuth(types.NodeName(c.Name), client, s.KubeletConfiguration)
	if err != nil {
		return nil, err
	}
	reload(ctx.Done())
	tls, err := kubeletapp.InitializeTLS(ctx, &s.KubeletFlags, &s.KubeletConfiguration)
	if err != nil {
		return nil, err
	}
	gpus := v1.ResourceList{}
	if h.GPUs > 0 {
		gpus[topology.GPUResource] = *resource.NewQuantity(int64(h.GPUs), resource.DecimalSI)
	}
	return &kubelet.Dependencies{
		Options: []kubelet.Option{allowLoopback},
		Auth:    auth, TLSOptions: tls,
		KubeClient: client, HeartbeatClient: heartbeat, EventClient: client.CoreV1(), OnHeartbeatFailure: func() {},
		RemoteRuntimeService: run, RemoteImageService: hostruntime.Images{Dir: h.Root},
		CAdvisorInterface: hostMachine{name: c.Name, dir: h.Root, size: c.Size},
		ContainerManager:  cm.NewStubContainerManagerWithDevicePluginResource(gpus),
		OSInterface:       kubecontainer.RealOS{}, OOMAdjuster: oom.NewFakeOOMAdjuster(),
		Mounter: mount.NewFakeMounter(nil), HostUtil: unmounted{hostutil.NewHostUtil()}, Subpather: &run.Subpaths, VolumePlugins: hostVolumes(),
		TracerProvider:           noop.NewTracerProvider(),
		PodStartupLatencyTracker: kubeletutil.NewPodStartupLatencyTracker(), NodeStartupLatencyTracker: kubeletutil.NewNodeStartupLatencyTracker(klog.FromContext(ctx)),
	}, nil
}

// hostClients are a client for everything, and one for heartbeats, which must not wait behind other requests.
func hostClients(kubeconfig string) (all, heartbeat *kubernetes.Clientset, err error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	cfg.QPS, cfg.Burst = 50, 100
	if all, err = kubernetes.NewForConfig(cfg); err != nil {
		return nil, nil, err
	}
	own := rest.CopyConfig(cfg)
	own.Timeout, own.QPS = 10*time.Second, -1
	heartbeat, err = kubernetes.NewForConfig(own)
	return all, heartbeat, err
}

// allowLoopback lets the node have a loopback address. The kubelet refuses it and has no option for that, but a machine
// may have no other, and nobody else is to reach these kubelets.
func allowLoopback(k *kubelet.Kubelet) {
	f := reflect.ValueOf(k).Elem().FieldByName("nodeIPValidator")
	*(*func(net.IP) error)(unsafe.Pointer(f.UnsafeAddr())) = func(net.IP) error { return nil }
}

// unmounted leaves out the one mount that the kubelet makes for itself.
type unmounted struct{ *hostutil.HostUtil }

// MakeRShared implements hostutil.HostUtils: there is nothing to share.
func (unmounted) MakeRShared(string) error { return nil }
