// Package check is the executor of a dependency: it waits until another flow
// ran, a file of a volume is there, a URL answers as expected, a path of WebHDFS
// exists, or a command succeeds. All but the command hold no pod while they
// wait; the command is launched as a container is, and each end of it that is no
// success is "not yet".
//
//	poll ──▶ Done
//	     ├─▶ NotYet: what is missing, or could not be asked right now
//	     └─▶ Failed: what waiting will not change – no such flow, no right to it
package check
