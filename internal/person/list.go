package person

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

func now() time.Time { return time.Now().UTC() }

// State is how a person stands on the platform.
type State string

// States.
const (
	Active   State = "active"
	Disabled State = "disabled"
	Departed State = "departed"
	Erased   State = "erased"
)

// StateOf is how a person stands.
func StateOf(u *ent.User) State {
	switch {
	case u.ErasedAt != nil:
		return Erased
	case u.DepartedAt != nil:
		return Departed
	case u.DisabledAt != nil:
		return Disabled
	}
	return Active
}

// Filter narrows the list of people; empty fields let everybody pass. Without a
// state those who are erased are left out.
type Filter struct {
	Search string // a part of the name or the address
	State  State
	Role   authz.PlatformRole
}

const maxSearch = 100 // bytes

// Person is somebody with what administrators need to know.
type Person struct {
	*ent.User
	Memberships      []*ent.Membership
	Ways             []account.Way
	Sessions, Tokens int
}

// readsPeople is the viewer if they see everybody.
func readsPeople(ctx context.Context) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	if !v.ReadsAll() {
		return fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action.people"})
	}
	return nil
}

// List gives at most limit people by name, after the name and id given.
// Administrators and auditors only.
func (s *Service) List(ctx context.Context, f Filter, after []string, limit int) ([]*Person, error) {
	if err := readsPeople(ctx); err != nil {
		return nil, err
	}
	if len(f.Search) > maxSearch {
		var out fault.Fields
		out.Add("filter.search", "api.search", fault.Args{"limit": maxSearch})
		return nil, out.Err()
	}
	q := s.DB.Client.User.Query().Where(f.where())
	if len(after) == 2 {
		q.Where(func(s *sql.Selector) {
			s.Where(sql.Or(sql.GT(s.C(user.FieldDisplayName), after[0]),
				sql.And(sql.EQ(s.C(user.FieldDisplayName), after[0]), sql.GT(s.C(user.FieldID), after[1]))))
		})
	}
	rows, err := q.Order(ent.Asc(user.FieldDisplayName, user.FieldID)).Limit(limit).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	return s.know(ctx, rows)
}

// Get is one person. Administrators and auditors only.
func (s *Service) Get(ctx context.Context, id string) (*Person, error) {
	if err := readsPeople(ctx); err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.User.Query().Where(user.ID(id)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", id, err)
	}
	if len(rows) == 0 {
		return nil, fault.Missing("user", id)
	}
	known, err := s.know(ctx, rows)
	if err != nil {
		return nil, err
	}
	return known[0], nil
}

func (f Filter) where() func(*sql.Selector) {
	return func(s *sql.Selector) {
		if f.Search != "" {
			s.Where(sql.Or(sql.ContainsFold(s.C(user.FieldDisplayName), f.Search), sql.Contains(s.C(user.FieldEmail), strings.ToLower(f.Search))))
		}
		if f.Role != "" {
			s.Where(sql.EQ(s.C(user.FieldPlatformRole), string(f.Role)))
		}
		erased, departed, disabled := s.C(user.FieldErasedAt), s.C(user.FieldDepartedAt), s.C(user.FieldDisabledAt)
		switch f.State {
		case Active:
			s.Where(sql.IsNull(disabled))
		case Disabled:
			s.Where(sql.And(sql.NotNull(disabled), sql.IsNull(departed)))
		case Departed:
			s.Where(sql.And(sql.NotNull(departed), sql.IsNull(erased)))
		case Erased:
			s.Where(sql.NotNull(erased))
		default:
			s.Where(sql.IsNull(erased))
		}
	}
}

// know adds to rows what is known beside them, in a constant number of queries.
func (s *Service) know(ctx context.Context, rows []*ent.User) ([]*Person, error) {
	sys := authz.AsSystem(ctx)
	ids, out := make([]string, len(rows)), make([]*Person, len(rows))
	by := map[string]*Person{}
	for i, u := range rows {
		ids[i], out[i] = u.ID, &Person{User: u}
		by[u.ID] = out[i]
	}
	if len(rows) == 0 {
		return out, nil
	}
	ms, err := s.DB.Client.Membership.Query().Where(membership.UserIDIn(ids...)).Order(ent.Asc(membership.FieldID)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("memberships: %w", err)
	}
	for _, m := range ms {
		by[m.UserID].Memberships = append(by[m.UserID].Memberships, m)
	}
	ways, err := account.Ways(sys, s.DB.Client, ids)
	if err != nil {
		return nil, err
	}
	for id, w := range ways {
		by[id].Ways = w
	}
	var counts []struct {
		UserID string `json:"user_id"`
		Count  int    `json:"count"`
	}
	err = s.DB.Client.Session.Query().Where(session.UserIDIn(ids...), session.ExpiresAtGT(now())).
		GroupBy(session.FieldUserID).Aggregate(ent.Count()).Scan(sys, &counts)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	for _, c := range counts {
		by[c.UserID].Sessions = c.Count
	}
	counts = nil
	err = s.DB.Client.AccessToken.Query().Where(accesstoken.UserIDIn(ids...), accesstoken.ExpiresAtGT(now())).
		GroupBy(accesstoken.FieldUserID).Aggregate(ent.Count()).Scan(sys, &counts)
	if err != nil {
		return nil, fmt.Errorf("access tokens: %w", err)
	}
	for _, c := range counts {
		by[c.UserID].Tokens = c.Count
	}
	return out, nil
}

// SignInLink makes a link that signs a person in once. Administrators in a
// browser only: a token that leaked lets nobody else in.
func (s *Service) SignInLink(ctx context.Context, userID string) (string, time.Time, error) {
	if _, err := s.Account.InBrowser(ctx); err != nil {
		return "", time.Time{}, err
	}
	return s.Account.NewSignInLink(ctx, userID)
}
