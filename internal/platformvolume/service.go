package platformvolume

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/goblinlab/goblinlab/ent"
	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// Namespace is where the claims of platform volumes are made that were not there already.
const Namespace = "goblinlab-platform"

// Classes checks the names of storage classes.
type Classes interface {
	CheckClass(ctx context.Context, f *fault.Fields, path, name string) error
	// Waits reports whether the disks of a class are made when something mounts them, as nothing does a source.
	Waits(ctx context.Context, name string) (bool, error)
}

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written.
type Deps struct {
	DB      *db.DB
	Broker  event.Publisher
	Kicker  outbox.Kicker
	Kube    *kube.Client
	Cache   *kube.Cache
	Config  config.Config
	Classes Classes // nil checks nothing
}

// Service keeps platform volumes.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// View is a platform volume with how far it has come.
type View struct {
	*ent.PlatformVolume
	Teams int // that may start something
}

// List is every platform volume by path. Everybody who is signed in may know them.
func (s *Service) List(ctx context.Context) ([]View, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	sys := authz.AsSystem(ctx)
	rows, err := s.DB.Client.PlatformVolume.Query().Order(ent.Asc(entplatform.FieldPath, entplatform.FieldID)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("platform volumes: %w", err)
	}
	teams, err := s.teams(sys)
	if err != nil {
		return nil, err
	}
	out := make([]View, len(rows))
	for i, r := range rows {
		out[i] = View{r, len(teams)}
	}
	return out, nil
}

// teams are those that may start something.
func (s *Service) teams(sys context.Context) ([]*ent.Team, error) {
	rows, err := s.DB.Client.Team.Query().Where(entteam.ArchivedAtIsNil(), entteam.DesiredEQ(entteam.DesiredPresent)).Order(ent.Asc(entteam.FieldID)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("open teams: %w", err)
	}
	return rows, nil
}

// view is one with how far it has come.
func (s *Service) view(sys context.Context, row *ent.PlatformVolume) (View, error) {
	teams, err := s.teams(sys)
	return View{row, len(teams)}, err
}

// Claim names a claim of the cluster.
type Claim struct{ Namespace, Name string }

// CreateInput describes a new platform volume: either Claim or Size.
type CreateInput struct {
	Name, Description, Path string
	ReadOnly                bool
	Claim                   *Claim
	Size                    *string
	StorageClass            string
}

const (
	minBytes       = 1 << 20
	maxDescription = 2000 // characters
	maxVolumes     = 30   // each is a mount of every pod, and a claim of every team
)

// Create makes a platform volume. Administrators only.
func (s *Service) Create(ctx context.Context, in CreateInput) (View, error) {
	if err := administrator(ctx); err != nil {
		return View{}, err
	}
	sys := authz.AsSystem(ctx)
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	preflight.CheckText(&f, "description", in.Description, maxDescription)
	size, err := s.checkSource(ctx, &f, in)
	if err != nil {
		return View{}, err
	}
	var row *ent.PlatformVolume
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		others, err := s.lockAll(sys, tx)
		if err != nil {
			return err
		}
		checkPath(&f, in.Path, "", others)
		if len(others) >= maxVolumes {
			f.Add("name", "platformvolume.many", fault.Args{"limit": maxVolumes})
		}
		if err := f.Err(); err != nil {
			return err
		}
		id := ident.New(ident.PlatformVolume)
		c := tx.PlatformVolume.Create().SetID(id).SetName(in.Name).SetDescription(in.Description).SetPath(in.Path).
			SetReadOnly(in.ReadOnly).SetObjectName(ident.ObjectName(in.Name, id)).SetMade(in.Claim == nil).SetSizeBytes(size)
		if in.Claim != nil {
			c.SetSourceNamespace(in.Claim.Namespace).SetSourceClaim(in.Claim.Name)
		} else {
			c.SetSourceNamespace(Namespace).SetSourceClaim(ident.ObjectName(in.Name, id)).SetStorageClass(in.StorageClass)
		}
		if row, err = c.Save(sys); err != nil {
			return err
		}
		return note(ctx, tx, row.ID, "platform-volume.create", nil, shown(row))
	})
	if err != nil {
		return View{}, fmt.Errorf("create platform volume: %w", err)
	}
	return s.committed(sys, row.Unwrap())
}

// checkSource notes what is wrong with where the disk comes from, and gives its size.
func (s *Service) checkSource(ctx context.Context, f *fault.Fields, in CreateInput) (int64, error) {
	if (in.Claim == nil) == (in.Size == nil) {
		f.Add("claim", "platformvolume.source", nil)
		return 0, nil
	}
	if in.Size != nil {
		size := quantity.AddSize(f, "size", *in.Size, quantity.Limits{Min: minBytes, Max: s.Config.Now().Limits.VolumeBytes})
		if s.Classes == nil {
			return size, nil
		}
		if err := s.Classes.CheckClass(ctx, f, "storageClass", in.StorageClass); err != nil {
			return size, err
		}
		late, err := s.Classes.Waits(ctx, in.StorageClass)
		if late {
			f.Add("storageClass", "platformvolume.waits", nil)
		}
		return size, err
	}
	if in.StorageClass != "" {
		f.Add("storageClass", "platformvolume.class", nil)
	}
	if len(validation.IsDNS1123Label(in.Claim.Namespace)) > 0 {
		f.Add("claim.namespace", "platformvolume.namespace", fault.Args{"value": in.Claim.Namespace})
		return 0, nil
	}
	if len(validation.IsDNS1123Subdomain(in.Claim.Name)) > 0 {
		f.Add("claim.name", "platformvolume.claim", fault.Args{"value": in.Claim.Name})
		return 0, nil
	}
	if s.Kube == nil {
		return 0, nil
	}
	c, err := s.Kube.CoreV1().PersistentVolumeClaims(in.Claim.Namespace).Get(ctx, in.Claim.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		f.Add("claim.name", "platformvolume.no-claim", fault.Args{"name": in.Claim.Name, "namespace": in.Claim.Namespace})
		return 0, nil
	case err != nil:
		return 0, fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	}
	if !many(c.Spec.AccessModes) {
		f.Add("claim.name", "platformvolume.one-node", fault.Args{"name": in.Claim.Name})
	}
	return c.Status.Capacity.Storage().Value(), nil
}

// many reports whether pods of many nodes may mount what has these modes.
func many(modes []corev1.PersistentVolumeAccessMode) bool {
	return slices.Contains(modes, corev1.ReadWriteMany) || slices.Contains(modes, corev1.ReadOnlyMany)
}

// UpdateInput changes a platform volume; nil leaves as it is.
type UpdateInput struct {
	ID                      string
	Name, Description, Path *string
	ReadOnly, Enabled       *bool
}

// Update changes a platform volume for what starts from then on. Administrators only.
func (s *Service) Update(ctx context.Context, in UpdateInput) (View, error) {
	if err := administrator(ctx); err != nil {
		return View{}, err
	}
	sys := authz.AsSystem(ctx)
	var f fault.Fields
	if in.Name != nil {
		preflight.CheckName(&f, "name", *in.Name)
	}
	if in.Description != nil {
		preflight.CheckText(&f, "description", *in.Description, maxDescription)
	}
	var row *ent.PlatformVolume
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		all, err := s.lockAll(sys, tx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(v *ent.PlatformVolume) bool { return v.ID == in.ID })
		if i < 0 {
			return fault.Missing("platformvolume", in.ID)
		}
		if in.Path != nil {
			checkPath(&f, *in.Path, in.ID, all)
		}
		if err := f.Err(); err != nil {
			return err
		}
		row = all[i]
		before := shown(row)
		u := tx.PlatformVolume.UpdateOneID(in.ID).AddGeneration(1).AddVersion(1).
			SetNillableName(in.Name).SetNillableDescription(in.Description).SetNillablePath(in.Path).
			SetNillableReadOnly(in.ReadOnly).SetNillableEnabled(in.Enabled)
		if in.ReadOnly != nil && *in.ReadOnly != row.ReadOnly {
			u.ClearReadyTeams() // of the other mode there is nothing yet
		}
		now, err := u.Save(sys)
		if err != nil {
			return err
		}
		row = now
		return note(ctx, tx, in.ID, "platform-volume.update", before, shown(row))
	})
	if err != nil {
		return View{}, fmt.Errorf("update platform volume %s: %w", in.ID, err)
	}
	return s.committed(sys, row.Unwrap())
}

// Delete takes a platform volume away; confirmName must be its name. What runs
// keeps it until it ends. Administrators only.
func (s *Service) Delete(ctx context.Context, id, confirmName string) error {
	if err := administrator(ctx); err != nil {
		return err
	}
	sys := authz.AsSystem(ctx)
	var row *ent.PlatformVolume
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		all, err := s.lockAll(sys, tx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(v *ent.PlatformVolume) bool { return v.ID == id })
		if i < 0 {
			return fault.Missing("platformvolume", id)
		}
		old := all[i]
		if confirmName != old.Name {
			var f fault.Fields
			f.Add("confirmName", "platformvolume.confirm", fault.Args{"name": old.Name})
			return f.Err()
		}
		row, err = tx.PlatformVolume.UpdateOneID(id).SetDesired(entplatform.DesiredDeleted).SetPhase(entplatform.PhaseDeleting).ClearReason().
			AddGeneration(1).AddVersion(1).Save(sys)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, "platform-volume.delete", shown(old), nil)
	})
	if err != nil {
		return fmt.Errorf("delete platform volume %s: %w", id, err)
	}
	_, err = s.committed(sys, row.Unwrap())
	return err
}

func administrator(ctx context.Context) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	return v.Check(authz.Platform, "")
}

// lockAll reads all of them for one to be changed: their paths must not collide.
func (s *Service) lockAll(sys context.Context, tx *ent.Tx) ([]*ent.PlatformVolume, error) {
	q := tx.PlatformVolume.Query().Order(ent.Asc(entplatform.FieldID))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	rows, err := q.All(sys)
	if err != nil {
		return nil, fmt.Errorf("lock platform volumes: %w", err)
	}
	return rows, nil
}

func checkPath(f *fault.Fields, path, self string, all []*ent.PlatformVolume) {
	var others []string
	for _, o := range all {
		if o.ID != self && o.Desired == entplatform.DesiredPresent {
			others = append(others, o.Path)
		}
	}
	preflight.CheckPlatformPath(f, "path", path, others)
}

func shown(v *ent.PlatformVolume) map[string]any {
	return map[string]any{"name": v.Name, "description": v.Description, "path": v.Path, "readOnly": v.ReadOnly, "enabled": v.Enabled,
		"claim": v.SourceNamespace + "/" + v.SourceClaim, "made": v.Made}
}

func note(ctx context.Context, tx *ent.Tx, id, action string, before, after map[string]any) error {
	if err := outbox.Add(ctx, tx, outbox.PlatformVolume, id); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, ObjectID: id, Before: before, After: after})
}

func (s *Service) committed(sys context.Context, row *ent.PlatformVolume) (View, error) {
	s.Kicker.Kick(outbox.PlatformVolume, row.ID)
	s.published(sys, row)
	return s.view(sys, row)
}

func (s *Service) published(ctx context.Context, row *ent.PlatformVolume) {
	s.Broker.Publish(ctx, event.Message{Topic: "platform-volume", ID: row.ID, Version: row.Version})
}
