// Package macro is the one language of text inside of flows: a template is
// parsed once with positions, checked when a flow is saved, and expanded when a
// step starts. It is pure: time, names and values come in as arguments.
//
//	text   = { literal | "$$" | "${" body "}" }     "$$" is one dollar; a "$" before anything else stays as it is
//	body   = time { "," offset } | name
//	time   = pattern | "unix" | "week" | "yearday"
//	pattern = letters (yyyy yy MM dd HH mm ss), 'quoted text', and any other character than letters as it is
//	offset = ("+" | "-") digits unit                 unit: y M w d h m s
//	name   = param.NAME | run.id | run.logicalTime | flow.id | flow.name
//	       | task.name | task.attempt | tasks.NAME.outputs.KEY
//
// A text goes one way, and what goes wrong on it is an *Error with a message id
// and the position of its first byte:
//
//	text ──Parse──▶ Template ──Check(Scope)──▶ saved ──Expand(Values)──▶ text
//
// Times are the run's logical time in the schedule's zone. Years, months, weeks
// and days are steps of the calendar there: the time of day stays as clocks show
// it, the day of the month is clamped (31 March −1M is the last of February),
// and a time that clocks skip becomes as much later as they skip. Hours,
// minutes and seconds are elapsed time. Offsets are applied from left to right.
//
// A value that is put in is never parsed again: no parameter and no output can
// reach another, and what was checked is what is expanded.
package macro
