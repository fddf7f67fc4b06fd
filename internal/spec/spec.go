package spec

import "time"

// Resources are the limits that a user asks for.
type Resources struct {
	CPUMilli    int64 `json:"cpuMilli"`    // thousandths of a core
	MemoryBytes int64 `json:"memoryBytes"` // bytes
	GPU         int64 `json:"gpu"`         // whole devices of nvidia.com/gpu; 0 means none is asked for
}

// Mount is a volume at a path of the container.
type Mount struct {
	VolumeID string `json:"volumeId"`
	Path     string `json:"path"`              // absolute and clean
	ReadOnly bool   `json:"readOnly"`          // enforced by the mount
	SubPath  string `json:"subPath,omitempty"` // relative, without "..", empty for the whole volume
}

// EnvVar is a variable of the user's own.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Port is an extra TCP port of an instance, beside those of its apps.
type Port struct {
	Name   string `json:"name"`   // shown to people
	Number int32  `json:"number"` // 1 to 65535
}

// Instance is what the user may edit of a development environment; a change
// counts from the next start.
type Instance struct {
	ImageID   string    `json:"imageId"`
	Resources Resources `json:"resources"`
	Mounts    []Mount   `json:"mounts,omitempty"`
	Ports     []Port    `json:"ports,omitempty"`
	Env       []EnvVar  `json:"env,omitempty"`

	Secrets []SecretUse `json:"secrets,omitempty"`
}

// Class tells production work from the rest.
type Class string

// The classes of work: online tolerates and prefers the online pool, test never enters it.
const (
	ClassOnline Class = "online"
	ClassTest   Class = "test"
)

// Task is one container run to its end: everything that a run freezes.
type Task struct {
	ImageID    string        `json:"imageId"`
	Command    []string      `json:"command"`        // argument array; element 0 is the program
	Args       []string      `json:"args,omitempty"` // appended to Command
	WorkingDir string        `json:"workingDir,omitempty"`
	Env        []EnvVar      `json:"env,omitempty"`
	Secrets    []SecretUse   `json:"secrets,omitempty"`
	Resources  Resources     `json:"resources"`
	Mounts     []Mount       `json:"mounts,omitempty"`
	Code       *Code         `json:"code,omitempty"`
	Class      Class         `json:"class"`
	Timeout    time.Duration `json:"timeout"`        // of one attempt, from its creation; 0 means none
	Pending    time.Duration `json:"pendingTimeout"` // how long an attempt may wait for its container; 0 means the platform's default
	Retries    int           `json:"retries"`        // further attempts after a failure of the user's own

	Backoff    time.Duration `json:"backoff,omitempty"`    // before the first retry, doubled each time; 0 means the platform's default
	BackoffMax time.Duration `json:"backoffMax,omitempty"` // the longest; 0 means the platform's default
	Jitter     float64       `json:"jitter,omitempty"`     // 0 to 1: the part of a wait that is random

	Flow   *TaskFlow   `json:"flow,omitempty"`   // nil for a run by itself
	Frozen *FrozenCode `json:"frozen,omitempty"` // what is mounted in the place of Code; nil for the folder itself
}

// TaskFlow is what a task knows of the flow that it is part of.
type TaskFlow struct {
	FlowID      string    `json:"flowId"`
	LogicalTime time.Time `json:"logicalTime"`
	Scheduled   bool      `json:"scheduled,omitempty"` // nobody asked for it by hand
}

// Code is a folder of a volume that holds the script, mounted read-only unless
// asked otherwise; the working directory is inside it.
type Code struct {
	VolumeID string `json:"volumeId"`
	SubPath  string `json:"subPath,omitempty"` // folder inside the volume
	Writable bool   `json:"writable,omitempty"`
	Freeze   bool   `json:"freeze,omitempty"` // of a flow: what was there when its version was saved
}

// FrozenCode is a copy of a folder that nobody changes any more.
type FrozenCode struct {
	SnapshotID string    `json:"snapshotId"`
	Path       string    `json:"path"` // inside the volume of the code
	SHA256     string    `json:"sha256"`
	Files      int64     `json:"files"`
	Bytes      int64     `json:"bytes"`
	FrozenAt   time.Time `json:"frozenAt"`
}

// None is a limit of nothing: none of that kind is allowed.
const None = -1

// Quota is a team's share of the cluster; 0 means no limit of that kind, None
// that none is allowed. As a demand, or as what is used, it is plain amounts.
type Quota struct {
	CPUMilli     int64 `json:"cpuMilli"`     // limits.cpu
	MemoryBytes  int64 `json:"memoryBytes"`  // limits.memory
	GPU          int64 `json:"gpu"`          // requests.nvidia.com/gpu
	StorageBytes int64 `json:"storageBytes"` // requests.storage
	Volumes      int64 `json:"volumes"`      // persistentvolumeclaims
	Pods         int64 `json:"pods"`         // pods
}

// Bound is the limit that a number of a Quota stands for; not ok when it stands for no limit.
func Bound(n int64) (limit int64, ok bool) { return max(n, 0), n != 0 }

// Limits are the limits that there are, by their names.
func (q Quota) Limits() map[string]int64 {
	out := map[string]int64{}
	for name, n := range map[string]int64{"cpuMilli": q.CPUMilli, "memoryBytes": q.MemoryBytes, "gpu": q.GPU,
		"storageBytes": q.StorageBytes, "volumes": q.Volumes, "pods": q.Pods} {
		if limit, ok := Bound(n); ok {
			out[name] = limit
		}
	}
	return out
}

// Overcommit divides limits into requests: requests = limits / ratio. Values below 1 count as 1.
type Overcommit struct {
	CPU    float64 `json:"cpu"`
	Memory float64 `json:"memory"`

	// Of online work, where they differ; 0 means the same as above.
	OnlineCPU    float64 `json:"onlineCpu,omitempty"`
	OnlineMemory float64 `json:"onlineMemory,omitempty"`
}

// For are the ratios of a class of work.
func (o Overcommit) For(c Class) Overcommit {
	out := Overcommit{CPU: o.CPU, Memory: o.Memory}
	if c == ClassOnline && o.OnlineCPU > 0 {
		out.CPU = o.OnlineCPU
	}
	if c == ClassOnline && o.OnlineMemory > 0 {
		out.Memory = o.OnlineMemory
	}
	return out
}

// Least are the smallest ratios of all classes: with them the requests of any
// mix of work stay below what the quota of requests allows.
func (o Overcommit) Least() Overcommit {
	test, online := o.For(ClassTest), o.For(ClassOnline)
	return Overcommit{CPU: min(test.CPU, online.CPU), Memory: min(test.Memory, online.Memory)}
}

// GPUNode is a node with GPUs as admission counts it.
type GPUNode struct {
	Name   string `json:"name"`
	GPU    int64  `json:"gpu"`              // allocatable, without what pods of others than the platform take
	Online bool   `json:"online,omitempty"` // in the pool that test work cannot enter
	Closed bool   `json:"closed,omitempty"` // takes nothing at the moment: cordoned, or not ready
}

// Reason says why something is not running, or why it ended. Code is a message
// id of the catalogue in internal/lang ("reason.<code>" and "advice.<code>"),
// Args fill its placeholders; both are kept so that the words can be shown in
// any language later.
type Reason struct {
	Code string         `json:"code"`
	Args map[string]any `json:"args,omitempty"`
}

// Phase is one step of a start, with when it began; it lasts until the next begins.
type Phase struct {
	Name  string    `json:"name"` // queued, scheduled, mounting, pulling, starting, ready
	Since time.Time `json:"since"`
}

// App is a program that an instance serves, as its start-up program reports it.
type App struct {
	Name  string `json:"name"`  // jupyterlab, code-server, sshd, …
	Port  int32  `json:"port"`  // in the pod
	State string `json:"state"` // ready, starting, crashed, absent or idle (starts when opened)

	Reason *Reason `json:"reason,omitempty"` // what went wrong below it lately, though it goes on
}
