package model

import (
	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
)

// Team owns a namespace with a quota.
type Team struct {
	*ent.Team
	Members    []*Membership // when selected
	ViewerRole *authz.Role
	Can        *TeamPermissions // when selected
	Usage      *QuotaStatus     // when selected
	Retention  *TeamRetention   // when selected
	Lang       lang.Lang
}

// Where a team stands.
const (
	TeamActive   TeamState = "ACTIVE"
	TeamArchived TeamState = "ARCHIVED"
	TeamDeleting TeamState = "DELETING"
)

// TeamState says where a team stands.
type TeamState string

// IsNode says that it has a global id.
func (*Team) IsNode() {}

// Reason why its namespace does not stand, or that it was taken away.
func (t *Team) Reason() *Reason {
	if t.Team.Reason != nil {
		return NewReason(t.Team.Reason, t.Lang)
	}
	return NewReason(t.Lost, t.Lang)
}

// Findings are what does not belong into its namespace.
func (t *Team) Findings() []*Reason {
	out := make([]*Reason, len(t.Team.Findings))
	for i := range t.Team.Findings {
		out[i] = NewReason(&t.Team.Findings[i], t.Lang)
	}
	return out
}

// State says where it stands.
func (t *Team) State() TeamState {
	switch {
	case t.Desired == entteam.DesiredDeleted:
		return TeamDeleting
	case t.ArchivedAt != nil:
		return TeamArchived
	}
	return TeamActive
}
