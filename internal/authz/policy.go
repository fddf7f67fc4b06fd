package authz

import (
	"context"
	"fmt"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Scope narrows a query or a mutation to what a viewer may see. It gets the
// statement's selector or predicate target.
type Scope func(v *Viewer, s *sql.Selector)

type narrower interface {
	WhereP(...func(*sql.Selector))
}

// Policy is the tenancy of one kind of row.
type Policy struct {
	Read  Scope // applied for everybody who does not read all
	Write Scope // applied to updates and deletions for everybody but the system and administrators; nil forbids them
	// Owned names the column that a new row must carry a team of the viewer in; empty forbids creation.
	Owned string
}

var (
	_ ent.Policy = Policy{}
	// SystemOnly rows are touched by the platform alone.
	SystemOnly = Policy{}
)

// EvalQuery narrows a query; without a viewer it fails.
func (p Policy) EvalQuery(ctx context.Context, q ent.Query) error {
	v := From(ctx)
	switch {
	case v == nil:
		return fault.New(fault.Unauthenticated, "sign-in", nil)
	case v.System(), v.ReadsAll() && p.Read != nil:
		return nil
	case p.Read == nil:
		return fault.New(fault.NotFound, "not-found", fault.Args{"what": "@noun.node", "id": ""})
	}
	n, ok := q.(narrower)
	if !ok {
		return fmt.Errorf("authz: query %T cannot be narrowed", q)
	}
	n.WhereP(func(s *sql.Selector) { p.Read(v, s) })
	return nil
}

// EvalMutation guards a mutation; verbs are checked in the services.
func (p Policy) EvalMutation(ctx context.Context, m ent.Mutation) error {
	v := From(ctx)
	switch {
	case v == nil:
		return fault.New(fault.Unauthenticated, "sign-in", nil)
	case v.ReadsOnly():
		return v.refusal(ManageOwn)
	case v.Administrator():
		return nil
	}
	forbidden := fault.New(fault.Forbidden, "forbidden", fault.Args{"action": m.Op().String() + " " + m.Type()})
	if m.Op().Is(ent.OpCreate) {
		if p.Owned == "" {
			return forbidden
		}
		team, ok := m.Field(p.Owned)
		if id, isString := team.(string); !ok || !isString || v.Teams[id] == "" {
			return forbidden
		}
		return nil
	}
	n, ok := m.(narrower)
	if p.Write == nil || !ok {
		return forbidden
	}
	n.WhereP(func(s *sql.Selector) { p.Write(v, s) })
	return nil
}

// InTeams keeps rows whose column holds one of the viewer's teams.
func InTeams(column string) Scope {
	return func(v *Viewer, s *sql.Selector) { s.Where(inTeams(v, s.C(column))) }
}

// InOwnTeams keeps rows whose column holds a team that the viewer owns.
func InOwnTeams(column string) Scope {
	return func(v *Viewer, s *sql.Selector) { s.Where(in(s.C(column), v.OwnTeamIDs())) }
}

func inTeams(v *Viewer, column string) *sql.Predicate { return in(column, v.TeamIDs()) }

func in(column string, ids []string) *sql.Predicate {
	if len(ids) == 0 {
		return sql.False()
	}
	args := make([]any, len(ids))
	for i := range ids {
		args[i] = ids[i]
	}
	return sql.In(column, args...)
}

// InTeamsOrShared also keeps rows that belong to no team.
func InTeamsOrShared(column string) Scope {
	return func(v *Viewer, s *sql.Selector) {
		s.Where(sql.Or(sql.IsNull(s.C(column)), inTeams(v, s.C(column))))
	}
}

// Colleagues keeps the people who share a team with the viewer, and the viewer.
func Colleagues(v *Viewer, s *sql.Selector) {
	t := sql.Table("memberships")
	ids := v.TeamIDs()
	args := make([]any, len(ids))
	for i := range ids {
		args[i] = ids[i]
	}
	self := sql.EQ(s.C("id"), v.UserID)
	if len(ids) == 0 || v.Inside() {
		s.Where(self)
		return
	}
	sub := sql.Dialect(s.Dialect()).Select(t.C("user_id")).From(t).Where(sql.In(t.C("team_id"), args...))
	s.Where(sql.Or(self, sql.In(s.C("id"), sub)))
}

// Parties keeps rows between two teams, or a team and a person: those from one of
// the viewer's teams, those for one of their teams (with no person in the last
// column), and those for the viewer. What runs in a container knows only what it
// could mount in its team.
func Parties(from, team, user string) Scope {
	return func(v *Viewer, s *sql.Selector) {
		self := sql.EQ(s.C(user), v.UserID)
		ofTeam := sql.And(inTeams(v, s.C(team)), sql.EQ(s.C(user), ""))
		if v.Inside() {
			s.Where(sql.Or(ofTeam, sql.And(self, inTeams(v, s.C(team)))))
			return
		}
		if v.OnlyTeam != "" { // a token for one team
			self = sql.And(self, inTeams(v, s.C(team)))
		}
		s.Where(sql.Or(inTeams(v, s.C(from)), ofTeam, self))
	}
}

// Tenant is the policy of rows that belong to one team, in column team_id.
func Tenant() Policy {
	return Policy{Read: InTeams("team_id"), Write: InTeams("team_id"), Owned: "team_id"}
}
