// Package retention removes what teams keep no longer: logs of runs that have
// ended, and later the runs and flow runs themselves.
//
//	run ended ── days of logs ──► log "removing" ── chunks, blobs ──► log "removed" ── days of runs ──► wanted "deleted" ──► gone
//	flow run ended ───────────────────────────── days of runs ─────────────────────────────────────► wish "delete" ─► gone
//
// Each arrow is one transaction or may be repeated, so that it may be killed
// anywhere: the rows say what is to be done next. A log is said to be gone before
// it goes, so that nobody reads half of one; its blobs go before its row says
// that they have, so that none is forgotten. Rows of runs are not deleted here:
// they are marked, as a person marks them, and the reconcilers delete them with
// all that belongs to them.
//
// Sweep does a bounded part of the work at a time, and marks nothing while many
// rows are on their way out. Which flow runs stay is decided by internal/flow/keep.
package retention
