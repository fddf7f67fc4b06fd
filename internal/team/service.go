package team

import (
	"context"
	"fmt"
	"sync"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written.
type Deps struct {
	DB     *db.DB
	Broker event.Publisher
	Kicker outbox.Kicker
	Kube   *kube.Client
	Cache  *kube.Cache
	Config config.Config
	Pulls  Pulls // nil where teams have no registries
	// Estates hands over what somebody owns who makes nothing in a team any more.
	// It is built upon this service and set after it; nil where nobody owns anything.
	Estates Estates
}

// Pulls knows a team's registries; *secret.Service does.
type Pulls interface {
	// Pulls gives their credentials, and the names of objects that must be left as they are.
	Pulls(ctx context.Context, teamID string) (pulls []manifest.PullSecret, kept []string, err error)
}

// Service makes and changes teams, and keeps their namespaces.
type Service struct {
	Deps

	applied    sync.Map // team id to when this process applied it last
	namespaces sync.Map // namespace to team id
}

// New makes a Service.
func New(d Deps) *Service { return &Service{Deps: d} }

// QuotaInput is a quota as people type it; nil means no limit of that kind, 0
// of what is counted that none is allowed.
type QuotaInput struct {
	CPU, Memory, Storage *string
	GPU, Volumes, Pods   *int64
}

// CreateInput describes a new team. An overcommit ratio of 0 counts as 1.
type CreateInput struct {
	Name       string
	Quota      QuotaInput
	Overcommit spec.Overcommit
}

// UpdateInput changes what is not nil. A quota is replaced whole.
type UpdateInput struct {
	ID               string
	Name             *string
	Quota            *QuotaInput
	OvercommitCPU    *float64
	OvercommitMemory *float64
	// Of online work; 0 means the same as above.
	OnlineCPU    *float64
	OnlineMemory *float64
}

const maxOvercommit = 100

// Create makes a team with its namespace. Administrators only.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	id := ident.New(ident.Team)
	if err := v.Check(authz.Platform, id); err != nil {
		return nil, err
	}
	var f fault.Fields
	in.Name = checkName(&f, in.Name)
	q := in.Quota.parse(&f)
	o := overcommit(&f, in.Overcommit)
	if err := s.checkFree(ctx, &f, id, in.Name); err != nil {
		return nil, err
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	var row *ent.Team
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, err = tx.Team.Create().SetID(id).SetName(in.Name).SetNamespace(ident.Namespace(in.Name, id)).
			SetQuota(q).SetOvercommit(o).SetReason(&spec.Reason{Code: "team-preparing"}).Save(ctx)
		if err != nil {
			return nameTaken(err, in.Name)
		}
		return note(ctx, tx, row, "team.create", "created", nil, shown(row))
	})
	if err != nil {
		return nil, fmt.Errorf("create team: %w", err)
	}
	return s.committed(ctx, row), nil
}

// Update changes a team. Administrators only.
func (s *Service) Update(ctx context.Context, in UpdateInput) (*ent.Team, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	old, err := Visible(ctx, s.DB.Client, in.ID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Platform, in.ID); err != nil {
		return nil, err
	}
	var f fault.Fields
	name, q, o := old.Name, old.Quota, old.Overcommit
	if in.Name != nil {
		name = checkName(&f, *in.Name)
		if err := s.checkFree(ctx, &f, in.ID, name); err != nil {
			return nil, err
		}
	}
	if in.Quota != nil {
		q = in.Quota.parse(&f)
	}
	for _, r := range []struct{ from, to *float64 }{{in.OvercommitCPU, &o.CPU}, {in.OvercommitMemory, &o.Memory},
		{in.OnlineCPU, &o.OnlineCPU}, {in.OnlineMemory, &o.OnlineMemory}} {
		if r.from != nil {
			*r.to = *r.from
		}
	}
	o = overcommit(&f, o)
	if err := f.Err(); err != nil {
		return nil, err
	}
	var row *ent.Team
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := Lock(ctx, tx, s.DB, in.ID); err != nil {
			return err
		}
		row, err = tx.Team.UpdateOneID(in.ID).SetName(name).SetQuota(q).SetOvercommit(o).
			AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return nameTaken(err, name)
		}
		return note(ctx, tx, row, "team.update", "updated", shown(old), shown(row))
	})
	if err != nil {
		return nil, fmt.Errorf("update team %s: %w", in.ID, err)
	}
	return s.committed(ctx, row), nil
}

// Visible is the team of an id if the viewer may see it.
func Visible(ctx context.Context, c *ent.Client, id string) (*ent.Team, error) {
	row, err := c.Team.Query().Where(entteam.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("team", id)
	}
	return row, err
}

// Lock holds the team's row until the transaction ends: admissions of one team
// happen one after the other (P85). SQLite has one writer anyway.
func Lock(ctx context.Context, tx *ent.Tx, d *db.DB, id string) (*ent.Team, error) {
	q := tx.Team.Query().Where(entteam.ID(id))
	if d.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err):
		return nil, fault.Missing("team", id)
	case err != nil:
		return nil, fmt.Errorf("lock team %s: %w", id, err)
	}
	return row, nil
}

// Open refuses an archived team: nothing of it starts, and nothing is made in it.
func Open(t *ent.Team) error {
	if t.ArchivedAt == nil {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "team.archived", fault.Args{"name": t.Name})
}

func (q QuotaInput) parse(f *fault.Fields) spec.Quota {
	var out spec.Quota
	if q.CPU != nil {
		out.CPUMilli = quantity.AddCPU(f, "quota.cpu", *q.CPU, quantity.Limits{})
	}
	if q.Memory != nil {
		out.MemoryBytes = quantity.AddMemory(f, "quota.memory", *q.Memory, quantity.Limits{})
	}
	if q.Storage != nil {
		out.StorageBytes = quantity.AddSize(f, "quota.storage", *q.Storage, quantity.Limits{})
	}
	count := func(path string, n *int64) int64 {
		if n == nil {
			return 0
		}
		switch {
		case *n == 0: // a stored 0 means no limit, which is not what somebody who types it means
			return spec.None
		case *n < 0:
			f.Add("quota."+path, "team.quota.count", fault.Args{"value": *n})
		}
		return *n
	}
	out.GPU, out.Volumes, out.Pods = count("gpu", q.GPU), count("volumes", q.Volumes), count("pods", q.Pods)
	return out
}

func ratio(f *fault.Fields, path string, r float64) float64 {
	switch {
	case r == 0:
		return 1
	case !(r >= 1 && r <= maxOvercommit): // nor is NaN
		f.Add(path, "team.overcommit", fault.Args{"value": r, "limit": maxOvercommit})
	}
	return r
}

// shown is what the audit log keeps of a team.
func shown(t *ent.Team) map[string]any {
	return map[string]any{"name": t.Name, "quota": t.Quota.Limits(), "overcommit": t.Overcommit}
}

// note writes what a change leaves behind, in its transaction.
func note(ctx context.Context, tx *ent.Tx, t *ent.Team, action, typ string, before, after map[string]any) error {
	if err := outbox.Add(ctx, tx, outbox.Team, t.ID); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: t.ID, ObjectID: t.ID, Before: before, After: after}); err != nil {
		return err
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: t.ID, SubjectID: t.ID, Source: entevent.SourceUser, Type: typ})
	return err
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, t *ent.Team) *ent.Team {
	t = t.Unwrap()
	s.Kicker.Kick(outbox.Team, t.ID)
	s.Broker.Publish(ctx, event.Message{Topic: "team", ID: t.ID, TeamID: t.ID, Version: t.Version})
	s.Broker.Publish(ctx, event.Message{Topic: "event", ID: t.ID, TeamID: t.ID})
	return t
}
