package team

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
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
}

// Service makes and changes teams, and keeps their namespaces.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// QuotaInput is a quota as people type it; nil means no limit of that kind.
type QuotaInput struct {
	CPU, Memory, Storage *string
	GPU, Volumes, Pods   *int64
}

// CreateInput describes a new team. Overcommit ratios below 1 count as 1.
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
}

// Usage is a team's quota beside what is used of it.
type Usage struct {
	Items      []UsageItem
	ObservedAt *time.Time // when the cluster reported the use; nil when it has not yet
}

// UsageItem is one resource of a quota.
type UsageItem struct {
	Resource string // cpu, memory, gpu, storage, volumes or pods
	Unit     string // milli, bytes or count
	Used     int64
	Limit    *int64   // nil when there is no limit
	Holders  []Holder // largest first, at most 10
}

// Holder is an instance, a run or a volume that holds a part of a quota.
type Holder struct {
	ID, Name, OwnerID string
	Amount            int64
}

// Create makes a team with its namespace. Administrators only.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Team, error) {
	panic("not yet")
}

// Update changes a team. Administrators only.
func (s *Service) Update(ctx context.Context, in UpdateInput) (*ent.Team, error) {
	panic("not yet")
}

// SetMember gives a person a role in a team, or takes it (nil). Owners of the
// team and administrators.
func (s *Service) SetMember(ctx context.Context, teamID, userID string, role *authz.Role) (*ent.Team, error) {
	panic("not yet")
}

// Usage tells what is used of the quota, and by whom. The viewer must see the team.
func (s *Service) Usage(ctx context.Context, t *ent.Team) (Usage, error) { panic("not yet") }

// Used is what the live instances, live runs and volumes of a team take from
// its quota, counted from rows (P73). Inside a transaction, call Lock first, so
// that two admissions cannot pass each other (P85).
func Used(ctx context.Context, c *ent.Client, teamID string) (spec.Quota, error) { panic("not yet") }

// Lock holds the team's row until the transaction ends: admissions of one team
// happen one after the other.
func Lock(ctx context.Context, tx *ent.Tx, d *db.DB, teamID string) (*ent.Team, error) {
	panic("not yet")
}

// Consumer is an instance or a run that is live: its pod may be there, or is about to be.
type Consumer struct {
	ID, Name, OwnerID string
	Kind              string // instance or run
	Resources         spec.Resources
	Pod               bool // counts against the quota; a run between two attempts does not
	Mounts            []spec.Mount
	Home              bool // mounts its owner's home volume
}

// Consumers are the live instances and runs of a team.
func Consumers(ctx context.Context, c *ent.Client, teamID string) ([]Consumer, error) {
	panic("not yet")
}

// Reconcile brings the namespace and what guards it to what the row says; it
// asks to be called again, since others may change the objects.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	panic("not yet")
}
