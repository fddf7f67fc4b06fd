package person

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/membership"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Offer is what whoever holds an invitation's link is told.
type Offer struct {
	*ent.Invitation
	Team, Inviter string // their names
	Mine          bool   // it is for the viewer's address
	Known         bool   // somebody has the address already
	Closed        bool   // an account cannot be made through it
}

var void = fault.New(fault.FailedPrecondition, "invitation.void", nil)

// Look tells what a link offers; nil when it is of no use (any more).
func (s *Service) Look(ctx context.Context, token string) (*Offer, error) {
	sys := authz.AsSystem(ctx)
	row, err := s.DB.Client.Invitation.Query().Where(invitation.TokenHash(account.HashToken(token)), open()).Only(sys)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("invitation: %w", err)
	}
	t, err := s.DB.Client.Team.Query().Where(entteam.ID(row.TeamID)).Only(sys)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("team of an invitation: %w", err)
	}
	by, err := s.mayInvite(sys, s.DB.Client, row)
	if err != nil || by == nil {
		return nil, err
	}
	o := &Offer{Invitation: row, Team: t.Name, Inviter: by.DisplayName, Closed: s.Config.Accounts.Invitations != config.Anyone}
	who, err := s.DB.Client.User.Query().Where(user.Email(row.Email)).Only(sys)
	switch {
	case ent.IsNotFound(err):
	case err != nil:
		return nil, fmt.Errorf("person of an invitation: %w", err)
	default:
		v := authz.From(ctx)
		o.Known, o.Mine = true, v != nil && v.UserID == who.ID
	}
	return o, nil
}

// mayInvite is the inviter if they may still invite into the team: an
// invitation stands on somebody's right, and falls with it.
func (s *Service) mayInvite(sys context.Context, c *ent.Client, i *ent.Invitation) (*ent.User, error) {
	u, err := c.User.Query().Where(user.ID(i.InviterID), user.DisabledAtIsNil()).Only(sys)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("inviter: %w", err)
	}
	if u.PlatformRole == authz.PlatformAdministrator {
		return u, nil
	}
	owner, err := c.Membership.Query().Where(membership.TeamID(i.TeamID), membership.UserID(u.ID), membership.RoleEQ(authz.RoleOwner)).Exist(sys)
	if err != nil || !owner {
		return nil, err
	}
	return u, nil
}

// AcceptInput accepts an invitation; the name and the password are of somebody new.
type AcceptInput struct{ Token, DisplayName, Password string }

// Accept lets the viewer into the team, or makes a person of whoever holds the
// link, and signs them in.
func (s *Service) Accept(ctx context.Context, in AcceptInput) (*ent.Team, error) {
	o, err := s.Look(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, void
	}
	v := authz.From(ctx)
	var fresh *newcomer
	if v != nil {
		if _, err := s.Account.InBrowser(ctx); err != nil {
			return nil, err
		}
		if !o.Mine {
			return nil, fault.New(fault.Forbidden, "invitation.other", fault.Args{"email": o.Email, "inviter": o.Inviter})
		}
	} else if fresh, err = s.newcomer(ctx, o, in); err != nil {
		return nil, err
	}
	var a accepted
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		a, err = s.accept(ctx, tx, o, in.Token, v, fresh)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.done()
	row := a.team.Unwrap()
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: row.ID, TeamID: row.ID, Version: row.Version})
	if fresh == nil {
		return row, nil
	}
	return row, s.Account.Begin(ctx, a.userID, account.WayInvitation)
}

// accepted is what came of an invitation; done is to be called after the commit.
type accepted struct {
	team   *ent.Team
	userID string
	done   func()
}

// newcomer is a person who is about to be made.
type newcomer struct{ name, phc string }

// newcomer checks what a new person gave.
func (s *Service) newcomer(ctx context.Context, o *Offer, in AcceptInput) (*newcomer, error) {
	switch {
	case o.Known:
		return nil, fault.New(fault.Unauthenticated, "invitation.sign-in", fault.Args{"email": o.Email})
	case o.Closed:
		return nil, fault.New(fault.Forbidden, "invitation.closed", fault.Args{"email": o.Email})
	}
	name := strings.TrimSpace(in.DisplayName)
	var f fault.Fields
	preflight.CheckName(&f, "displayName", name)
	account.CheckPassword(&f, "password", in.Password, o.Email, name)
	if err := f.Err(); err != nil {
		return nil, err
	}
	phc, err := s.Account.HashPassword(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	return &newcomer{name: name, phc: phc}, nil
}

// accept does it, after looking again at everything that may have changed.
func (s *Service) accept(ctx context.Context, tx *ent.Tx, o *Offer, token string, v *authz.Viewer, fresh *newcomer) (accepted, error) {
	none := func(err error) (accepted, error) { return accepted{}, err }
	sys := authz.AsSystem(ctx)
	if err := s.lockOpen(ctx, tx, o.TeamID); fault.KindOf(err) == fault.NotFound {
		return none(void)
	} else if err != nil {
		return none(err)
	}
	i, err := tx.Invitation.Query().Where(invitation.ID(o.ID)).Only(sys)
	if ent.IsNotFound(err) {
		return none(void)
	}
	if err != nil {
		return none(fmt.Errorf("invitation: %w", err))
	}
	if _, err := s.lock(ctx, tx, i.InviterID); err != nil { // until we are done, nobody takes their right away
		return none(void)
	}
	by, err := s.mayInvite(sys, tx.Client(), i)
	if err != nil {
		return none(err)
	}
	if by == nil {
		return none(void)
	}
	if fresh != nil {
		if v, err = s.make(ctx, tx, i, fresh); err != nil {
			return none(err)
		}
	}
	ctx = authz.With(ctx, v) // whose acts these are
	n, err := tx.Invitation.Update().Where(invitation.ID(i.ID), invitation.TokenHash(account.HashToken(token)), open()).
		SetAcceptedAt(now()).SetAcceptedBy(v.UserID).Save(sys)
	if err != nil {
		return none(fmt.Errorf("accept invitation %s: %w", i.ID, err))
	}
	if n != 1 {
		return none(void)
	}
	if err := note(ctx, tx, "invitation.accept", i); err != nil {
		return none(err)
	}
	// Who is a member already, by whatever way, stays as they are.
	there, err := tx.Membership.Query().Where(membership.TeamID(i.TeamID), membership.UserID(v.UserID)).Exist(sys)
	if err != nil {
		return none(fmt.Errorf("membership: %w", err))
	}
	if there {
		row, err := tx.Team.Get(sys, i.TeamID)
		return accepted{row, v.UserID, func() {}}, err
	}
	row, done, err := s.Teams.Put(ctx, tx, team.Change{TeamID: i.TeamID, UserID: v.UserID, Role: &i.Role, HandOver: team.HandOver{Forced: true}})
	return accepted{row, v.UserID, done}, err
}

// make makes a person of a newcomer.
func (s *Service) make(ctx context.Context, tx *ent.Tx, i *ent.Invitation, n *newcomer) (*authz.Viewer, error) {
	u, err := tx.User.Create().SetEmail(i.Email).SetDisplayName(n.name).SetPlatformRole(authz.PlatformUser).Save(authz.AsSystem(ctx))
	if ent.IsConstraintError(err) { // made meanwhile
		return nil, fault.New(fault.Unauthenticated, "invitation.sign-in", fault.Args{"email": i.Email})
	}
	if err != nil {
		return nil, fmt.Errorf("create user: %w", err)
	}
	if err := s.Account.AddPassword(ctx, tx, u.ID, n.phc); err != nil {
		return nil, err
	}
	v := &authz.Viewer{UserID: u.ID, Address: account.Address(ctx)}
	return v, audit.Record(authz.With(ctx, v), tx, audit.Entry{Action: "user.create", ObjectID: u.ID, After: map[string]any{
		"email": u.Email, "displayName": u.DisplayName, "platformRole": string(u.PlatformRole), "invitation": i.ID}})
}
