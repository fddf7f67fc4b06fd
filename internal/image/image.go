// Package image keeps the catalogue of images: entries of everybody, made by
// administrators, and entries of one team, made by its maintainers.
package image

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/db"
)

// Deps are what the service works with.
type Deps struct{ DB *db.DB }

// Service makes and deletes entries of the catalogue.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// CreateInput describes an entry; without a team everybody sees it.
type CreateInput struct {
	TeamID      *string
	Name        string
	Reference   string
	Description string
	Framework   string
	Version     string
	GPU         bool
	Development bool
	PullSecret  string
}

// SeedImage is an entry that comes with the platform.
type SeedImage struct {
	Name, Reference, Description, Framework, Version string
	GPU, Development, Recommended                    bool
	Apps                                             []string
	SizeBytes                                        int64 // 0 while unknown
}

// Create adds an entry.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Image, error) { panic("not yet") }

// Delete hides an entry from the catalogue; what uses it goes on.
func (s *Service) Delete(ctx context.Context, id string) error { panic("not yet") }

// Seed adds the entries whose reference the catalogue does not have yet. It
// runs as the platform and may be repeated.
func (s *Service) Seed(ctx context.Context, images []SeedImage) error { panic("not yet") }
