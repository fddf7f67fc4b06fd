package flow

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/agenda"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Runs is what flows need of the run service: the machine that touches pods.
type Runs interface {
	// Launch makes a run as the viewer of the context; one that is there is success.
	Launch(ctx context.Context, l run.Launch) error
	// StopStep asks a run to end, for a person or, with an empty actor, for the platform.
	StopStep(ctx context.Context, id, actorID string) error
	// CheckTask notes what a task of the viewer's could not use.
	CheckTask(ctx context.Context, f *fault.Fields, v *authz.Viewer, t *ent.Team, task spec.Task) error
	// DeleteStep removes a run with its logs; one that is gone is success.
	DeleteStep(ctx context.Context, id, actorID string) error
}

// Viewers gives a person's viewer, with the rights of this moment.
type Viewers interface {
	Viewer(ctx context.Context, userID, address string) (*authz.Viewer, error)
}

// Deps are what the service works with.
type Deps struct {
	DB        *db.DB
	Broker    event.Broker
	Kicker    outbox.Kicker
	Config    config.Config
	Runs      Runs
	Viewers   Viewers
	Executors executor.Registry
	Code      Code             // nil where no code can be frozen
	Now       func() time.Time // nil for the machine's clock
}

// Service keeps flows, fires them and drives their runs.
type Service struct {
	Deps
	due      *agenda.Agenda
	freezing chan struct{} // a place for each copy at once
}

// New makes a Service.
func New(d Deps) *Service {
	if d.Now == nil {
		d.Now = time.Now
	}
	return &Service{Deps: d, due: agenda.New(), freezing: make(chan struct{}, freezeLanes)}
}

func (s *Service) now() time.Time { return s.Now().UTC() }

// Permissions are what a viewer may do with a flow.
type Permissions struct{ Edit, Run, Pause, Delete bool }

// PermissionsOf are what the viewer may do with the flow.
func PermissionsOf(v *authz.Viewer, f *ent.Flow) Permissions {
	manage := v.MayManage(f.TeamID, f.OwnerID)
	return Permissions{Edit: manage, Run: v.May(authz.Run, f.TeamID), Pause: manage, Delete: manage}
}
