package instance

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written.
type Deps struct {
	DB      *db.DB
	Broker  event.Publisher
	Kicker  outbox.Kicker
	Kube    *kube.Client
	Cache   *kube.Cache
	Config  config.Config
	Volumes *volume.Service
	Cluster *cluster.Service
}

// Service makes, changes and ends instances, and keeps their objects.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// Resources are limits as people type them: "4", "500m"; "24Gi".
type Resources struct {
	CPU, Memory string
	GPU         int64
}

// CreateInput describes a new instance of the viewer's own.
type CreateInput struct {
	TeamID, Name, ImageID string
	Resources             Resources
	Mounts                []spec.Mount
	Ports                 []spec.Port
	Env                   []spec.EnvVar
	Start                 bool // at once
}

// UpdateInput changes what is not nil; an empty list empties.
type UpdateInput struct {
	ID        string
	Name      *string
	ImageID   *string
	Resources *Resources
	Mounts    []spec.Mount
	Ports     []spec.Port
	Env       []spec.EnvVar
}

// Secret is what one start's login Secret holds. Never log it.
type Secret struct{ Password, RootPassword string }

// Permissions are what a viewer may do with an instance in its present state.
type Permissions struct{ Start, Stop, Restart, Edit, Delete, Connect bool }

// Create makes an instance, and starts it if asked to.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Instance, error) {
	panic("not yet")
}

// Update changes an instance; what concerns its pod counts from the next start.
func (s *Service) Update(ctx context.Context, in UpdateInput) (*ent.Instance, error) {
	panic("not yet")
}

// Start makes a new start, unless one is under way or done.
func (s *Service) Start(ctx context.Context, id string) (*ent.Instance, error) { panic("not yet") }

// Stop is legal in every state (P7).
func (s *Service) Stop(ctx context.Context, id string) (*ent.Instance, error) { panic("not yet") }

// Restart makes a new start whatever there is.
func (s *Service) Restart(ctx context.Context, id string) (*ent.Instance, error) { panic("not yet") }

// Delete deletes an instance; its volumes stay. The row goes once its objects are gone.
func (s *Service) Delete(ctx context.Context, id string) error { panic("not yet") }

// Reveal shows the secret of the current start to the owner; audited.
func (s *Service) Reveal(ctx context.Context, id string) (Secret, error) { panic("not yet") }

// LoginSecret is the secret of the current start, for a gateway that has
// checked the viewer itself.
func (s *Service) LoginSecret(ctx context.Context, i *ent.Instance) (Secret, error) {
	panic("not yet")
}

// PermissionsOf are what the viewer may do with the instance now.
func PermissionsOf(v *authz.Viewer, i *ent.Instance) Permissions { panic("not yet") }

// Permissions is PermissionsOf.
func (s *Service) Permissions(v *authz.Viewer, i *ent.Instance) Permissions {
	return PermissionsOf(v, i)
}

// RestartToApply reports whether the instance was edited since its start.
func RestartToApply(i *ent.Instance) bool { panic("not yet") }

// Pod is the name of the instance's pod.
func Pod(i *ent.Instance) string { return i.ObjectName + "-0" }

// OnChange maps a change of the cluster to the instance that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) { panic("not yet") }

// Observe keeps a cluster's event about an instance's objects (P6).
func (s *Service) Observe(ctx context.Context, e *corev1.Event) error { panic("not yet") }

// Reconcile brings the objects of an instance to what its row says, and the
// row's status to what the cluster shows.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	panic("not yet")
}

// Sweep deletes objects whose instance is gone, and wakes what has not caught up.
func (s *Service) Sweep(ctx context.Context) error { panic("not yet") }
