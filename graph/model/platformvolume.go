package model

import (
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/platformvolume"
)

// PlatformVolume is a disk that is mounted into every instance and every run.
type PlatformVolume struct {
	platformvolume.View
	Source *PlatformVolumeSource // nil for who may not know
	Lang   lang.Lang
}

// Reason why it cannot reach the teams.
func (v *PlatformVolume) Reason() *Reason { return NewReason(v.PlatformVolume.Reason, v.Lang) }

// ReadyTeams is how many teams have it.
func (v *PlatformVolume) ReadyTeams() int { return len(v.PlatformVolume.ReadyTeams) }
