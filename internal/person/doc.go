// Package person keeps who is on the platform: invitations, roles on the
// platform, who is disabled, and what becomes of what people own when they
// leave a team or the platform.
//
// What is somebody's is always somebody's: it is handed over in the transaction
// that ends the membership, or leaves only the right to look, by whatever way
// (team.Put), team by team. A departure writes its plan down
// first, so that whoever finds it unfinished goes on with it; each of its steps
// can be done twice.
//
//	person:      active ⇄ disabled ── departed ── erased
//	invitation:  open ── accepted | revoked | lapsed; void while its inviter may not invite
package person
