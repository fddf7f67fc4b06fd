package admission_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// book is the slow way to keep accounts: a list that is walked through for
// every question, in plain words of the rules.
type book struct {
	gpus  int64
	limit map[string]spec.Quota // by team
	lines []line                // in the order in which they asked
}

type line struct {
	id, team string
	need     spec.Resources
	waits    bool
}

func (b *book) used(team, except string) (cpu, gpu, pods int64) {
	for _, l := range b.lines {
		if l.team == team && l.id != except && !l.waits {
			cpu, gpu, pods = cpu+l.need.CPUMilli, gpu+l.need.GPU, pods+1
		}
	}
	return cpu, gpu, pods
}

func (b *book) quotaAllows(l line) bool {
	cpu, gpu, pods := b.used(l.team, l.id)
	q := b.limit[l.team]
	return (q.CPUMilli == 0 || cpu+l.need.CPUMilli <= q.CPUMilli) && (q.GPU == 0 || l.need.GPU == 0 || gpu+l.need.GPU <= q.GPU) && (q.Pods == 0 || pods < q.Pods)
}

// allows tells whether somebody may go, who asks anew or waits already.
func (b *book) allows(l line) bool {
	if !b.quotaAllows(l) {
		return false
	}
	if l.need.GPU == 0 {
		return true
	}
	free := b.gpus
	for _, x := range b.lines {
		if !x.waits && x.id != l.id {
			free -= x.need.GPU
		}
	}
	for _, x := range b.lines {
		if x.id == l.id {
			break // the others asked later
		}
		if x.waits && x.need.GPU <= b.gpus && x.need.GPU > 0 && b.quotaAllows(x) {
			free -= x.need.GPU
		}
	}
	return l.need.GPU <= free
}

func (b *book) strike(id string) {
	b.lines = slices.DeleteFunc(b.lines, func(l line) bool { return l.id == id })
}

// accounts is the property's subject: admission over a database, beside a book.
type accounts struct {
	*testing.T
	book book
	w    *world
	adm  *admission.Service
	ctx  context.Context
	rng  *rand.Rand
	next int
	say  []string
}

func (a *accounts) log(format string, args ...any) {
	a.say = append(a.say, fmt.Sprintf(format, args...))
}

func (a *accounts) broken(format string, args ...any) {
	a.Helper()
	a.Fatalf("%s\nafter %s", fmt.Sprintf(format, args...), a.say)
}

// ask makes a consumer live as the services do, and holds the verdict against the book's.
func (a *accounts) ask() {
	cast := a.w.sites[0].Cast
	t, owner := cast.Team, cast.Member
	if a.rng.IntN(3) == 0 {
		t, owner = cast.OtherTeam, cast.Other
	}
	need := spec.Resources{CPUMilli: 500 * (1 + a.rng.Int64N(4)), MemoryBytes: 1 << 30, GPU: max(a.rng.Int64N(5)-1, 0)}
	wait, isRun := a.rng.IntN(2) == 0, a.rng.IntN(2) == 0
	a.next++
	name := fmt.Sprintf("c%03d", a.next)
	id := ""
	var verdict admission.Verdict
	err := a.w.db.Tx(a.ctx, func(tx *ent.Tx) error {
		locked, err := a.adm.Lock(a.ctx, tx, t.ID, need.GPU > 0)
		if err != nil {
			return err
		}
		var r admission.Request
		if isRun {
			task := tx.Task.Create().SetTeamID(t.ID).SetOwnerID(owner.ID).SetName(name).SetImageID(a.w.image.ID).SetSpec(spec.Task{ImageID: a.w.image.ID, Command: []string{"x"}, Resources: need, Class: spec.ClassTest}).SaveX(a.ctx)
			row := tx.Run.Create().SetTeamID(t.ID).SetOwnerID(owner.ID).SetTaskID(task.ID).SetName(name).SaveX(a.ctx)
			r, id = admission.OfRun(row, task.Spec), row.ID
		} else {
			s := spec.Instance{ImageID: a.w.image.ID, Resources: need}
			row := tx.Instance.Create().SetTeamID(t.ID).SetOwnerID(owner.ID).SetName(name).SetObjectName(name + t.ID).SetImageID(a.w.image.ID).
				SetSpec(s).SetStartedSpec(&s).SetDesired(entinstance.DesiredRunning).SetState(entinstance.StatePending).SaveX(a.ctx)
			r, id = admission.OfInstance(row), row.ID
		}
		r.Wait = wait
		verdict, err = a.adm.Admit(a.ctx, tx, locked, r)
		return err
	})
	l := line{id: id, team: t.ID, need: need}
	may := a.book.allows(l)
	a.log("%s asks for %d GPU, %d CPU, wait %v: %v", name, need.GPU, need.CPUMilli, wait, err)
	var refused *fault.Error
	switch {
	case err != nil && (!errors.As(err, &refused) || refused.Kind != fault.ResourceExhausted):
		a.broken("%v", err)
	case may != (err == nil && verdict.Held):
		a.broken("let in: %v (%v, %v), the book says %v", verdict.Held, verdict.Reason, err, may)
	case !may && wait != (err == nil):
		a.broken("who waits is not refused: %v", err)
	case err == nil:
		l.waits = !may
		a.book.lines = append(a.book.lines, l)
	}
}

// turn asks for one that waits whether it may go.
func (a *accounts) turn(l line) {
	r := admission.Request{Consumer: l.id, Resources: l.need, Class: spec.ClassTest, Kind: reservation.KindInstance, Name: l.id}
	may := a.book.allows(l)
	v, err := a.adm.Promote(a.ctx, l.team, r, nil)
	a.log("turn of %s: %v", l.id, v.Held)
	if err != nil || v.Held != may {
		a.broken("its turn: %v, %v; the book says %v", v.Held, err, may)
	}
	if may {
		a.book.strike(l.id)
		l.waits = false
		a.book.lines = append(a.book.lines, l)
	}
}

// end is the end of a consumer; a crash forgets the release, which the sweep finds.
func (a *accounts) end(l line, crash bool) {
	err := a.w.db.Tx(a.ctx, func(tx *ent.Tx) error {
		n, err := tx.Instance.Update().Where(entinstance.ID(l.id)).SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopped).Save(a.ctx)
		if err == nil && n == 0 {
			err = tx.Run.Update().Where(entrun.ID(l.id)).SetState(entrun.StateFailed).Exec(a.ctx)
		}
		if err != nil || crash {
			return err
		}
		_, err = a.adm.Release(a.ctx, tx, l.id)
		return err
	})
	a.log("end of %s, crash %v", l.id, crash)
	if err == nil && crash {
		err = a.adm.Sweep(a.ctx)
	}
	if err != nil {
		a.broken("end: %v", err)
	}
	a.book.strike(l.id)
}

// retry is a run between two attempts: it gives back, and asks anew.
func (a *accounts) retry(l line) {
	err := a.w.db.Tx(a.ctx, func(tx *ent.Tx) error {
		row, err := tx.Run.Query().Where(entrun.ID(l.id)).WithTeam().Only(a.ctx)
		if err != nil {
			return err
		}
		if _, err := a.adm.Release(a.ctx, tx, l.id); err != nil {
			return err
		}
		r := admission.OfRun(row, spec.Task{Resources: l.need, Class: spec.ClassTest})
		return a.adm.Queue(a.ctx, tx, row.Edges.Team, r)
	})
	if ent.IsNotFound(err) { // an instance
		return
	}
	a.log("retry of %s", l.id)
	if err != nil {
		a.broken("retry: %v", err)
	}
	a.book.strike(l.id)
	l.waits = true
	a.book.lines = append(a.book.lines, l)
}

// same holds what the database says against the book.
func (a *accounts) same() {
	a.Helper()
	want := map[string]bool{}
	for _, l := range a.book.lines {
		want[l.id] = l.waits
	}
	got := map[string]bool{}
	for _, r := range a.w.db.Client.Reservation.Query().AllX(a.ctx) {
		got[r.ConsumerID] = r.State == reservation.StateWaiting
	}
	if len(got) != len(want) {
		a.broken("%d reservations, the book has %d", len(got), len(want))
	}
	for id, waits := range want {
		if w, ok := got[id]; !ok || w != waits {
			a.broken("%s waits: %v (there: %v), the book says %v", id, w, ok, waits)
		}
	}
	for id := range a.book.limit {
		used, err := team.Used(a.ctx, a.w.db.Client, id)
		cpu, gpu, pods := a.book.used(id, "")
		if err != nil || used.CPUMilli != cpu || used.GPU != gpu || used.Pods != pods {
			a.broken("used %+v, %v; the book says %d CPU, %d GPU, %d pods", used, err, cpu, gpu, pods)
		}
	}
}

// TestP73TheAccountsAreThoseOfASlowBook does whatever may happen, in any order:
// asks, turns, ends, crashes, retries, quotas and capacities that change.
func TestP73TheAccountsAreThoseOfASlowBook(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, testkit.DatabaseURL(t), 4)
			cast := w.sites[0].Cast
			a := &accounts{T: t, w: w, adm: admission.New(admission.Deps{DB: w.db}), ctx: testkit.System(t), rng: rand.New(rand.NewPCG(seed, 85)),
				book: book{gpus: 4, limit: map[string]spec.Quota{cast.Team.ID: {}, cast.OtherTeam.ID: {}}}}
			for range 120 {
				var one line
				if n := len(a.book.lines); n > 0 {
					one = a.book.lines[a.rng.IntN(n)]
				}
				switch k := a.rng.IntN(20); {
				case k < 9 || one.id == "":
					a.ask()
				case k < 13:
					a.end(one, k == 12)
				case k < 15 && !one.waits:
					a.retry(one)
				case k < 18 && one.waits:
					a.turn(one)
				case k == 18: // also below what is used: nothing is ended for it
					q := spec.Quota{CPUMilli: 1000 * (2 + a.rng.Int64N(6)), GPU: a.rng.Int64N(5) - 1, Pods: a.rng.Int64N(7) - 1}
					id := []string{cast.Team.ID, cast.OtherTeam.ID}[a.rng.IntN(2)]
					a.w.db.Client.Team.UpdateOneID(id).SetQuota(q).ExecX(a.ctx)
					a.book.limit[id] = q
					a.log("quota %+v", q)
				case k == 19:
					a.book.gpus = 2 + a.rng.Int64N(4)
					a.w.capacity(a.book.gpus)
					a.log("%d GPUs", a.book.gpus)
				}
				a.same()
			}
		})
	}
}
