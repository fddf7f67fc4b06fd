package run

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Volumes is what runs need of the volume service.
type Volumes interface {
	EnsureHome(ctx context.Context, tx *ent.Tx, team *ent.Team, ownerID string) (*ent.Volume, error)
	UsedBy(ctx context.Context, volumeID string) ([]volume.Use, error)
}

// Shapes is what runs need of the cluster service: the nodes, for what could never fit.
type Shapes interface {
	Shapes(ctx context.Context) ([]preflight.Node, error)
}

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written; Cluster may be nil: then no node is known.
type Deps struct {
	DB      *db.DB
	Broker  event.Broker
	Kicker  outbox.Kicker
	Kube    *kube.Client
	Cache   *kube.Cache
	Config  config.Config
	Logs    *logstore.Store
	Volumes Volumes
	Cluster Shapes
	Tuning  Tuning
}

// Tuning are times that tests shorten; zero values mean the defaults.
type Tuning struct {
	Backoff    time.Duration // before the first retry, doubled each time; 10 s
	BackoffMax time.Duration // 5 min
	Grace      time.Duration // from SIGTERM to SIGKILL; 30 s
	Drain      time.Duration // how long after an end the log may take to arrive; 2 min
}

// Service starts, stops and follows runs.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{Deps: d} }

// Resources are limits as people type them: "4", "500m"; "24Gi".
type Resources struct {
	CPU, Memory string
	GPU         int64
}

// Input describes a run.
type Input struct {
	TeamID, Name, ImageID string
	Command, Args         []string
	WorkingDir            string
	Env                   []spec.EnvVar
	Resources             Resources
	Mounts                []spec.Mount
	Code                  *spec.Code
	Class                 spec.Class    // empty means test
	Timeout               time.Duration // of an attempt; 0 for none
	Pending               time.Duration // of an attempt's wait for its container; 0 for the platform's default
	Retries               int
}

// Permissions are what a viewer may do with a run in its present state.
type Permissions struct{ Stop, Rerun bool }

// RunNow checks everything at once, then makes a task and its run.
func (s *Service) RunNow(ctx context.Context, in Input) (*ent.Run, error) { panic("not yet") }

// Rerun runs the task of a run again, as a run of the viewer's own.
func (s *Service) Rerun(ctx context.Context, id string) (*ent.Run, error) { panic("not yet") }

// Stop asks a run to end. It is legal in every state (P7) and says who asked.
func (s *Service) Stop(ctx context.Context, id string) (*ent.Run, error) { panic("not yet") }

// Delete removes a run with its logs; one that runs is stopped first. The row
// goes once nothing of the run is left.
func (s *Service) Delete(ctx context.Context, id string) error { panic("not yet") }

// PermissionsOf are what the viewer may do with the run now.
func PermissionsOf(v *authz.Viewer, r *ent.Run) Permissions { panic("not yet") }

// Permissions is PermissionsOf.
func (s *Service) Permissions(v *authz.Viewer, r *ent.Run) Permissions { return PermissionsOf(v, r) }

// OnChange maps a change of the cluster to the run that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) { panic("not yet") }

// Observe keeps a cluster's event about a run's objects (P6) and names the run.
func (s *Service) Observe(ctx context.Context, e *corev1.Event) (id string, err error) {
	panic("not yet")
}

// Reconcile brings the Job of a run to what its row says, and the row's status
// to what the cluster shows.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	panic("not yet")
}

// Sweep deletes Jobs whose run is gone, and names the runs that are not at rest.
func (s *Service) Sweep(ctx context.Context) (ids []string, err error) { panic("not yet") }

// ShipLogs ships the logs of all attempts until ctx ends. One process does it: call it under a lease.
func (s *Service) ShipLogs(ctx context.Context) { panic("not yet") }
