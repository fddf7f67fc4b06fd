package volume

import (
	"context"
	"fmt"
	"sync"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
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
type Service struct {
	Deps
	classes classes
	hidden  sync.Once // it was told that kubelets may not be asked
}

// New makes a Service.
func New(d Deps) *Service { return &Service{Deps: d} }

// CreateInput describes a new volume.
type CreateInput struct {
	TeamID, Name, Description string

	Size         string // as people type it: "20Gi"
	AccessMode   string // ReadWriteOnce or ReadWriteMany
	StorageClass string // empty for the cluster's default
}

const (
	minBytes = 1 << 20
	homeName = "home"
)

// Create makes a volume of the viewer's own.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Volume, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := team.Visible(ctx, s.DB.Client, in.TeamID); err != nil {
		return nil, err
	}
	if err := v.Check(authz.Create, in.TeamID); err != nil {
		return nil, err
	}
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	size := quantity.AddSize(&f, "size", in.Size, quantity.Limits{Min: minBytes, Max: s.Config.Now().Limits.VolumeBytes})
	mode := entvolume.AccessMode(in.AccessMode)
	if entvolume.AccessModeValidator(mode) != nil {
		f.Add("accessMode", "volume.access-mode", fault.Args{"value": clip(in.AccessMode)})
	}
	checkDescription(&f, "description", in.Description)
	if err := s.CheckClass(ctx, &f, "storageClass", in.StorageClass); err != nil {
		return nil, err
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	var row *ent.Volume
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		t, err := team.Lock(ctx, tx, s.DB, in.TeamID)
		if err != nil {
			return err
		}
		if err := team.Open(t); err != nil {
			return err
		}
		if err := s.admit(ctx, tx, t, v.UserID, spec.Quota{StorageBytes: size, Volumes: 1}); err != nil {
			return err
		}
		id := ident.New(ident.Volume)
		row, err = tx.Volume.Create().SetID(id).SetTeamID(in.TeamID).SetOwnerID(v.UserID).SetName(in.Name).SetDescription(in.Description).
			SetKind(entvolume.KindData).SetObjectName(ident.ObjectName(in.Name, id)).SetSizeBytes(size).
			SetAccessMode(mode).SetStorageClass(in.StorageClass).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, "volume.create", "created", nil, shown(row))
	})
	if err != nil {
		return nil, fmt.Errorf("create volume: %w", err)
	}
	return s.committed(ctx, row.Unwrap()), nil
}

// EnsureHome gives the home volume of a person in a team, made in the caller's
// transaction if there is none yet. After the commit, kick its reconciler.
func (s *Service) EnsureHome(ctx context.Context, tx *ent.Tx, t *ent.Team, ownerID string) (*ent.Volume, error) {
	sys := authz.AsSystem(ctx)
	if _, err := team.Lock(ctx, tx, s.DB, t.ID); err != nil {
		return nil, err
	}
	key := HomeKey(t.ID, ownerID)
	row, err := tx.Volume.Query().Where(entvolume.HomeKey(key)).Only(sys)
	switch {
	case err == nil && row.Desired == entvolume.DesiredDeleted:
		return nil, fault.New(fault.FailedPrecondition, "volume.home-deleting", nil)
	case err == nil && row.Desired == entvolume.DesiredTrashed:
		return nil, fault.New(fault.FailedPrecondition, "volume.home-trashed", nil)
	case err == nil && row.Phase == entvolume.PhaseLost:
		return nil, fault.New(fault.FailedPrecondition, "volume.home-lost", nil)
	case err == nil:
		return row, nil
	case !ent.IsNotFound(err):
		return nil, fmt.Errorf("look for home: %w", err)
	}
	d := s.Config.Now().Defaults
	if err := s.admit(ctx, tx, t, ownerID, spec.Quota{StorageBytes: d.HomeBytes, Volumes: 1}); err != nil {
		return nil, err
	}
	id := ident.New(ident.Volume)
	row, err = tx.Volume.Create().SetID(id).SetTeamID(t.ID).SetOwnerID(ownerID).SetName(homeName).
		SetKind(entvolume.KindHome).SetHomeKey(key).SetObjectName(ident.ObjectName(homeName, id)).
		SetSizeBytes(d.HomeBytes).SetAccessMode(entvolume.AccessMode(d.HomeAccess)).SetStorageClass(d.StorageClass).Save(sys)
	if err != nil {
		return nil, fmt.Errorf("make home: %w", err)
	}
	return row, note(ctx, tx, row, "volume.create", "created", nil, shown(row))
}

// HomeKey is the home_key of a person's home in a team.
func HomeKey(teamID, ownerID string) string { return teamID + "/" + ownerID }

func (s *Service) visible(ctx context.Context, id string) (*ent.Volume, error) {
	row, err := s.DB.Client.Volume.Query().Where(entvolume.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("volume", id)
	}
	return row, err
}

func shown(v *ent.Volume) map[string]any {
	return map[string]any{"name": v.Name, "kind": v.Kind, "sizeBytes": v.SizeBytes, "accessMode": v.AccessMode, "storageClass": v.StorageClass}
}

// Who does what is written down.
const (
	person   = entevent.SourceUser
	platform = entevent.SourcePlatform
)

// note writes what a person's change leaves behind, in its transaction.
func note(ctx context.Context, tx *ent.Tx, v *ent.Volume, action, typ string, before, after map[string]any) error {
	return noteAs(ctx, tx, v, person, action, typ, before, after)
}

func noteAs(ctx context.Context, tx *ent.Tx, v *ent.Volume, who entevent.Source, action, typ string, before, after map[string]any) error {
	if err := outbox.Add(ctx, tx, outbox.Volume, v.ID); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: v.TeamID, ObjectID: v.ID, Before: before, After: after}); err != nil {
		return err
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: v.TeamID, SubjectID: v.ID, Source: who, Type: typ})
	return err
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, v *ent.Volume) *ent.Volume {
	s.Kicker.Kick(outbox.Volume, v.ID)
	s.published(ctx, v)
	s.Broker.Publish(ctx, event.Message{Topic: "event", ID: v.ID, TeamID: v.TeamID})
	return v
}

func (s *Service) published(ctx context.Context, v *ent.Volume) {
	s.Broker.Publish(ctx, event.Message{Topic: "volume", ID: v.ID, TeamID: v.TeamID, Version: v.Version})
}
