// Package gateway leads into instances: their web apps, their terminals, their
// SSH. Nobody but the owner comes in, and only while the instance runs; that is
// asked again for each request, and open connections end when it no longer holds.
//
//	browser ── code, once ──▶ app's own origin ── cookie of that origin ──▶ proxy ─┐
//	browser ── socket, session of the page ──▶ shell, kept for a while ────────────┼─▶ pod
//	ssh ── a port of the server's for each running instance ───────────────────────┘
//
// Each app has an origin of its own, <app>--<instance>.<host>: what runs in a
// notebook never shares the page's cookies. The app's token is added on the way
// in, so that no address and no browser ever holds it.
package gateway
