package ident

import (
	"strings"

	"github.com/rs/xid"
)

// The kinds of ids. They are two to four lower-case letters and part of stored
// ids: never change one.
const (
	User         = "usr"
	Team         = "team"
	Member       = "mem"
	Password     = "pwd"
	Invitation   = "inv"
	Departure    = "dep"
	Session      = "ses"
	Token        = "tok"
	Key          = "key" // an SSH public key
	Secret       = "sec"
	Image        = "img"
	Build        = "bld"
	Volume       = "vol"
	Share        = "shr"
	Upload       = "upl"
	Instance     = "ins"
	Template     = "tpl"
	Profile      = "prof"
	Port         = "port"
	Flow         = "flw"
	FlowVersion  = "fver"
	CodeSnapshot = "snap" // of the code that a version of a flow runs
	Task         = "task"
	Run          = "run"
	FlowRun      = "frun"
	Step         = "step"
	SlotGroup    = "grp"
	Backfill     = "bfl"
	Transition   = "trn"
	Attempt      = "att"
	Log          = "log"
	Event        = "evt"
	Outbox       = "out"
	Audit        = "aud"
	Rule         = "rule" // an alert rule
	Channel      = "chan"
	Alert        = "alrt"
	Model        = "mdl"
	ModelVersion = "mver"
	Release      = "rel"
	Setting      = "set"

	PlatformVolume = "pvol"
)

const uniqueLen = 20 // of an xid as text

// New is a new id of a kind, which is one of the constants of this package.
func New(kind string) string {
	if !validKind(kind) {
		panic("ident: the kind of an id is two to four lower-case letters, not " + kind)
	}
	return kind + "-" + xid.New().String()
}

// Kind is the part of an id before its dash; ok is false when the text is no
// id. It tells the form alone, not whether such an object exists.
func Kind(id string) (kind string, ok bool) {
	kind, unique, found := strings.Cut(id, "-")
	if !found || !validKind(kind) || len(unique) != uniqueLen {
		return "", false
	}
	parsed, err := xid.FromString(unique)
	if err != nil || parsed.String() != unique {
		return "", false
	}
	return kind, true
}

// Is reports whether the text is an id of that kind.
func Is(kind, id string) bool {
	k, ok := Kind(id)
	return ok && k == kind
}

func validKind(kind string) bool {
	if len(kind) < 2 || len(kind) > 4 {
		return false
	}
	for i := range len(kind) {
		if kind[i] < 'a' || kind[i] > 'z' {
			return false
		}
	}
	return true
}
