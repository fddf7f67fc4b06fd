package model

import "github.com/goblinlab/goblinlab/ent"

// Image is an entry of the catalogue.
type Image struct {
	*ent.Image
	Team *Team // when selected; nil when every team sees it
}

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
