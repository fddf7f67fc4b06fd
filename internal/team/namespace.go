package team

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/ent/secret"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	endingAgain = 2 * time.Second  // a namespace on its way out
	takenAgain  = 30 * time.Second // one that is somebody else's
	maxFindings = 20
)

// refusedError is a team that cannot stand as things are; nothing was done.
type refusedError struct {
	why   spec.Reason
	again time.Duration
}

func (e refusedError) Error() string { return "refused: " + e.why.Code }

// own sees to it that there is a namespace and that it is the team's. One that
// somebody else made under the same name is left alone. One that is another
// than the team's own is that which was made anew after somebody took the first
// away: that is told, with the volumes that went with it.
func (s *Service) own(ctx context.Context, t *ent.Team) (lost *spec.Reason, uid string, err error) {
	ns, err := s.Kube.CoreV1().Namespaces().Get(ctx, t.Namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		o := objects(t).Namespace
		// Created, not applied: an apply would take over what somebody else makes meanwhile.
		ns, err = s.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: t.Namespace, Labels: o.Labels, Annotations: o.Annotations}}, metav1.CreateOptions{FieldManager: manifest.Manager})
	}
	if err != nil {
		return nil, "", fmt.Errorf("namespace %s: %w", t.Namespace, err)
	}
	uid = string(ns.UID)
	switch {
	case !ours(ns, t):
		return nil, "", refusedError{spec.Reason{Code: "team-namespace-taken", Args: map[string]any{"namespace": t.Namespace}}, takenAgain}
	case ns.DeletionTimestamp != nil:
		return nil, "", refusedError{spec.Reason{Code: "team-namespace-ending", Args: map[string]any{"namespace": t.Namespace}}, endingAgain}
	case t.NamespaceUID == "" || t.NamespaceUID == uid:
		return nil, uid, nil
	}
	lost, err = s.loss(ctx, t)
	slog.Error("the namespace of a team was taken away and is made anew", "team_id", t.ID, "namespace", t.Namespace)
	return lost, uid, err
}

// ours knows a namespace by its labels, or by its identity when somebody took
// the labels away.
func ours(ns *corev1.Namespace, t *ent.Team) bool {
	return string(ns.UID) == t.NamespaceUID && t.NamespaceUID != "" ||
		ns.Labels[manifest.LabelManagedBy] == manifest.Manager && ns.Labels[manifest.LabelTeamID] == t.ID
}

// loss names what was in a namespace that is gone.
func (s *Service) loss(ctx context.Context, t *ent.Team) (*spec.Reason, error) {
	names, err := s.DB.Client.Volume.Query().Where(volume.TeamID(t.ID), volume.DesiredEQ(volume.DesiredPresent), volume.PhaseNEQ(volume.PhasePending)).
		Order(ent.Asc(volume.FieldID)).Select(volume.FieldName).Strings(ctx)
	if err != nil {
		return nil, fmt.Errorf("volumes of team %s: %w", t.ID, err)
	}
	return &spec.Reason{Code: "team-namespace-lost", Args: map[string]any{
		"namespace": t.Namespace, "at": time.Now().UTC().Format("2006-01-02 15:04 UTC"), "count": len(names), "volumes": first(names),
	}}, nil
}

// foreign are the objects in a team's namespace that open doors or bound what
// it may use, and are not the team's. They are told, not deleted: somebody
// meant something by them.
func (s *Service) foreign(ctx context.Context, t *ent.Team) ([]spec.Reason, error) {
	var out []spec.Reason
	note := func(kind string, m metav1.Object) {
		l := m.GetLabels()
		if l[manifest.LabelManagedBy] == manifest.Manager && l[manifest.LabelTeamID] == t.ID {
			return
		}
		out = append(out, spec.Reason{Code: "team-foreign", Args: map[string]any{"kind": kind, "name": m.GetName()}})
	}
	k, ns, all := s.Kube, t.Namespace, metav1.ListOptions{}
	bindings, err := k.RbacV1().RoleBindings(ns).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("role bindings of %s: %w", ns, err)
	}
	for i := range bindings.Items {
		note("RoleBinding", &bindings.Items[i])
	}
	quotas, err := k.CoreV1().ResourceQuotas(ns).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("quotas of %s: %w", ns, err)
	}
	for i := range quotas.Items {
		note("ResourceQuota", &quotas.Items[i])
	}
	ranges, err := k.CoreV1().LimitRanges(ns).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("limit ranges of %s: %w", ns, err)
	}
	for i := range ranges.Items {
		note("LimitRange", &ranges.Items[i])
	}
	policies, err := k.NetworkingV1().NetworkPolicies(ns).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("network policies of %s: %w", ns, err)
	}
	for i := range policies.Items {
		note("NetworkPolicy", &policies.Items[i])
	}
	slices.SortFunc(out, func(a, b spec.Reason) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(a.Args["kind"]), fmt.Sprint(b.Args["kind"])), cmp.Compare(fmt.Sprint(a.Args["name"]), fmt.Sprint(b.Args["name"])))
	})
	return out[:min(len(out), maxFindings)], nil
}

// remove deletes the namespace of a team to be deleted, and the row once the
// namespace was observed gone. A namespace that is somebody else's stays.
func (s *Service) remove(ctx context.Context, t *ent.Team) (time.Duration, error) {
	ns, err := s.Kube.CoreV1().Namespaces().Get(ctx, t.Namespace, metav1.GetOptions{})
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return 0, fmt.Errorf("namespace %s: %w", t.Namespace, err)
	case err == nil && ours(ns, t):
		if ns.DeletionTimestamp == nil {
			o := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &ns.UID}}
			if err := s.Kube.CoreV1().Namespaces().Delete(ctx, t.Namespace, o); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return 0, fmt.Errorf("delete namespace %s: %w", t.Namespace, err)
			}
		}
		return endingAgain, nil
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := Lock(ctx, tx, s.DB, t.ID); err != nil {
			return err
		}
		gone, err := deletion(ctx, tx.Client(), t)
		if err != nil {
			return err
		}
		if err := gone.refuse(); err != nil {
			return err
		}
		if _, err := tx.Invitation.Delete().Where(invitation.TeamID(t.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Membership.Delete().Where(membership.TeamID(t.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Reservation.Delete().Where(reservation.TeamID(t.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Secret.Delete().Where(secret.TeamID(t.ID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.Image.Delete().Where(entimage.TeamID(t.ID)).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.Team.Delete().Where(entteam.ID(t.ID)).Exec(ctx)
		return err
	})
	if fault.KindOf(err) == fault.NotFound {
		return 0, nil // another worker was first
	}
	if err != nil {
		return 0, fmt.Errorf("delete team %s: %w", t.ID, err)
	}
	s.namespaces.Delete(t.Namespace)
	slog.Info("team deleted", "team_id", t.ID, "namespace", t.Namespace)
	s.published(ctx, t.ID, t.Version+1)
	return 0, nil
}
