// Package layout names every path of a local cluster.
//
// A cluster has two folders. Its data folder (etcd, certificates, images, volumes, logs) is chosen by the user and may
// be deep. Its run folder, /run/goblinlab-<id>, holds sockets and everything that is void after a reboot; it is short
// because the path of a unix socket is limited to 108 bytes. The id is a hash of the data folder, so that a cluster is
// found again by its folder alone.
package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// RunPrefix starts the name of every run folder.
const RunPrefix = "/run/goblinlab-"

// MachineLock is held by the one local cluster that runs on a machine.
const MachineLock = "/run/goblinlab.lock"

// Layout is where one cluster keeps its files.
type Layout struct {
	ID  string // eight hexadecimal digits
	Dir string // data, absolute
	Run string // sockets and pins
}

// New gives the layout of the cluster whose data is in dir. The folder need not exist.
func New(dir string) (Layout, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, fmt.Errorf("data folder %s: %w", dir, err)
	}
	// Two spellings of one folder must give one cluster.
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if strings.ContainsAny(abs, "'\"\n\\") {
		return Layout{}, fmt.Errorf("data folder %q: quotes, backslashes and line breaks are not supported", abs)
	}
	sum := sha256.Sum256([]byte(abs))
	id := hex.EncodeToString(sum[:4])
	return Layout{ID: id, Dir: abs, Run: RunPrefix + id}, nil
}

// OfRun gives the part of a layout that is known from the run folder alone: everything but the data.
func OfRun(run string) Layout { return Layout{ID: strings.TrimPrefix(run, RunPrefix), Run: run} }

// Host is the layout of a cluster without root. All of it is in the data folder: an ordinary user has no other place that
// stays and is its own.
func (l Layout) Host() Layout {
	l.Run = filepath.Join(l.Dir, "run")
	return l
}

// longestSocket is how long the path of a unix socket may be.
const longestSocket = 107

// CheckHost says whether the sockets of a cluster without root have room: its data folder may not be deep.
func (l Layout) CheckHost() error {
	const below = "/run/k15/pod-resources/kubelet.sock"
	if most := longestSocket - len(below); len(l.Dir) > most {
		return fmt.Errorf("data folder %s: its path has %d characters, at most %d are possible without root; choose another with --dir", l.Dir, len(l.Dir), most)
	}
	return nil
}

// Kubelet is the folder of the kubelet of node number i in a cluster without root.
func (l Layout) Kubelet(i int) string { return filepath.Join(l.Run, fmt.Sprintf("k%d", i)) }

// Boxes is the folder of the containers' sockets in a cluster without root.
func (l Layout) Boxes() string { return filepath.Join(l.Run, "b") }

// Lock is held while the cluster runs; it contains the process id.
func (l Layout) Lock() string { return filepath.Join(l.Dir, "lock") }

// Cluster is the file that remembers ports and nodes between starts.
func (l Layout) Cluster() string { return filepath.Join(l.Dir, "cluster.json") }

// Status is the file that says that the cluster is ready.
func (l Layout) Status() string { return filepath.Join(l.Dir, "status.json") }

// Archives is the file that lists the image archives that every node got.
func (l Layout) Archives() string { return filepath.Join(l.Dir, "archives") }

// Kubeconfig is the administrator's.
func (l Layout) Kubeconfig() string { return filepath.Join(l.Dir, "kubeconfig") }

// PKI is the folder of certificates and of the components' kubeconfigs.
func (l Layout) PKI() string { return filepath.Join(l.Dir, "pki") }

// Etcd is the folder of the database.
func (l Layout) Etcd() string { return filepath.Join(l.Dir, "etcd") }

// Volumes is the folder under which persistent volumes are made.
func (l Layout) Volumes() string { return filepath.Join(l.Dir, "volumes") }

// Registry is a folder of hosts.toml files for containerd, as its documentation describes them.
func (l Layout) Registry() string { return filepath.Join(l.Dir, "registry") }

// Log is the log file of a part of the cluster.
func (l Layout) Log(part string) string { return filepath.Join(l.Dir, "logs", part+".log") }

// Pins is the folder in which the nodes' mount namespaces are pinned.
func (l Layout) Pins() string { return filepath.Join(l.Run, "ns") }

// State remembers what the machine was like before, for taking the cluster down.
func (l Layout) State() string { return filepath.Join(l.Run, "state.json") }

// Control is the socket on which the running cluster takes commands.
func (l Layout) Control() string { return filepath.Join(l.Run, "control.sock") }

// PolicySocket is where a node's CNI plug-in announces a pod and waits until its network policies are in force.
func (l Layout) PolicySocket() string { return filepath.Join(l.Run, "policy.sock") }

// PolicyClaims is the file that remembers the addresses of announced pods.
func (l Layout) PolicyClaims() string { return filepath.Join(l.Run, "policy.json") }

// PolicyTrouble is the file that says, while it exists, why network policies are not up to date.
func (l Layout) PolicyTrouble() string { return filepath.Join(l.Run, "policy.error") }

// CgroupRoot is the parent of all cgroups of the cluster, relative to each hierarchy.
func (l Layout) CgroupRoot() string { return "/goblinlab-" + l.ID }

// Bridge is the name of the interface that holds the address of node number i.
func (l Layout) Bridge(i int) string { return fmt.Sprintf("gl%s-%d", l.ID, i) }

// Comment marks iptables rules as this cluster's.
func (l Layout) Comment() string { return "goblinlab-" + l.ID }

// Node is where one node keeps its files.
type Node struct {
	Name string
	Data string // images, kubelet, logs: kept
	Run  string // sockets, containers' state: void after a reboot
}

// Node gives the paths of the node of that name.
func (l Layout) Node(name string) Node {
	return Node{Name: name, Data: filepath.Join(l.Dir, "nodes", name), Run: filepath.Join(l.Run, name)}
}

// Containers is the folder of the containers' records in a cluster without root.
func (n Node) Containers() string { return filepath.Join(n.Data, "containers") }

// PodLogs is the folder of the pods' logs in a cluster without root.
func (n Node) PodLogs() string { return filepath.Join(n.Data, "pods") }

// Containerd is the socket of the node's container runtime.
func (n Node) Containerd() string { return filepath.Join(n.Run, "containerd.sock") }

// Bind is a folder of the node that appears at a conventional place inside its mount namespace.
type Bind struct {
	From, To string
	Shared   bool // mounts below it must reach the containers
}

// Binds are the folders whose place is a constant of the kubelet, of containerd or of a CNI plug-in. Bound per node,
// several nodes live on one machine without sharing them, and none of it shows on the host.
func (n Node) Binds() []Bind {
	return []Bind{
		{From: filepath.Join(n.Data, "kubelet"), To: "/var/lib/kubelet", Shared: true},
		{From: filepath.Join(n.Data, "containerd"), To: "/var/lib/containerd"},
		{From: filepath.Join(n.Data, "pods"), To: "/var/log/pods"},
		{From: filepath.Join(n.Data, "containers"), To: "/var/log/containers"},
		{From: filepath.Join(n.Run, "cni"), To: "/var/lib/cni"},
		{From: filepath.Join(n.Run, "containerd"), To: "/run/containerd", Shared: true},
	}
}

// Data lists everything that a cluster writes into its data folder, in the order in which it may be deleted: the lock last.
func (l Layout) Data() []string {
	var out []string
	for _, name := range []string{"cluster.json", "archives", "status.json", "kubeconfig", "pki", "etcd", "volumes", "registry", "logs", "nodes", "run", "lock"} {
		out = append(out, filepath.Join(l.Dir, name))
	}
	return out
}
