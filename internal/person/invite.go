package person

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/predicate"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Bounds of invitations.
const (
	inviteLife = 7 * 24 * time.Hour
	inviteKept = 30 * 24 * time.Hour // after they lapsed
	maxOpen    = 200                 // of one team
	maxMessage = 500                 // characters
)

// InviteInput asks an address into a team.
type InviteInput struct {
	TeamID, Email, Message string
	Role                   authz.Role
}

// Invite makes an invitation and its link, which is shown only here. Owners of
// the team and administrators, in a browser: a token that leaked invites nobody.
func (s *Service) Invite(ctx context.Context, in InviteInput) (*ent.Invitation, string, error) {
	v, err := s.inviter(ctx, in.TeamID)
	if err != nil {
		return nil, "", err
	}
	in.Email, in.Message = strings.ToLower(strings.TrimSpace(in.Email)), strings.TrimSpace(in.Message)
	if err := in.check(); err != nil {
		return nil, "", err
	}
	token := account.Token()
	var row *ent.Invitation
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		if err := s.lockOpen(ctx, tx, in.TeamID); err != nil {
			return err
		}
		if err := free(sys, tx, in); err != nil {
			return err
		}
		row, err = tx.Invitation.Create().SetTeamID(in.TeamID).SetEmail(in.Email).SetRole(in.Role).SetMessage(in.Message).
			SetTokenHash(account.HashToken(token)).SetInviterID(v.UserID).SetExpiresAt(now().Add(inviteLife).Truncate(time.Second)).Save(sys)
		if err != nil {
			return fmt.Errorf("create invitation: %w", err)
		}
		return note(ctx, tx, "invitation.create", row)
	})
	if err != nil {
		return nil, "", err
	}
	return row.Unwrap(), s.link(token), nil
}

// lockOpen holds a team's row and refuses an archived one: nobody joins it.
func (s *Service) lockOpen(ctx context.Context, tx *ent.Tx, teamID string) error {
	t, err := team.Lock(ctx, tx, s.DB, teamID)
	if err != nil {
		return err
	}
	return team.Open(t)
}

// inviter is the viewer if they may invite into a team.
func (s *Service) inviter(ctx context.Context, teamID string) (*authz.Viewer, error) {
	v, err := s.Account.InBrowser(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := team.Visible(ctx, s.DB.Client, teamID); err != nil {
		return nil, err
	}
	return v, v.Check(authz.Members, teamID)
}

func (in InviteInput) check() error {
	var f fault.Fields
	account.CheckEmail(&f, "email", in.Email)
	if !team.KnownRole(in.Role) {
		f.Add("role", "team.role", fault.Args{"value": string(in.Role)})
	}
	if n := utf8.RuneCountInString(in.Message); n > maxMessage || !utf8.ValidString(in.Message) {
		f.Add("message", "invitation.message", fault.Args{"value": n, "limit": maxMessage})
	}
	return f.Err()
}

// open are the invitations that can still be accepted, as far as time goes.
func open() predicate.Invitation {
	return invitation.And(invitation.AcceptedAtIsNil(), invitation.RevokedAtIsNil(), invitation.ExpiresAtGT(now()))
}

// free refuses an invitation of who is a member or was invited already.
func free(sys context.Context, tx *ent.Tx, in InviteInput) error {
	var f fault.Fields
	member, err := tx.Membership.Query().Where(membership.TeamID(in.TeamID), membership.HasUserWith(user.Email(in.Email))).Exist(sys)
	if err != nil {
		return fmt.Errorf("members: %w", err)
	}
	if member {
		f.Add("email", "invitation.member", fault.Args{"value": in.Email})
		return f.Err()
	}
	rows, err := tx.Invitation.Query().Where(invitation.TeamID(in.TeamID), open()).All(sys)
	if err != nil {
		return fmt.Errorf("invitations: %w", err)
	}
	if len(rows) >= maxOpen {
		return fault.New(fault.ResourceExhausted, "invitation.many", fault.Args{"limit": maxOpen})
	}
	for _, r := range rows {
		if r.Email == in.Email {
			f.Add("email", "invitation.open", fault.Args{"value": in.Email})
			return f.Err()
		}
	}
	return nil
}

func (s *Service) link(token string) string {
	return s.Config.URL + "/invitation?" + url.Values{"token": {token}}.Encode()
}

func note(ctx context.Context, tx *ent.Tx, action string, i *ent.Invitation) error {
	return audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: i.TeamID, ObjectID: i.ID,
		After: map[string]any{"email": i.Email, "role": string(i.Role)}})
}

// Invitations lists a team's open invitations, the newest first. Owners of the team and administrators.
func (s *Service) Invitations(ctx context.Context, teamID string) ([]*ent.Invitation, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := team.Visible(ctx, s.DB.Client, teamID); err != nil {
		return nil, err
	}
	if !v.ReadsAll() && v.Teams[teamID] != authz.RoleOwner {
		return nil, v.Check(authz.Members, teamID)
	}
	rows, err := s.DB.Client.Invitation.Query().Where(invitation.TeamID(teamID), open()).
		Order(ent.Desc(invitation.FieldID)).Limit(maxOpen).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("invitations: %w", err)
	}
	return rows, nil
}

// Resend gives an open invitation a new link and a new week, on the right of
// the viewer; the link before is of no use any more.
func (s *Service) Resend(ctx context.Context, id string) (*ent.Invitation, string, error) {
	v, old, err := s.invitation(ctx, id)
	if err != nil {
		return nil, "", err
	}
	token := account.Token()
	var row *ent.Invitation
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		if err := s.lockOpen(ctx, tx, old.TeamID); err != nil {
			return err
		}
		n, err := tx.Invitation.Update().Where(invitation.ID(id), invitation.AcceptedAtIsNil(), invitation.RevokedAtIsNil()).
			SetTokenHash(account.HashToken(token)).SetInviterID(v.UserID).SetExpiresAt(now().Add(inviteLife).Truncate(time.Second)).Save(sys)
		if err != nil {
			return fmt.Errorf("send invitation %s again: %w", id, err)
		}
		if n == 0 {
			return fault.New(fault.FailedPrecondition, "invitation.over", fault.Args{"email": old.Email})
		}
		if row, err = tx.Invitation.Get(sys, id); err != nil {
			return fmt.Errorf("invitation %s: %w", id, err)
		}
		return note(ctx, tx, "invitation.resend", row)
	})
	if err != nil {
		return nil, "", err
	}
	return row.Unwrap(), s.link(token), nil
}

// Revoke ends an open invitation; its link is of no use any more.
func (s *Service) Revoke(ctx context.Context, id string) error {
	_, old, err := s.invitation(ctx, id)
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Invitation.Update().Where(invitation.ID(id), invitation.AcceptedAtIsNil(), invitation.RevokedAtIsNil()).
			SetRevokedAt(now()).Save(authz.AsSystem(ctx))
		if err != nil {
			return fmt.Errorf("revoke invitation %s: %w", id, err)
		}
		if n == 0 {
			return fault.New(fault.FailedPrecondition, "invitation.over", fault.Args{"email": old.Email})
		}
		return note(ctx, tx, "invitation.revoke", old)
	})
}

// invitation is one that the viewer may change.
func (s *Service) invitation(ctx context.Context, id string) (*authz.Viewer, *ent.Invitation, error) {
	v, err := s.Account.InBrowser(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.DB.Client.Invitation.Query().Where(invitation.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, fault.Missing("invitation", id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("invitation %s: %w", id, err)
	}
	return v, row, v.Check(authz.Members, row.TeamID)
}
