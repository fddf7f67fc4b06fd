// Package account knows who is asking: people, the links that sign them in
// once, the sessions of their browsers, and the viewer that each request gets.
//
// A link holds 32 random bytes of which only the SHA-256 is kept; whoever
// redeems it first wins, by one conditional update. A session's cookie holds a
// random token of which only the hash is kept; it gets a new one at sign-in, so
// that a planted cookie is worth nothing, and it slides forward while it is used.
//
// Who comes from the OpenID provider is the person of their issuer and subject,
// or is joined to the person of their proven address; their groups give roles.
// A program without a browser asks with two codes: one that it asks with, and
// one that a person compares before they approve (RFC 8628).
//
// A password is kept as argon2id; wrong ones are counted per account, address
// and known browser in rows, before they are compared, so that neither replicas
// nor many requests at once give more tries.
//
//	link:     made ── redeemed once, in time ──▶ used
//	session:  made at sign-in ── used ──▶ slides ── sign-out, or two weeks unused ──▶ gone
//	try:      begun ── back in the same browser, once, in time ──▶ identity ──▶ session
//	device:   asked ── approved by a person ── asked again ──▶ access token
package account
