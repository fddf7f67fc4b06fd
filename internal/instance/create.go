package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

const portTries = 8 // of a port that another process takes at the same moment

// Create makes an instance, and starts it if asked to. What is wrong with the
// input is told at once, before anything is made.
func (s *Service) Create(ctx context.Context, in CreateInput) (*ent.Instance, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	t, err := team.Visible(ctx, s.DB.Client, in.TeamID)
	if err != nil {
		return nil, err
	}
	if err := v.Check(authz.Create, t.ID); err != nil {
		return nil, err
	}
	want := spec.Instance{ImageID: in.ImageID, Mounts: in.Mounts, Ports: in.Ports, Env: in.Env, Secrets: in.Secrets}
	if err := s.check(ctx, v, t, in, &want); err != nil {
		return nil, err
	}
	var row *ent.Instance
	var home *ent.Volume
	for try := range portTries {
		err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
			row, home, err = s.create(ctx, tx, v, in, want, try)
			return err
		})
		if !ent.IsConstraintError(err) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("create instance: %w", err)
	}
	s.Kicker.Kick(outbox.Volume, home.ID)
	return s.committed(ctx, row), nil
}

// check notes everything that is wrong with a new instance, and completes its spec.
func (s *Service) check(ctx context.Context, v *authz.Viewer, t *ent.Team, in CreateInput, want *spec.Instance) error {
	var f fault.Fields
	preflight.CheckName(&f, "name", in.Name)
	want.Resources = s.parse(&f, in.Resources)
	preflight.CheckInstance(&f, *want, s.limits())
	if err := s.checkImage(ctx, &f, t.ID, in.ImageID); err != nil {
		return err
	}
	volumes, err := volume.CheckMounts(ctx, s.DB.Client, &f, "", t.ID, want.Mounts)
	if err != nil {
		return err
	}
	if err := s.checkSecrets(ctx, &f, v, secret.Consumer{TeamID: t.ID, OwnerID: v.UserID}, *want, nil); err != nil {
		return err
	}
	if err := s.checkFit(ctx, &f, t, want.Resources); err != nil {
		return err
	}
	if f.Err() == nil {
		return nil // what hangs on others is checked under lock
	}
	// Something is wrong already; say what else would be.
	a := applicant{team: t, spec: *want, mounts: volumes, start: in.Start && !in.Wait}
	var more *fault.Error
	if err := s.admit(ctx, s.DB.Client, a); errors.As(err, &more) {
		for _, field := range more.Fields {
			f.Add(field.Path, field.ID, field.Args)
		}
	} else if err != nil {
		return err
	}
	return f.Err()
}

// create makes the rows. The team's row is locked, so that nobody else is
// admitted at the same time.
func (s *Service) create(ctx context.Context, tx *ent.Tx, v *authz.Viewer, in CreateInput, want spec.Instance, try int) (*ent.Instance, *ent.Volume, error) {
	t, err := s.Admission.Lock(ctx, tx, in.TeamID, in.Start && want.Resources.GPU > 0)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkCount(ctx, tx, t.ID, v.UserID); err != nil {
		return nil, nil, err
	}
	home, err := s.Volumes.EnsureHome(ctx, tx, t, v.UserID)
	if err != nil {
		return nil, nil, err
	}
	volumes, err := volume.Mounted(authz.AsSystem(ctx), tx.Client(), t.ID, v.UserID, want.Mounts)
	if err != nil {
		return nil, nil, err
	}
	id := ident.New(ident.Instance)
	verdict, err := s.enter(ctx, tx, applicant{self: id, team: t, spec: want, home: home, mounts: volumes, start: in.Start},
		admission.Request{OwnerID: v.UserID, Name: in.Name, Wait: in.Wait})
	if err != nil {
		return nil, nil, err
	}
	port, err := s.freePort(ctx, tx, try)
	if err != nil {
		return nil, nil, err
	}
	row, err := tx.Instance.Create().SetID(id).SetTeamID(t.ID).SetOwnerID(v.UserID).SetName(in.Name).
		SetObjectName(ident.ObjectName(in.Name, id)).SetImageID(want.ImageID).SetSpec(want).SetSSHPort(port).Save(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := note(ctx, tx, row, act{action: "instance.create", event: "created", after: shown(row)}); err != nil {
		return nil, nil, err
	}
	if in.Start {
		row, err = s.begin(ctx, tx, row, way{}, verdict.Reason)
	}
	return row, home, err
}

// checkCount holds a person's instances in a team against the limit.
func (s *Service) checkCount(ctx context.Context, tx *ent.Tx, teamID, ownerID string) error {
	n, err := tx.Instance.Query().Where(entinstance.TeamID(teamID), entinstance.OwnerID(ownerID),
		entinstance.DesiredNEQ(entinstance.DesiredDeleted)).Count(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("count instances: %w", err)
	}
	limit, err := setting.InstancesOf(ctx, tx.Client(), s.Config, ownerID)
	if err != nil {
		return err
	}
	if n >= limit {
		return fault.New(fault.ResourceExhausted, "instance.too-many", fault.Args{"count": n, "limit": limit})
	}
	return nil
}

// checkImage wants an image that the viewer sees, that the team may use, and
// that can be an instance.
func (s *Service) checkImage(ctx context.Context, f *fault.Fields, teamID, imageID string) error {
	if imageID == "" {
		return nil // preflight says so
	}
	row, err := s.DB.Client.Image.Query().Where(entimage.ID(imageID), entimage.DeletedAtIsNil(),
		entimage.Or(entimage.TeamIDIsNil(), entimage.TeamID(teamID))).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		f.Add("imageId", "instance.image-missing", fault.Args{"id": clip(imageID)})
	case err != nil:
		return fmt.Errorf("load image %s: %w", imageID, err)
	case !row.Development:
		f.Add("imageId", "instance.image-not-development", fault.Args{"name": row.Name})
	}
	return nil
}

// freePort picks a port for SSH. It goes round the range, behind the port that
// was given last, so that a port that was given back rests before somebody
// else has it (P36). A port taken meanwhile violates its uniqueness; the next
// try passes over it.
func (s *Service) freePort(ctx context.Context, tx *ent.Tx, try int) (int, error) {
	sys := authz.AsSystem(ctx)
	ports := s.Config.Now().SSH
	lowest, highest := ports.MinPort, ports.MaxPort
	rows, err := tx.Instance.Query().Where(entinstance.SSHPortNotNil()).Order(ent.Desc(entinstance.FieldID)).
		Select(entinstance.FieldID, entinstance.FieldSSHPort).All(sys)
	if err != nil {
		return 0, fmt.Errorf("ports in use: %w", err)
	}
	taken, next := map[int]bool{}, lowest
	for i, r := range rows {
		if taken[*r.SSHPort] = true; i == 0 {
			next = *r.SSHPort + 1
		}
	}
	for range highest - lowest + 1 {
		if next < lowest || next > highest {
			next = lowest
		}
		if !taken[next] {
			if try--; try < 0 {
				return next, nil
			}
		}
		next++
	}
	return 0, fault.New(fault.ResourceExhausted, "instance.no-port", fault.Args{"first": lowest, "last": highest})
}

// applicant is one instance that asks to be let in.
type applicant struct {
	self   string // its id, empty for a new one
	team   *ent.Team
	spec   spec.Instance
	home   *ent.Volume // nil when there is none yet
	mounts map[string]*volume.Source
	start  bool // it asks for its place now; else only what could never be given is refused
}

// admit holds an instance against the team's quota (P3) and against those who
// hold its volumes (P21).
func (s *Service) admit(ctx context.Context, c *ent.Client, a applicant) error {
	demand, used := preflight.Demand(a.spec.Resources), spec.Quota{}
	if a.team.Quota != (spec.Quota{}) {
		var err error
		if used, err = team.Used(ctx, c, a.team.ID, a.self); err != nil {
			return err
		}
		if !a.start && preflight.Quota(demand, spec.Quota{}, a.team.Quota) == nil {
			used = spec.Quota{}
		}
	}
	refused := preflight.Quota(demand, used, a.team.Quota)
	if !a.start {
		return refused
	}
	held, err := s.held(ctx, c, a)
	if err != nil {
		return err
	}
	return both(refused, held)
}

// enter lets an instance in under the locks of its team, or says everything
// that stands in the way. Without a start only what could never be given does.
func (s *Service) enter(ctx context.Context, tx *ent.Tx, a applicant, r admission.Request) (admission.Verdict, error) {
	if !a.start {
		return admission.Verdict{}, s.admit(ctx, tx.Client(), a)
	}
	r.Consumer, r.Kind, r.Resources, r.Class = a.self, reservation.KindInstance, a.spec.Resources, spec.ClassTest
	if preflight.Quota(preflight.Demand(a.spec.Resources), spec.Quota{}, a.team.Quota) != nil {
		r.Wait = false // not for what never comes
	}
	v, err := s.Admission.Admit(ctx, tx, a.team, r)
	var refused *fault.Error
	if err != nil && !errors.As(err, &refused) {
		return v, err
	}
	held, other := s.held(ctx, tx.Client(), a)
	if other != nil {
		return v, other
	}
	return v, both(err, held)
}

// held refuses a second consumer of a volume that takes one.
func (s *Service) held(ctx context.Context, c *ent.Client, a applicant) (refused, err error) {
	once := a.home != nil && a.home.AccessMode == entvolume.AccessModeReadWriteOnce
	for _, v := range a.mounts {
		once = once || v.AccessMode == entvolume.AccessModeReadWriteOnce
	}
	if !once {
		return nil, nil
	}
	nodes, err := s.Cluster.Shapes(ctx)
	if err != nil {
		return nil, err
	}
	err = volume.Held(ctx, c, a.team.ID, volume.Mounting{Self: a.self, Home: a.home, Mounts: a.spec.Mounts,
		Sources: a.mounts, SameNode: len(nodes) == 1})
	if fault.Of(err) != nil {
		return err, nil
	}
	return nil, err
}

// both joins the fields of two refusals under the kind of the first.
func both(a, b error) error {
	var x, y *fault.Error
	if !errors.As(a, &x) {
		return b
	}
	if !errors.As(b, &y) {
		return a
	}
	out := *x
	out.Fields = slices.Concat(x.Fields, y.Fields)
	return &out
}
