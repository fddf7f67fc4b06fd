package model

import (
	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Image is an entry of the catalogue.
type Image struct {
	*ent.Image
	Team  *Team        // when selected; nil when every team sees it
	Waits *spec.Reason // why it cannot be used yet; nil when it can
	Lang  lang.Lang
}

// Reason why it cannot be used yet.
func (i *Image) Reason() *Reason { return NewReason(i.Waits, i.Lang) }

// IsNode says that it has a global id.
func (*Image) IsNode() {}

// Version of its framework.
func (i *Image) Version() string { return i.FrameworkVersion }

// Apps inside.
func (i *Image) Apps() []string {
	if i.Image.Apps == nil {
		return []string{}
	}
	return i.Image.Apps
}
