package run

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Save writes a decision as a look at the run does.
func Save(ctx context.Context, s *Service, id string, d Decision) error {
	r, err := s.load(ctx, id)
	if err != nil {
		return err
	}
	if last := r.last(); last != nil && d.Attempt == nil {
		d.Attempt = last
	}
	return s.save(ctx, r, d, time.Now().UTC())
}

// Turn asks whether a run's Job may be made.
func Turn(ctx context.Context, s *Service, id string) (*spec.Reason, error) {
	r, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.turn(ctx, r)
}
