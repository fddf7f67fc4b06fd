package platformvolume

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Want is what the row of a platform volume says, and which teams are to have it.
type Want struct {
	Deleted  bool
	Made     bool // its source was made for it
	ReadOnly bool
	ID       string
	Teams    []Team
}

// Team is a team as far as its namespace goes.
type Team struct{ ID, Namespace string }

// Pair is a PersistentVolume and the claim that is bound to it, in a team's
// namespace; either may be missing.
type Pair struct {
	Name, Namespace string
	Volume, Claim   bool // it is there
	Bound           bool
	Ending          bool // its claim is being deleted, as soon as nothing mounts it
	Stale           bool // its volume was bound to a claim that went, and takes no other
}

// Seen is what the cluster has of it.
type Seen struct {
	Source   *corev1.PersistentVolumeClaim // nil for none
	Disk     *corev1.PersistentVolume      // behind the source; nil for none
	Obstacle *spec.Reason                  // why the disk cannot be mounted in other namespaces
	Pairs    []Pair
}

// Decision is what to do about a platform volume, and what to write of it.
type Decision struct {
	MakeSource   bool
	Apply        []Team // make or mend the pair of each
	Remove       []Pair // what is not wanted, or of another mode
	Free         []Pair // their volumes are made anew
	RemoveSource bool
	Forget       bool // nothing is left
	Phase        entplatform.Phase
	Reason       *spec.Reason
	Ready        []string // teams that have it
	After        time.Duration
}

const (
	soon    = 2 * time.Second  // on its way
	refused = 30 * time.Second // something is in its way
)

// Decide says what to do next.
//
// A PersistentVolume cannot be made read-only once it is there, so there is a
// pair of another name for each mode. The old one goes when nothing mounts it
// any more; Kubernetes itself waits for that.
func Decide(w Want, s Seen) Decision {
	if w.Deleted {
		return deleted(w, s)
	}
	d := Decision{Phase: entplatform.PhasePending}
	wanted := map[string]Team{}
	for _, t := range w.Teams {
		wanted[PairName(w.ID, t.ID, w.ReadOnly)] = t
	}
	there := map[string]Pair{}
	for _, p := range s.Pairs {
		there[p.Name] = p
		if _, ok := wanted[p.Name]; !ok {
			d.Remove = append(d.Remove, p)
		}
	}
	for name, t := range wanted {
		if there[name].Bound && !there[name].Ending {
			d.Ready = append(d.Ready, t.ID)
		}
	}
	slices.Sort(d.Ready)
	switch {
	case s.Source == nil && w.Made:
		d.MakeSource, d.After = true, soon
		return d
	case s.Source == nil, s.Source.Status.Phase == corev1.ClaimLost:
		d.Phase, d.After = entplatform.PhaseFailed, refused
		d.Reason = &spec.Reason{Code: "platformvolume-claim-gone"}
		return d
	case s.Source.Status.Phase != corev1.ClaimBound, s.Disk == nil:
		d.After, d.Reason = soon, &spec.Reason{Code: "platformvolume-waits"}
		return d
	case s.Obstacle != nil:
		d.Phase, d.After, d.Reason = entplatform.PhaseFailed, refused, s.Obstacle
		return d
	case !many(s.Disk.Spec.AccessModes), s.Disk.Spec.NodeAffinity != nil:
		d.Phase, d.After, d.Reason = entplatform.PhaseFailed, refused, &spec.Reason{Code: "platformvolume-one-node"}
		return d
	}
	for name, t := range wanted {
		switch p := there[name]; {
		case p.Stale:
			d.Free = append(d.Free, p)
		case !p.Volume || !p.Claim:
			d.Apply = append(d.Apply, t)
		}
	}
	slices.SortFunc(d.Free, func(a, b Pair) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(d.Apply, func(a, b Team) int { return cmp.Compare(a.ID, b.ID) })
	if len(d.Ready) == len(w.Teams) {
		d.Phase = entplatform.PhaseReady
	} else {
		d.After = soon
	}
	if len(d.Remove) > 0 {
		d.After = max(d.After, soon)
	}
	return d
}

// deleted takes the teams' pairs away first, then the source.
func deleted(w Want, s Seen) Decision {
	d := Decision{Phase: entplatform.PhaseDeleting, Remove: s.Pairs, After: soon}
	if len(s.Pairs) > 0 {
		return d
	}
	if w.Made && s.Source != nil {
		d.RemoveSource = true
		return d
	}
	return Decision{Phase: entplatform.PhaseDeleting, Forget: true}
}

// PairName is the name of a team's PersistentVolume and claim of a platform volume in a mode.
func PairName(id, teamID string, readOnly bool) string {
	mode := "-rw-"
	if readOnly {
		mode = "-ro-"
	}
	_, unique, _ := strings.Cut(teamID, "-")
	return id + mode + unique
}

// mountable says why the storage behind a claim cannot be mounted through
// another PersistentVolume in another namespace; nil when it can. Network file
// systems can, and so can folders that every node has.
func mountable(pv *corev1.PersistentVolume) *spec.Reason {
	source := func(detail string) *spec.Reason {
		return &spec.Reason{Code: "platformvolume-source", Args: map[string]any{"detail": detail}}
	}
	s := pv.Spec.PersistentVolumeSource
	switch {
	case pv.Spec.VolumeMode != nil && *pv.Spec.VolumeMode == corev1.PersistentVolumeBlock:
		return source("raw device")
	case s.CSI != nil, s.NFS != nil, s.HostPath != nil:
		return nil
	case s.Local != nil:
		return source("local")
	}
	return source("in-tree")
}
