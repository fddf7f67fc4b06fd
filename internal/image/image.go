// Package image keeps the catalogue of images: entries of everybody, made by
// administrators, and entries of one team, made by its maintainers. A deleted
// entry is hidden from the catalogue; what uses it goes on.
package image

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Deps are what the service works with.
type Deps struct{ DB *db.DB }

// Service makes and deletes entries of the catalogue.
type Service struct {
	Deps
	waits sync.Map // reference to *spec.Reason, see Waits
}

// New makes a Service.
func New(d Deps) *Service { return &Service{Deps: d} }

// CreateInput describes an entry; without a team everybody sees it.
type CreateInput struct {
	TeamID      *string
	Name        string
	Reference   string // as registry.example/ml/tensorflow:2.19
	Description string
	Framework   string
	Version     string
	GPU         bool
	Development bool   // starts the platform's apps
	PullSecret  string // id of a registry secret of the team, or the name of a Secret in its namespace
}

// SeedImage is an entry that comes with the platform.
type SeedImage struct {
	Name, Reference, Description, Framework, Version string
	GPU, Development, Recommended                    bool
	Apps                                             []string
	SizeBytes                                        int64 // 0 while unknown
}

// Apps are those that the start-up program of a development image knows.
var Apps = []string{"jupyterlab", "code-server", "tensorboard", "sshd"}

const (
	maxDescription = 2000
	maxFramework   = 100
)

// Create adds an entry: maintainers for their team, administrators for everybody.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Image, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	action, teamID := authz.Platform, ""
	if in.TeamID != nil {
		action, teamID = authz.Images, *in.TeamID
		if _, err := team.Visible(ctx, s.DB.Client, teamID); err != nil {
			return nil, err
		}
	}
	if err := v.Check(action, teamID); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if err := s.checkPull(ctx, teamID, in.PullSecret); err != nil {
		return nil, err
	}
	var row *ent.Image
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if in.TeamID != nil {
			t, err := team.Lock(ctx, tx, s.DB, teamID)
			if err == nil {
				err = team.Open(t)
			}
			if err != nil {
				return err
			}
		}
		c := tx.Image.Create().SetNillableTeamID(in.TeamID).SetName(in.Name).SetReference(in.Reference).
			SetDescription(in.Description).SetFramework(in.Framework).SetFrameworkVersion(in.Version).
			SetGpu(in.GPU).SetDevelopment(in.Development).SetPullSecret(in.PullSecret)
		if in.Development {
			c.SetApps(slices.Clone(Apps))
		}
		if row, err = c.Save(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "image.create", TeamID: teamID, ObjectID: row.ID,
			After: map[string]any{"name": row.Name, "reference": row.Reference}})
	})
	if err != nil {
		return nil, fmt.Errorf("create image: %w", err)
	}
	return row.Unwrap(), nil
}

func (in CreateInput) check() error {
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	if !reference(in.Reference) {
		f.Add("reference", "image.reference", fault.Args{"value": clip(in.Reference)})
	}
	for _, t := range []struct {
		path, text string
		limit      int
	}{{"description", in.Description, maxDescription}, {"framework", in.Framework, maxFramework}, {"version", in.Version, maxFramework}} {
		if n := utf8.RuneCountInString(t.text); n > t.limit || !utf8.ValidString(t.text) {
			f.Add(t.path, "image.too-long", fault.Args{"value": n, "limit": t.limit})
		}
	}
	switch {
	case in.PullSecret == "":
	case in.TeamID == nil:
		f.Add("pullSecret", "image.pull-secret-team", nil)
	case !subdomain(in.PullSecret):
		f.Add("pullSecret", "image.pull-secret", fault.Args{"value": clip(in.PullSecret)})
	}
	return f.Err()
}

// checkPull wants a registry of the team itself where a secret is named by its id.
func (s *Service) checkPull(ctx context.Context, teamID, id string) error {
	if !ident.Is(ident.Secret, id) {
		return nil
	}
	ok, err := s.DB.Client.Secret.Query().Where(entsecret.ID(id), entsecret.TeamID(teamID), entsecret.KindEQ(spec.SecretRegistry)).
		Exist(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("look for secret %s: %w", id, err)
	}
	if !ok {
		var f fault.Fields
		f.Add("pullSecret", "image.pull-secret-registry", fault.Args{"id": id})
		return f.Err()
	}
	return nil
}

// Delete hides an entry from the catalogue; what uses it goes on.
func (s *Service) Delete(ctx context.Context, id string) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	row, err := s.DB.Client.Image.Query().Where(entimage.ID(id), entimage.DeletedAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return fault.Missing("image", id)
	}
	if err != nil {
		return fmt.Errorf("load image %s: %w", id, err)
	}
	action, team := authz.Platform, ""
	if row.TeamID != nil {
		action, team = authz.Images, *row.TeamID
	}
	if err := v.Check(action, team); err != nil {
		return err
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if err := tx.Image.UpdateOneID(id).SetDeletedAt(now()).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "image.delete", TeamID: team, ObjectID: id,
			Before: map[string]any{"name": row.Name, "reference": row.Reference}})
	})
	if err != nil {
		return fmt.Errorf("delete image %s: %w", id, err)
	}
	return nil
}

// SetSize notes how large the archive of an image of the platform is, in bytes.
func (s *Service) SetSize(ctx context.Context, reference string, bytes int64) error {
	err := s.DB.Client.Image.Update().Where(entimage.Reference(reference), entimage.TeamIDIsNil()).SetSizeBytes(bytes).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("size of image %s: %w", reference, err)
	}
	return nil
}

// Seed adds the entries whose reference the catalogue never had: one that an
// administrator deleted does not come back. It runs as the platform and may be
// repeated.
func (s *Service) Seed(ctx context.Context, images []SeedImage) error {
	ctx = authz.AsSystem(ctx)
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		for _, i := range images {
			known, err := tx.Image.Query().Where(entimage.Reference(i.Reference), entimage.TeamIDIsNil()).Exist(ctx)
			if err != nil {
				return err
			}
			if known {
				continue
			}
			c := tx.Image.Create().SetName(i.Name).SetReference(i.Reference).SetDescription(i.Description).
				SetFramework(i.Framework).SetFrameworkVersion(i.Version).SetGpu(i.GPU).
				SetDevelopment(i.Development).SetRecommended(i.Recommended).SetApps(i.Apps)
			if i.SizeBytes > 0 {
				c.SetSizeBytes(i.SizeBytes)
			}
			if err := c.Exec(ctx); err != nil {
				return fmt.Errorf("%s: %w", i.Reference, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("seed images: %w", err)
	}
	return nil
}
