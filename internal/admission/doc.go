// Package admission lets instances and runs in, one after the other.
//
//	asks ──► lock: capacity's row (for a GPU), then the team's row
//	            │
//	            ├─ fits the team's quota and a free GPU ──► Reservation held ─┐
//	            ├─ does not, and may wait ────────────────► Reservation waiting │ in the transaction that
//	            └─ does not ──────────────────────────────► a refusal that names │ makes the consumer live
//	                                                        who holds what      ┘
//	its state machine ends it ──► Reservation deleted, in the transaction that says so
//	sweep ──► what a crash or a defect left is mended from the rows of consumers
//
// Nothing is counted up and down: what is used is summed over rows whenever it
// is asked for (P73), and since a reservation is written with what it is for,
// a process that dies in between leaves both or neither (P85).
//
// Hard over all teams are GPUs alone: they are whole, they are scarce, and
// whoever waits for one in the cluster blocks what it mounts. CPU and memory are
// the scheduler's work, since requests are a guess and pods come and go within
// seconds; a form shows where they would fit, as a warning. See ADR 13.
package admission
