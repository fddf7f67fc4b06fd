// Package volume keeps volumes: a row with an owner, and a claim in the team's
// namespace whose name holds the row's id, so that a new volume of an old name
// never meets the old disk (P25).
//
//	desired present:  pending ── claim bound ──▶ bound ── disk lost ──▶ lost
//	desired deleted:  deleting ── claim observed gone ──▶ row deleted
//
// A volume is deleted only while nothing live mounts it (P20).
package volume
