package share

import (
	"time"

	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Why a share that counts cannot be mounted yet, or not any more.
const (
	codeBinding   = "share-binding"   // its claim waits for its volume
	codeRepairing = "share-repairing" // somebody else changed its objects: they are made anew
	codeRefused   = "share-refused"   // the cluster takes its objects not
)

const (
	soon   = time.Second
	often  = 2 * time.Second
	seldom = time.Minute
)

// Desired is what a share's row says.
type Desired struct {
	Mode     entshare.Mode
	Accepted bool
	Over     bool
	Across   bool // it is mounted in another team than the volume's
}

// Volume is a PersistentVolume of a share as seen in the cluster.
type Volume struct {
	Retain   bool // it never deletes the data
	Same     bool // it is on the same storage as the share's volume, read-only as its name says, for its claim
	Released bool // its claim is gone, or it is the claim of an earlier time that it was for
	Deleting bool
}

// Claim is a claim of a share as seen in the cluster.
type Claim struct {
	Bound    bool
	Lost     bool // its volume is gone
	Deleting bool
}

// Pair is a volume with its claim; nil for what is not there.
type Pair struct {
	Volume *Volume
	Claim  *Claim
	InUse  bool // something that runs, or is about to, mounts the claim
}

func (p Pair) gone() bool { return p.Volume == nil && p.Claim == nil }

// broken reports whether a pair cannot serve, and must be made anew. The data is
// somewhere else.
func (p Pair) broken() bool {
	v, c := p.Volume, p.Claim
	return v != nil && (!v.Same || v.Released || v.Deleting) || c != nil && (c.Lost || c.Deleting || v == nil && c.Bound)
}

// Observed is what the cluster and the rows of consumers show.
type Observed struct {
	Storage   *spec.Reason // why the volume's storage cannot be mounted; nil when it can
	Pairs     map[entshare.Mode]Pair
	Consumers []Consumer
	Asking    []string // instances that ask for it at their next start
}

// Decision is what to do, in this order.
type Decision struct {
	End         []Consumer      // they mount what they must not any more
	Dormant     []string        // instances that do not run, whose mount must go
	Retain      []entshare.Mode // volumes whose policy must be put right before anything else
	Apply       entshare.Mode   // the pair to make or to put right; empty for none
	DropClaims  []entshare.Mode
	DropVolumes []entshare.Mode

	Ready   bool
	Reason  *spec.Reason // why it is not ready
	Settled bool         // nothing is left to do
	After   time.Duration
}

// Decide is the whole logic of a share's objects. It drops no claim that is in
// use by what still runs rightly, no volume before its claim is gone, and
// nothing while a volume could delete data.
func Decide(d Desired, o Observed) Decision {
	switch {
	case d.Over:
		return finish(d, o)
	case !d.Accepted:
		return Decision{Settled: true}
	}
	var out Decision
	for _, c := range o.Consumers {
		if !c.Ending && (c.Stranger || c.Writes && d.Mode == entshare.ModeReadOnly) {
			out.End = append(out.End, c)
		}
	}
	if !d.Across {
		out.Ready, out.Settled = true, len(out.End) == 0
		if !out.Settled {
			out.After = often
		}
		return out
	}
	keep(&out, d, o)
	retire(&out, d, o)
	out.Settled = out.Ready && out.Apply == "" && len(out.End)+len(out.DropClaims)+len(out.DropVolumes)+len(out.Retain) == 0
	if len(out.End) > 0 || out.After == 0 && !out.Settled {
		out.After = often
	}
	return out
}

// keep brings up the pair of the share's mode.
func keep(out *Decision, d Desired, o Observed) {
	p := o.Pairs[d.Mode]
	switch {
	case p.broken():
		out.Reason = &spec.Reason{Code: codeRepairing}
		drop(out, d.Mode, p)
	case o.Storage != nil: // nothing is made on what cannot be shared; what is there serves on
		out.Reason, out.After = o.Storage, seldom
		out.Ready = p.Claim != nil && p.Claim.Bound
	case p.Volume == nil || p.Claim == nil || !p.Volume.Retain:
		out.Apply, out.Reason = d.Mode, &spec.Reason{Code: codeBinding}
		out.Ready = p.Claim != nil && p.Claim.Bound
	case !p.Claim.Bound:
		out.Reason = &spec.Reason{Code: codeBinding}
	default:
		out.Ready = true
	}
	if out.Ready && o.Storage == nil {
		out.Reason = nil
	}
}

// retire takes the pair of the other mode away once nothing uses it any more.
func retire(out *Decision, d Desired, o Observed) {
	other := entshare.ModeReadOnly
	if d.Mode == other {
		other = entshare.ModeReadWrite
	}
	p := o.Pairs[other]
	if p.gone() {
		return
	}
	if p.InUse {
		out.After = seldom // what uses it ends in its own time
		return
	}
	drop(out, other, p)
}

// drop deletes a pair, the claim first; its volume only when the claim was seen
// gone, and neither while the volume could take the data along.
func drop(out *Decision, m entshare.Mode, p Pair) {
	switch {
	case p.Volume != nil && !p.Volume.Retain:
		out.Retain = append(out.Retain, m)
	case p.Claim != nil && !p.Claim.Deleting:
		out.DropClaims = append(out.DropClaims, m)
	case p.Claim == nil && p.Volume != nil && !p.Volume.Deleting:
		out.DropVolumes = append(out.DropVolumes, m)
	}
	out.After = soon
}

// finish takes a share that is over out of the cluster, once its consumers are gone.
func finish(_ Desired, o Observed) Decision {
	out := Decision{After: often}
	running := map[string]bool{}
	for _, c := range o.Consumers {
		running[c.ID] = true
		if !c.Ending {
			out.End = append(out.End, c)
		}
	}
	for _, id := range o.Asking {
		if !running[id] {
			out.Dormant = append(out.Dormant, id)
		}
	}
	busy, left := len(o.Consumers) > 0, false
	for _, m := range []entshare.Mode{entshare.ModeReadOnly, entshare.ModeReadWrite} {
		p := o.Pairs[m]
		left = left || !p.gone()
		busy = busy || p.InUse
	}
	if busy {
		out.Ready = true // of a share that is over: it is still mounted
		return out
	}
	for _, m := range []entshare.Mode{entshare.ModeReadOnly, entshare.ModeReadWrite} {
		if p := o.Pairs[m]; !p.gone() {
			drop(&out, m, p)
		}
	}
	out.Ready = left
	if out.Settled = !left && len(out.Dormant) == 0; out.Settled {
		out.After = 0
	}
	return out
}
