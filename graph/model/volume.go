package model

import (
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Volume is a disk with an owner.
type Volume struct {
	*ent.Volume
	Team   *Team        // when selected
	Owner  *User        // when selected
	UsedBy []*VolumeUse // when selected
	Can    *VolumePermissions
	Full   int // percent from which it is nearly full
	Lang   lang.Lang
}

// VolumePermissions are what the viewer may do with a volume.
type VolumePermissions volume.Permissions

// VolumeTrash says since when and until when a volume is in the trash.
type VolumeTrash struct{ Since, Until time.Time }

// Trash is where it is; nil unless it is in the trash.
func (v *Volume) Trash() *VolumeTrash {
	if v.TrashedAt == nil || v.PurgeAt == nil || v.Desired != entvolume.DesiredTrashed {
		return nil
	}
	return &VolumeTrash{*v.TrashedAt, *v.PurgeAt}
}

// VolumeUsage is how full a volume was at a time.
type VolumeUsage struct {
	spec.VolumeUsage
	NearlyFull bool
}

// Usage is how full it was when it was last seen; nil when that is not known.
func (v *Volume) Usage() *VolumeUsage {
	if v.Volume.Usage == nil {
		return nil
	}
	return NewVolumeUsage(*v.Volume.Usage, v.Full)
}

// NewVolumeUsage compares a use with the percent from which a volume is nearly full.
func NewVolumeUsage(u spec.VolumeUsage, full int) *VolumeUsage {
	return &VolumeUsage{u, u.Percent() >= full}
}

// IsNode says that it has a global id.
func (*Volume) IsNode() {}

// Reason why it is not bound, or what else stands in its way.
func (v *Volume) Reason() *Reason { return NewReason(volume.ReasonOf(v.Volume), v.Lang) }

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

// StorageClass is a storage class of the cluster.
type StorageClass volume.Class

// VolumeDeletion is what the deletion of a volume would mean.
type VolumeDeletion struct {
	Volume           *Volume
	UsedBy, WantedBy []*VolumeUse
	TrashUntil       time.Time
	FreesBytes       int64
	Disk             *volume.DiskFate
}

// NewVolumeUses are uses as the API shows them.
func NewVolumeUses(in []volume.Use) []*VolumeUse {
	out := make([]*VolumeUse, len(in))
	for i, u := range in {
		out[i] = &VolumeUse{ID: u.ID, Name: u.Name, ReadOnly: u.ReadOnly}
	}
	return out
}

// UnknownClaim is a claim that no volume stands for.
type UnknownClaim struct {
	volume.UnknownClaim
	Lang lang.Lang
}

// Obstacle says why it cannot be adopted.
func (c *UnknownClaim) Obstacle() *Reason { return NewReason(c.UnknownClaim.Obstacle, c.Lang) }

// AccessModes of the claim.
func (c *UnknownClaim) AccessModes() []string {
	return append([]string{}, c.UnknownClaim.AccessModes...)
}

// Pods that mount it.
func (c *UnknownClaim) Pods() []string { return append([]string{}, c.UnknownClaim.Pods...) }
