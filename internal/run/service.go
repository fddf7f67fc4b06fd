package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Volumes is what runs need of the volume service.
type Volumes interface {
	EnsureHome(ctx context.Context, tx *ent.Tx, team *ent.Team, ownerID string) (*ent.Volume, error)
}

// Shapes is what runs need of the cluster service: the nodes, for what could never fit.
type Shapes interface {
	Shapes(ctx context.Context) ([]preflight.Node, error)
}

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written; Cluster may be nil: then no node is known.
type Deps struct {
	DB       *db.DB
	Broker   event.Broker
	Kicker   outbox.Kicker
	Kube     *kube.Client
	Cache    *kube.Cache
	Config   config.Config
	Logs     *logstore.Store
	Images   Images // nil where every image comes from a registry
	Volumes  Volumes
	Cluster  Shapes
	Secrets  *secret.Service // nil where nothing has secrets
	Tokens   Tokens          // nil where runs get no token
	Platform Platform        // nil where there are no platform volumes
	// Admission is made of the above when nil.
	Admission *admission.Service
	Tuning    Tuning
}

// Platform gives the platform volumes for a pod of a team that starts now.
type Platform interface {
	Mounts(ctx context.Context, teamID string) ([]manifest.PlatformMount, error)
}

// Tokens are what lets programs inside of a run ask the platform, as its owner; *account.Service keeps them.
type Tokens interface {
	NewInsideText() string
	KeepInside(ctx context.Context, in account.Inside, text string) error
	KnowsInside(ctx context.Context, subjectID string, start int64) (bool, error)
	EndInside(ctx context.Context, subjectID string, before int64) error
}

// Images says which images are still on their way to the nodes.
type Images interface {
	Waits(reference string) *spec.Reason // nil when it can be used
}

// Tuning are times that tests shorten; zero values mean the defaults.
type Tuning struct {
	Backoff    time.Duration // before the first retry, doubled each time; 10 s
	BackoffMax time.Duration // 5 min
	Grace      time.Duration // from SIGTERM to SIGKILL; 30 s
	Drain      time.Duration // how long after an end the log may take to arrive; 2 min
}

const maxInterruptions = 10

func (t Tuning) complete() Tuning {
	for d, fallback := range map[*time.Duration]time.Duration{
		&t.Backoff: 10 * time.Second, &t.BackoffMax: 5 * time.Minute, &t.Grace: 30 * time.Second, &t.Drain: 2 * time.Minute,
	} {
		if *d <= 0 {
			*d = fallback
		}
	}
	return t
}

// Service starts, stops and follows runs.
type Service struct {
	Deps
	spaces spaces
	swept  atomic.Int64 // unix nanoseconds: when Secrets without an attempt were looked for last
}

// New makes a Service.
func New(d Deps) *Service {
	d.Tuning = d.Tuning.complete()
	if d.Admission == nil {
		nodes, _ := d.Cluster.(admission.Capacity)
		d.Admission = admission.New(admission.Deps{DB: d.DB, Capacity: nodes, Kicker: d.Kicker})
	}
	return &Service{Deps: d}
}

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
	Secrets               []spec.SecretUse
	Resources             Resources
	Mounts                []spec.Mount
	Code                  *spec.Code
	Class                 spec.Class    // empty means test
	Timeout               time.Duration // of an attempt; 0 for none
	Pending               time.Duration // of an attempt's wait for its container; 0 for the platform's default
	Retries               int
	AtOnce                bool // or not at all: refused, rather than to wait for its turn
}

// Permissions are what a viewer may do with a run in its present state.
type Permissions struct{ Stop, Rerun bool }

// PermissionsOf are what the viewer may do with the run now. Stopping what has
// ended is legal, but nothing to offer.
func PermissionsOf(v *authz.Viewer, r *ent.Run) Permissions {
	live := !Over(r.State) && r.Desired == run.DesiredRun
	return Permissions{
		Stop:  live && v.MayManageRun(r.TeamID, r.OwnerID),
		Rerun: v.May(authz.Run, r.TeamID) && r.Desired != run.DesiredDeleted,
	}
}

// Permissions is PermissionsOf.
func (s *Service) Permissions(v *authz.Viewer, r *ent.Run) Permissions { return PermissionsOf(v, r) }
