package engine

import (
	"math"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	firstWait   = 10 * time.Second // before a first retry, when the task does not say
	longestWait = 5 * time.Minute
	pollsEvery  = time.Minute
	heldFor     = 30 * time.Second // between looks at a step that is held
)

// observe has the steps show what became of their runs and polls.
func (m *machine) observe() {
	for i := range m.steps {
		s := &m.steps[i]
		switch {
		case s.State.Settled():
		case s.RunID != "":
			if r, ok := m.seen.Runs[s.RunID]; ok {
				m.follow(i, r)
			}
		case s.NextPoll != nil:
			a, ok := m.seen.Answers[s.Name]
			if ok && a.Round == s.Round && a.Number == s.Polls {
				m.answer(i, a)
			}
		}
	}
}

// living are the states of a step whose run lives.
var living = map[Progress]StepState{
	ProgressPending: StepStarting, ProgressRunning: StepRunning, ProgressRetrying: StepRetrying, ProgressStopping: StepStopping,
}

// follow has a step show its run's state, or take over its end.
func (m *machine) follow(i int, r RunSeen) {
	s := &m.steps[i]
	w := why{cause: CauseRunMoved, actor: r.Actor, reason: r.Reason}
	if to, ok := living[r.State]; ok {
		switch {
		case s.State == StepStopping: // it has not heard yet
		case s.State != to, !sameReason(s.Reason, r.Reason):
			m.move(i, to, w)
		}
		return
	}
	w.cause, w.args = CauseRunEnded, map[string]any{"run": s.RunID}
	to := StepFailed
	switch r.State {
	case ProgressSucceeded:
		to, s.Outputs = StepSucceeded, r.Outputs
	case ProgressTimedOut:
		to = StepTimedOut
	case ProgressStopped, ProgressGone:
		to, w.reason = m.stopped(r)
	}
	m.move(i, to, w)
	if r.EndedAt != nil {
		s.EndedAt = r.EndedAt
	}
}

// stopped says what a run means that somebody stopped, or removed. Its step is
// cancelled, which counts as failed; but a run that is gone although nobody
// wanted its end is a failure.
func (m *machine) stopped(r RunSeen) (StepState, *spec.Reason) {
	switch {
	case m.run.State == RunStopping:
		return StepCancelled, m.run.Reason
	case r.State == ProgressGone:
		return StepFailed, &spec.Reason{Code: CodeRunGone}
	case r.Reason == nil:
		return StepCancelled, because(CodeRunStopped, "who", r.Actor)
	}
	return StepCancelled, r.Reason
}

// answer takes a poll's answer.
func (m *machine) answer(i int, a Answer) {
	s := &m.steps[i]
	w := why{cause: CausePoll, reason: a.Reason}
	s.Polls++
	over := s.PollUntil != nil && !m.now.Before(*s.PollUntil)
	switch a.Kind {
	case AnswerYes:
		s.Outputs, w.reason = a.Outputs, nil
		m.move(i, StepSucceeded, w)
		return
	case AnswerNotYet:
		if s.PollFailures = 0; over {
			m.move(i, StepTimedOut, w)
			return
		}
		m.move(i, StepWaitingInputs, w)
		m.pollIn(i, a.Again, pollsEvery)
		return
	}
	s.PollFailures++
	retry := m.def.Tasks[i].Retry
	switch {
	case a.Kind == AnswerNever, s.PollFailures > retry.Count:
		m.move(i, StepFailed, w)
	case over:
		m.move(i, StepTimedOut, w)
	default:
		m.move(i, StepRetrying, w)
		m.pollIn(i, Backoff(retry, s.PollFailures, m.seen.Random), firstWait)
	}
}

// pollIn sets the next poll; the last one is at the end of the step's time.
func (m *machine) pollIn(i int, d, otherwise time.Duration) {
	if d <= 0 {
		d = otherwise
	}
	s := &m.steps[i]
	at := m.now.Add(d)
	if s.PollUntil != nil && at.After(*s.PollUntil) {
		at = *s.PollUntil
	}
	s.NextPoll = &at
}

// Backoff is the wait after so many failures in a row: doubled each time, up to
// the longest, and a part of it random.
func Backoff(r spec.Retry, failures int, random float64) time.Duration {
	wait, most := r.Wait.Std(), r.Most.Std()
	if wait <= 0 {
		wait = firstWait
	}
	if most <= 0 {
		most = longestWait
	}
	for ; failures > 1 && wait < most; failures-- {
		if wait > math.MaxInt64/2 {
			wait = most
			break
		}
		wait *= 2
	}
	wait = min(wait, most)
	jitter := min(max(r.Jitter, 0), 1)
	return max(0, wait-time.Duration(float64(wait)*jitter*(1-min(max(random, 0), 1)))) // a float may be a nanosecond more
}

// advance moves the steps that wait, in an order in which each comes after those
// it needs.
func (m *machine) advance() {
	for _, i := range m.graph.order {
		s := &m.steps[i]
		switch {
		case s.State == StepWaiting:
			m.trigger(i)
		case s.State == StepWaitingSlot:
			if m.seen.Slots[s.Name] {
				m.start(i, CauseSlot)
			}
		case s.Lives() || s.State.Settled():
		case s.NextPoll != nil && m.now.Before(*s.NextPoll):
			m.again(*s.NextPoll)
		case s.NextPoll != nil:
			m.out.Poll = append(m.out.Poll, s.Name)
		default: // its run was not made
			m.launch(i)
		}
	}
}

// trigger looks at what a step needs.
func (m *machine) trigger(i int) {
	rule := m.def.Tasks[i].Trigger
	open, bad := 0, -1
	for _, j := range m.graph.needs[i] {
		switch s := m.steps[j].State; {
		case !s.Settled():
			open++
		case s.Bad() && bad < 0:
			bad = j
		}
	}
	switch {
	case rule == spec.AnyFailed && bad >= 0:
		m.ready(i)
	case open > 0:
	case rule == spec.AnyFailed:
		m.move(i, StepSkipped, why{cause: CauseNothingFailed, reason: &spec.Reason{Code: CodeNothingFailed}})
	case rule != spec.AllDone && bad >= 0:
		args := map[string]any{"step": m.steps[bad].Name}
		m.move(i, StepUpstreamFailed, why{cause: CauseUpstreamFailed, args: args, reason: &spec.Reason{Code: CodeUpstreamFailed, Args: args}})
	default:
		m.ready(i)
	}
}

// ready is a step whose trigger holds.
func (m *machine) ready(i int) {
	if m.def.Tasks[i].Skip {
		m.move(i, StepSkipped, why{cause: CauseSkipFlag, reason: &spec.Reason{Code: CodeSkipFlag}})
		return
	}
	m.start(i, CauseTriggered)
}

// start starts a step, when its condition holds and its group has a slot.
func (m *machine) start(i int, cause Cause) {
	s, task := &m.steps[i], &m.def.Tasks[i]
	p, problem := m.seen.Expand(task, m.outputs)
	switch {
	case problem != nil:
		m.move(i, StepFailed, why{cause: CauseUnprepared, reason: problem})
		return
	case p.Unmet:
		m.move(i, StepSkipped, why{cause: CauseCondition, reason: &spec.Reason{Code: CodeCondition}})
		return
	case p.Held != nil:
		if !sameReason(s.Reason, p.Held) {
			m.move(i, s.State, why{reason: p.Held})
		}
		m.again(m.now.Add(heldFor)) // whoever brings it says so before
		return
	case task.Group != "" && !m.seen.Slots[task.Name]:
		at := m.now
		m.move(i, StepWaitingSlot, why{cause: CauseGroupFull, args: map[string]any{"group": task.Group}, reason: because(CodeGroupFull, "group", task.Group)})
		s.ReadyAt = &at
		return
	}
	at := m.now
	m.move(i, StepStarting, why{cause: cause})
	s.StartedAt, s.ReadyAt = &at, nil
	if !p.Polled {
		m.launch(i)
		return
	}
	s.NextPoll = &at
	if p.Within > 0 {
		until := m.now.Add(p.Within)
		s.PollUntil = &until
	}
	m.out.Poll = append(m.out.Poll, s.Name)
}

// launch has a step's run made, unless it was refused.
func (m *machine) launch(i int) {
	name := m.steps[i].Name
	if r := m.seen.Refused[name]; r != nil {
		m.move(i, StepFailed, why{cause: CauseRefused, reason: r})
		return
	}
	m.out.Start = append(m.out.Start, name)
}

// outputs are what a step left.
func (m *machine) outputs(name string) map[string]any {
	if i, ok := m.graph.index[name]; ok && m.steps[i].State == StepSucceeded {
		return m.steps[i].Outputs
	}
	return nil
}
