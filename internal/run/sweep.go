package run

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/run"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
)

// OnChange maps a change of the cluster to the run that it concerns.
func (s *Service) OnChange(c kube.Change) (id string, ok bool) {
	if c.Kind != "Pod" && c.Kind != "Job" || c.Labels[manifest.LabelComponent] != manifest.ComponentTask {
		return "", false
	}
	id = c.Labels[manifest.LabelRunID]
	return id, id != ""
}

// attemptIn finds an attempt's id in the name of a Job or of its pod.
var attemptIn = regexp.MustCompile(`-(att-[0-9a-v]{20})(-|$)`)

// Observe keeps a cluster's event about a run's objects (P6) and has the run
// looked at.
func (s *Service) Observe(ctx context.Context, e *corev1.Event) error {
	o := e.InvolvedObject
	if o.Kind != "Pod" && o.Kind != "Job" {
		return nil
	}
	found := attemptIn.FindStringSubmatch(o.Name)
	if found == nil {
		return nil
	}
	ctx = authz.AsSystem(ctx)
	a, err := s.DB.Client.Attempt.Get(ctx, found[1])
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("attempt of event: %w", err)
	}
	defer s.Kicker.Kick(outbox.Run, a.RunID)
	t := told(e)
	entry := history.Entry{TeamID: a.TeamID, SubjectID: a.RunID, At: t.Last, Source: entevent.SourceCluster, Type: t.Reason,
		Message: t.Message, Count: t.Count, DedupeKey: string(e.UID), Args: map[string]any{"object": o.Kind + " " + o.Name, "attempt": a.Number}}
	if t.Type == corev1.EventTypeWarning {
		entry.Severity = entevent.SeverityWarning
	}
	news := false
	if len(entry.Type) <= 128 {
		if news, err = history.Observe(ctx, s.DB.Client.Event, entry); err != nil {
			return err
		}
	}
	if news {
		s.Broker.Publish(ctx, event.Message{Topic: "event", ID: a.RunID, TeamID: a.TeamID})
	}
	if t.Reason == "Pulled" {
		return image.Learn(ctx, s.DB.Client, t.Message)
	}
	return nil
}

// Sweep deletes Jobs and pods of our teams whose run is gone (P74), and has the
// runs looked at that are not at rest: those that are not over, those to be
// deleted, and those of which something is left in the cluster.
func (s *Service) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	ids, err := s.DB.Client.Run.Query().Where(run.Or(
		run.StateIn(run.StatePending, run.StateRunning, run.StateRetrying, run.StateStopping),
		run.DesiredEQ(run.DesiredDeleted),
	)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("runs not at rest: %w", err)
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
		s.Kicker.Kick(outbox.Run, id)
	}
	if err := s.sweepSecrets(ctx); err != nil {
		return err
	}
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	for runID, list := range objects {
		if known[runID] {
			continue
		}
		there, err := s.DB.Client.Run.Query().Where(run.ID(runID)).Exist(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("run %s: %w", runID, err)
		case there:
			s.Kicker.Kick(outbox.Run, runID)
			continue
		}
		for _, o := range list {
			if ours, err := s.ours(ctx, o); err != nil {
				return err
			} else if !ours {
				continue
			}
			slog.Warn("object of a run that is gone deleted", "run_id", runID, "object", o.name)
			if err := s.remove(ctx, o.namespace, o.attemptID, o.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// ours reports whether an object belongs to a team of this database. Another
// GoblinLab may work in the same cluster, or a database may have been lost:
// what it made is not for us to delete.
func (s *Service) ours(ctx context.Context, o object) (bool, error) {
	ns, err := s.namespace(ctx, o.teamID)
	if ent.IsNotFound(err) {
		return false, nil
	}
	return ns == o.namespace, err
}

type object struct{ namespace, name, attemptID, teamID string }

// objects are the Jobs and pods of runs in our teams' namespaces, by run; other
// namespaces may belong to another GoblinLab on the same cluster.
func (s *Service) objects(ctx context.Context) (map[string][]object, error) {
	out := map[string][]object{}
	if s.Cache == nil {
		return out, nil
	}
	namespaces, err := s.DB.Client.Team.Query().Select(entteam.FieldNamespace).Strings(ctx)
	if err != nil {
		return nil, fmt.Errorf("namespaces: %w", err)
	}
	sel := labels.SelectorFromSet(labels.Set{manifest.LabelComponent: manifest.ComponentTask})
	add := func(m metav1.Object) {
		if l := m.GetLabels(); l[manifest.LabelRunID] != "" && slices.Contains(namespaces, m.GetNamespace()) {
			out[l[manifest.LabelRunID]] = append(out[l[manifest.LabelRunID]], object{m.GetNamespace(), m.GetName(), l[manifest.LabelAttemptID], l[manifest.LabelTeamID]})
		}
	}
	jobs, err := s.Cache.Jobs.List(sel)
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	for _, j := range jobs {
		add(j)
	}
	pods, err := s.Cache.Pods.List(sel)
	if err != nil {
		return nil, fmt.Errorf("pods: %w", err)
	}
	for _, p := range pods {
		add(p)
	}
	return out, nil
}
