package account

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/team"
)

var rank = map[authz.Role]int{authz.RoleViewer: 1, authz.RoleMember: 2, authz.RoleMaintainer: 3, authz.RoleOwner: 4}

// applyGroups brings the roles that come from groups to what the groups give
// now; what it gives is to be called after the commit. What a person gave is left
// as it is, more or less though it may be.
func (s *Service) applyGroups(ctx context.Context, tx *ent.Tx, u *ent.User, groups []string) ([]func(), error) {
	if err := s.applyPlatformRole(ctx, tx, u, groups); err != nil {
		return nil, err
	}
	want, err := s.wantedRoles(ctx, tx, groups)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Membership.Query().Where(membership.UserID(u.ID)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("memberships of %s: %w", u.ID, err)
	}
	have := make(map[string]*ent.Membership, len(rows))
	for _, m := range rows {
		have[m.TeamID] = m
		if _, ok := want[m.TeamID]; !ok && m.Origin == authz.Mapped {
			want[m.TeamID] = ""
		}
	}
	if s.Members == nil {
		return nil, nil
	}
	var done []func()
	for _, id := range slices.Sorted(maps.Keys(want)) { // in one order, so that two sign-ins cannot wait for each other
		m := have[id]
		if m != nil && (m.Origin != authz.Mapped || m.Role == want[id]) {
			continue
		}
		f, err := s.mapMember(ctx, tx, team.Change{TeamID: id, UserID: u.ID, Origin: authz.Mapped, HandOver: team.HandOver{Forced: true}}, m, want[id])
		if err != nil {
			return nil, err
		}
		done = append(done, f)
	}
	return done, nil
}

// mapMember makes, changes or, with no role, takes a membership, with all that
// goes with it by whatever way it ends. Nobody joins an archived team: its groups
// count again with the first sign-in after it was restored.
func (s *Service) mapMember(ctx context.Context, tx *ent.Tx, c team.Change, old *ent.Membership, role authz.Role) (func(), error) {
	if role != "" {
		c.Role = &role
	}
	if old == nil {
		closed, err := tx.Team.Query().Where(entteam.ID(c.TeamID), entteam.ArchivedAtNotNil()).Exist(authz.AsSystem(ctx))
		if err != nil || closed {
			return func() {}, err
		}
	}
	t, done, err := s.Members.Put(ctx, tx, c)
	if err != nil {
		return nil, fmt.Errorf("member %s of team %s: %w", c.UserID, c.TeamID, err)
	}
	return func() {
		s.Broker.Publish(ctx, event.Message{Topic: "team", ID: t.ID, TeamID: t.ID, Version: t.Version})
		done()
	}, nil
}

// wantedRoles are the highest roles that groups give, by team.
func (s *Service) wantedRoles(ctx context.Context, tx *ent.Tx, groups []string) (map[string]authz.Role, error) {
	want := map[string]authz.Role{}
	for _, r := range s.Config.OIDC.TeamRules() {
		if !slices.Contains(groups, r.Group) {
			continue
		}
		ids, err := tx.Team.Query().Where(entteam.Or(entteam.ID(r.Team), entteam.NameKey(ident.NameKey(r.Team)))).IDs(authz.AsSystem(ctx))
		if err != nil {
			return nil, fmt.Errorf("team of a rule: %w", err)
		}
		if len(ids) == 0 {
			slog.WarnContext(ctx, "a rule of oidc.teams names a team that is not there", "team", r.Team)
		}
		for _, id := range ids {
			if cmp.Compare(rank[r.Role], rank[want[id]]) > 0 {
				want[id] = r.Role
			}
		}
	}
	return want, nil
}

func (s *Service) applyPlatformRole(ctx context.Context, tx *ent.Tx, u *ent.User, groups []string) error {
	want := authz.PlatformUser
	for _, r := range s.Config.OIDC.PlatformRules() {
		if slices.Contains(groups, r.Group) && want != authz.PlatformAdministrator {
			want = r.Role
		}
	}
	origin := authz.Mapped
	if want == authz.PlatformUser { // what everybody is comes from nobody
		origin = authz.Manual
	}
	given := u.PlatformRoleOrigin == authz.Manual && u.PlatformRole != authz.PlatformUser
	if given || u.PlatformRole == want {
		return nil
	}
	if err := tx.User.UpdateOne(u).SetPlatformRole(want).SetPlatformRoleOrigin(origin).Exec(authz.AsSystem(ctx)); err != nil {
		return fmt.Errorf("role of %s: %w", u.ID, err)
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "user.role", ObjectID: u.ID,
		Before: map[string]any{"platformRole": string(u.PlatformRole)}, After: map[string]any{"platformRole": string(want), "origin": string(authz.Mapped)}})
}
