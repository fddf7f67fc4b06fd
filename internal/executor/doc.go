// Package executor is the contract of what a task of a flow can be: a container,
// a jar, a call, a check. One executor is one package below this one; the list
// of all of them is in package builtin, in the order in which people see them.
//
// An executor says what its settings look like (Schema), what is wrong with them
// (Check), and does one of two things with them once their macros were expanded:
//
//	          ┌─ Launcher ──▶ spec.Task ──▶ a run, which owns pods, attempts and ends
//	settings ─┤
//	          └─ Poller ────▶ Done | Failed        the step ends
//	                     └──▶ NotYet(reason)       again after Pace.Every, until Pace.For is over
//
// A poller holds no pod and no state between its calls; it may be asked again
// after a crash, so that a call over HTTP happens at least once. Everything but
// Poll is pure. Values of settings – headers, bodies, variables – are told in no
// problem and no error, since people put passwords where they should not.
package executor
