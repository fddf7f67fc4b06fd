package preflight

import (
	"strconv"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Demand is what one pod with these limits takes from a quota.
func Demand(r spec.Resources) spec.Quota {
	return spec.Quota{CPUMilli: r.CPUMilli, MemoryBytes: r.MemoryBytes, GPU: r.GPU, Pods: 1}
}

// Before the name of a resource in the ids of what Quota refuses: more than is
// left, and anything of what the team may use none of.
const (
	quotaPrefix = "preflight.quota."
	NonePrefix  = "preflight.none."
)

// Quota refuses a request that, with what is used, passes a limit of the
// quota, naming what is asked, used, allowed and free of each resource (P3).
// The caller computes what is used from live objects (P73).
func Quota(requested, used, limit spec.Quota) error {
	var fields []fault.Field
	for _, line := range []struct {
		path, name             string
		requested, used, limit int64
		human                  func(int64) string
	}{
		{"resources.cpu", "cpu", requested.CPUMilli, used.CPUMilli, limit.CPUMilli, quantity.CPU},
		{"resources.memory", "memory", requested.MemoryBytes, used.MemoryBytes, limit.MemoryBytes, quantity.Memory},
		{"resources.gpu", "gpu", requested.GPU, used.GPU, limit.GPU, GPUs},
		{"size", "storage", requested.StorageBytes, used.StorageBytes, limit.StorageBytes, quantity.Memory},
		{"teamId", "volumes", requested.Volumes, used.Volumes, limit.Volumes, count},
		{"teamId", "pods", requested.Pods, used.Pods, limit.Pods, count},
	} {
		limit, bound := spec.Bound(line.limit)
		free := max(limit-line.used, 0)
		if !bound || line.requested <= 0 || line.requested <= free {
			continue
		}
		id := quotaPrefix
		if limit == 0 {
			id = NonePrefix
		}
		fields = append(fields, fault.Field{Path: line.path, ID: id + line.name, Args: fault.Args{
			"requested": line.human(line.requested), "used": line.human(line.used),
			"limit": line.human(limit), "free": line.human(free),
		}})
	}
	if fields == nil {
		return nil
	}
	return &fault.Error{Kind: fault.ResourceExhausted, Fields: fields}
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// Use is a mount of a volume that is about to be made, with who holds the volume already.
type Use struct {
	Path       string   // of the field, as "mounts[1].volumeId"
	Volume     string   // its display name
	AccessMode string   // ReadWriteOnce, ReadWriteOncePod, ReadWriteMany, ReadOnlyMany
	ReadOnly   bool     // how the new consumer mounts it
	Holders    []string // display names of the other consumers that run
	SameNode   bool     // the new consumer is sure to run on the holders' node
}

// Access refuses a second consumer of a volume that takes one, naming the
// first, which would otherwise hang in "Multi-Attach" (P20, P21), and a writer
// of a volume that takes readers only.
func Access(uses []Use) error {
	var fields []fault.Field
	for _, u := range uses {
		id := ""
		switch {
		case u.AccessMode == "ReadOnlyMany" && !u.ReadOnly:
			id = "read-only"
		case len(u.Holders) == 0:
		case u.AccessMode == "ReadWriteOncePod":
			id = "one-pod"
		case u.AccessMode == "ReadWriteOnce" && !u.SameNode:
			id = "one-node"
		}
		if id == "" {
			continue
		}
		holders := make([]string, len(u.Holders))
		for i, h := range u.Holders {
			holders[i] = clip(h)
		}
		fields = append(fields, fault.Field{Path: u.Path, ID: "preflight.volume." + id, Args: fault.Args{
			"volume": clip(u.Volume), "mode": u.AccessMode, "holders": holders,
		}})
	}
	if fields == nil {
		return nil
	}
	return &fault.Error{Kind: fault.FailedPrecondition, Fields: fields}
}
