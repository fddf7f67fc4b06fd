// Package worker is where work is done that a mutation or the cluster asked
// for: it wakes the services' reconcilers by id.
//
//	mutation ── commit {row, outbox row} ──┬─ kick ─────────────► queue ─► handler(id) ─► service.Reconcile
//	                                       │  (in process, or a Redis list)    ▲                │ settles outbox rows
//	                                       └─ outbox sweep ─► asynq task ──────┤                ▼
//	cluster ── informers (leader) ─► kick ─────────────────────────────────────┤            commit {row, event}
//	rows not caught up, deadlines ─► sweep (leader) ───────────────────────────┘
//
// The kick is the fast way and may be lost; the outbox row is the certain way.
// asynq carries the rows whose kick did not settle them, and the periodic
// chores; nothing is timed by its polling. Every handler is idempotent, so that
// the same wake-up by two ways does one thing.
package worker
