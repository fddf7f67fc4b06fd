package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent/attempt"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// checkSecrets refuses secrets that are not there, or not for this viewer, whose
// run it will be (P95): a run of another's that is run again has none of the other's.
func (s *Service) checkSecrets(ctx context.Context, f *fault.Fields, v *authz.Viewer, teamID string, task spec.Task) error {
	preflight.CheckSecrets(f, "", task.Secrets, task.Mounts, nil)
	if s.Secrets == nil || len(task.Secrets) == 0 {
		return nil
	}
	return s.Secrets.Check(ctx, f, v, secret.Consumer{TeamID: teamID, OwnerID: v.UserID}, task.Secrets, nil, task.Env)
}

// refused makes a refusal of secrets one of the Job.
func refused(err error) error {
	var r secret.RefusedError
	if errors.As(err, &r) && r.Reason.Code != secret.ReasonKey { // a key may be put back
		return refusal{r.Reason}
	}
	return err
}

// deliver makes the Secrets of an attempt, once more for the run's owner alone,
// and gives their names. They are there before the Job: a pod that finds one
// missing waits for its kubelet's next look.
func (s *Service) deliver(ctx context.Context, r *loaded, m *manifest.Attempt) ([]string, error) {
	var names []string
	put := func(u manifest.UserSecret) error {
		names = append(names, u.Name)
		if _, err := s.Kube.CoreV1().Secrets(m.Namespace).Apply(ctx, manifest.AttemptSecret(*m, u), kube.Apply); err != nil {
			return fmt.Errorf("apply secret of %s: %w", m.Name, err)
		}
		return nil
	}
	if uses := r.task.Spec.Secrets; s.Secrets != nil && len(uses) > 0 {
		d, err := s.Secrets.Deliver(ctx, secret.Consumer{TeamID: r.team.ID, OwnerID: r.row.OwnerID}, uses)
		if err != nil {
			return nil, refused(err)
		}
		name := func(n int) string { return m.Name + "-secret-" + strconv.Itoa(n) }
		d.Into(&m.Container, name)
		for n := range d.Objects {
			if err := put(d.Secret(n, name(n))); err != nil {
				return nil, err
			}
		}
	}
	if s.Tokens != nil {
		m.TokenSecret = manifest.AttemptTokenName(*m)
		text := s.Tokens.NewInsideText()
		if err := put(manifest.UserSecret{Name: m.TokenSecret, Data: map[string][]byte{manifest.EnvToken: []byte(text)}, Hide: []string{manifest.EnvToken}}); err != nil {
			return nil, err
		}
		err := s.Tokens.KeepInside(ctx, account.Inside{UserID: r.row.OwnerID, TeamID: r.team.ID, SubjectID: m.ID, Name: r.row.Name}, text)
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// handOver makes the Secrets of an attempt go with its Job, whoever deletes that.
func (s *Service) handOver(ctx context.Context, job *batchv1.Job, names []string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{
		{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID}}}})
	if err != nil {
		return fmt.Errorf("write patch: %w", err)
	}
	for _, name := range names {
		_, err := s.Kube.CoreV1().Secrets(job.Namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manifest.Manager})
		if err != nil && !apierrors.IsNotFound(err) {
			slog.WarnContext(ctx, "secret not given to its job; it is swept later", "job", job.Name, "err", err)
		}
	}
	return nil
}

// removeSecrets deletes the Secrets of an attempt, and ends its token.
func (s *Service) removeSecrets(ctx context.Context, namespace, attemptID string) error {
	err := s.Kube.CoreV1().Secrets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{LabelSelector: manifest.LabelAttemptID + "=" + attemptID})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete secrets of %s: %w", attemptID, err)
	}
	if s.Tokens == nil {
		return nil
	}
	return s.Tokens.EndInside(ctx, attemptID, 0)
}

const (
	orphanAge    = time.Minute     // how old a Secret without a live attempt must be before it is deleted
	orphansEvery = 3 * time.Minute // the cluster is asked for them
)

// sweepSecrets deletes Secrets of our teams whose attempt has ended or is gone:
// those of a process that was killed between a Secret and its Job.
func (s *Service) sweepSecrets(ctx context.Context) error {
	if s.Kube == nil || s.Cache == nil || time.Since(time.Unix(0, s.swept.Load())) < orphansEvery {
		return nil
	}
	list, err := s.Kube.CoreV1().Secrets("").List(ctx, metav1.ListOptions{LabelSelector: manifest.SelectManaged + "," + manifest.LabelComponent + "=" + manifest.ComponentTask})
	if err != nil {
		return fmt.Errorf("list secrets of runs: %w", err)
	}
	s.swept.Store(time.Now().UnixNano())
	done := map[string]bool{}
	for i := range list.Items {
		o := &list.Items[i]
		id := o.Labels[manifest.LabelAttemptID]
		if id == "" || done[id] || len(o.OwnerReferences) > 0 || time.Since(o.CreationTimestamp.Time) < orphanAge {
			continue
		}
		done[id] = true
		live, err := s.DB.Client.Attempt.Query().Where(attempt.ID(id), attempt.LogComplete(false)).Exist(ctx)
		if err != nil {
			return fmt.Errorf("attempt %s: %w", id, err)
		}
		our, err := s.DB.Client.Team.Query().Where(entteam.Namespace(o.Namespace)).Exist(ctx)
		if err != nil {
			return fmt.Errorf("team of namespace %s: %w", o.Namespace, err)
		}
		if live || !our {
			continue
		}
		slog.WarnContext(ctx, "secrets of an attempt that is over are deleted", "attempt_id", id, "namespace", o.Namespace)
		if err := s.removeSecrets(ctx, o.Namespace, id); err != nil {
			return err
		}
	}
	return nil
}
