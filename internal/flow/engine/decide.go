package engine

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// rows are a run with its steps while they are changed, and what was changed.
type rows struct {
	def         *spec.Flow
	graph       graph
	run         Run
	steps       []Step // by their place in the definition
	changed     []bool
	transitions []Transition
	freed       []string
	now         time.Time
}

// load puts the steps in their places; those that are not there yet wait.
func (r *rows) load(steps []Step) {
	n := len(r.def.Tasks)
	r.steps, r.changed = make([]Step, n), make([]bool, n)
	for _, s := range steps {
		if i, ok := r.graph.index[s.Name]; ok {
			r.steps[i] = s
		}
	}
	for i := range r.steps {
		if r.steps[i].Name == "" {
			r.steps[i] = Step{Name: r.def.Tasks[i].Name, State: StepWaiting, Round: 1}
			r.changed[i] = true
		}
	}
}

// why is what a transition says beside its states.
type why struct {
	cause  Cause
	args   map[string]any
	actor  string
	reason *spec.Reason // of the row
}

func (r *rows) moveRun(to RunState, w why) {
	if r.run.State != to {
		r.transitions = append(r.transitions, Transition{From: string(r.run.State), To: string(to), Cause: w.cause, Args: w.args, Actor: w.actor})
	}
	r.run.State, r.run.Reason = to, w.reason
	if to.Over() {
		at := r.now
		r.run.EndedAt = &at
	}
}

func (r *rows) move(i int, to StepState, w why) {
	s := &r.steps[i]
	if s.State != to {
		r.transitions = append(r.transitions, Transition{Step: s.Name, From: string(s.State), To: string(to), Cause: w.cause, Args: w.args, Actor: w.actor})
	}
	if g := r.def.Tasks[i].Group; g != "" && s.State.Holds() && !to.Holds() {
		r.freed = addOnce(r.freed, g)
	}
	s.State, s.Reason, r.changed[i] = to, w.reason, true
	if to.Settled() {
		at := r.now
		s.EndedAt, s.NextPoll, s.PollUntil, s.ReadyAt = &at, nil, nil, nil
	}
}

func addOnce(list []string, v string) []string {
	for _, have := range list {
		if have == v {
			return list
		}
	}
	return append(list, v)
}

func (r *rows) changedSteps() []Step {
	n := 0
	for _, c := range r.changed {
		if c {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Step, 0, n)
	for i, c := range r.changed {
		if c {
			out = append(out, r.steps[i])
		}
	}
	return out
}

// machine is one call of Decide.
type machine struct {
	rows
	seen Observed
	out  Decision
}

// Decide says what comes next. It is pure, and keeps nothing of what it is given
// but what it gives back.
func Decide(def spec.Flow, run Run, steps []Step, seen Observed, now time.Time) Decision {
	if run.State.Over() {
		return Decision{Run: run}
	}
	m := &machine{rows: rows{def: &def, run: run, now: now}, seen: seen}
	m.late()
	if m.run.State == RunQueued {
		m.admit()
	}
	if m.run.State == RunRunning || m.run.State == RunStopping {
		m.graph = newGraph(&def)
		if m.run.State == RunRunning && !m.graph.sound {
			m.moveRun(RunFailed, why{cause: CauseBroken, reason: &spec.Reason{Code: CodeBroken}})
		} else {
			m.load(steps)
			m.observe()
			m.turn()
		}
	}
	if m.run.State.Over() {
		m.out.After = 0
		m.out.Wake = true
	}
	m.out.Run, m.out.Steps, m.out.Transitions, m.out.Freed = m.run, m.changedSteps(), m.transitions, m.freed
	return m.out
}

func (m *machine) again(at time.Time) {
	d := max(at.Sub(m.now), time.Millisecond)
	if m.out.After == 0 || d < m.out.After {
		m.out.After = d
	}
}

// late tells once of a scheduled run that has not finished by its time; whether
// it has started does not matter.
func (m *machine) late() {
	if m.def.FinishBy <= 0 || !m.run.Scheduled || m.run.LateToldAt != nil {
		return
	}
	due := m.run.LogicalAt.Add(m.def.FinishBy.Std())
	if m.now.Before(due) {
		m.again(due)
		return
	}
	at := m.now
	m.run.LateToldAt = &at
	m.out.Notes = append(m.out.Notes, Note{ID: NoteLate, Args: map[string]any{"due": due}})
}

// admit moves a run that is queued.
func (m *machine) admit() {
	if m.run.Wish == WishCancel {
		m.moveRun(RunCancelled, m.asked())
		return
	}
	limit := m.def.Schedule.StartDeadline.Std()
	v := Admit(m.def.Concurrency, m.run.Brief(m.def), m.seen.Others, m.now, limit)
	m.out.Cancel = v.Stop
	switch v.Kind {
	case VerdictStart:
		at := m.now
		m.run.StartedAt = &at
		m.moveRun(RunRunning, why{cause: CauseAdmitted})
		m.out.Wake = true
	case VerdictSkip:
		m.moveRun(RunSkipped, why{cause: CauseNotAdmitted, args: v.Reason.Args, reason: v.Reason})
	default:
		m.run.Reason = v.Reason
		if limit > 0 && m.run.Scheduled {
			m.again(m.run.DueAt.Add(limit))
		}
	}
}

// Brief is what the run shows to the flow's other runs.
func (r Run) Brief(def *spec.Flow) RunBrief {
	return RunBrief{ID: r.ID, State: r.State, Cancelled: r.Wish == WishCancel, Scheduled: r.Scheduled, Priority: def.Priority, DueAt: r.DueAt}
}

func (m *machine) asked() why {
	return why{cause: CauseAsked, actor: m.run.WishedBy, reason: because(CodeAsked, "who", m.run.WishedBy)}
}

// turn moves a run that is running or stopping, after its steps have shown what
// became of them.
func (m *machine) turn() {
	if m.finish() {
		return
	}
	if m.run.State == RunRunning {
		m.due()
	}
	if m.run.State == RunStopping {
		m.halt()
	} else {
		m.advance()
	}
	m.finish()
}

// due has a run stop that somebody wants to end, or whose time is over. The
// first cause stays.
func (m *machine) due() {
	if m.run.Wish == WishCancel {
		m.moveRun(RunStopping, m.asked())
		return
	}
	limit := m.def.Timeout.Std()
	if limit <= 0 || m.run.StartedAt == nil {
		return
	}
	if end := m.run.StartedAt.Add(limit); m.now.Before(end) {
		m.again(end)
		return
	}
	m.moveRun(RunStopping, why{cause: CauseTimeout, args: map[string]any{"limit": limit.String()}, reason: because(CodeTimeout, "limit", limit.String())})
}

// stopCause is why the run stops, as its row tells it.
func (m *machine) stopCause() why {
	if m.run.Reason != nil && m.run.Reason.Code == CodeTimeout {
		return why{cause: CauseTimeout, args: m.run.Reason.Args, reason: m.run.Reason}
	}
	return m.asked()
}

// halt ends every step; one with a run of its own has ended when that has (P71).
func (m *machine) halt() {
	w := m.stopCause()
	for i := range m.steps {
		s := &m.steps[i]
		switch {
		case s.State.Settled():
		case !s.Lives():
			m.move(i, StepCancelled, w)
		default:
			if s.State != StepStopping {
				m.move(i, StepStopping, w)
			}
			if m.seen.Runs[s.RunID].State != ProgressStopping {
				m.out.Stop = append(m.out.Stop, s.RunID)
			}
		}
	}
}

// finish ends a run all of whose steps have settled; false when some have not.
func (m *machine) finish() bool {
	first, bad := -1, 0
	for i := range m.steps {
		s := m.steps[i].State
		if !s.Settled() {
			return false
		}
		if s.Bad() {
			bad++
		}
		if s.Bad() && (first < 0 || m.steps[first].State == StepUpstreamFailed && s != StepUpstreamFailed) {
			first = i
		}
	}
	switch {
	case m.run.State == RunStopping && m.stopCause().cause == CauseTimeout:
		m.moveRun(RunTimedOut, m.stopCause())
	case m.run.State == RunStopping:
		m.moveRun(RunCancelled, m.stopCause())
	case bad > 0:
		args := map[string]any{"step": m.steps[first].Name, "count": bad}
		m.moveRun(RunFailed, why{cause: CauseStepsEnded, args: args, reason: &spec.Reason{Code: CodeStepFailed, Args: args}})
	default:
		m.moveRun(RunSucceeded, why{cause: CauseStepsEnded})
	}
	return true
}
