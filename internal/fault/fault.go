// Package fault is the one error type that leaves a service: a kind that
// clients branch on, a message id with arguments that can be said in every
// language, the fields at fault, and a cause for the log alone.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is what a client branches on; it is `extensions.code` in GraphQL.
type Kind string

// The kinds of errors.
const (
	Unauthenticated    Kind = "UNAUTHENTICATED"
	Forbidden          Kind = "FORBIDDEN"
	NotFound           Kind = "NOT_FOUND"
	InvalidArgument    Kind = "INVALID_ARGUMENT"
	Conflict           Kind = "CONFLICT"
	FailedPrecondition Kind = "FAILED_PRECONDITION"
	ResourceExhausted  Kind = "RESOURCE_EXHAUSTED"
	Unavailable        Kind = "UNAVAILABLE"
	Internal           Kind = "INTERNAL"
)

// Args fill the placeholders of a message. They are shown to people: never a secret.
type Args map[string]any

// Field is one input at fault. Path is the input's path in the contract, as "resources.memory".
type Field struct {
	Path string
	ID   string // message id without the prefix "fault."
	Args Args
}

// Error is a fault that may be shown to people.
type Error struct {
	Kind   Kind
	ID     string // message id without the prefix "fault."; empty when Fields say it all
	Args   Args
	Fields []Field
	Cause  error // for the log only
}

// New makes a fault of a kind with a message id and its arguments.
func New(kind Kind, id string, args Args) *Error { return &Error{Kind: kind, ID: id, Args: args} }

// maxID is how much of an id is said again: ours have 25 characters, a stranger's text may be endless.
const maxID = 40

// Missing says that there is no such thing, or none that the viewer may see;
// noun is one of the catalogue, as "instance". Without an id it says that one is needed.
func Missing(noun, id string) *Error {
	if strings.TrimSpace(id) == "" {
		return New(InvalidArgument, "id-empty", Args{"what": "@noun." + noun})
	}
	if r := []rune(id); len(r) > maxID {
		id = string(r[:maxID]) + "…"
	}
	return New(NotFound, "not-found", Args{"what": "@noun." + noun, "id": id})
}

// Unknown is Missing where nobody knows which one was asked for.
func Unknown(noun string) *Error {
	return New(NotFound, "not-found.any", Args{"what": "@noun." + noun})
}

// Wrap keeps the cause for the log behind words for people.
func (e *Error) Wrap(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// Error is for logs; people read the catalogue's words.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Kind)
	if e.ID != "" {
		fmt.Fprintf(&b, " %s %v", e.ID, e.Args)
	}
	for _, f := range e.Fields {
		fmt.Fprintf(&b, " [%s: %s %v]", f.Path, f.ID, f.Args)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Of is the first fault in err's chain, nil when there is none.
func Of(err error) *Error {
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// KindOf is the kind of the first fault in err's chain, Internal when there is none.
func KindOf(err error) Kind {
	var f *Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return Internal
}

// Fields collects what is wrong with an input, so that a form hears of everything at once.
type Fields struct{ list []Field }

// Add notes one field at fault.
func (f *Fields) Add(path, id string, args Args) {
	f.list = append(f.list, Field{Path: path, ID: id, Args: args})
}

// Err is nil when nothing was added.
func (f *Fields) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &Error{Kind: InvalidArgument, Fields: f.list}
}
