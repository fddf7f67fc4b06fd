package model

import "github.com/goblinlab/goblinlab/ent"

// Session is a browser in which the viewer is signed in.
type Session struct {
	*ent.Session
	Current bool
}

// AccessToken lets a program act as the viewer.
type AccessToken struct{ *ent.AccessToken }
