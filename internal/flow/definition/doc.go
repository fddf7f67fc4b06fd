// Package definition reads, checks, compares and prints what a flow says. It is
// pure: what it must know of others – executors, schedules – is given to it.
//
//	YAML ──Parse──▶ Document + problems with line and column
//	                   │ Flow
//	                   ▼
//	spec.Flow ──Check──▶ everything that is wrong, at once, by path
//	          ──Diff───▶ what another version says differently, by task and field
//	Document  ──Print──▶ YAML, always the same for the same flow
//
// A document is read strictly: fields that nobody knows are named with the ones
// that were meant, keys stand once, aliases and anchors are refused (they hide
// what is repeated, and can be made to explode), and it is at most 256 KiB.
// Parse(Print(d)) is d.
package definition
