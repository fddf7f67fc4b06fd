package flow

import (
	"context"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/engine"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	pollTime  = 20 * time.Second // of one question
	pollLanes = 8                // questions of a flow run at once
)

// poll asks for what steps wait for. It holds no pod and no transaction.
func (s *Service) poll(ctx context.Context, l *loaded, dec engine.Decision) (map[string]engine.Answer, error) {
	v, err := s.owner(ctx, l)
	if err != nil {
		return nil, err
	}
	steps := merged(l.steps, dec.Steps)
	answers := make(map[string]engine.Answer, len(dec.Poll))
	var mu sync.Mutex
	var wg sync.WaitGroup
	lane := make(chan struct{}, pollLanes)
	for _, name := range dec.Poll {
		var st engine.Step
		for _, x := range steps {
			if x.Name == name {
				st = x
			}
		}
		wg.Go(func() {
			lane <- struct{}{}
			defer func() { <-lane }()
			a := engine.Answer{Kind: engine.AnswerNever, Reason: &spec.Reason{Code: codeOwner}}
			if v != nil {
				a = s.askOne(authz.With(ctx, v), l, name)
			}
			a.Round, a.Number = st.Round, st.Polls
			mu.Lock()
			answers[name] = a
			mu.Unlock()
		})
	}
	wg.Wait()
	return answers, ctx.Err()
}

func (s *Service) askOne(ctx context.Context, l *loaded, name string) engine.Answer {
	never := func(code, detail string) engine.Answer {
		return engine.Answer{Kind: engine.AnswerNever, Reason: &spec.Reason{Code: code, Args: map[string]any{"detail": detail}}}
	}
	var def *spec.FlowTask
	for i := range l.def.Tasks {
		if l.def.Tasks[i].Name == name {
			def = &l.def.Tasks[i]
		}
	}
	e, ok := s.Executors.Get(def.Executor)
	if !ok {
		return never(codeUnprepared, "there is no executor "+def.Executor)
	}
	p, ok := e.(executor.Poller)
	if !ok {
		return never(codeUnprepared, "the executor "+def.Executor+" asks for nothing")
	}
	with := l.told(name)
	zone, err := time.LoadLocation(l.row.Timezone)
	if err != nil {
		return never(codeUnprepared, err.Error())
	}
	asking, stop := context.WithTimeout(ctx, pollTime)
	defer stop()
	verdict, err := p.Poll(asking, with, executor.Ask{TeamID: l.row.TeamID, PersonID: l.row.OwnerID, Time: l.row.LogicalTime, Zone: zone})
	if err != nil {
		kind := engine.AnswerFailed
		switch fault.KindOf(err) {
		case fault.Unavailable: // what would answer is on its way
			return engine.Answer{Kind: engine.AnswerNotYet, Reason: &spec.Reason{Code: "step-polling", Args: map[string]any{"detail": said(err)}}, Again: p.Pace(with).Every}
		case fault.InvalidArgument: // no retry mends it
			kind = engine.AnswerNever
		}
		return engine.Answer{Kind: kind, Reason: &spec.Reason{Code: "step-poll-failed", Args: map[string]any{"detail": said(err)}}}
	}
	return answerOf(verdict, p.Pace(with))
}

func answerOf(v executor.Verdict, pace executor.Pace) engine.Answer {
	switch v.Answer {
	case executor.Done:
		out := make(map[string]any, len(v.Outputs))
		for k, x := range v.Outputs {
			out[k] = x
		}
		return engine.Answer{Kind: engine.AnswerYes, Outputs: out}
	case executor.NotYet:
		return engine.Answer{Kind: engine.AnswerNotYet, Reason: &v.Reason, Again: pace.Every}
	}
	return engine.Answer{Kind: engine.AnswerFailed, Reason: &v.Reason}
}
