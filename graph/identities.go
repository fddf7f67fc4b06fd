package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/graph/model"
)

func signedOut(providerURL string) *model.SignOutPayload {
	out := &model.SignOutPayload{Ok: true}
	if providerURL != "" {
		out.ProviderURL = &providerURL
	}
	return out
}

func (r *Resolver) identities(ctx context.Context) ([]*model.Identity, error) {
	rows, err := r.Account.Identities(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.Identity, len(rows))
	for i, row := range rows {
		out[i] = &model.Identity{Identity: row, Provider: r.Account.ProviderName(row.Issuer)}
	}
	return out, nil
}
