package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Reconcile brings the objects of an instance to what its row says, and the
// row's status to what the cluster shows.
func (s *Service) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	ctx = authz.AsSystem(ctx)
	row, err := s.DB.Client.Instance.Query().Where(entinstance.ID(id)).WithTeam().WithOwner().Only(ctx)
	switch {
	case ent.IsNotFound(err):
		s.polls.Delete(id)
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("load instance %s: %w", id, err)
	}
	if waitsForTurn(row) {
		return s.turn(ctx, row)
	}
	if s.Cache == nil || !s.Cache.Synced() {
		return soon, nil
	}
	now := s.now()
	seen, err := s.look(ctx, row, false, now)
	if err != nil {
		return 0, err
	}
	want := s.desired(row)
	d := Decide(want, seen.Observed, now)
	if d.Confirm {
		if seen, err = s.look(ctx, row, true, now); err != nil {
			return 0, err
		}
		d = Decide(want, seen.Observed, now)
	}
	done, err := s.carryOut(ctx, row, &d)
	if err != nil {
		return 0, fmt.Errorf("instance %s: %w", id, err)
	}
	if d.Gone {
		return 0, s.remove(ctx, row)
	}
	return d.After, errors.Join(s.save(ctx, row, d, seen.apps, done), s.keepKills(ctx, row, seen.pod, seen.kills))
}

func (s *Service) desired(i *ent.Instance) Desired {
	d := Desired{
		Want: string(i.Desired), Start: i.StartNumber, Moved: i.MovedAtStart, Applied: i.ObservedGeneration == i.Generation, Title: i.Name,
		StartTimeout: s.Config.Now().Limits.StartTimeout,
		State:        State(i.State), Reason: i.Reason, Timeline: i.Timeline,
	}
	if i.ReadyAt != nil {
		d.ReadyAt = *i.ReadyAt
	}
	return d
}

// done is what came of a decision, for the row.
type done struct {
	hostKey string
	applied bool // the cluster has what this generation asks for
}

// carryOut does what was decided, in the order of the decision's fields. What
// the cluster refuses becomes the reason; what it does not answer is tried again.
func (s *Service) carryOut(ctx context.Context, row *ent.Instance, d *Decision) (done, error) {
	out := done{hostKey: row.HostKey, applied: true}
	if d.Apply || d.Ensure {
		key, err := s.apply(ctx, row, d.Apply)
		if why := refusal(err); why != nil {
			d.Reason, d.After, out.applied = why, often, false
			d.DeletePods, d.AbandonPods = nil, nil // the old pod serves until the new one can come
		} else if err != nil {
			return out, err
		} else {
			out.hostKey = key
		}
	}
	if d.Scale != nil || d.Retitle {
		if err := s.patch(ctx, row, d); err != nil {
			return out, err
		}
	}
	ns := row.Edges.Team.Namespace
	for _, p := range d.DeletePods {
		if err := s.deletePod(ctx, ns, p, nil); err != nil {
			return out, err
		}
	}
	for _, p := range d.AbandonPods {
		if err := s.deletePod(ctx, ns, p, new(int64)); err != nil {
			return out, err
		}
	}
	if d.DeleteObjects {
		if err := s.erase(ctx, ns, row.ObjectName, row.ID); err != nil {
			return out, err
		}
	}
	switch d.Retire {
	case RetireOlder:
		return out, s.retire(ctx, s.bare(row), row.StartNumber)
	case RetireAll:
		return out, s.retire(ctx, s.bare(row), 0)
	}
	return out, nil
}

// deletePod deletes exactly this pod, not one that has its name by now. With a grace of zero the API server forgets it at
// once, whatever its node says.
func (s *Service) deletePod(ctx context.Context, ns string, p Pod, grace *int64) error {
	uid := types.UID(p.UID)
	o := metav1.DeleteOptions{GracePeriodSeconds: grace, Preconditions: &metav1.Preconditions{UID: &uid}}
	if err := s.Kube.CoreV1().Pods(ns).Delete(ctx, p.Name, o); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete pod %s: %w", p.Name, err)
	}
	return nil
}

// waitsError is a start that waits for something of the platform's own.
type waitsError struct{ reason *spec.Reason }

func (e waitsError) Error() string { return "waits: " + e.reason.Code }

// refusal is what a person must hear when the cluster takes no objects.
func refusal(err error) *spec.Reason {
	var waits waitsError
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return nil
	case errors.As(err, &waits):
		return waits.reason
	case !errors.As(err, &status):
		return nil
	case apierrors.IsNotFound(err): // the namespace
		return &spec.Reason{Code: "team-preparing"}
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return &spec.Reason{Code: reason.PodRefused, Args: map[string]any{"detail": status.Status().Message}}
	}
	return nil
}

// patch sets what may change without a new start. An apply would have to carry
// the pod template too, and a template that reads differently today, since the
// configuration has changed or the program was renewed, would restart the pod
// under its user.
func (s *Service) patch(ctx context.Context, row *ent.Instance, d *Decision) error {
	p := map[string]any{}
	if d.Scale != nil {
		p["spec"] = map[string]any{"replicas": *d.Scale}
	}
	if d.Retitle {
		p["metadata"] = map[string]any{"annotations": map[string]string{manifest.AnnotationName: row.Name}}
	}
	b, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write patch: %w", err)
	}
	_, err = s.Kube.AppsV1().StatefulSets(row.Edges.Team.Namespace).Patch(ctx, row.ObjectName, types.MergePatchType, b, metav1.PatchOptions{FieldManager: manifest.Manager})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("patch set: %w", err)
	}
	return nil
}

// erase deletes what belongs to an instance, save its volumes. Some of it may be gone.
func (s *Service) erase(ctx context.Context, ns, name, id string) error {
	background := metav1.DeletePropagationBackground
	steps := []func() error{
		func() error {
			return s.Kube.AppsV1().StatefulSets(ns).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
		},
		func() error { return s.Kube.CoreV1().Services(ns).Delete(ctx, name, metav1.DeleteOptions{}) },
		func() error {
			return s.Kube.CoreV1().Secrets(ns).DeleteCollection(ctx, metav1.DeleteOptions{}, selectInstance(id))
		},
		func() error {
			return s.Kube.CoreV1().Pods(ns).DeleteCollection(ctx, metav1.DeleteOptions{}, selectInstance(id))
		},
	}
	for _, step := range steps {
		if err := step(); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete objects of %s: %w", id, err)
		}
	}
	return s.endTokens(ctx, id, 0)
}

// apply makes the Secrets and, for a new start, the Service and the
// StatefulSet. The set comes last: a pod that finds its Secrets missing waits
// for its kubelet's next look.
func (s *Service) apply(ctx context.Context, row *ent.Instance, all bool) (hostKey string, err error) {
	i, err := s.object(ctx, row)
	if err != nil {
		return "", err
	}
	delivered, err := s.deliver(ctx, row, &i)
	if err != nil {
		return "", err
	}
	hostKey = row.HostKey
	var g errgroup.Group
	g.Go(func() error { return s.ensureLogin(ctx, row, i, all) })
	g.Go(func() error { return s.ensureSecrets(ctx, i, delivered) })
	if hostKey == "" || !all {
		g.Go(func() (err error) {
			hostKey, err = s.ensureHostKey(ctx, i)
			return err
		})
	}
	if all {
		g.Go(func() error {
			if _, err := s.Kube.CoreV1().Services(i.Namespace).Apply(ctx, manifest.Service(i), kube.Apply); err != nil {
				return fmt.Errorf("apply service: %w", err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil || !all {
		return hostKey, err
	}
	if _, err := s.Kube.AppsV1().StatefulSets(i.Namespace).Apply(ctx, manifest.StatefulSet(i), kube.Apply); err != nil {
		return "", fmt.Errorf("apply set: %w", err)
	}
	return hostKey, nil
}
