package model

import (
	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// Event is something that happened to an object.
type Event struct {
	*ent.Event
	Actor *User // when selected
	Lang  lang.Lang
}

// IsNode says that it has a global id.
func (*Event) IsNode() {}

// Source is cluster, platform or user.
func (e *Event) Source() string { return string(e.Event.Source) }

// Message is the cluster's own, or the catalogue's in the viewer's language.
func (e *Event) Message() string {
	if e.Event.Source == event.SourceCluster || !lang.Has("event."+e.Type) {
		return e.Event.Message
	}
	return lang.Text(e.Lang, "event."+e.Type, e.Args)
}
