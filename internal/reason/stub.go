package reason

import "github.com/goblinlab/goblinlab/internal/spec"

// Instance says why an instance is not ready; nil when it is, or when it is meant to be stopped.
func Instance(e Evidence) *spec.Reason { return nil }

// Attempt says why an attempt does not run yet, or why it failed; nil while it runs and after success.
func Attempt(e Evidence) *spec.Reason { return nil }

// Class says whose fault an end was.
type Class string

// The classes of ends.
const (
	Success        Class = "success"
	User           Class = "user"           // the program failed
	Infrastructure Class = "infrastructure" // evicted, preempted, node lost, deleted by others: takes none of the user's retries (P67)
	Start          Class = "start"          // the image or the command could not be started
	Timeout        Class = "timeout"
	Stopped        Class = "stopped" // by a user, through the platform
)

// Ended says whose fault the end of an attempt was, and why it ended.
func Ended(e Evidence) (Class, spec.Reason) { return "", spec.Reason{} }
