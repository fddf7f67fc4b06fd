package team

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// pulls reads the team's registries and names those with which all its pods pull.
func (s *Service) pulls(ctx context.Context, t *ent.Team, want *manifest.Team) (list []manifest.PullSecret, kept []string, err error) {
	if s.Pulls == nil {
		return nil, nil, nil
	}
	list, kept, err = s.Pulls.Pulls(ctx, t.ID)
	for _, p := range list {
		if p.Wide {
			want.PullSecrets = append(want.PullSecrets, p.Name)
		}
	}
	return list, kept, err
}

func (s *Service) applyPulls(ctx context.Context, t manifest.Team, list []manifest.PullSecret) error {
	for _, p := range list {
		if _, err := s.Kube.CoreV1().Secrets(t.Namespace).Apply(ctx, manifest.TeamPullSecret(t, p), kube.Apply); err != nil {
			return err
		}
	}
	return nil
}

// removePulls deletes the objects of registries that are gone.
func (s *Service) removePulls(ctx context.Context, ns string, list []manifest.PullSecret, kept []string) error {
	if s.Pulls == nil {
		return nil
	}
	there, err := s.Kube.CoreV1().Secrets(ns).List(ctx, metav1.ListOptions{
		LabelSelector: manifest.SelectManaged + "," + manifest.LabelComponent + "=" + manifest.ComponentPull})
	if err != nil {
		return err
	}
	for i := range there.Items {
		name := there.Items[i].Name
		if slices.Contains(kept, name) || slices.ContainsFunc(list, func(p manifest.PullSecret) bool { return p.Name == name }) {
			continue
		}
		if err := s.Kube.CoreV1().Secrets(ns).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
