package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
)

func (r *Resolver) wrapInvitations(ctx context.Context, rows []*ent.Invitation, t tree) ([]*model.Invitation, error) {
	inviters, err := r.usersByID(ctx, ids(rows, func(i *ent.Invitation) string { return i.InviterID }), t["inviter"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.Invitation, len(rows))
	for i, row := range rows {
		out[i] = &model.Invitation{Invitation: row, Inviter: inviters[row.InviterID]}
	}
	return out, nil
}

func (r *Resolver) invitationPayload(ctx context.Context) func(*ent.Invitation, string, error) (*model.InvitationPayload, error) {
	return func(row *ent.Invitation, url string, err error) (*model.InvitationPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.wrapInvitations(ctx, []*ent.Invitation{row}, selected(ctx)["invitation"])
		if err != nil {
			return nil, err
		}
		return &model.InvitationPayload{Invitation: m[0], URL: url}, nil
	}
}

// invitationOffer tells whoever holds a link what it offers.
func (r *Resolver) invitationOffer(ctx context.Context, token string) (*model.InvitationOffer, error) {
	o, err := r.Persons.Look(ctx, token)
	if err != nil || o == nil {
		return nil, err
	}
	return &model.InvitationOffer{TeamName: o.Team, InviterName: o.Inviter, Email: o.Email, Role: o.Role, Message: o.Message,
		ExpiresAt: o.ExpiresAt, ForViewer: o.Mine, Known: o.Known, Closed: o.Closed}, nil
}

func (r *Resolver) passwordState(ctx context.Context) (*model.PasswordState, error) {
	p, err := r.Account.Password(ctx)
	if err != nil {
		return nil, err
	}
	return &model.PasswordState{ChangedAt: p.ChangedAt, CurrentNeeded: p.Proof, Removable: p.Removable}, nil
}

func (r *Resolver) passwordPayload(ctx context.Context) (*model.PasswordPayload, error) {
	p, err := r.passwordState(ctx)
	if err != nil {
		return nil, err
	}
	return &model.PasswordPayload{Password: p}, nil
}
