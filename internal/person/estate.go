package person

import (
	"context"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	entflow "github.com/goblinlab/goblinlab/ent/flow"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/membership"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/task"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/ent/user"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Estate is what a person owns in a team.
type Estate struct {
	Team        *ent.Team
	Role        *authz.Role // nil for who is no member any more
	Instances   []*ent.Instance
	Runs        []*ent.Run // that go on
	Tasks       int
	Flows       int
	Volumes     []*ent.Volume
	Invitations []*ent.Invitation // open ones that they made
	Heirs       []*ent.User       // who could get it, owners of the team first
	Owners      int               // how many of them own the team
}

// Empty reports whether there is nothing to hand over.
func (e *Estate) Empty() bool {
	return len(e.Instances) == 0 && len(e.Runs) == 0 && e.Tasks == 0 && e.Flows == 0 && len(e.Volumes) == 0
}

// Heir is who gets it when nobody was named: the team keeps it, in the hands of an owner. Nil when it has no other.
func (e *Estate) Heir() *ent.User {
	if e.Owners == 0 {
		return nil
	}
	return e.Heirs[0]
}

// Preview is what a person's leaving is about.
type Preview struct {
	User             *ent.User
	Estates          []*Estate
	Sessions, Tokens int
	Last             bool // the last administrator, who cannot leave
	Began            bool // a departure was begun and is not done
}

// Preview tells what a person owns, in one team if given. Administrators; owners
// of that team; the person.
func (s *Service) Preview(ctx context.Context, userID, teamID string) (*Preview, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if v.Inside() { // what runs in a container has no business with who owns what
		return nil, fault.New(fault.Forbidden, "token.inside", nil)
	}
	if teamID != "" {
		if _, err := team.Visible(ctx, s.DB.Client, teamID); err != nil {
			return nil, err
		}
	}
	switch {
	case v.Administrator(), v.UserID == userID:
	case teamID == "":
		return nil, v.Check(authz.Platform, "")
	default:
		if v.Teams[teamID] != authz.RoleOwner {
			return nil, fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action.members"})
		}
	}
	sys := authz.AsSystem(ctx)
	u, err := s.DB.Client.User.Query().Where(user.ID(userID)).Only(sys)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("user", userID)
	}
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", userID, err)
	}
	p := &Preview{User: u}
	if p.Estates, err = estates(sys, s.DB.Client, userID, teamID); err != nil {
		return nil, err
	}
	if teamID == "" {
		return p, s.beside(sys, p)
	}
	if e := p.Estates; !v.Administrator() && (len(e) == 0 || e[0].Role == nil && e[0].Empty()) {
		return nil, fault.Missing("user", userID) // who is elsewhere is as unknown here as nobody
	}
	return p, nil
}

// beside counts what goes with the person alone.
func (s *Service) beside(sys context.Context, p *Preview) error {
	c, id := s.DB.Client, p.User.ID
	var err error
	if p.Sessions, err = c.Session.Query().Where(session.UserID(id), session.ExpiresAtGT(now())).Count(sys); err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	if p.Tokens, err = c.AccessToken.Query().Where(accesstoken.UserID(id), accesstoken.ExpiresAtGT(now())).Count(sys); err != nil {
		return fmt.Errorf("access tokens: %w", err)
	}
	if p.Began, err = s.leaving(sys, c, id); err != nil {
		return err
	}
	if p.User.PlatformRole == authz.PlatformAdministrator && p.User.DisabledAt == nil {
		others, err := c.User.Query().Where(user.PlatformRoleEQ(authz.PlatformAdministrator), user.DisabledAtIsNil(), user.IDNEQ(id)).Exist(sys)
		if err != nil {
			return fmt.Errorf("administrators: %w", err)
		}
		p.Last = !others
	}
	return nil
}

// estates are what a person owns by team, of every team where they are or have
// something; of one team if given.
func estates(sys context.Context, c *ent.Client, userID, teamID string) ([]*Estate, error) {
	ids := []string{teamID}
	if teamID == "" {
		var err error
		if ids, err = teamsOf(sys, c, userID); err != nil {
			return nil, err
		}
	}
	rows, err := c.Team.Query().Where(entteam.IDIn(ids...)).Order(ent.Asc(entteam.FieldName, entteam.FieldID)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("teams: %w", err)
	}
	out := make([]*Estate, 0, len(rows))
	for _, t := range rows {
		e, err := estate(sys, c, t, userID)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// teamsOf are the teams where a person is or has something.
func teamsOf(sys context.Context, c *ent.Client, userID string) ([]string, error) {
	var all []string
	for _, read := range []func() ([]string, error){
		func() ([]string, error) {
			return c.Membership.Query().Where(membership.UserID(userID)).Unique(true).Select(membership.FieldTeamID).Strings(sys)
		},
		func() ([]string, error) {
			return c.Instance.Query().Where(entinstance.OwnerID(userID)).Unique(true).Select(entinstance.FieldTeamID).Strings(sys)
		},
		func() ([]string, error) {
			return c.Run.Query().Where(entrun.OwnerID(userID), live()).Unique(true).Select(entrun.FieldTeamID).Strings(sys)
		},
		func() ([]string, error) {
			return c.Flow.Query().Where(entflow.OwnerID(userID), entflow.DeletedAtIsNil()).Unique(true).Select(entflow.FieldTeamID).Strings(sys)
		},
		func() ([]string, error) {
			return c.Task.Query().Where(task.OwnerID(userID)).Unique(true).Select(task.FieldTeamID).Strings(sys)
		},
		func() ([]string, error) {
			return c.Volume.Query().Where(entvolume.OwnerID(userID)).Unique(true).Select(entvolume.FieldTeamID).Strings(sys)
		},
	} {
		ids, err := read()
		if err != nil {
			return nil, fmt.Errorf("teams of %s: %w", userID, err)
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func estate(sys context.Context, c *ent.Client, t *ent.Team, userID string) (*Estate, error) {
	e := &Estate{Team: t}
	fail := func(err error) (*Estate, error) {
		return nil, fmt.Errorf("what %s owns in %s: %w", userID, t.ID, err)
	}
	ms, err := c.Membership.Query().Where(membership.TeamID(t.ID)).WithUser().Order(ent.Asc(membership.FieldID)).All(sys)
	if err != nil {
		return fail(err)
	}
	e.members(ms, userID)
	e.Instances, err = c.Instance.Query().Where(entinstance.TeamID(t.ID), entinstance.OwnerID(userID),
		entinstance.DesiredNEQ(entinstance.DesiredDeleted)).Order(ent.Asc(entinstance.FieldID)).All(sys)
	if err != nil {
		return fail(err)
	}
	e.Runs, err = c.Run.Query().Where(entrun.TeamID(t.ID), entrun.OwnerID(userID), live()).Order(ent.Asc(entrun.FieldID)).All(sys)
	if err != nil {
		return fail(err)
	}
	if e.Tasks, err = c.Task.Query().Where(task.TeamID(t.ID), task.OwnerID(userID)).Count(sys); err != nil {
		return fail(err)
	}
	if e.Flows, err = c.Flow.Query().Where(entflow.TeamID(t.ID), entflow.OwnerID(userID), entflow.DeletedAtIsNil()).Count(sys); err != nil {
		return fail(err)
	}
	e.Volumes, err = c.Volume.Query().Where(entvolume.TeamID(t.ID), entvolume.OwnerID(userID),
		entvolume.DesiredNEQ(entvolume.DesiredDeleted)).Order(ent.Asc(entvolume.FieldID)).All(sys)
	if err != nil {
		return fail(err)
	}
	e.Invitations, err = c.Invitation.Query().Where(invitation.TeamID(t.ID), invitation.InviterID(userID), open()).
		Order(ent.Asc(invitation.FieldID)).All(sys)
	if err != nil {
		return fail(err)
	}
	return e, nil
}

// members sorts out who could get it: who may manage what is their own.
func (e *Estate) members(ms []*ent.Membership, userID string) {
	var others []*ent.User
	for _, m := range ms {
		u := m.Edges.User
		switch {
		case m.UserID == userID:
			role := m.Role
			e.Role = &role
		case u == nil || u.DisabledAt != nil || m.Role == authz.RoleViewer:
		case m.Role == authz.RoleOwner:
			e.Heirs = append(e.Heirs, u)
		default:
			others = append(others, u)
		}
	}
	e.Owners = len(e.Heirs)
	e.Heirs = append(e.Heirs, others...)
}
