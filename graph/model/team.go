package model

import (
	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// Team owns a namespace with a quota.
type Team struct {
	*ent.Team
	Members    []*Membership // when selected
	ViewerRole *authz.Role
	Lang       lang.Lang
}

// IsNode says that it has a global id.
func (*Team) IsNode() {}

// Reason why its namespace does not stand yet.
func (t *Team) Reason() *Reason { return NewReason(t.Team.Reason, t.Lang) }
