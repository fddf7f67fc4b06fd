// Package platformvolume keeps the disks that administrators mount into every
// instance and every run: datasets, shared logs, caches, demo notebooks.
//
// Behind one stands a claim, which was there already in any namespace or was
// made in the platform's own. A claim cannot cross namespaces, so every team's
// namespace gets a PersistentVolume of its own on the same source, read-only
// where the platform volume is, and a claim that is bound to it and to nothing
// else (ADR 17).
//
//	pending ── source bound ──▶ every team's claim is there ──▶ ready
//	   └── source cannot be used by many, or is gone ──▶ failed
//	deleting ── what the teams had is gone ── the source, if it was made ──▶ no row
//
// What runs keeps what it has mounted: pods are never restarted for it.
package platformvolume
