package model

import "github.com/goblinlab/goblinlab/ent"

// User is a person.
type User struct{ *ent.User }

// IsNode says that it has a global id.
func (*User) IsNode() {}

// Viewer is who asks.
type Viewer struct {
	User        *User
	Memberships []*Membership
}

// Membership is a person's role in a team.
type Membership struct {
	*ent.Membership
	Team *Team
	User *User
}
