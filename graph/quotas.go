package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

func (r *Resolver) quotaPreview(ctx context.Context, in model.QuotaPreviewInput) (*model.QuotaPreview, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	capacity, err := r.Cluster.Total(ctx)
	if err != nil {
		return nil, err
	}
	p, err := r.Teams.Preview(ctx, team.PreviewInput{
		TeamID: deref(in.TeamID), Quota: quotaInput(in.Quota),
		Overcommit: spec.Overcommit{CPU: in.OvercommitCPU, Memory: in.OvercommitMemory,
			OnlineCPU: in.OvercommitOnlineCPU, OnlineMemory: in.OvercommitOnlineMemory},
	}, capacity)
	if err != nil {
		return nil, err
	}
	var all []team.Holder
	for _, it := range p.Items {
		all = append(append(all, it.Holders...), it.Blocked...)
	}
	items := selected(ctx)["items"]
	owners, err := r.usersByID(ctx, ids(all, func(h team.Holder) string { return h.OwnerID }), merge(items["exceeding"]["owner"], items["blocked"]["owner"]))
	if err != nil {
		return nil, err
	}
	out := &model.QuotaPreview{Defaults: &p.Defaults, DefaultRequests: &p.Requests, Items: make([]*model.QuotaPreviewItem, len(p.Items))}
	if p.LargestVolume > 0 {
		out.LargestVolume = &p.LargestVolume
	}
	for i, it := range p.Items {
		out.Items[i] = &model.QuotaPreviewItem{Resource: it.Resource, Unit: it.Unit, Used: it.Used, OldLimit: it.Old, NewLimit: it.New,
			Excess: it.Excess, Exceeding: quotaHolders(it.Holders, owners), Blocked: quotaHolders(it.Blocked, owners),
			Promised: it.Promised, Unlimited: it.Unlimited, Capacity: it.Capacity}
	}
	return out, nil
}

// quotas adds to teams what is used of their quotas, and by whom, in as many
// queries as for one team.
func (r *Resolver) quotas(ctx context.Context, teams []*model.Team, t tree) error {
	rows := make([]*ent.Team, len(teams))
	for i, m := range teams {
		rows[i] = m.Team
	}
	usages, err := r.Teams.Usages(ctx, rows)
	if err != nil {
		return err
	}
	var holders []team.Holder
	for _, u := range usages {
		for _, it := range u.Items {
			holders = append(holders, it.Holders...)
		}
	}
	owners, err := r.usersByID(ctx, ids(holders, func(h team.Holder) string { return h.OwnerID }), t["items"]["holders"]["owner"])
	if err != nil {
		return err
	}
	for _, m := range teams {
		u := usages[m.ID]
		m.Usage = &model.QuotaStatus{ObservedAt: u.ObservedAt, Items: make([]*model.QuotaItem, len(u.Items))}
		for i, it := range u.Items {
			m.Usage.Items[i] = &model.QuotaItem{Resource: it.Resource, Unit: it.Unit, Used: it.Used, Requested: it.Requested, Limit: it.Limit,
				Holders: quotaHolders(it.Holders, owners)}
		}
	}
	return nil
}

// teamDeletion names what would go with a team.
func (r *Resolver) teamDeletion(ctx context.Context, id string) (*model.TeamDeletion, error) {
	d, err := r.Teams.Deletion(ctx, id)
	if err != nil {
		return nil, err
	}
	list := func(names []string) []string { return append([]string{}, team.Told(names)...) }
	return &model.TeamDeletion{Namespace: d.Team.Namespace, Secrets: list(d.Secrets), Images: list(d.Images), Members: list(d.Members),
		Invitations: d.Invitations, Left: list(d.Left), Findings: (&model.Team{Team: d.Team, Lang: lang.From(ctx)}).Findings()}, nil
}

func quotaHolders(in []team.Holder, owners map[string]*model.User) []*model.QuotaHolder {
	out := make([]*model.QuotaHolder, len(in))
	for i, h := range in {
		out[i] = &model.QuotaHolder{ID: h.ID, Name: h.Name, Owner: owners[h.OwnerID], Amount: h.Amount}
	}
	return out
}
