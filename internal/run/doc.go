// Package run runs tasks. A run is one execution of a task; it has attempts,
// each with one Job and one pod, never a second.
//
// A run:
//
//	          ┌────────────── attempt interrupted, or failed with retries left ──────────────┐
//	          ▼                                                                              │
//	pending ──┴─ container runs ─► running ─┬─ exit code 0 ─────────────────► succeeded       │
//	   ▲                                    ├─ failed, no retry left ───────► failed          │
//	   │                                    ├─ time over, no retry left ────► timed_out       │
//	   │ next_attempt_at                    └─────────────────────────────────────────────────┤
//	   └────────────────────────────────────────────────────────────────────── retrying ◄─────┘
//
//	any of pending, running, retrying ─ asked to ─► stopping ─ nothing is left in the cluster ─► stopped
//
// An attempt:
//
//	pending ─► running ─► succeeded, failed, interrupted
//	   └──────────┴─ stop asked, time over ─► stopping ─ container ended ─► stopped, timed_out
//
// Pending is not running (P13): it has a limit of its own (P12), and so has the
// attempt as a whole (P65); both are counted from rows and enforced here, with
// the Job's own deadline as the backstop (P63, P64). An attempt's state follows
// its pod, not the Job's conditions, which come in batches of a second. What is
// not the program's fault is "interrupted" and takes no retry (P67).
//
// Decide is the machine: pure, from rows and observations to new rows and what
// to do. Reconcile feeds it, writes what it says in one transaction – status,
// lines of the log, history – and then acts. Killing is done by lowering the
// pod's own deadline: the kubelet sends SIGTERM, later SIGKILL, and keeps the
// pod, so that the end of the log can still be read (P78). When the log is
// complete the Job is deleted, and with it the pod; its TTL is the backstop.
// Every step may be repeated, and a restart of the platform changes nothing
// (P69): a Job's name holds its attempt's id, and the attempt's row is there
// before it (P68).
package run
