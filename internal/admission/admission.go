package admission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/capacity"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Capacity tells what GPUs there are.
type Capacity interface {
	GPUs(ctx context.Context) (GPUs, error)
}

// Deps are what the service works with. Without a Capacity, or while it knows
// nothing, what a process noted last counts; Kicker may be nil.
type Deps struct {
	DB       *db.DB
	Capacity Capacity
	Kicker   outbox.Kicker
}

// Service admits.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// Request is somebody who asks to be let in.
type Request struct {
	Consumer string // id of the instance or run
	Kind     reservation.Kind
	OwnerID  string
	Name     string
	spec.Resources
	Class spec.Class
	Wait  bool // rather than to be refused
}

// Verdict is what came of a request that was not refused.
type Verdict struct {
	Held   bool
	Reason *spec.Reason // what it waits for; nil when it holds
}

// row of the nodes' GPUs.
const row = "cluster"

// Lock holds the rows under which a request is looked at, until the transaction
// ends: first what the teams share, if it asks for any of that, then the team.
// Whoever takes more locks takes them afterwards. It refuses an archived team.
func (s *Service) Lock(ctx context.Context, tx *ent.Tx, teamID string, gpu bool) (*ent.Team, error) {
	if gpu {
		if err := s.lockShared(ctx, tx); err != nil {
			return nil, err
		}
	}
	t, err := team.Lock(ctx, tx, s.DB, teamID)
	if err != nil {
		return nil, err
	}
	return t, team.Open(t)
}

func (s *Service) lockShared(ctx context.Context, tx *ent.Tx) error {
	q := tx.Capacity.Query().Where(capacity.ID(row))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	if _, err := q.Only(authz.AsSystem(ctx)); err != nil {
		return fmt.Errorf("lock what the teams share: %w", err)
	}
	return nil
}

// Admit lets a consumer of a locked team in, makes it wait, or refuses it. It
// counts without what the consumer holds already, and gives back what it no
// longer needs. One that runs keeps what it holds: it cannot go back to waiting.
func (s *Service) Admit(ctx context.Context, tx *ent.Tx, t *ent.Team, r Request) (Verdict, error) {
	sys := authz.AsSystem(ctx)
	own, err := tx.Reservation.Query().Where(reservation.ConsumerID(r.Consumer)).Only(sys)
	if err != nil && !ent.IsNotFound(err) {
		return Verdict{}, fmt.Errorf("reservation of %s: %w", r.Consumer, err)
	}
	refused, err := s.refuse(sys, tx.Client(), t, r, own)
	if err != nil {
		return Verdict{}, err
	}
	if refused == nil {
		return Verdict{Held: true}, s.write(sys, tx, t, own, r, reservation.StateHeld)
	}
	if !r.Wait || own != nil && own.State == reservation.StateHeld {
		return Verdict{}, refused
	}
	return Verdict{Reason: waits(refused)}, s.write(sys, tx, t, own, r, reservation.StateWaiting)
}

// refuse says what stands in the way.
func (s *Service) refuse(ctx context.Context, c *ent.Client, t *ent.Team, r Request, own *ent.Reservation) (*fault.Error, error) {
	if t.Quota != (spec.Quota{}) { // without a limit nothing is counted
		used, err := team.Used(ctx, c, t.ID, r.Consumer)
		if err != nil {
			return nil, err
		}
		var e *fault.Error
		if errors.As(preflight.Quota(preflight.Demand(r.Resources), used, t.Quota), &e) {
			return e, nil
		}
	}
	if r.GPU == 0 {
		return nil, nil
	}
	return s.refuseGPU(ctx, c, t.ID, r, own)
}

// Check tells what would stand in the way of a request, without holding
// anything: another one may be faster.
func (s *Service) Check(ctx context.Context, t *ent.Team, r Request) (*fault.Error, error) {
	return s.refuse(authz.AsSystem(ctx), s.DB.Client, t, r, nil)
}

func (s *Service) write(ctx context.Context, tx *ent.Tx, t *ent.Team, own *ent.Reservation, r Request, state reservation.State) error {
	var err error
	switch {
	case own == nil:
		err = tx.Reservation.Create().SetConsumerID(r.Consumer).SetKind(r.Kind).SetTeamID(t.ID).SetOwnerID(r.OwnerID).SetName(r.Name).
			SetClass(r.Class).SetResources(r.Resources).SetGpu(r.GPU).SetState(state).Exec(ctx)
	case own.State == state && own.Resources == r.Resources && own.Name == r.Name && own.Class == r.Class:
	default:
		u := tx.Reservation.UpdateOne(own).SetName(r.Name).SetClass(r.Class).SetResources(r.Resources).SetGpu(r.GPU).SetState(state)
		if own.State != state {
			u.SetSince(time.Now().UTC())
		}
		err = u.Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("reservation of %s: %w", r.Consumer, err)
	}
	return nil
}

// Queue puts a consumer at the end of the queue unless it is in it, or through
// it, already.
func (s *Service) Queue(ctx context.Context, tx *ent.Tx, t *ent.Team, r Request) error {
	sys := authz.AsSystem(ctx)
	there, err := tx.Reservation.Query().Where(reservation.ConsumerID(r.Consumer)).Exist(sys)
	if err != nil || there {
		return err
	}
	return s.write(sys, tx, t, nil, r, reservation.StateWaiting)
}

// Promote looks whether it is a consumer's turn by now. admitted is called in
// the transaction that lets it in; its error undoes that.
func (s *Service) Promote(ctx context.Context, teamID string, r Request, admitted func(tx *ent.Tx) error) (Verdict, error) {
	sys := authz.AsSystem(ctx)
	own, err := s.DB.Client.Reservation.Query().Where(reservation.ConsumerID(r.Consumer)).Only(sys)
	switch {
	case err != nil && !ent.IsNotFound(err):
		return Verdict{}, fmt.Errorf("reservation of %s: %w", r.Consumer, err)
	case err == nil && own.State == reservation.StateHeld:
		return Verdict{Held: true}, nil
	}
	r.Wait = true
	var v Verdict
	err = s.DB.Tx(sys, func(tx *ent.Tx) error {
		t, err := s.Lock(sys, tx, teamID, r.GPU > 0)
		if err != nil {
			return err
		}
		if v, err = s.Admit(sys, tx, t, r); err != nil || !v.Held || admitted == nil {
			return err
		}
		return admitted(tx)
	})
	if err != nil {
		return Verdict{}, fmt.Errorf("turn of %s: %w", r.Consumer, err)
	}
	return v, nil
}

// Release gives back what a consumer held or waited for, in the transaction in
// which it ended; false when that was nothing. Call Freed after the commit.
func (s *Service) Release(ctx context.Context, tx *ent.Tx, consumer string) (bool, error) {
	n, err := tx.Reservation.Delete().Where(reservation.ConsumerID(consumer)).Exec(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("release %s: %w", consumer, err)
	}
	return n > 0, nil
}

// wakes bounds who is woken by one release; each that is let in is followed by
// its own end, and the sweep wakes all.
const wakes = 20

// Freed wakes those who wait longest.
func (s *Service) Freed(ctx context.Context) {
	if s.Kicker == nil {
		return
	}
	rows, err := s.DB.Client.Reservation.Query().Where(reservation.StateEQ(reservation.StateWaiting)).
		Order(ent.Asc(reservation.FieldSince, reservation.FieldID)).Limit(wakes).All(authz.AsSystem(ctx))
	if err != nil {
		return // the sweep wakes them
	}
	for _, r := range rows {
		s.kick(r)
	}
}

func (s *Service) kick(r *ent.Reservation) {
	switch r.Kind {
	case reservation.KindInstance:
		s.Kicker.Kick(outbox.Instance, r.ConsumerID)
	case reservation.KindRun:
		s.Kicker.Kick(outbox.Run, r.ConsumerID)
	case reservation.KindOther:
	}
}
