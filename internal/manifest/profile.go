package manifest

import "github.com/goblinlab/goblinlab/internal/spec"

// Profile is what an administrator adds to pods because the site needs it.
// Everything is off by default. LXCFS, LocalTime and platform mounts of host
// paths need a namespace whose Pod Security level is "privileged"; HostPaths
// tells.
type Profile struct {
	LXCFS         bool        `json:"lxcfs,omitempty"`         // /proc files that show the container's own limits
	LXCFSPath     string      `json:"lxcfsPath,omitempty"`     // of lxcfs on the node; empty means /var/lib/lxcfs
	LocalTime     bool        `json:"localTime,omitempty"`     // the node's /etc/localtime
	HostAliases   []HostAlias `json:"hostAliases,omitempty"`   // lines of /etc/hosts
	Sidecars      []Sidecar   `json:"sidecars,omitempty"`      // further containers; resources are always set (P87)
	PullSecrets   []string    `json:"pullSecrets,omitempty"`   // beside those of the image
	RuntimeClass  string      `json:"runtimeClass,omitempty"`  // empty for the cluster's default
	SchedulerName string      `json:"schedulerName,omitempty"` // empty for the default scheduler
	Security      Security    `json:"security,omitempty"`
}

// HostAlias is a line of /etc/hosts.
type HostAlias struct {
	IP    string   `json:"ip"`
	Names []string `json:"names"`
}

// Sidecar is a container beside the main one.
type Sidecar struct {
	Name      string         `json:"name"`
	Image     string         `json:"image"`
	Command   []string       `json:"command,omitempty"`
	Args      []string       `json:"args,omitempty"`
	Env       []spec.EnvVar  `json:"env,omitempty"`
	Resources spec.Resources `json:"resources"`      // zero means 100m and 128Mi
	Home      bool           `json:"home,omitempty"` // also mounts the home volume
}

// Security overrides the security context of pods.
type Security struct {
	RunAsUser    *int64   `json:"runAsUser,omitempty"`
	RunAsGroup   *int64   `json:"runAsGroup,omitempty"`
	FSGroup      *int64   `json:"fsGroup,omitempty"` // with OnRootMismatch, so that a large volume is not walked (P22)
	Groups       []int64  `json:"supplementalGroups,omitempty"`
	Capabilities []string `json:"capabilities,omitempty"` // added to those of the platform

	// UserNamespaces makes root in a container nobody outside. It needs Linux 6.3, a runtime that can, and volumes whose
	// file system can be mounted with other owners (ext4, XFS, Btrfs; not NFS); elsewhere such pods do not start.
	UserNamespaces bool `json:"userNamespaces,omitempty"`
}

// HostPaths reports whether pods of the profile mount directories of their node.
func (p Profile) HostPaths() bool { return p.LXCFS || p.LocalTime }
