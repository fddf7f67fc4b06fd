// Package keep decides which runs of flows may be removed: the pure part of
// retention.
//
//	ended ── younger than the team keeps runs ────────────────────────────► stays
//	  └─ older ─┬─ the flow's latest run, or a last success of it ────────► stays, with its logs
//	            ├─ of a logical time that a flow may still look at ───────► stays
//	            ├─ fired by flows before it, which may fire it again ─────► stays
//	            └─ else ──────────────────────────────────────────────────► goes
//
// What may still be looked at is told by horizons. A flow's horizon is the
// earliest logical time of all its runs that live or are yet to come by
// themselves: the next of its schedule – also of one that is paused, since
// unpausing may start what was missed –, those of its running backfills, and the
// horizons of the flows that it comes after. No run with an earlier logical time
// comes by itself; whoever asks for one, by hand or by a backfill, may find that
// what it waits for is gone.
//
// A flow that comes after others looks at their runs of its horizon and later; a
// check looks as far behind its flow's horizon as its offset says. Of all who
// look at a flow the earliest counts.
package keep
