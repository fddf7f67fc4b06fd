package model

import "github.com/goblinlab/goblinlab/ent"

// Identity is the viewer as a provider knows them.
type Identity struct {
	*ent.Identity
	Provider string
}

// DeviceRequest is a program that asks to act as somebody.
type DeviceRequest struct{ *ent.DeviceRequest }
