package volume

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
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
}

// Service makes and deletes volumes, and keeps their claims.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// CreateInput describes a new volume.
type CreateInput struct {
	TeamID, Name string
	Size         string // as people type it: "20Gi"
	AccessMode   string // ReadWriteOnce or ReadWriteMany
	StorageClass string // empty for the cluster's default
}

// Use is a live instance or run that mounts a volume.
type Use struct {
	ID, Name string
	Kind     string // instance or run
	ReadOnly bool
}

// Create makes a volume of the viewer's own.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Volume, error) {
	panic("not yet")
}

// Delete deletes a volume and its data; confirmName must be its name. It is
// refused while something mounts the volume, and says what (P20). The row goes
// once the claim is gone.
func (s *Service) Delete(ctx context.Context, id, confirmName string) error { panic("not yet") }

// UsedBy are the live instances and runs that mount a volume, as far as the viewer sees them.
func (s *Service) UsedBy(ctx context.Context, volumeID string) ([]Use, error) { panic("not yet") }

// UsedByAll is UsedBy for the volumes of a list, by volume id.
func (s *Service) UsedByAll(ctx context.Context, volumes []*ent.Volume) (map[string][]Use, error) {
	panic("not yet")
}

// EnsureHome gives the home volume of a person in a team, made in the caller's
// transaction if there is none yet; kick it after the commit.
func (s *Service) EnsureHome(ctx context.Context, tx *ent.Tx, team *ent.Team, ownerID string) (*ent.Volume, error) {
	panic("not yet")
}

// OnChange maps a change of the cluster to the volume that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) { panic("not yet") }

// Reconcile brings the claim of a volume to what the row says.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	panic("not yet")
}
