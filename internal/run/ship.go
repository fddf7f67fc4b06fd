package run

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/run/follow"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// ShipLogs ships the logs of all attempts until ctx ends. One process does it:
// call it under a lease.
func (s *Service) ShipLogs(ctx context.Context) {
	c := &follow.Crew{Source: source{s}, Runtime: s.Kube, Logs: s.Logs, Broker: s.Broker, Drain: s.Tuning.Drain}
	c.Run(authz.AsSystem(ctx))
}

// spaces remembers the namespaces of teams, which never change.
type spaces struct{ m sync.Map }

func (s *Service) namespace(ctx context.Context, teamID string) (string, error) {
	if ns, ok := s.spaces.m.Load(teamID); ok {
		return ns.(string), nil
	}
	t, err := s.DB.Client.Team.Get(ctx, teamID)
	if err != nil {
		return "", fmt.Errorf("team %s: %w", teamID, err)
	}
	s.spaces.m.Store(teamID, t.Namespace)
	return t.Namespace, nil
}

// source tells the crew about attempts.
type source struct{ s *Service }

var _ follow.Source = source{}

// Unfinished implements follow.Source.
func (c source) Unfinished(ctx context.Context, runID string) ([]string, error) {
	q := c.s.DB.Client.Attempt.Query().Where(attempt.LogComplete(false))
	if runID != "" {
		q.Where(attempt.RunID(runID))
	}
	ids, err := q.IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("unfinished logs: %w", err)
	}
	return ids, nil
}

// Target implements follow.Source.
func (c source) Target(ctx context.Context, attemptID string) (*follow.Target, error) {
	a, err := c.s.DB.Client.Attempt.Get(ctx, attemptID)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attempt %s: %w", attemptID, err)
	}
	ns, err := c.s.namespace(ctx, a.TeamID)
	if err != nil {
		return nil, err
	}
	t := &follow.Target{ID: a.ID, RunID: a.RunID, Namespace: ns, Pod: a.PodName, PodUID: a.PodUID, Container: manifest.ContainerTask,
		Started: a.StartedAt != nil, Ended: ended(a.State), Complete: a.LogComplete}
	if a.EndedAt != nil {
		t.EndedAt = *a.EndedAt
	}
	return t, nil
}

// Container implements follow.Source.
func (c source) Container(ctx context.Context, t *follow.Target) (follow.State, error) {
	pod, err := c.s.Cache.Pods.Pods(t.Namespace).Get(t.Pod)
	if apierrors.IsNotFound(err) {
		pod, err = c.s.Kube.CoreV1().Pods(t.Namespace).Get(ctx, t.Pod, metav1.GetOptions{})
	}
	switch {
	case apierrors.IsNotFound(err), err == nil && t.PodUID != "" && string(pod.UID) != t.PodUID:
		return follow.Gone, nil
	case err != nil:
		return follow.Waiting, fmt.Errorf("pod %s: %w", t.Pod, err)
	}
	st := taskStatus(pod)
	switch {
	case st != nil && st.State.Running != nil:
		return follow.Running, nil
	case st != nil && st.State.Terminated != nil && startedAt(pod) == nil:
		return follow.Gone, nil // it never ran: there is no log
	case st != nil && st.State.Terminated != nil:
		return follow.Ended, nil
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		return follow.Gone, nil // evicted with its containers
	}
	return follow.Waiting, nil
}

// Finish implements follow.Source: after the output come the platform's last words.
func (c source) Finish(ctx context.Context, t *follow.Target, missing *follow.Missing) error {
	a, err := c.s.DB.Client.Attempt.Query().Where(attempt.ID(t.ID)).
		WithRun(func(q *ent.RunQuery) { q.WithAttempts() }).Only(ctx)
	if err != nil {
		return fmt.Errorf("attempt %s: %w", t.ID, err)
	}
	now := time.Now().UTC()
	var lines []logstore.Line
	say := func(id string, args map[string]any) {
		lines = append(lines, logstore.Say(now, id, args))
	}
	if missing != nil {
		say("log.run.missing"+missingID(missing), missingArgs(missing))
	}
	lastWords(a, say)
	if err := c.s.Logs.Finish(ctx, t.ID, lines); err != nil {
		return err
	}
	c.s.Kicker.Kick(outbox.Run, t.RunID)
	return nil
}

func missingID(m *follow.Missing) string {
	if m.After.IsZero() {
		return "-all"
	}
	return ""
}

func missingArgs(m *follow.Missing) map[string]any {
	why := "@log.run.pod-gone"
	if m.Cause != nil {
		why = m.Cause.Error()
	}
	return map[string]any{"after": m.After.Format(time.RFC3339Nano), "why": why}
}

// lastWords say how an attempt ended and what comes next.
func lastWords(a *ent.Attempt, say func(id string, args map[string]any)) {
	if a.ExitCode != nil {
		say("log.run.ended", map[string]any{"code": *a.ExitCode})
	}
	if a.Reason != nil && a.Reason.Code != reason.Exit { // an exit code says it all; the program's own words stand above
		say("log.run.why", map[string]any{"why": ownWords(a.Reason)})
	}
	say("log.run.state", map[string]any{"number": a.Number, "state": string(a.State)})
	r := a.Edges.Run
	if r == nil || a.EndedAt == nil {
		return
	}
	if a.State == attempt.StateInterrupted {
		say("log.run.no-retry-used", nil)
	}
	for _, next := range r.Edges.Attempts {
		if next.Number == a.Number+1 {
			say("log.run.next", map[string]any{"number": next.Number, "wait": wait(next.CreatedAt.Sub(*a.EndedAt))})
			return
		}
	}
	if r.State == run.StateRetrying && r.NextAttemptAt != nil && len(r.Edges.Attempts) == a.Number {
		say("log.run.next", map[string]any{"number": a.Number + 1, "wait": wait(r.NextAttemptAt.Sub(*a.EndedAt))})
	}
}

func wait(d time.Duration) string { return max(d, 0).Round(time.Second).String() }

// ownWords is a reason without the log's end, which stands in the log already.
func ownWords(r *spec.Reason) map[string]any {
	args := maps.Clone(r.Args)
	if _, ok := args["log"]; ok {
		args["log"] = "@log.run.above"
	}
	return lang.Nested("reason."+r.Code, args)
}
