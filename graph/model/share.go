package model

import (
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/share"
)

// Share is a grant of a volume.
type Share struct {
	*ent.Share
	Behind        *ent.Volume // what is granted; nil once it is gone
	Volume        *Volume     // when selected and the viewer sees it
	Team          *Team       // when selected and the viewer sees it
	FromTeamName  string
	OwnerName     string
	GrantedByName string
	UsedBy        []*ShareUse // when selected
	Can           *SharePermissions
	Lang          lang.Lang
}

// IsNode says that it has a global id.
func (*Share) IsNode() {}

// SizeBytes of the volume.
func (s *Share) SizeBytes() *int64 {
	if s.Behind == nil {
		return nil
	}
	return &s.Behind.SizeBytes
}

// AccessMode of the volume.
func (s *Share) AccessMode() *volume.AccessMode {
	if s.Behind == nil {
		return nil
	}
	return &s.Behind.AccessMode
}

// VolumeName is what it is called now, or was when it was granted.
func (s *Share) VolumeName() string {
	if s.Behind == nil {
		return s.Share.VolumeName
	}
	return s.Behind.Name
}

// LapsesAt is when the offer lapses.
func (s *Share) LapsesAt() *time.Time { return share.LapsesAt(s.Share) }

// Reason why it is over, or cannot be mounted.
func (s *Share) Reason() *Reason { return NewReason(s.Share.Reason, s.Lang) }
