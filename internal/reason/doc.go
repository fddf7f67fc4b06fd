// Package reason answers "why is it not running" and "why did it end". Evidence
// goes in, as plain values that somebody else collected: the pod, its owner,
// claims, events, node shapes, the last lines of the log. Out comes a code with
// its numbers, to be said in any language by internal/lang: "reason.<code>" says
// what happened, "advice.<code>" what to do.
//
// Detectors are asked in the order of how much they know, and the first answer
// stands: a generic reason never takes the place of a specific one (P2). What
// no detector knows is "unknown", with the cluster's own words in the argument
// "detail".
//
// Arguments are text, numbers and lists of text, so that they survive JSON.
// Waiting times in them are coarse, so that a reason that is computed again
// each second is stored only when it has changed.
package reason
