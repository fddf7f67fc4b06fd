package macro

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Error is one thing that is wrong with a text.
type Error struct {
	ID   string     // message id without the prefix "fault."
	At   int        // byte of the text where it begins
	Args fault.Args // of the message; "position" is At as people count: characters from 1
}

// Error is for logs; people read the catalogue's words.
func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d %v", e.ID, e.At, e.Args) }

// Errors are all that is wrong with a text, in its order.
type Errors []*Error

// Error is for logs.
func (e Errors) Error() string {
	s := make([]string, len(e))
	for i := range e {
		s[i] = e[i].Error()
	}
	return strings.Join(s, "; ")
}

// All are the errors that Parse, Check or Expand gave; nil when err is nil or another one's.
func All(err error) Errors {
	var list Errors
	var one *Error
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return Errors{one}
	}
	return nil
}

func (e Errors) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

const maxShown = 60 // characters of a text that are said again

// fail makes an error at a byte of text.
func fail(id, text string, at int, args fault.Args) *Error {
	if args == nil {
		args = fault.Args{}
	}
	args["position"] = utf8.RuneCountInString(text[:min(at, len(text))]) + 1
	return &Error{ID: id, At: at, Args: args}
}

// clip makes what somebody wrote fit into a message.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if control(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return s
}
