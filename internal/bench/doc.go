// Package bench measures what users feel, each figure as a ratio against a
// limit or a peer in the same run: `make bench` writes docs/bench.md. Nothing
// here is a timed test: it measures and never fails for being slow.
package bench
