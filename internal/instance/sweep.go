package instance

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

const (
	orphanAge    = time.Minute     // how old an object without a row must be before it is deleted
	orphansEvery = 3 * time.Minute // the cluster is asked for them
)

// OnChange maps a change of the cluster to the instance that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	if c.Event != nil {
		id, ok = kube.SubjectID(c.Event.InvolvedObject)
		return id, ok && ident.Is(ident.Instance, id)
	}
	id = c.Labels[manifest.LabelInstanceID]
	return id, id != ""
}

// Observe keeps a cluster's event about an instance's objects (P6). Events
// about other things are passed over.
func (s *Service) Observe(ctx context.Context, e *corev1.Event) error {
	id, ok := kube.SubjectID(e.InvolvedObject)
	if !ok || !ident.Is(ident.Instance, id) {
		return nil
	}
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Instance.Query().Where(entinstance.ID(id)).WithTeam().Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("load instance %s: %w", id, err)
	}
	o := e.InvolvedObject
	if o.Namespace != row.Edges.Team.Namespace || o.Name != row.ObjectName && o.Name != PodName(row) {
		return nil // somebody else's object of a similar name
	}
	var changed bool
	err = s.DB.Tx(ctx, func(tx *ent.Tx) (err error) {
		changed, err = history.Observe(ctx, tx.Event, history.FromCluster(e, row.TeamID, id))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep event of %s: %w", id, err)
	}
	if changed {
		s.happened(ctx, row.TeamID, id)
	}
	if e.Reason == "Pulled" {
		return image.Learn(ctx, s.DB.Client, e.Message)
	}
	return nil
}

// Sweep deletes objects whose instance is gone (P74), and wakes every instance
// that is not at rest, so that nothing hangs on a wake-up that was lost.
func (s *Service) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	if s.Cache == nil || !s.Cache.Synced() {
		return nil
	}
	if time.Since(time.Unix(0, s.swept.Load())) > orphansEvery {
		if err := s.orphans(ctx); err != nil {
			return err
		}
		s.swept.Store(time.Now().UnixNano())
	}
	ids, err := s.DB.Client.Instance.Query().Where(entinstance.Not(entinstance.And(
		entinstance.DesiredEQ(entinstance.DesiredStopped), entinstance.StateEQ(entinstance.StateStopped)))).IDs(ctx)
	if err != nil {
		return fmt.Errorf("instances that are not at rest: %w", err)
	}
	for _, id := range ids {
		s.Kicker.Kick(outbox.Instance, id)
	}
	return nil
}

// orphans looks at the objects first and at the rows then: objects are made
// after their row, and deleted before it. Namespaces that are not of our teams
// may belong to another GoblinLab on the same cluster.
func (s *Service) orphans(ctx context.Context) error {
	ours := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(labels.Set{
		manifest.LabelManagedBy: manifest.Manager, manifest.LabelComponent: manifest.ComponentInstance}).String()}
	found := map[[3]string]struct{}{} // namespace, object's name, id
	note := func(m metav1.Object) {
		if id := m.GetLabels()[manifest.LabelInstanceID]; id != "" && time.Since(m.GetCreationTimestamp().Time) > s.orphanAge {
			found[[3]string{m.GetNamespace(), m.GetName(), id}] = struct{}{}
		}
	}
	sets, err := s.Cache.StatefulSets.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("cached sets: %w", err)
	}
	for _, o := range sets {
		note(o)
	}
	services, err := s.Kube.CoreV1().Services("").List(ctx, ours)
	if err != nil {
		return fmt.Errorf("list services: %w", err)
	}
	for i := range services.Items {
		note(&services.Items[i])
	}
	for key := range found {
		if err := s.orphan(ctx, key[0], key[1], key[2]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) orphan(ctx context.Context, namespace, name, id string) error {
	known, err := s.DB.Client.Instance.Query().Where(entinstance.ID(id)).Exist(ctx)
	if err != nil || known {
		return err
	}
	our, err := s.DB.Client.Team.Query().Where(entteam.Namespace(namespace)).Exist(ctx)
	if err != nil || !our {
		return err
	}
	slog.Warn("objects of an instance that is gone are deleted", "instance_id", id, "namespace", namespace, "name", name)
	return s.erase(ctx, namespace, name, id)
}
