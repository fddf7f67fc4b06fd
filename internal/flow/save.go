package flow

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flow"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

const maxComment = 500 // characters

// CreateInput makes a flow.
type CreateInput struct {
	TeamID     string
	Name       string // empty to take the document's
	Definition Definition
	Comment    string
	Paused     bool
}

// SaveInput makes a new version of a flow.
type SaveInput struct {
	ID         string
	Definition Definition
	Base       int // the version that was edited
	Comment    string
}

// Create checks a definition and makes a flow of it, with version 1, owned by
// the viewer.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Flow, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, in.TeamID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Create, t.ID); err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	p, err := s.Parse(in.Definition)
	if err != nil {
		return nil, err
	}
	if in.Name == "" {
		in.Name = p.Name
	}
	in.Name = strings.TrimSpace(in.Name)
	if err := s.checked(ctx, v, t, in.Name, in.Comment, p); err != nil {
		return nil, err
	}
	var row *ent.Flow
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		c := tx.Flow.Create().SetID(ident.New(ident.Flow)).SetTeamID(t.ID).SetOwnerID(v.UserID).SetName(in.Name).SetNameKey(nameKey(t.ID, in.Name)).
			SetSchedule(p.Spec.Schedule).SetConcurrency(concurrency(p.Spec)).SetPaused(in.Paused).SetCursor(s.now())
		if row, err = c.Save(ctx); err != nil {
			return s.taken(err, in.Name)
		}
		if row, err = s.version(ctx, tx, v, row, p.Spec, in.Comment, nil); err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "flow.create", After: map[string]any{"name": row.Name, "paused": row.Paused, "schedule": row.Schedule}})
	})
	if err != nil {
		return nil, fmt.Errorf("create flow: %w", err)
	}
	s.freezeNow(ctx, row, p.Spec)
	return s.committed(ctx, row), nil
}

// Save makes a new version of what a flow says; one that says the same changes
// nothing, unless it freezes code: that is frozen anew. Running runs keep theirs.
func (s *Service) Save(ctx context.Context, in SaveInput) (*ent.Flow, error) {
	v, row, err := s.manager(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	p, err := s.Parse(in.Definition)
	if err != nil {
		return nil, err
	}
	return s.save(ctx, v, row, p, in, nil)
}

// Restore makes a new version that says what an old one said, and runs the code
// that was frozen for that one.
func (s *Service) Restore(ctx context.Context, id string, number int, comment string) (*ent.Flow, error) {
	v, row, err := s.manager(ctx, id)
	if err != nil {
		return nil, err
	}
	old, err := s.Version(ctx, id, number)
	if err != nil {
		return nil, err
	}
	return s.save(ctx, v, row, Parsed{Spec: old.Spec}, SaveInput{ID: id, Base: row.Latest, Comment: comment}, old)
}

func (s *Service) save(ctx context.Context, v *authz.Viewer, row *ent.Flow, p Parsed, in SaveInput, restores *ent.FlowVersion) (*ent.Flow, error) {
	t, err := team.Visible(ctx, s.DB.Client, row.TeamID)
	if err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	if err := s.checked(ctx, v, t, row.Name, in.Comment, p); err != nil {
		return nil, err
	}
	if in.Base != row.Latest {
		return nil, fault.New(fault.Conflict, "flow.stale", fault.Args{"base": in.Base, "latest": row.Latest})
	}
	before, err := s.Version(ctx, row.ID, row.Latest)
	if err != nil {
		return nil, err
	}
	if equal(before.Spec, p.Spec) && (!s.freezes(p.Spec) || restores != nil && codeOf(restores) == codeOf(before)) {
		return row, nil
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.version(ctx, tx, v, row, p.Spec, in.Comment, restores); err != nil {
			return err
		}
		return s.note(ctx, tx, row, audit.Entry{Action: "flow.save", Before: map[string]any{"version": before.Number},
			After: map[string]any{"version": row.Latest, "schedule": row.Schedule, "comment": in.Comment}})
	})
	if err != nil {
		return nil, fmt.Errorf("save flow %s: %w", in.ID, err)
	}
	if restores == nil {
		s.freezeNow(ctx, row, p.Spec)
	}
	return s.committed(ctx, row), nil
}

// version adds a version and has the flow's row say what it says.
func (s *Service) version(ctx context.Context, tx *ent.Tx, v *authz.Viewer, row *ent.Flow, f spec.Flow, comment string, restores *ent.FlowVersion) (*ent.Flow, error) {
	number := row.Latest + 1
	made := tx.FlowVersion.Create().SetID(ident.New(ident.FlowVersion)).SetTeamID(row.TeamID).SetFlowID(row.ID).SetNumber(number).
		SetSpec(f).SetAuthorID(v.UserID).SetComment(strings.TrimSpace(comment))
	if restores != nil {
		made.SetRestores(restores.Number).SetCodeOf(codeOf(restores))
	}
	err := made.Exec(ctx)
	if ent.IsConstraintError(err) {
		return nil, fault.New(fault.Conflict, "flow.stale", fault.Args{"base": row.Latest, "latest": number})
	}
	if err != nil {
		return nil, fmt.Errorf("version %d: %w", number, err)
	}
	if restores == nil {
		if err := s.freeze(ctx, tx, v, row, number, f); err != nil {
			return nil, err
		}
	}
	up := tx.Flow.UpdateOneID(row.ID).SetLatest(number).SetSchedule(f.Schedule).SetConcurrency(concurrency(f)).AddVersion(1)
	if !equal(row.Schedule, f.Schedule) || number == 1 {
		up.SetCursor(later(row.Cursor, s.now())) // what a new schedule would have fired before it was there is nobody's
	}
	if err := s.setNext(up, f.Schedule, row.Paused); err != nil {
		return nil, err
	}
	return up.Save(ctx)
}

// checked is everything that is wrong with a flow, as one fault.
func (s *Service) checked(ctx context.Context, v *authz.Viewer, t *ent.Team, name, comment string, p Parsed) error {
	var f fault.Fields
	preflight.CheckName(&f, "name", name)
	if n := utf8.RuneCountInString(comment); n > maxComment || !utf8.ValidString(comment) {
		f.Add("comment", "flow.comment", fault.Args{"value": n, "limit": maxComment})
	}
	for _, p := range p.Problems {
		f.Add("spec."+p.Path, p.ID, p.Args)
	}
	if len(p.Problems) == 0 {
		if err := s.checkReferences(ctx, &f, v, t, p.Spec); err != nil {
			return err
		}
	}
	return f.Err()
}

func (s *Service) taken(err error, name string) error {
	if ent.IsConstraintError(err) {
		return &fault.Error{Kind: fault.Conflict, Fields: []fault.Field{{Path: "name", ID: "flow.name-taken", Args: fault.Args{"value": name}}}}
	}
	return err
}

// manager is the viewer with a flow that they may change.
func (s *Service) manager(ctx context.Context, id string) (*authz.Viewer, *ent.Flow, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.visible(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return v, row, v.CheckManage(row.TeamID, row.OwnerID)
}

// note writes what a change leaves behind, in its transaction.
func (s *Service) note(ctx context.Context, tx *ent.Tx, row *ent.Flow, e audit.Entry) error {
	e.TeamID, e.ObjectID = row.TeamID, row.ID
	if err := outbox.Add(ctx, tx, outbox.Flow, row.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, e)
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, row *ent.Flow) *ent.Flow {
	row = row.Unwrap()
	s.Kicker.Kick(outbox.Flow, row.ID)
	s.Broker.Publish(ctx, event.Message{Topic: "flow", ID: row.ID, TeamID: row.TeamID, Version: row.Version})
	return row
}

func concurrency(f spec.Flow) flow.Concurrency {
	if f.Concurrency == "" {
		return flow.ConcurrencyForbid
	}
	return flow.Concurrency(f.Concurrency)
}
