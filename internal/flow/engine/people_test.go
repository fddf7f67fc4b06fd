package engine

import (
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"
)

var actors = []string{"ann", "bob"}

// turn is one thing that happens.
func (w *world) turn() {
	switch rapid.IntRange(0, 9).Draw(w.t, "what") {
	case 0:
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 900).Draw(w.t, "seconds")) * time.Second)
	case 1, 2, 3:
		w.moveARun()
	case 4:
		w.ask()
	case 5:
		if len(w.answers) > 0 { // an old one, once more
			w.deliver(rapid.IntRange(0, len(w.answers)-1).Draw(w.t, "answer"))
		}
	case 6:
		w.person()
	default:
		w.decide(w.seen(), rapid.IntRange(0, 3).Draw(w.t, "dies") == 0)
	}
}

var nextStates = map[Progress][]Progress{
	ProgressPending:  {ProgressRunning, ProgressSucceeded, ProgressFailed, ProgressStopping, ProgressGone},
	ProgressRunning:  {ProgressSucceeded, ProgressFailed, ProgressTimedOut, ProgressRetrying, ProgressStopping},
	ProgressRetrying: {ProgressPending, ProgressStopping},
	ProgressStopping: {ProgressStopped, ProgressSucceeded, ProgressGone},
}

// moveARun moves one of those that live.
func (w *world) moveARun() {
	var live []string
	for id := range w.runs {
		if !w.ended(id) {
			live = append(live, id)
		}
	}
	if len(live) == 0 {
		return
	}
	slices.Sort(live)
	id := rapid.SampledFrom(live).Draw(w.t, "run")
	r := w.runs[id]
	r.State = rapid.SampledFrom(nextStates[r.State]).Draw(w.t, "to")
	w.runs[id] = r
}

// ask polls what is asked for; the answer may come after others, and again.
func (w *world) ask() {
	for _, name := range w.polls {
		i := slices.IndexFunc(w.steps, func(s Step) bool { return s.Name == name })
		kind := rapid.SampledFrom([]AnswerKind{AnswerYes, AnswerNotYet, AnswerNotYet, AnswerFailed, AnswerNever}).Draw(w.t, "kind")
		w.answers = append(w.answers, struct {
			step string
			Answer
		}{name, Answer{Round: w.steps[i].Round, Number: w.steps[i].Polls, Kind: kind}})
	}
	if len(w.polls) > 0 {
		w.deliver(len(w.answers) - 1)
	}
}

func (w *world) deliver(i int) {
	seen := w.seen()
	seen.Answers = map[string]Answer{w.answers[i].step: w.answers[i].Answer}
	w.decide(seen, rapid.IntRange(0, 3).Draw(w.t, "dies") == 0)
}

// wished is a run of which somebody wants the end, as its row says it; of what
// ends already nobody does.
func wished(r Run, who string) Change {
	if !r.State.Over() && r.State != RunStopping && r.Wish != WishCancel {
		r.Wish, r.WishedBy = WishCancel, who
	}
	return Change{Run: r}
}

// person does something, legal or not.
func (w *world) person() {
	name := rapid.SampledFrom(w.def.Tasks).Draw(w.t, "task").Name
	who := rapid.SampledFrom(actors).Draw(w.t, "who")
	var c Change
	var err error
	switch rapid.IntRange(0, 6).Draw(w.t, "operation") {
	case 0:
		c = wished(w.run, who)
	case 1:
		c, err = Rerun(w.def, w.run, w.steps, nil, Scope{All: true}, who, w.now)
	case 2:
		c, err = Rerun(w.def, w.run, w.steps, nil, Scope{Failed: true}, who, w.now)
	case 3, 4:
		c, err = Rerun(w.def, w.run, w.steps, nil, Scope{Names: []string{name}}, who, w.now)
	case 5:
		c, err = MarkSucceeded(w.def, w.run, w.steps, nil, name, who, w.now)
	case 6:
		c, err = SkipStep(w.def, w.run, w.steps, nil, name, who, w.now)
	}
	if err != nil {
		var typed *Error
		if !errors.As(err, &typed) || len(c.Steps)+len(c.Transitions) > 0 {
			w.t.Fatalf("%v, %+v", err, c)
		}
		return
	}
	w.replay(c.Run, c.Steps, c.Transitions)
	for _, tr := range c.Transitions {
		if tr.Actor != who {
			w.t.Fatalf("P72: nobody did %+v", tr)
		}
	}
	for _, s := range c.Steps {
		if i := slices.IndexFunc(w.steps, func(b Step) bool { return b.Name == s.Name }); i >= 0 && w.steps[i].Lives() {
			w.t.Fatalf("%s lives, and was changed by a person", s.Name)
		}
	}
	w.run, w.steps = c.Run, merged(w.steps, c.Steps)
	w.polls = nil
	w.decide(w.seen(), false)
}

// conclude lets everything come to its end: no run may go on for ever.
func (w *world) conclude() {
	for range 400 {
		w.decide(w.seen(), false)
		if w.run.State.Over() {
			return
		}
		for id, r := range w.runs {
			if !w.ended(id) {
				r.State = ProgressSucceeded
				w.runs[id] = r
			}
		}
		seen := w.seen()
		seen.Answers = map[string]Answer{}
		for _, s := range w.steps {
			if slices.Contains(w.polls, s.Name) {
				seen.Answers[s.Name] = Answer{Round: s.Round, Number: s.Polls, Kind: AnswerYes}
			}
		}
		w.decide(seen, false)
		if w.run.State.Over() {
			return
		}
		if w.after > 0 {
			w.now = w.now.Add(w.after)
		}
	}
	w.t.Fatalf("it does not end: %s, %s", w.run.State, states(w.steps))
}
