// Package flow keeps flows, fires them exactly once, and drives their runs.
//
//	       save                    fire (the insert is the firing)              reconcile
//	flow ───────► flow_version ──────────────────────────────────► flow_run ──────────────► step ──► run ──► pod
//	                  ▲                                                │  ▲                        │
//	                  └─ restore                                       └──┴──── its end wakes ◄────┘
//
// A flow's row holds its cursor: logical times until there were considered. To
// fire is one transaction that moves the cursor from the value that was read
// and inserts flow runs with keys that are unique in the flow (P51, P52, P104).
// The heap of what is due lives in memory and is fed from rows: losing it costs
// a scan, and a watchdog tells of rows that are due and do not fire (P60).
//
// Reconcile drives a flow run: it loads its rows and the states of its runs,
// asks the pure machine of package engine what comes next, saves that in one
// transaction that names the version it read, and then acts: it launches runs
// under ids that the rows name already, stops others, polls. Every step may be
// repeated.
//
// Freezer makes the copies of code that a version's tasks run, beside all that:
// a step whose copy is on its way waits, as the machine is told.
package flow
