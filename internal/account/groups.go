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
	"github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
)

var rank = map[authz.Role]int{authz.RoleViewer: 1, authz.RoleMember: 2, authz.RoleMaintainer: 3, authz.RoleOwner: 4}

// applyGroups brings the roles that come from groups to what the groups give
// now. What a person gave is left as it is, more or less though it may be.
func (s *Service) applyGroups(ctx context.Context, tx *ent.Tx, u *ent.User, groups []string) ([]event.Message, error) {
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
	var changed []event.Message
	for _, id := range slices.Sorted(maps.Keys(want)) { // in one order, so that two sign-ins cannot wait for each other
		m := have[id]
		if m != nil && (m.Origin != authz.Mapped || m.Role == want[id]) {
			continue
		}
		t, err := s.mapMember(ctx, tx, u.ID, id, m, want[id])
		if err != nil {
			return nil, err
		}
		changed = append(changed, teamMessage(t))
	}
	return changed, nil
}

// mapMember makes, changes or, with no role, takes a membership.
func (s *Service) mapMember(ctx context.Context, tx *ent.Tx, userID, teamID string, old *ent.Membership, role authz.Role) (*ent.Team, error) {
	sys := authz.AsSystem(ctx)
	// First the team's row, which holds back whoever else changes its members.
	t, err := tx.Team.UpdateOneID(teamID).AddVersion(1).Save(sys)
	if err != nil {
		return nil, fmt.Errorf("team %s: %w", teamID, err)
	}
	before, after := map[string]any{"user": userID}, map[string]any{"user": userID, "origin": string(authz.Mapped)}
	if old != nil {
		before["role"] = string(old.Role)
	}
	switch {
	case role == "":
		err = tx.Membership.DeleteOne(old).Exec(sys)
	case old == nil:
		after["role"] = string(role)
		err = tx.Membership.Create().SetTeamID(teamID).SetUserID(userID).SetRole(role).SetOrigin(authz.Mapped).Exec(sys)
	default:
		after["role"] = string(role)
		err = tx.Membership.UpdateOne(old).SetRole(role).Exec(sys)
	}
	if err != nil {
		return nil, fmt.Errorf("member %s of team %s: %w", userID, teamID, err)
	}
	return t, audit.Record(ctx, tx, audit.Entry{Action: "team.member", TeamID: teamID, ObjectID: teamID, Before: before, After: after})
}

// wantedRoles are the highest roles that groups give, by team.
func (s *Service) wantedRoles(ctx context.Context, tx *ent.Tx, groups []string) (map[string]authz.Role, error) {
	want := map[string]authz.Role{}
	for _, r := range s.Config.OIDC.TeamRules() {
		if !slices.Contains(groups, r.Group) {
			continue
		}
		ids, err := tx.Team.Query().Where(team.Or(team.ID(r.Team), team.Name(r.Team))).IDs(authz.AsSystem(ctx))
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
