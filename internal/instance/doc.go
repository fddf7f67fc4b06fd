// Package instance is the development environment of a person: a row with what
// is wanted and what was seen last, and in the team's namespace a StatefulSet of
// one pod, a headless Service, a Secret with the SSH host key and, for each
// start, a Secret with the passwords of that start.
//
// Services change what is wanted, in one transaction with the outbox, the audit
// log and an event. The reconciler looks at the cluster, asks Decide – a pure
// function of what is wanted, what was seen and the time – carries the decision
// out and writes the status. It alone writes the status, save for the first
// state after an act of a person's, which must be seen at once.
//
// What is wanted, as people change it:
//
//	          Start                    Stop
//	stopped ─────────▶ running ────────────────▶ stopped
//	    │                 │  ▲
//	    │                 └──┘ Restart, and Start after a failure: a new start
//	    └───── Delete ────┴─────▶ deleted
//
// The state, as it is seen. Every start has a number, and freezes the spec; a
// pod carries the number it was made for. "Pod" below is the pod of the current
// start: pods of older starts are deleted, ready or not, since a StatefulSet
// waits for ever for one that is not (P16).
//
//	wanted running:
//
//	         Start            pod on a node          pod ready
//	       ─────────▶ pending ─────────────▶ starting ─────────▶ running
//	                   ▲  ▲                     │ ▲               │  ▲
//	                   │  └── pod lost ─────────┘ └──┐            ▼  │
//	                   │                 crashes     └────────  unhealthy
//	                   └──────── pod lost ─────────────────── (not ready any
//	                                                           more, or crashes
//	                                                           again and again)
//
//	   any of them ── CrashLimit crashes, or not ready in time ──▶ stopping
//	                                   no pod is left (P28) ─────▶ failed
//
//	wanted stopped:  any ── Stop (P7) ──▶ stopping ── no pod is left (P15) ──▶ stopped
//	wanted deleted:  any ── Delete ──▶ deleting ── nothing is left ──▶ no row
//
// That nothing is left is never read from the cache alone, which may lag behind
// what was just made: Decide asks to confirm it, and the API server is asked (P8).
//
// A pod template is applied once per start. Applied again it would read
// differently after a change of the configuration or of the program, and
// restart the pod under its user; what may change meanwhile, the number of
// replicas and the display name, is patched.
package instance
