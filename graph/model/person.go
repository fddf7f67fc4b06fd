package model

import (
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/person"
)

// Person is somebody, as administrators see them.
type Person struct {
	*person.Person
	User        *User
	Memberships []*Membership // when selected
	Key         string        // the name that the list is ordered by
}

// State is how the person stands.
func (p *Person) State() person.State { return person.StateOf(p.Person.User) }

// LastSeenAt is when they were last there.
func (p *Person) LastSeenAt() *time.Time { return p.Person.User.SeenAt }

// WaysIn are those that they have.
func (p *Person) WaysIn() []account.Way { return append([]account.Way{}, p.Ways...) }

// AccessTokens is how many have not lapsed.
func (p *Person) AccessTokens() int { return p.Tokens }

// PersonConnection is a page of people.
type PersonConnection struct{ Connection[*Person] }

// PersonEdge is one of them.
type PersonEdge struct{ Edge[*Person] }

// Edges of people.
func (c PersonConnection) Edges() []PersonEdge {
	return edges(c.Connection, func(e Edge[*Person]) PersonEdge { return PersonEdge{e} })
}

// Invitation asks an address into a team.
type Invitation struct {
	*ent.Invitation
	Inviter *User // when selected
}
