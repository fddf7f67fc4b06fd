// Package follow ships the output of attempts from their containers into the
// log store, from the first byte to the last.
//
//	            no pod yet                 container runs
//	wait ◄────────────────┐      ┌──────────────────────────► follow ──┐
//	  │ wake, or a second  │      │                                    │ end of stream, error
//	  └──────────────────► look ──┤ container ended                    │
//	                       ▲      ├────────► read to the end ─ clean ──┼─► drained ─ attempt ended ─► finish
//	                       │      │ pod gone                           │
//	                       │      └────────► say what may be missing ──┘
//	                       └── anything else: come back, read a second more, pass over what is stored
//
// The end of a followed stream says little: connections break, nodes rotate
// logs. A log is drained when the container has ended and a plain read after
// that came to its end (P78, P80). One process ships a log; a second one that
// thinks the same is told so by the store and stores nothing twice.
package follow
