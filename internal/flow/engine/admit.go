package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// RunBrief is what a run shows to the other runs of its flow.
type RunBrief struct {
	ID        string
	State     RunState
	Cancelled bool // somebody wants its end
	Scheduled bool
	Priority  int
	DueAt     time.Time
}

func (r RunBrief) lives() bool { return r.State == RunRunning || r.State == RunStopping }

// VerdictKind is what Admit says.
type VerdictKind string

// The kinds of verdicts.
const (
	VerdictStart VerdictKind = "start"
	VerdictWait  VerdictKind = "wait"
	VerdictSkip  VerdictKind = "skip"
)

// Verdict says whether a queued run may start; why not, when it may not; and
// which other runs are to be stopped for it.
type Verdict struct {
	Kind   VerdictKind
	Reason *spec.Reason
	Stop   []string
}

func because(code, key string, value any) *spec.Reason {
	return &spec.Reason{Code: code, Args: map[string]any{key: value}}
}

func wait(r RunBrief) Verdict {
	return Verdict{Kind: VerdictWait, Reason: because(CodeWaits, "run", r.ID)}
}

func skip(code string, r RunBrief) Verdict {
	return Verdict{Kind: VerdictSkip, Reason: because(code, "run", r.ID)}
}

// newer orders by due time, then by id.
func newer(a, b RunBrief) bool {
	return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) > 0
}

// before is the order in which queued runs start: priority, due time, id.
func before(a, b RunBrief) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
}

// outranks reports whether a is the one to keep when only one may wait: the one
// of the higher priority, else the newer one.
func outranks(a, b RunBrief) bool {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) > 0
}

// Admit says whether me, which is queued, may start. It looks at living rows and
// at nothing else, so nothing can be stale (P56); two runs of a flow are asked
// one after the other, by whoever holds the lock of the flow's row (P57). Others
// that are over, and those that are queued and cancelled, do not count.
func Admit(policy spec.Concurrency, me RunBrief, others []RunBrief, now time.Time, startDeadline time.Duration) Verdict {
	if startDeadline > 0 && me.Scheduled && !now.Before(me.DueAt.Add(startDeadline)) {
		return Verdict{Kind: VerdictSkip, Reason: because(CodeStartDeadline, "limit", startDeadline.String())}
	}
	var live, queued []RunBrief
	for _, o := range others {
		switch {
		case o.ID == me.ID:
		case o.lives():
			live = append(live, o)
		case o.State == RunQueued && !o.Cancelled:
			queued = append(queued, o)
		}
	}
	slices.SortFunc(live, before)
	slices.SortFunc(queued, before)
	if policy == spec.Allow {
		return Verdict{Kind: VerdictStart}
	}
	if !me.Scheduled { // somebody asked for it: it is not dropped, and it stops nobody
		return inTurn(me, live, queued)
	}
	switch policy {
	case spec.Replace:
		return replace(me, live, queued)
	case spec.QueueOne:
		return queueOne(me, live, queued)
	}
	switch {
	case len(live) > 0:
		return skip(CodeAnotherLives, live[0])
	case len(queued) > 0 && before(queued[0], me) < 0:
		return wait(queued[0])
	}
	return Verdict{Kind: VerdictStart}
}

// inTurn has a run wait for its turn, whatever the policy does with those of the
// schedule.
func inTurn(me RunBrief, live, queued []RunBrief) Verdict {
	switch {
	case len(live) > 0:
		return wait(live[0])
	case len(queued) > 0 && before(queued[0], me) < 0:
		return wait(queued[0])
	}
	return Verdict{Kind: VerdictStart}
}

// replace lets the newest run, once those before it have ended. An older one
// never stops a newer one, however late it is asked.
func replace(me RunBrief, live, queued []RunBrief) Verdict {
	for _, o := range live {
		if newer(o, me) {
			return skip(CodeReplaced, o)
		}
	}
	for _, o := range queued {
		if outranks(o, me) {
			return skip(CodeReplaced, o)
		}
	}
	if len(live) == 0 {
		return Verdict{Kind: VerdictStart}
	}
	v := wait(live[0])
	for _, o := range live {
		if o.State == RunRunning && !o.Cancelled {
			v.Stop = append(v.Stop, o.ID)
		}
	}
	return v
}

// queueOne lets one run wait beside the one that lives (P58). When none lives,
// the first one starts and the best of the others waits: several that were made
// at once do not all give way to the last.
func queueOne(me RunBrief, live, queued []RunBrief) Verdict {
	if len(live) == 0 {
		if len(queued) == 0 || before(me, queued[0]) < 0 {
			return Verdict{Kind: VerdictStart}
		}
		live, queued = queued[:1], queued[1:]
	}
	for _, o := range queued {
		if outranks(o, me) {
			return skip(CodeNewerWaits, o)
		}
	}
	return wait(live[0])
}
