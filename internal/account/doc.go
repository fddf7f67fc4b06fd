// Package account knows who is asking: people, the links that sign them in
// once, the sessions of their browsers, and the viewer that each request gets.
//
// A link holds 32 random bytes of which only the SHA-256 is kept; whoever
// redeems it first wins, by one conditional update. A session's cookie holds a
// random token of which only the hash is kept; it gets a new one at sign-in, so
// that a planted cookie is worth nothing, and it slides forward while it is used.
//
//	link:     made ── redeemed once, in time ──▶ used
//	session:  made at sign-in ── used ──▶ slides ── sign-out, or two weeks unused ──▶ gone
package account
