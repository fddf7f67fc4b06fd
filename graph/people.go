package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func personKey(p *model.Person) string { return cursor("people", p.Key, p.User.ID) }

// listPeople gives everybody, by name.
func (r *Resolver) listPeople(ctx context.Context, f *model.PersonFilter, first *int, after *string) (*model.PersonConnection, error) {
	w, err := newWindow(first, after, "people", 2)
	if err != nil {
		return nil, err
	}
	rows, err := r.Persons.List(ctx, personFilter(f), w.after, w.limit+1)
	if err != nil {
		return nil, err
	}
	nodes, err := r.wrapPeople(ctx, rows, selected(ctx).nodes())
	if err != nil {
		return nil, err
	}
	return &model.PersonConnection{Connection: connect(w, nodes, personKey)}, nil
}

func personFilter(f *model.PersonFilter) person.Filter {
	out := person.Filter{}
	if f == nil {
		return out
	}
	out.Search = deref(f.Search)
	if f.State != nil {
		out.State = *f.State
	}
	if f.PlatformRole != nil {
		out.Role = *f.PlatformRole
	}
	return out
}

// wrapPeople adds the teams that were asked for.
func (r *Resolver) wrapPeople(ctx context.Context, rows []*person.Person, t tree) ([]*model.Person, error) {
	var all []*ent.Membership
	for _, p := range rows {
		all = append(all, p.Memberships...)
	}
	ms, err := r.memberships(ctx, all, t["memberships"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.Person, len(rows))
	for i, p := range rows {
		out[i] = &model.Person{Person: p, User: &model.User{User: p.User}, Key: p.DisplayName}
		named(ctx, p.User)
		out[i].Memberships, ms = ms[:len(p.Memberships)], ms[len(p.Memberships):]
	}
	return out, nil
}

func (r *Resolver) person(ctx context.Context, id string, t tree) (*model.Person, error) {
	p, err := r.Persons.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	out, err := r.wrapPeople(ctx, []*person.Person{p}, t)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (r *Resolver) personByID(ctx context.Context, id string) (*model.PersonPayload, error) {
	p, err := r.person(ctx, id, selected(ctx)["person"])
	if err != nil {
		return nil, err
	}
	return &model.PersonPayload{Person: p}, nil
}

func (r *Resolver) personPayload(ctx context.Context) func(*ent.User, error) (*model.PersonPayload, error) {
	return func(u *ent.User, err error) (*model.PersonPayload, error) {
		if err != nil {
			return nil, err
		}
		return r.personByID(ctx, u.ID)
	}
}

// leftTeam is what whoever ended a membership sees of the team by now.
func (r *Resolver) leftTeam(ctx context.Context, teamID, userID string) (*model.RemoveTeamMemberPayload, error) {
	v := authz.From(ctx)
	if v.UserID == userID && !v.ReadsAll() {
		return &model.RemoveTeamMemberPayload{}, nil
	}
	m, err := orNull(r.team(ctx, teamID, selected(ctx)["team"]))
	return &model.RemoveTeamMemberPayload{Team: m}, err
}

func departInput(in model.DepartUserInput, erase bool) person.DepartInput {
	out := person.DepartInput{UserID: in.UserID, Plan: spec.Departure{Instances: in.Instances, Runs: in.Runs, Erase: erase}}
	for _, h := range in.HandOver {
		out.Plan.Heirs = append(out.Plan.Heirs, spec.Heir{TeamID: h.TeamID, UserID: h.ToUserID})
	}
	return out
}

func (r *Resolver) departurePreview(ctx context.Context, userID, teamID string) (*model.DeparturePreview, error) {
	p, err := r.Persons.Preview(ctx, userID, teamID)
	if err != nil {
		return nil, err
	}
	t := selected(ctx)["estates"]
	out := &model.DeparturePreview{User: &model.User{User: p.User}, Estates: []*model.Estate{},
		Sessions: p.Sessions, AccessTokens: p.Tokens, LastAdministrator: p.Last, Began: p.Began}
	for _, e := range p.Estates {
		m, err := r.estate(ctx, e, t)
		if err != nil {
			return nil, err
		}
		out.Estates = append(out.Estates, m)
	}
	return out, nil
}

func (r *Resolver) estate(ctx context.Context, e *person.Estate, t tree) (*model.Estate, error) {
	m := &model.Estate{TeamID: e.Team.ID, TeamName: e.Team.Name, Role: e.Role, Tasks: e.Tasks, Flows: e.Flows,
		Instances: []*model.EstateThing{}, Runs: []*model.EstateThing{}, Volumes: []*model.EstateVolume{}, Heirs: []*model.User{}}
	for _, i := range e.Instances {
		m.Instances = append(m.Instances, &model.EstateThing{ID: i.ID, Name: i.Name, Running: i.Desired == entinstance.DesiredRunning})
	}
	for _, x := range e.Runs {
		m.Runs = append(m.Runs, &model.EstateThing{ID: x.ID, Name: x.Name, Running: true})
	}
	for _, v := range e.Volumes {
		m.Volumes = append(m.Volumes, &model.EstateVolume{ID: v.ID, Name: v.Name, Kind: v.Kind, SizeBytes: v.SizeBytes,
			InTrash: v.Desired == entvolume.DesiredTrashed})
	}
	for _, u := range e.Heirs {
		m.Heirs = append(m.Heirs, &model.User{User: u})
	}
	if h := e.Heir(); h != nil {
		m.Heir = &model.User{User: h}
	}
	var err error
	m.Invitations, err = r.wrapInvitations(ctx, e.Invitations, t["invitations"])
	return m, err
}
