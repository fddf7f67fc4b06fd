package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// loaded is a run with everything that its reconciler needs.
type loaded struct {
	row      *ent.Run
	task     *ent.Task
	image    *ent.Image
	team     *ent.Team
	owner    *ent.User
	rows     []*ent.Attempt
	state    State
	attempts []AttemptState
}

func (r *loaded) last() *AttemptState {
	if len(r.attempts) == 0 {
		return nil
	}
	return &r.attempts[len(r.attempts)-1]
}

// Reconcile brings the Job of a run to what its row says, and the row's status
// to what the cluster shows.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	for range 8 { // a step often makes the next one due: attempt, then Job
		again, after, err := s.step(ctx, id)
		if errors.Is(err, errBehind) {
			continue // another process looked at it, too: the newer rows have news
		}
		if err != nil || !again {
			return after, err
		}
	}
	return time.Second, nil
}

func (s *Service) step(ctx context.Context, id string) (again bool, after time.Duration, err error) {
	r, err := s.load(ctx, id)
	if err != nil || r == nil {
		return false, 0, err
	}
	o, err := s.observe(ctx, r)
	if err != nil {
		return false, 0, err
	}
	now := time.Now().UTC()
	d := Decide(r.state, r.attempts, o, now)
	var trouble error
	if d.Create {
		if o.Trouble = s.waits(r.image); o.Trouble == nil {
			if o.Trouble, err = s.turn(ctx, r); err != nil {
				return false, 0, err
			}
		}
		if o.Trouble == nil {
			job, err := s.createJob(ctx, r, d.Attempt)
			switch refused := isRefusal(err); {
			case refused != nil:
				o.Refused = refused
			case err != nil:
				trouble = err
				o.Trouble = troubleOf(err)
			default:
				o.Job = job
				o.Left[d.Attempt.ID] = true
			}
		}
		d = Decide(r.state, r.attempts, o, now)
		if d.Create && trouble == nil { // it waits for its image, or for its turn
			d.After = waitsAgain
			if admission.Waits(o.Trouble) {
				d.After = turnAgain
			}
		}
	}
	if err := s.save(ctx, r, d, now); err != nil {
		return false, 0, err
	}
	if err := s.act(ctx, r, d); err != nil {
		return false, 0, err
	}
	if d.Remove {
		return false, 0, s.erase(ctx, r)
	}
	return d.Start, d.After, trouble
}

func troubleOf(err error) *spec.Reason {
	var r secret.RefusedError
	if errors.As(err, &r) {
		return &r.Reason
	}
	return reason.Refusal(err.Error())
}

// waitsAgain is how soon a run is looked at that waits for its image.
const waitsAgain = 2 * time.Second

func (s *Service) waits(i *ent.Image) *spec.Reason {
	if s.Images == nil {
		return nil
	}
	return s.Images.Waits(i.Reference)
}

// act does what the rows say by now.
func (s *Service) act(ctx context.Context, r *loaded, d Decision) error {
	var errs []error
	switch a := d.Attempt; d.Kill {
	case KillContainers:
		errs = append(errs, s.killContainers(ctx, r.team.Namespace, a.PodName))
	case KillPod:
		errs = append(errs, s.remove(ctx, r.team.Namespace, a.ID, a.JobName))
	case KillNone:
	}
	for _, id := range d.Clean {
		for _, a := range r.attempts {
			if a.ID == id {
				errs = append(errs, s.remove(ctx, r.team.Namespace, a.ID, a.JobName))
			}
		}
	}
	return errors.Join(errs...)
}

func (s *Service) load(ctx context.Context, id string) (*loaded, error) {
	row, err := s.DB.Client.Run.Query().Where(run.ID(id)).
		WithTask(func(q *ent.TaskQuery) { q.WithImage() }).WithTeam().WithOwner().
		WithAttempts(func(q *ent.AttemptQuery) { q.Order(ent.Asc(attempt.FieldNumber)) }).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", id, err)
	}
	e := row.Edges
	r := &loaded{row: row, task: e.Task, team: e.Team, owner: e.Owner, rows: e.Attempts}
	if r.task == nil || r.team == nil || r.owner == nil || r.task.Edges.Image == nil {
		return nil, fmt.Errorf("run %s: its task, image, team or owner is gone", id)
	}
	r.image = r.task.Edges.Image
	t := r.task.Spec
	r.state = State{
		Policy: Policy{Retries: t.Retries, Timeout: t.Timeout, Pending: t.Pending, Grace: s.Tuning.Grace,
			Backoff: s.Tuning.Backoff, BackoffMax: s.Tuning.BackoffMax, Interrupts: maxInterruptions},
		Desired: row.Desired, Lost: row.Inherited.Lost(), State: row.State, Reason: row.Reason, Failures: row.Failures,
		NextAttemptAt: row.NextAttemptAt, StartedAt: row.StartedAt, EndedAt: row.EndedAt,
	}
	if t.Backoff > 0 {
		r.state.Policy.Backoff = t.Backoff
	}
	if t.BackoffMax > 0 {
		r.state.Policy.BackoffMax = t.BackoffMax
	}
	r.state.Policy.Jitter = jitter(t.Jitter, row.ID, row.Failures)
	if r.state.Policy.Pending == 0 {
		r.state.Policy.Pending = s.Config.Now().Limits.PendingTimeout
	}
	if row.StoppedBy != nil && !Over(row.State) {
		if u, err := s.DB.Client.User.Get(ctx, *row.StoppedBy); err == nil {
			r.state.StoppedBy = u.DisplayName
		}
	}
	for _, a := range e.Attempts {
		r.attempts = append(r.attempts, AttemptState{
			ID: a.ID, Number: a.Number, State: a.State, Reason: a.Reason, Timeline: a.Timeline, JobName: a.JobName,
			PodUID: a.PodUID, PodName: a.PodName, Node: a.Node, ImageDigest: a.ImageDigest, ExitCode: a.ExitCode, CreatedAt: a.CreatedAt,
			StartedAt: a.StartedAt, EndedAt: a.EndedAt, LogComplete: a.LogComplete, Outputs: a.Outputs,
		})
	}
	return r, nil
}

// erase removes the rows of a run that has nothing left in the cluster: logs
// first, so that a crash leaves a run that is erased again.
func (s *Service) erase(ctx context.Context, r *loaded) error {
	for _, a := range r.rows {
		if err := s.Logs.Delete(ctx, a.ID); err != nil {
			return err
		}
	}
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		ids := make([]string, len(r.rows))
		for i, a := range r.rows {
			ids[i] = a.ID
		}
		if _, err := tx.LogChunk.Delete().Where(logchunk.AttemptIDIn(ids...)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Attempt.Delete().Where(attempt.RunID(r.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Event.Delete().Where(entevent.SubjectID(r.row.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := s.Admission.Release(ctx, tx, r.row.ID); err != nil {
			return err
		}
		if _, err := tx.Run.Delete().Where(run.ID(r.row.ID)).Exec(ctx); err != nil {
			return err
		}
		used, err := tx.Run.Query().Where(run.TaskID(r.task.ID)).Exist(ctx)
		if err != nil || used {
			return err
		}
		return tx.Task.DeleteOneID(r.task.ID).Exec(ctx)
	})
	if err != nil {
		return fmt.Errorf("erase run %s: %w", r.row.ID, err)
	}
	s.Broker.Publish(ctx, event.Message{Topic: "run", ID: r.row.ID, TeamID: r.team.ID, Version: r.row.Version + 1})
	s.wakeFlow(r.row)
	return nil
}
