package model

import (
	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Volume is a disk with an owner.
type Volume struct {
	*ent.Volume
	Team   *Team        // when selected
	Owner  *User        // when selected
	UsedBy []*VolumeUse // when selected
	Lang   lang.Lang
}

// IsNode says that it has a global id.
func (*Volume) IsNode() {}

// Reason why it is not bound.
func (v *Volume) Reason() *Reason { return NewReason(v.Volume.Reason, v.Lang) }

// Claim is the name of its PersistentVolumeClaim.
func (v *Volume) Claim() string { return v.ObjectName }

// Mount is a volume, or a share of one, at a path.
type Mount struct {
	spec.Mount
	Volume *Volume // when selected; nil when it is gone
	Share  *Share  // when selected; nil when it is none, or gone
}

func mounts(in []spec.Mount, volumes map[string]*Volume, shares map[string]*Share) []*Mount {
	out := make([]*Mount, len(in))
	for i, m := range in {
		out[i] = &Mount{Mount: m, Volume: volumes[m.VolumeID], Share: shares[m.VolumeID]}
	}
	return out
}

// Code is the folder that holds a task's script.
type Code struct {
	spec.Code
	Volume *Volume // when selected; nil when it is gone
}
