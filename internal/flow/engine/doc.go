// Package engine is the machine of a flow's run and of its steps. It is pure:
// rows and what was seen go in, rows and what is to be done come out. It knows
// no database, no cluster and no clock.
//
// A flow's run:
//
//	queued ─ Admit says start ─► running ─┬─ all steps settled, none failed ──► succeeded
//	   │                            ▲     ├─ all steps settled, some failed ──► failed
//	   │                            │     └─ asked to, or time over ─► stopping ─ all steps settled ─► cancelled, timed_out
//	   │                            └── Rerun, MarkSucceeded, SkipStep: from any end but skipped
//	   ├─ Admit says skip: another lives, a newer one waits, too late ──► skipped
//	   └─ asked to ─────────────────────────────────────────────────────► cancelled
//
// A step:
//
//	   ⇅ trigger holds, but what it needs is on its way, as a copy of its code: it waits on, and says so
//	waiting ─┬─ trigger holds ─┬─ its group is full ─► waiting_slot ─ a slot ─┐
//	         │                 └──────────────────────────────────────────────┴─► starting ─► running ⇄ retrying
//	         │                                                                       │ a poll: ⇅
//	         │                                                                       └─► waiting_inputs ⇄ retrying
//	         ├─ trigger holds, but told to skip, or its condition does not hold ─► skipped
//	         ├─ any-failed, and nothing failed ──────────────────────────────────► skipped
//	         ├─ all-succeeded, and something failed ─────────────────────────────► upstream_failed
//	         └─ trigger holds, but it cannot be prepared or is refused ──────────► failed
//
//	any that has a run of its own ─ the flow's run stops ─► stopping ─ the run's end ─► cancelled
//	any other that has not settled ─ the flow's run stops ─► cancelled
//	starting, running, retrying, waiting_inputs, stopping ─► succeeded, failed, timed_out, as the run or the polls say
//	Rerun: any settled or not yet living ─► waiting, of the next round
//	MarkSucceeded, SkipStep: any that does not live ─► succeeded, skipped
//
// A step is carried out by a run (package run), whose attempts, retries, limits
// and interruptions are not this machine's business: the step shows the run's
// state and takes over its end. Or it is polled (checks, calls): then nothing
// lives in the cluster, and its retries, their waits and its end are counted
// here. A failure in a row longer than Retry.Count fails it; an answer "not yet"
// is no failure and ends a row of them. The last poll is at PollUntil: who waits
// until noon looks at noon.
//
// # Triggers
//
// A skipped step counts as succeeded; failed, timed_out, upstream_failed and
// cancelled count as failed. all-succeeded and all-done look when every step
// before has settled, so that upstream_failed too comes after everything before
// it: a clean-up behind it does not start while a brother of the culprit still
// writes. any-failed starts with the first failure, as an alarm should not wait
// for a brother that takes all night. Then come, in this order: the flag to
// skip, the condition, what is on its way, the slot.
//
// # How a run ends
//
// A run has succeeded when every step succeeded or was skipped; any other end of
// any step fails it, whatever came after that step. In other systems the leaves
// decide, and a clean-up or an alarm that works turns a failed night green, which
// people then guard against with a task that only fails. Nobody is told of a
// failure that is hidden; one that is shown can be marked succeeded. timed_out
// and cancelled are ends of a run of their own: of its time limit, and of being
// asked to end. A run whose steps have all settled before it was seen that its
// time is over, or that it is asked to end, ends as its steps did.
//
// Nothing is over while something lives (P71): a run that stops waits for the
// ends of the runs of its steps, however long they take.
//
// # Repetition
//
// Everything may be said twice. Decide given its own rows back says nothing new,
// except what is still to be done: Start names a step until its RunID is set
// (in the transaction that saves the rows, which also makes the row of its run),
// Stop names a run until it is seen to stop, Poll names a step until its answer
// comes. An answer carries the round and the number of the poll, so an old one
// counts for nothing. Concurrency and slots are computed from living rows
// (P56, P57, P73); whoever calls Admit or Slots holds the lock of the flow's or
// of the group's row.
package engine
