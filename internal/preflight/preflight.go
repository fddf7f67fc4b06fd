package preflight

import (
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Limits bound what one instance or task may ask for; 0 means no limit.
type Limits struct {
	CPUMilli    int64
	MemoryBytes int64
	GPU         int64
}

// Instance checks a spec and its name; the error is a *fault.Error with fields, or nil.
func Instance(name string, s spec.Instance, l Limits) error { return nil }

// Task checks a spec and its name; the error is a *fault.Error with fields, or nil.
func Task(name string, s spec.Task, l Limits) error { return nil }

// CheckName notes at path what is wrong with a name that people read.
func CheckName(f *fault.Fields, path, name string) {}

// CheckInstance is Instance without the name, for a form that checks more.
func CheckInstance(f *fault.Fields, s spec.Instance, l Limits) {}

// CheckTask is Task without the name; prefix goes before the paths, as "tasks[2].".
func CheckTask(f *fault.Fields, prefix string, s spec.Task, l Limits) {}

// Node is the shape of a node: what its pods may use together, and whom it takes.
type Node struct {
	Name        string
	CPUMilli    int64 // allocatable
	MemoryBytes int64
	GPU         int64
	Labels      map[string]string
	Cordoned    bool
	Online      bool // carries the online pool's taint
	GPUOnly     bool // carries the GPU taint
	Foreign     bool // carries another taint, which GoblinLab's pods do not tolerate
}

// Placement says which nodes a pod may go to.
type Placement struct {
	Class        spec.Class
	NodeSelector map[string]string
}

// Fit refuses what no node could hold even when it is empty. Pass requests, that is what
// the scheduler counts: limits divided by the overcommit ratio. Without any nodes it says nothing.
func Fit(requests spec.Resources, p Placement, nodes []Node) error { return nil }

// Demand is what one pod takes from a quota.
func Demand(r spec.Resources) spec.Quota { return spec.Quota{} }

// Quota refuses a request that, with what is used, passes a limit of the quota.
func Quota(requested, used, limit spec.Quota) error { return nil }

// Use is a mount of a volume that is about to be made, with who holds the volume already.
type Use struct {
	Path       string // of the field, as "mounts[1].volumeId"
	Volume     string // its display name
	AccessMode string // ReadWriteOnce, ReadWriteOncePod, ReadWriteMany, ReadOnlyMany
	ReadOnly   bool
	Holders    []string // display names of the other consumers that run
	SameNode   bool     // the new consumer is sure to run on the holder's node
}

// Access refuses a second consumer of a volume that takes one, naming the first (P20, P21).
func Access(uses []Use) error { return nil }
