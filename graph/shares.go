package graph

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// wrapShares adds what was selected to shares of which the viewer is a party.
// What a share tells of the other party – names, size, mode – is read for it
// alone: neither is in the other's teams.
func (r *Resolver) wrapShares(ctx context.Context, rows []*ent.Share, t tree) ([]*model.Share, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.Share, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	sys := authz.AsSystem(ctx)
	behind, err := r.DB.Client.Volume.Query().Where(entvolume.IDIn(ids(rows, func(s *ent.Share) string { return s.VolumeID })...)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("volumes of shares: %w", err)
	}
	byID := map[string]*ent.Volume{}
	for _, b := range behind {
		byID[b.ID] = b
	}
	people := append(ids(rows, func(s *ent.Share) string { return s.GrantedBy }), ids(behind, func(b *ent.Volume) string { return b.OwnerID })...)
	names, err := r.Shares.Names(ctx, people)
	if err != nil {
		return nil, err
	}
	from, err := r.DB.Client.Team.Query().Where(entteam.IDIn(ids(rows, func(s *ent.Share) string { return s.FromTeamID })...)).
		Select(entteam.FieldID, entteam.FieldName).All(sys)
	if err != nil {
		return nil, fmt.Errorf("teams of shares: %w", err)
	}
	teamNames := map[string]string{}
	for _, f := range from {
		teamNames[f.ID] = f.Name
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(s *ent.Share) string { return s.TeamID }), t["team"])
	if err != nil {
		return nil, err
	}
	volumes, err := r.volumesOf(ctx, mountsOf(rows), t["volume"])
	if err != nil {
		return nil, err
	}
	var uses map[string][]share.Use
	if t.has("usedBy") {
		if uses, err = r.Shares.UsedBy(ctx, rows); err != nil {
			return nil, err
		}
	}
	l := lang.From(ctx)
	for i, row := range rows {
		p := share.PermissionsOf(v, row, byID[row.VolumeID])
		m := &model.Share{Share: row, Behind: byID[row.VolumeID], Volume: volumes[row.VolumeID], Team: teams[row.TeamID], Lang: l,
			FromTeamName: teamNames[row.FromTeamID], GrantedByName: names[row.GrantedBy], UsedBy: shareUses(uses[row.ID]),
			Can: &model.SharePermissions{Accept: p.Accept, Decline: p.Decline, Change: p.Change, Revoke: p.Revoke}}
		if m.Behind != nil {
			m.OwnerName = names[m.Behind.OwnerID]
		}
		out[i] = m
	}
	return out, nil
}

func mountsOf(rows []*ent.Share) []spec.Mount {
	out := make([]spec.Mount, len(rows))
	for i, r := range rows {
		out[i].VolumeID = r.VolumeID
	}
	return out
}

func shareUses(in []share.Use) []*model.ShareUse {
	out := make([]*model.ShareUse, len(in))
	for i, u := range in {
		kind := model.ShareUseKindRun
		if u.Instance {
			kind = model.ShareUseKindInstance
		}
		out[i] = &model.ShareUse{ID: u.ID, Name: u.Name, Kind: kind, OwnerName: u.OwnerName, ReadOnly: !u.Writes}
	}
	return out
}

// share is one of which the viewer is a party.
func (r *Resolver) share(ctx context.Context, id string, t tree) (*model.Share, error) {
	row, err := r.Shares.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := r.wrapShares(ctx, []*ent.Share{row}, t)
	if err != nil {
		return nil, err
	}
	return m[0], nil
}

func (r *Resolver) sharePayload(ctx context.Context) func(*ent.Share, error) (*model.SharePayload, error) {
	return func(row *ent.Share, err error) (*model.SharePayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.wrapShares(ctx, []*ent.Share{row}, selected(ctx)["share"])
		if err != nil {
			return nil, err
		}
		return &model.SharePayload{Share: m[0]}, nil
	}
}

// sharesOf gives the shares that mounts name, as far as the viewer may know of
// them: those who see an instance are told what it mounts.
func (r *Resolver) sharesOf(ctx context.Context, mounts []spec.Mount, t tree) (map[string]*model.Share, error) {
	out := map[string]*model.Share{}
	if t == nil || r.Shares == nil {
		return out, nil
	}
	named := ids(mounts, func(m spec.Mount) string {
		if ident.Is(ident.Share, m.VolumeID) {
			return m.VolumeID
		}
		return ""
	})
	if len(named) == 0 {
		return out, nil
	}
	rows, err := r.Shares.Known(ctx, named)
	if err != nil {
		return nil, err
	}
	wrapped, err := r.wrapShares(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range wrapped {
		out[m.ID] = m
	}
	return out, nil
}

func shareKey(s *model.Share) string { return cursor("shares", s.ID) }

// narrowShares keeps the shares of a volume or a team that the viewer sees: a
// filter must not tell which of the other party's a share is about.
func (r *Resolver) narrowShares(ctx context.Context, q *ent.ShareQuery, f *model.ShareFilter) error {
	if f == nil {
		return nil
	}
	if f.VolumeID != nil {
		visible, err := r.DB.Client.Volume.Query().Where(entvolume.ID(*f.VolumeID)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("volume of shares: %w", err)
		}
		q.Where(entshare.VolumeIDIn(visible...))
	}
	if f.TeamID != nil {
		visible, err := r.DB.Client.Team.Query().Where(entteam.ID(*f.TeamID)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("team of shares: %w", err)
		}
		q.Where(entshare.Or(entshare.FromTeamIDIn(visible...), entshare.TeamIDIn(visible...)))
	}
	return nil
}

func (r *Resolver) listShares(ctx context.Context, direction model.ShareDirection, first *int, after *string, f *model.ShareFilter) (*model.ShareConnection, error) {
	w, err := newWindow(first, after, "shares", 1)
	if err != nil {
		return nil, err
	}
	q, err := r.Shares.Query(ctx, direction == model.ShareDirectionIncoming)
	if err != nil {
		return nil, err
	}
	if err := r.narrowShares(ctx, q, f); err != nil {
		return nil, err
	}
	if f != nil && len(f.States) > 0 {
		q.Where(entshare.StateIn(f.States...))
	}
	t := selected(ctx)
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count shares: %w", err)
	}
	if w.after != nil {
		q.Where(entshare.IDLT(w.after[0]))
	}
	rows, err := q.Order(ent.Desc(entshare.FieldID)).Limit(w.limit + 1).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shares: %w", err)
	}
	nodes, err := r.wrapShares(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, shareKey)
	c.TotalCount = total
	return &model.ShareConnection{Connection: c}, nil
}

func (r *Resolver) previewShare(ctx context.Context, in model.ShareTargetInput) (*model.SharePreview, error) {
	p, err := r.Shares.Preview(ctx, share.Target{VolumeID: in.VolumeID, Kind: in.GranteeKind, Grantee: in.Grantee, Mode: in.Mode}, r.Volumes.UsedBy)
	if err != nil {
		return nil, err
	}
	out := &model.SharePreview{AtOnce: p.AtOnce, AcrossTeams: p.AcrossTeams, Reason: model.NewReason(p.Reason, lang.From(ctx)), LapsesAt: p.LapsesAt, UsedBy: []*model.VolumeUse{}}
	for _, u := range p.UsedBy {
		out.UsedBy = append(out.UsedBy, &model.VolumeUse{ID: u.ID, Name: u.Name, ReadOnly: u.ReadOnly})
	}
	return out, nil
}

func (r *Resolver) previewShareEnd(ctx context.Context, id string) (*model.ShareEndPreview, error) {
	p, err := r.Shares.PreviewEnd(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := r.wrapShares(ctx, []*ent.Share{p.Share}, selected(ctx)["share"])
	if err != nil {
		return nil, err
	}
	return &model.ShareEndPreview{Share: m[0], UsedBy: shareUses(p.UsedBy), Stopped: p.Stopped}, nil
}

func shareKind() *kind {
	type shareM = *model.Share
	return &kind{map[string]field{
		"id": text(func(o shareM) string { return o.ID }), "state": word(func(o shareM) entshare.State { return entshare.State(o.State) }),
		"mode": word(func(o shareM) entshare.Mode { return o.Mode }), "volumeName": text(shareM.VolumeName),
		"volume":       child(func(o shareM) volumeM { return o.Volume }),
		"sizeBytes":    maybe(shareM.SizeBytes, number64),
		"accessMode":   maybe(shareM.AccessMode, func(b []byte, m entvolume.AccessMode) []byte { return appendWord(b, string(m)) }),
		"fromTeamName": text(func(o shareM) string { return o.FromTeamName }), "ownerName": text(func(o shareM) string { return o.OwnerName }),
		"grantedByName": text(func(o shareM) string { return o.GrantedByName }),
		"granteeKind":   word(func(o shareM) entshare.GranteeKind { return o.GranteeKind }), "grantee": text(func(o shareM) string { return o.Grantee }),
		"team": child(func(o shareM) teamM { return o.Team }), "message": text(func(o shareM) string { return o.Message }),
		"createdAt":  instant(func(o shareM) time.Time { return o.CreatedAt }),
		"acceptedAt": maybe(func(o shareM) *time.Time { return o.AcceptedAt }, model.AppendTime),
		"endsAt":     maybe(func(o shareM) *time.Time { return o.EndsAt }, model.AppendTime),
		"lapsesAt":   maybe(shareM.LapsesAt, model.AppendTime),
		"overAt":     maybe(func(o shareM) *time.Time { return o.OverAt }, model.AppendTime),
		"ready":      truth(func(o shareM) bool { return o.Ready }), "reason": child(shareM.Reason),
		"usedBy": children(func(o shareM) []*model.ShareUse { return o.UsedBy }),
		"can":    child(func(o shareM) *model.SharePermissions { return o.Can }),
	}}
}
