package instance

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written.
type Deps struct {
	DB       *db.DB
	Broker   event.Publisher
	Kicker   outbox.Kicker
	Kube     *kube.Client
	Cache    *kube.Cache
	Config   config.Config
	Images   Images // nil where every image comes from a registry
	Volumes  *volume.Service
	Cluster  *cluster.Service
	Secrets  *secret.Service // nil where nothing has secrets
	Tokens   Tokens          // nil where instances get no token
	Platform Platform        // nil where there are no platform volumes
	// Admission is made of the above when nil.
	Admission *admission.Service
	Now       func() time.Time // nil for the clock
}

// Platform gives the platform volumes for a pod of a team that starts now.
type Platform interface {
	Mounts(ctx context.Context, teamID string) ([]manifest.PlatformMount, error)
}

// Tokens are what lets programs inside of an instance ask the platform, as their owner; *account.Service keeps them.
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

// Service makes, changes and ends instances, and keeps their objects.
type Service struct {
	Deps

	polls     sync.Map // instance id to *poll: what an instance's apps said last
	orphanAge time.Duration
	swept     atomic.Int64 // unix nanoseconds: when orphans were looked for last
}

// New makes a Service.
func New(d Deps) *Service {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Admission == nil {
		var nodes admission.Capacity
		if d.Cluster != nil {
			nodes = d.Cluster
		}
		d.Admission = admission.New(admission.Deps{DB: d.DB, Capacity: nodes, Kicker: d.Kicker})
	}
	return &Service{Deps: d, orphanAge: orphanAge}
}

func (s *Service) now() time.Time { return s.Now().UTC() }

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
	Secrets               []spec.SecretUse
	Start                 bool // at once
	Wait                  bool // for its turn, rather than to be refused
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
	Secrets   []spec.SecretUse
}

// PodName is the name of the instance's pod.
func PodName(i *ent.Instance) string { return i.ObjectName + "-0" }

// visible is an instance that the viewer sees.
func (s *Service) visible(ctx context.Context, id string) (*authz.Viewer, *ent.Instance, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.DB.Client.Instance.Query().Where(entinstance.ID(id)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return nil, nil, fault.Missing("instance", id)
	case err != nil:
		return nil, nil, fmt.Errorf("load instance %s: %w", id, err)
	}
	return v, row, nil
}

// managed is an instance that the viewer may change.
func (s *Service) managed(ctx context.Context, id string) (*authz.Viewer, *ent.Instance, error) {
	v, row, err := s.visible(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if err := v.CheckManage(row.TeamID, row.OwnerID); err != nil {
		return nil, nil, err
	}
	return v, row, nil
}

// lock reads a row again and holds it until the transaction ends.
func (s *Service) lock(ctx context.Context, tx *ent.Tx, id string) (*ent.Instance, error) {
	q := tx.Instance.Query().Where(entinstance.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return nil, fault.Missing("instance", id)
	case err != nil:
		return nil, fmt.Errorf("lock instance %s: %w", id, err)
	}
	return row, nil
}

// act is what a person did: an action of the audit log and an event's type.
type act struct {
	action, event string
	before, after map[string]any
	args          map[string]any
}

// note writes what an act leaves behind, in its transaction.
func note(ctx context.Context, tx *ent.Tx, i *ent.Instance, a act) error {
	if err := outbox.Add(ctx, tx, outbox.Instance, i.ID); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: a.action, TeamID: i.TeamID, ObjectID: i.ID, Before: a.before, After: a.after}); err != nil {
		return err
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: i.TeamID, SubjectID: i.ID, Source: entevent.SourceUser, Type: a.event, Args: a.args})
	return err
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, i *ent.Instance) *ent.Instance {
	i = i.Unwrap()
	s.Kicker.Kick(outbox.Instance, i.ID)
	s.published(ctx, i.TeamID, i.ID, i.Version)
	s.happened(ctx, i.TeamID, i.ID)
	return i
}

func (s *Service) published(ctx context.Context, teamID, id string, version int64) {
	s.Broker.Publish(ctx, event.Message{Topic: "instance", ID: id, TeamID: teamID, Version: version})
}

func (s *Service) happened(ctx context.Context, teamID, id string) {
	s.Broker.Publish(ctx, event.Message{Topic: "event", ID: id, TeamID: teamID})
}

// shown is what the audit log keeps of an instance. Values of variables stay
// out: people put secrets there, whatever the form says.
func shown(i *ent.Instance) map[string]any {
	env := make([]string, len(i.Spec.Env))
	for n, v := range i.Spec.Env {
		env[n] = v.Name
	}
	return map[string]any{"name": i.Name, "imageId": i.ImageID, "resources": i.Spec.Resources,
		"mounts": i.Spec.Mounts, "ports": i.Spec.Ports, "env": env, "secrets": i.Spec.Secrets}
}
