package run

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/mask"
	"github.com/goblinlab/goblinlab/internal/run/follow"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// tokens are hidden from every log, by their form.
var tokens = mask.Tokens{Prefix: account.TokenPrefix, Length: account.TokenLength, Is: account.IsToken}

// Masker implements follow.Source.
func (c source) Masker(ctx context.Context, t *follow.Target) (*mask.Masker, error) {
	a, err := c.s.DB.Client.Attempt.Get(ctx, t.ID)
	if err != nil {
		return nil, fmt.Errorf("attempt %s: %w", t.ID, err)
	}
	r, err := a.QueryRun().WithTask().Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("task of attempt %s: %w", t.ID, err)
	}
	return c.s.masker(ctx, r.Edges.Task.Spec, t.ID, t.Namespace)
}

// masker hides what an attempt was given (P96). The values are read where the
// pod has them from: a secret may have been replaced since. Where they are gone
// while output is still to be read, it fails: what cannot be hidden is not shown.
func (s *Service) masker(ctx context.Context, task spec.Task, attemptID, namespace string) (*mask.Masker, error) {
	if len(task.Secrets) == 0 {
		return mask.New(nil, tokens), nil
	}
	list, err := s.Kube.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{LabelSelector: manifest.LabelAttemptID + "=" + attemptID})
	if err != nil {
		return nil, fmt.Errorf("secrets of attempt %s: %w", attemptID, err)
	}
	values, found := secret.Hidden(list.Items)
	if found < len(task.Secrets) {
		return nil, fmt.Errorf("secrets of attempt %s are gone, and its log cannot be freed of them", attemptID)
	}
	return mask.New(values, tokens), nil
}

// words are the last lines of a failed container, without secrets.
func (s *Service) words(ctx context.Context, r *loaded, a *AttemptState, message string) []string {
	if strings.TrimSpace(message) == "" {
		return nil
	}
	m, err := s.masker(ctx, r.task.Spec, a.ID, r.team.Namespace)
	if err != nil {
		slog.WarnContext(ctx, "last words of an attempt are not shown", "attempt_id", a.ID, "err", err)
		return []string{mask.Hidden}
	}
	return lastLines(m.End(message))
}

// outputs are what a task of a flow left for later ones, without secrets.
func (s *Service) outputs(ctx context.Context, r *loaded, a *AttemptState, t *corev1.ContainerStateTerminated) string {
	if r.row.FlowRunID == "" || t.ExitCode != 0 || t.Message == "" {
		return ""
	}
	m, err := s.masker(ctx, r.task.Spec, a.ID, r.team.Namespace)
	if err != nil {
		slog.WarnContext(ctx, "outputs of an attempt are dropped", "attempt_id", a.ID, "err", err)
		return ""
	}
	return m.Whole(t.Message)
}
