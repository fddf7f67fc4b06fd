package model

import "github.com/goblinlab/goblinlab/ent"

// AuditEntry is an act that changed or revealed something.
type AuditEntry struct {
	*ent.Audit
	Actor *User // when selected
	Team  *Team // when selected
}
