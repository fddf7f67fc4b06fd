package manifest

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Object is what every object of GoblinLab carries.
type Object struct {
	Namespace string
	Name      string // stored when first made, never computed again (P26)
	ID        string // of the instance, attempt, volume or team

	OwnerID    string
	TeamID     string
	OwnerEmail string
	Title      string // the display name: an annotation of the object itself, not of its pods
	Generation int64
	Owner      *Owner // makes Kubernetes delete the object with its owner; nil for none
}

// Owner is the Kubernetes object that an object is deleted with.
type Owner struct{ APIVersion, Kind, Name, UID string }

// Mount is a claim at a path.
type Mount struct {
	Claim    string // name of the PersistentVolumeClaim in the same namespace
	Path     string
	SubPath  string
	ReadOnly bool
}

// PlatformMount is a volume that an administrator mounts into every pod: a
// claim of the pod's namespace, a directory of the node, or an NFS export;
// exactly one of the three.
type PlatformMount struct {
	Claim     string `json:"claim,omitempty"`
	HostPath  string `json:"hostPath,omitempty"`
	NFSServer string `json:"nfsServer,omitempty"`
	NFSPath   string `json:"nfsPath,omitempty"`

	Path     string `json:"path"`
	SubPath  string `json:"subPath,omitempty"`
	ReadOnly bool   `json:"readOnly"`
}

// SecretEnv is a variable from a key of a Secret.
type SecretEnv struct{ Name, Secret, Key string }

// SecretFile is a Secret, or one key of it, as files below a path, read-only.
type SecretFile struct {
	Secret string
	Key    string // empty for all of them; else Path is the file itself
	Path   string
	Mode   int32 // 0 means 0400

	Items    map[string]string // keys and their files below Path; nil for all under their own names
	Optional bool              // a Secret or a key that is not there is no reason to wait
}

// PullSecret is a team's registry secret in its namespace.
type PullSecret struct {
	Name, ID string
	Wide     bool   // all pods of the team pull with it
	Config   []byte // as ~/.docker/config.json
}

// String keeps the credentials out of logs.
func (PullSecret) String() string { return "(pull secret)" }

// GoString keeps the credentials out of logs.
func (PullSecret) GoString() string { return "(pull secret)" }

// UserSecret is a secret of a person or a team as one start or one attempt gets it.
type UserSecret struct {
	Name   string
	ID     string // of the secret; empty for the platform's own
	Docker bool   // of the type kubernetes.io/dockerconfigjson
	Data   map[string][]byte
	Hide   []string // keys whose values must not appear in a log
}

// String keeps the values out of logs.
func (UserSecret) String() string { return "(secret)" }

// GoString keeps the values out of logs.
func (UserSecret) GoString() string { return "(secret)" }

// Container is what instances and attempts have in common.
type Container struct {
	Image       string // with digest or tag
	PullSecrets []string
	Command     []string // empty for the image's own
	Args        []string

	Resources        spec.Resources
	Overcommit       spec.Overcommit
	EphemeralStorage int64 // bytes of the node's disk, limit and request; 0 for none of either
	SharedMemory     int64 // bytes of /dev/shm; 0 means half of the memory

	Home        string // claim at HomePath; empty for none
	HomeSubPath string
	Mounts      []Mount
	Platform    []PlatformMount
	Env         []spec.EnvVar
	SecretEnv   []SecretEnv
	SecretFiles []SecretFile
	Hidden      []string // names of variables and paths of files that hold what must not appear in a log

	TimeZone    string // IANA name for TZ; empty for the image's own
	PlatformURL string // GOBLINLAB_URL; empty for none
	HadoopUser  string // HADOOP_USER; empty for none

	// Escalation lets processes gain rights by setuid programs such as sudo.
	Escalation bool
	// Restricted drops every capability and refuses root, for images that need neither.
	Restricted bool

	Scheduling Scheduling
	Profile    Profile
}

// Probe says how readiness is known.
type Probe string

// The probes.
const (
	ProbeInit Probe = "init" // the start-up program answers on PortStatus, /readyz
	ProbeNone Probe = "none" // any image: ready once its process runs
)

// SparkPorts are the three ports at which Spark executors reach the driver of an instance.
type SparkPorts struct{ Driver, BlockManager, UI int32 }

// Instance is a development environment.
type Instance struct {
	Object
	Container

	Start   int64 // number of the start, from 1; a new one makes a new revision
	Running bool  // false: zero replicas
	Class   spec.Class
	Type    string // empty means TypeEnvironment
	ImageID string
	Probe   Probe // empty means ProbeInit
	Ports   []spec.Port
	Spark   *SparkPorts
}

// Login is what the login Secret of one start holds.
type Login struct {
	Password     string // PASSWORD: of the notebook and of code-server
	RootPassword string // ROOT_PASSWORD: of SSH
	Token        string // GOBLINLAB_TOKEN: the owner's within the team, to call the platform; empty for none
}

// Attempt is one attempt of a task: one Job with one pod, never a second.
type Attempt struct {
	Object // Name is the Job's deterministic name (P68)
	Container

	FlowID, RunID, TaskID string
	Number                int    // of the attempt, from 1
	ExecMode              string // ModeManual or ModeScheduled; empty means ModeManual
	Type                  string // empty means TypeJob
	LogicalTime           time.Time
	Class                 spec.Class
	ImageID               string
	WorkingDir            string // empty means CodePath where there is code, else the image's own
	Code                  *Code
	TokenSecret           string        // Secret with the key GOBLINLAB_TOKEN, which becomes the file TokenPath; empty for none
	Timeout               time.Duration // 0 means none; see DeadlineMargin
	TTL                   time.Duration // how long the finished Job is kept; 0 means DefaultTTL
	Grace                 time.Duration // between SIGTERM and SIGKILL; 0 means DefaultGrace
	Queue                 string        // Kueue's; empty for none
}

// Code is the folder that holds a task's script, mounted at CodePath.
type Code struct {
	Claim    string
	SubPath  string
	Writable bool
}

// Taint is a taint of nodes, and the toleration of it.
type Taint struct{ Key, Value string }

// Pool is the pool of nodes for online work: its label and taint have one key and value.
type Pool struct {
	Key, Value string
	Weight     int32 // of the preference, 1 to 100
}

// Scheduling says where pods may run. The zero value means the platform's
// defaults: the GPU taint nvidia.com/gpu=true and the pool node-pool=online.
type Scheduling struct {
	NodeSelector map[string]string // of the tenant
	GPU          Taint
	Online       Pool
}

// Team is a team's namespace and what guards it.
type Team struct {
	Object      // Name is ignored; Namespace is the team's
	Quota       spec.Quota
	Overcommit  spec.Overcommit // turns the quota's limits into requests
	Defaults    spec.Resources  // of containers that state none (P87); zero means 500m and 512Mi
	PullSecrets []string        // names of Secrets in the namespace
	Security    string          // Pod Security level that is enforced; empty means baseline
	Gateways    []map[string]string
}

// Volume is a claim.
type Volume struct {
	Object
	StorageClass string // empty means the cluster's default
	AccessMode   string // ReadWriteOnce when empty
	SizeBytes    int64
	VolumeName   string // pins the claim to one PersistentVolume; empty for none
	Adopted      bool   // somebody else made the claim: what cannot be changed of it is left to them
}
