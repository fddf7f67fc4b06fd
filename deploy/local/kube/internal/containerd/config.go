package containerd

import (
	"bytes"
	"encoding/json"
	"text/template"
)

// configuration of containerd. What is not a default and why:
//   - imports is empty and every path is ours: a containerd of the machine has nothing to do with it;
//   - restrict_oom_score_adj, because a machine without CAP_SYS_RESOURCE could not start any pod otherwise;
//   - netns_mounts_under_state_dir, because /var/run/netns is the host's;
//   - plug-ins that are not used are off: each costs start time and memory. The manager of shims is replaced by ours.
var configuration = template.Must(template.New("containerd").Parse(`version = 4
root = '/var/lib/containerd'
state = '/run/containerd'
imports = []
disabled_plugins = ['io.containerd.shim.v1.manager', 'io.containerd.metrics.v1.grpc-prometheus', 'io.containerd.nri.v1.nri', 'io.containerd.monitor.container.v1.restart', 'io.containerd.tracing.processor.v1.otlp', 'io.containerd.snapshotter.v1.erofs', 'io.containerd.differ.v1.erofs', 'io.containerd.mount-handler.v1.erofs']
[plugins.'io.containerd.server.v1.grpc']
  address = '{{.Socket}}'
[plugins.'io.containerd.server.v1.ttrpc']
  address = '{{.Socket}}.ttrpc'
[plugins.'io.containerd.internal.v1.opt']
  path = '/var/lib/containerd/opt'
[plugins.'io.containerd.image-verifier.v1.bindir']
  bin_dir = '/var/lib/containerd/verifiers'
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  discard_unpacked_layers = false
  use_local_image_pull = true
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = '{{.Pause}}'
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = '{{.Registry}}'
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  cdi_spec_dirs = ['/var/lib/containerd/cdi']
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    runtime_path = '{{.Bin}}/containerd-shim-runc-v2'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = '{{.Bin}}/runc'
      Root = '/run/containerd/runc'
      SystemdCgroup = false
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['{{.Bin}}']
    conf_dir = '/var/lib/containerd/cni'
    use_internal_loopback = true
`))

func (c Config) toml() ([]byte, error) {
	var b bytes.Buffer
	err := configuration.Execute(&b, c)
	return b.Bytes(), err
}

// network is the CNI configuration. Each pod has a point-to-point link to the machine and is routed: traffic between
// pods of one node passes the machine's packet filter as well, so services work without br_netfilter, and pods see each
// other's true addresses. Masquerading towards the outside is one rule for all pods, made elsewhere.
func (c Config) network() ([]byte, error) {
	type object = map[string]any
	return json.MarshalIndent(object{
		"cniVersion": "1.0.0",
		"name":       "pods",
		"plugins": []object{
			{
				"type":   "ptp",
				"ipMasq": false,
				"ipam": object{
					"type":    "host-local",
					"dataDir": "/var/lib/cni/networks",
					"ranges":  [][]object{{{"subnet": c.Subnet, "gateway": c.Gateway}}},
					"routes":  []object{{"dst": "0.0.0.0/0"}},
				},
			},
			{"type": "portmap", "backend": "iptables", "capabilities": object{"portMappings": true}},
			{"type": PolicyPlugin, "socket": c.PolicySocket}, // the last: it lets the pod start
		},
	}, "", "  ")
}
