// Package share grants volumes to people and teams (ADR 15).
//
//	offered ── accepted by the grantee ──▶ accepted ── taken back ─────▶ revoked
//	   │                                      ├────── given back ─────▶ declined
//	   ├── declined ──▶ declined              └── its end came by itself ─▶ ended
//	   ├── taken back ─▶ revoked
//	   └── two weeks, or its end ─▶ ended
//
// A share within the volume's own team needs nothing in the cluster: the claim
// is there. One for another team has a PersistentVolume on the same storage and
// a claim in that team's namespace (P23), under names that are stored (P26), one
// pair for reading and one for writing, since neither can change what it is:
//
//	accepted: pair of its mode kept ── mode changed ─▶ the other pair, while the old one is used
//	over:     consumers ended ──▶ claim deleted, observed gone ──▶ volume deleted ──▶ at rest
//
// The pair never holds the data: its policy is Retain, which is put right before
// anything is deleted.
package share
