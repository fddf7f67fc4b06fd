package team

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// guards are the kinds of objects that make a team's namespace what it is.
var guards = map[string]bool{
	"Namespace": true, "ResourceQuota": true, "LimitRange": true, "ServiceAccount": true,
	"Role": true, "RoleBinding": true, "NetworkPolicy": true,
}

// OnChange maps a change of what guards a namespace to its team: by label, or
// by where it is, since what somebody else puts there has no label of ours.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	if !guards[c.Kind] {
		return "", false
	}
	if id := c.Labels[manifest.LabelTeamID]; id != "" && c.Labels[manifest.LabelManagedBy] == manifest.Manager {
		return id, true
	}
	where := c.Namespace
	if c.Kind == "Namespace" {
		where = c.Name
	}
	v, ok := s.namespaces.Load(where)
	if !ok {
		return "", false
	}
	id, ok = v.(string)
	return id, ok
}

// Observe has nothing to keep: the cluster tells no events about these objects.
func (s *Service) Observe(context.Context, *corev1.Event) error { return nil }
